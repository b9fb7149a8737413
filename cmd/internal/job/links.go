package job

import (
	"context"
	"errors"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/crawler/links"
	"sitemend/storage"
)

// linksRecord is there where the links of pages were to be read.
const linksRecord = "links"

// linkedPages is an audit of the store, with the answers of which its links are joined.
type linkedPages interface {
	audit.Answers
	Get(name string) ([]byte, bool, error)
	PageLinks(context.Context) iter.Seq2[audit.PageLinks, error]
}

// addLinks adds to the result of an audit what the links of its pages say, where they were read.
// c lets go of its rows.
func addLinks(ctx context.Context, a linkedPages, t *audit.Result, c *Closers) error {
	_, read, err := a.Get(linksRecord)
	if err != nil || !read {
		return err
	}
	t.Linked, err = links.Join(ctx, t, links.Source{Answers: a, Pages: a.PageLinks, Shelf: func() audit.Shelf {
		s := storage.NewSorter("")
		c.Add(s.Close)
		return shelf{s}
	}})
	return errors.Join(err, a.Err())
}
