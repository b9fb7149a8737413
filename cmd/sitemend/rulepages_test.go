package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/crawler/rules/write"
)

// Where one page cannot be written none is, and what was there is as it was.
func TestPagesAreWrittenTogether(t *testing.T) {
	dir := t.TempDir()
	old := write.Pair{Source: "/old", Target: "/new"}
	if err := writePages(dir, &write.Plan{Pairs: []write.Pair{old}}); err != nil {
		t.Fatal(err)
	}
	_, text := write.Page(old)
	p := &write.Plan{Pairs: []write.Pair{
		{Source: "/early", Target: "/x"}, {Source: "/deep/down/page", Target: "/x"}, {Source: "/old", Target: "/newer"},
		{Source: "/" + strings.Repeat("x", 300), Target: "/x"}, // no file has a name as long
	}}
	if err := writePages(dir, p); err == nil {
		t.Fatal("a name of 300 octets was written")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "old.html")); err != nil || string(got) != text {
		t.Errorf("the page that was there is %q, %v", got, err)
	}
	p.Pairs = p.Pairs[:3]
	if err := writePages(dir, p); err != nil || len(p.Left) != 0 {
		t.Fatal(err, p.Left)
	}
	_, text = write.Page(write.Pair{Source: "/old", Target: "/newer"})
	if got, err := os.ReadFile(filepath.Join(dir, "old.html")); err != nil || string(got) != text {
		t.Errorf("the page of an earlier run is %q, %v", got, err)
	}
}
