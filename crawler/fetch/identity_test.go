package fetch

import (
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	h, err := ParseHeader("X-Token:  a: b ")
	if err != nil || h != (Header{"X-Token", "a: b"}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, bad := range []string{"", "X", ": v", "X Y: v", "X: a\r\nY: b", "X: \x00", "Host:", "Host: a b", "host: a/b"} {
		if h, err := ParseHeader(bad); err == nil {
			t.Errorf("%q: %+v", bad, h)
		}
	}
	for _, bad := range []string{"s3cret", "Authorization s3cret", "Authorization Basic s3cret: x", "X-Key: s3cret\n" + "x"} {
		if _, err := ParseHeader(bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: the error is %v", bad, err)
		}
	}
}
