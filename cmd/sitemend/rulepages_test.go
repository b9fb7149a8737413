package main

import (
	"os"
	"path/filepath"
	"testing"

	"sitemend/crawler/rules/write"
)

// A page of an earlier run is written anew, and what is no page of a rule stays.
func TestPagesOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	old := write.Pair{Source: "/old", Target: "/new"}
	must(t, writePages(dir, &write.Plan{Pairs: []write.Pair{old}}))
	must(t, os.WriteFile(filepath.Join(dir, "own.html"), []byte("a page of its own"), 0o644))
	p := &write.Plan{Pairs: []write.Pair{{Source: "/deep/down/page", Target: "/x"}, {Source: "/old", Target: "/newer"}, {Source: "/own", Target: "/x"}}}
	must(t, writePages(dir, p))
	if len(p.Pairs) != 2 || len(p.Left) != 1 || p.Left[0].Other != "own.html" {
		t.Errorf("%d are written, left out %+v", len(p.Pairs), p.Left)
	}
	_, text := write.Page(write.Pair{Source: "/old", Target: "/newer"})
	if got, err := os.ReadFile(filepath.Join(dir, "old.html")); err != nil || string(got) != text {
		t.Errorf("the page of an earlier run is %q, %v", got, err)
	}
}
