package audit_test

import (
	"fmt"
	"iter"
	"reflect"
	"testing"

	"sitemend/crawler/audit"
)

func listedAt(locs ...string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for n, loc := range locs {
			if !yield(audit.Entry{N: n, Loc: loc}, nil) {
				return
			}
		}
	}
}

// The sections of an origin are the first path segments that five entries share, the
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
	list(5, "nonsense/%d")
	for s := range 10 {
		list(5+s, fmt.Sprintf("http://many.example/s%d/%%d", s))
	}
	got, err := audit.Sections(listedAt(locs...), true)
	want := map[string][]string{"http://a.example": {"%E3", "five"}, "https://a.example": {"five"}, "http://a.example:8080": {"x"},
		"http://many.example": {"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}
