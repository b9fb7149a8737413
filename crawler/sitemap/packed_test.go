package sitemap

import (
	"strings"
	"testing"
)

// The line in which a text was cut off may be a part of a URL: it is no entry, and stays.
func TestCutText(t *testing.T) {
	const text = "http://a/1\nhttp://a/2\nhttp://a/th"
	for cut, want := range map[bool]int{true: 2, false: 3} {
		entries, _ := mustRead(t, strings.NewReader(text), Options{Cut: cut})
		e := edits("http://b/, x, http://c/")
		e.Cut = cut
		var out strings.Builder
		_, err := Rewrite(strings.NewReader(text), &out, e)
		if len(entries) != want || err != nil || strings.Contains(out.String(), "http://a/th") != cut {
			t.Errorf("cut %v: %d entries, %q, %v", cut, len(entries), out.String(), err)
		}
	}
}
