package job

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/links"
	"sitemend/storage"
)

// The values of Spec.Links.
const (
	LinksOff  = ""     // links are not read
	LinksRead = "read" // those of the pages that are fetched are read
	LinksAsk  = "ask"  // and the addresses that no sitemap lists are crawled
)

// linksRecord is there where the links of pages were to be read; its value is that of Spec.Links.
const linksRecord = "links"

// checkLinks refuses what cannot be together with reading links.
func (f *Spec) checkLinks() error {
	switch {
	case f.Links == LinksOff:
		return nil
	case f.Links != LinksRead && f.Links != LinksAsk:
		return cli.WithHint(fmt.Errorf("--links %q is unknown", f.Links), "--links stands alone, or is --links=ask")
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
	if j.f.Links == LinksOff {
		return nil
	}
	return a.Put(linksRecord, []byte(j.f.Links))
}

// copyLinks gives the pages that the server says are as they were (304) the links that an earlier
// audit read.
func (j *job) copyLinks(ctx context.Context, earlier, a *storage.Audit) error {
	if j.f.Links == LinksOff {
		return nil
	}
	for page, err := range earlier.PageLinks(ctx) {
		if err != nil {
			return err
		}
		hop, known := a.Hop(page.Request)
		if !known || !hop.NotModified {
			continue
		}
		if err := a.KeepLinks(page.Request, links.AsEarlier(page.Links)); err != nil {
			return err
		}
	}
	return a.Flush()
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
	how, read, err := a.Get(linksRecord)
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
	t.Linked.Asked = string(how) == LinksAsk
	return c.Close, nil
}
