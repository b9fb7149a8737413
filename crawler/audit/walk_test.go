package audit_test

import (
	"errors"
	"testing"

	"sitemend/crawler/audit"
)

// failing is a site of which the answers cannot be read any more from one URL on.
type failing struct {
	*site
	at     string
	failed bool
}

var errFailed = errors.New("cannot be read")

func (f *failing) Hop(r audit.Request) (audit.Hop, bool) {
	f.failed = f.failed || r.URL == f.at
	return f.site.Hop(r)
}

func (f *failing) Err() error {
	if f.failed {
		return errFailed
	}
	return nil
}

// No row is handed on that was judged with a memory that could not be read.
func TestRowsOfAFailingMemory(t *testing.T) {
	s := &site{web: web{}}
	for _, url := range many(3000, "http://a.example/%d") {
		s.web[audit.Request{URL: url}] = audit.Hop{Request: audit.Request{URL: url}, Status: 200}
	}
	s.list(map1, many(3000, "http://a.example/%d")...)
	memory := &failing{site: s}
	result, err := audit.Evaluate(t.Context(), memory, audit.Info{Rules: *rules()}, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	memory.at = "http://a.example/1000"
	rows := 0
	for _, err = range result.Rows(t.Context(), 0) {
		if err == nil {
			rows++
		}
	}
	if rows != 1000 || !errors.Is(err, errFailed) {
		t.Errorf("%d rows, %v", rows, err)
	}
}
