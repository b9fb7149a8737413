package sitemap

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A file that is packed twice is read, with a fault; one that is packed more often is not a
// sitemap.
func TestLayers(t *testing.T) {
	for n := 1; n <= 3; n++ {
		file := []byte(locs("http://a/"))
		for range n {
			file = packed(string(file))
		}
		entries, info, err := readAll(bytes.NewReader(file), Options{})
		var format *FormatError
		switch {
		case n <= 2 && (err != nil || len(entries) != 1 || hasFault(info, "packed-twice 2") != (n == 2)):
			t.Errorf("packed %d times: %v, %v, %+v", n, entries, err, info)
		case n > 2 && (!errors.As(err, &format) || !hasFault(info, "no-sitemap binary data")):
			t.Errorf("packed %d times: %v, %v", n, err, info.Faults)
		}
	}
}

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
