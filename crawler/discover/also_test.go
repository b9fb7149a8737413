package discover

import (
	"fmt"
	"iter"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// countingShelf is a shelf that counts what is put on it.
type countingShelf struct{ n int }

func (c *countingShelf) Add(key, value string) error         { c.n++; return nil }
func (c *countingShelf) Sorted() iter.Seq2[[2]string, error] { return nil }

// An element should have one entry. Of an element with very many, not every entry is recorded as
// naming each of its images: that would fill the disk.
func TestAnElementOfManyEntries(t *testing.T) {
	shelf := new(countingShelf)
	a := alsoing{w: &discovery{Options: Options{Also: Also{Lists: audit.AlsoLists()}}}, shelf: shelf}
	own := make([]audit.Entry, maxOwn)
	for i := range own {
		own[i].N = i
	}
	own[0].Skip = audit.SkipFilter
	const images = 100
	for i := range images {
		l := sitemap.Link{Href: fmt.Sprintf("https://a.example/%d.png", i), Kind: sitemap.Image}
		if err := a.link(&audit.Sitemap{}, own, &l); err != nil {
			t.Fatal(err)
		}
	}
	if shelf.n != maxNaming*images {
		t.Errorf("%d records for %d images", shelf.n, images)
	}
}
