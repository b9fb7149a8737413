package sitemap

import (
	"bytes"
	"errors"
	"testing"
)

// A file that is packed twice is read, with a fault; one that is packed more often is not a
// sitemap.
func TestLayers(t *testing.T) {
	for n := 1; n <= 3; n++ {
		file := []byte(locs("http://a/"))
		for range n {
			file = packed(t, string(file))
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
