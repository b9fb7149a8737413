package crawler

import (
	"fmt"
	"reflect"
	"testing"
)

// The sections of an origin are the first path segments that five addresses share, the
// eight with most.
func TestSections(t *testing.T) {
	var locs []string
	list := func(n int, form string) {
		for i := range n {
			locs = append(locs, fmt.Sprintf(form, i))
		}
	}
	list(5, "http://a.example/five/%d")
	list(4, "http://a.example/four/%d")
	list(9, "http://a.example/leaf%d")
	list(5, "http://a.example/%%E3/?p=%d")
	list(6, "https://a.example/five/%d")
	list(5, "http://a.example:8080/x/y/%d")
	list(5, "http://b.example//%d")
	for s := range 10 {
		list(5+s, fmt.Sprintf("http://many.example/s%d/%%d", s))
	}
	c := &Crawler{store: newMemoryStore(locs...)}
	must(t, c.findSections(t.Context()))
	want := map[string][]string{"http://a.example": {"%E3", "five"}, "https://a.example": {"five"}, "http://a.example:8080": {"x"},
		"http://many.example": {"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}}
	if !reflect.DeepEqual(c.o.Rules.Sections, want) {
		t.Errorf("got  %v\nwant %v", c.o.Rules.Sections, want)
	}
}
