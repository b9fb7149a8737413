package address

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However the bytes of an address are spelled, two spellings differ by encoding reasons only; the
// exception is a slash in the path, which has another meaning when it is escaped.
func TestSpellingsDifferByEncodingOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text")
		spell := func(label, delimiters string) string {
			var b strings.Builder
			for _, c := range text {
				how := rapid.IntRange(0, 2).Draw(t, label)
				switch {
				case how == 0 && classOf[c] == keep && c != '%' && strings.IndexByte(delimiters, c) < 0:
					b.WriteByte(c)
				case how == 1:
					b.WriteString("%" + strings.ToLower(hexOf(c)))
				default:
					b.WriteString("%" + hexOf(c))
				}
			}
			return b.String()
		}
		for _, head := range []string{"http://h/x", "http://h/?"} {
			a, b := Wire(head+spell("first", "/")), Wire(head+spell("second", "/"))
			if rs := Compare(a, b); a != b && !OnlyEncoding(rs) || a == b && rs != nil {
				t.Fatalf("Compare(%s, %s) is %v", a, b, rs)
			}
		}
	})
}

func hexOf(c byte) string { return string([]byte{upperHex[c>>4], upperHex[c&15]}) }

func TestEncodingReasons(t *testing.T) {
	for r, want := range map[Reason]bool{HexCase: true, Unreserved: true, Reserved: true, Unencoded: true, Space: true, DoubleEncoded: true,
		Charset: true, Unicode: true, Scheme: false, WWW: false, Host: false, Port: false, Slash: false, PathCase: false, Index: false,
		Extension: false, Path: false, Query: false} {
		if r.Encoding() != want {
			t.Errorf("%s.Encoding() is %v", r, !want)
		}
	}
	if OnlyEncoding(nil) || OnlyEncoding([]Reason{HexCase, Path}) || !OnlyEncoding([]Reason{HexCase, Space}) {
		t.Error("OnlyEncoding: all are encoding reasons, and there is one")
	}
}

// beyondShapes never excludes a pair that a shape makes equal.
func TestQuickLookSparesNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{"/", "a", "B", "b", "index", "INDEX", ".html", ".HTM", ".htm", ".php", ".", "x.y", "+"})
	text := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if rapid.Bool().Draw(t, "grown") {
			b = a + strings.TrimPrefix(b, "/")
		}
		if s, ok := explain(a, b, inPath); ok && beyondShapes(a, b) {
			t.Fatalf("%s and %s differ by %v, which the quick look spares", a, b, s.list())
		}
	})
}
