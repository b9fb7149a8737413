package address

import (
	"bytes"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// drawWords draws text of several scripts, with marks that combine.
func drawWords(t *rapid.T) string {
	letters := []rune("aeZ/ .-éåüõ日本語ひらがなガギ한국中文д北ά\u0301\u0300\u0309\u3099\u0323ơÀ\u00a0～—")
	return string(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 80).Draw(t, "text"))
}

// The fast checks only save work: what they exclude, the full comparison would exclude, too.
func TestQuickLooksTurnNothingAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawWords(t)
		for _, c := range charsets {
			b, err := c.enc.NewEncoder().String(text)
			if err != nil {
				continue // the charset lacks this character
			}
			got, ok := c.decode([]byte(b))
			if want := norm.NFC.Bytes(got); ok && !c.mayRead([]byte(b), want) {
				t.Fatalf("%s: %q is not looked at as %q", c.name, b, want)
			}
		}
		composed, apart := norm.NFC.String(text), norm.NFD.String(text)
		mixed := []byte(apart)
		if n := norm.NFC.FirstBoundaryInString(apart[len(apart)/2:]); n > 0 {
			mixed = append(norm.NFC.Bytes([]byte(apart[:len(apart)/2+n])), apart[len(apart)/2+n:]...)
		}
		for _, x := range [][]byte{[]byte(composed), []byte(apart), mixed, []byte(text)} {
			for _, y := range [][]byte{[]byte(composed), []byte(apart), mixed} {
				if bytes.Equal(norm.NFC.Bytes(x), norm.NFC.Bytes(y)) && !mayCompose(x, y) {
					t.Fatalf("%q and %q are one text", x, y)
				}
			}
		}
	})
}
