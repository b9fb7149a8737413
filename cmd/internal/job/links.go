package job

import (
	"context"
	"errors"
	"iter"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/links"
	"sitemend/storage"
)

// linksRecord is there where the links of pages were to be read.
const linksRecord = "links"

// checkLinks refuses what cannot be together with reading links.
func (f *Spec) checkLinks() error {
	switch {
	case !f.Links:
		return nil
	case f.NoFetch:
		return cli.WithHint(errors.New("--links reads pages, and --no-fetch fetches none"), "leave out one of them")
	case f.Servers.Via != "":
		return cli.WithHint(errors.New("--links reads pages here, and --via has workers fetch them: they keep no links"),
			"leave out one of them")
	}
	return nil
}

// beginLinks notes in the audit that the links of its pages are read.
func (j *job) beginLinks(a *storage.Audit) error {
	if !j.f.Links {
		return nil
	}
	return a.Put(linksRecord, nil)
}

// linkedPages is an audit of the store, with the answers of which its links are joined.
type linkedPages interface {
	audit.Answers
	Get(name string) ([]byte, bool, error)
	PageLinks(context.Context) iter.Seq2[audit.PageLinks, error]
}

// addLinks adds to the result of an audit what the links of its pages say, where they were read.
// Its rows can be read until done is called, which is not nil.
func addLinks(ctx context.Context, a linkedPages, t *audit.Result) (done func() error, err error) {
	var c Closers
	_, read, err := a.Get(linksRecord)
	if err != nil || !read {
		return c.Close, err
	}
	t.Linked, err = links.Join(ctx, t, links.Source{Answers: a, Pages: a.PageLinks, Shelf: func() audit.Shelf {
		s := storage.NewSorter("")
		c.Add(s.Close)
		return shelf{s}
	}})
	if err == nil {
		err = a.Err()
	}
	if err != nil {
		return func() error { return nil }, errors.Join(err, c.Close())
	}
	return c.Close, nil
}
