package crawler

import (
	"cmp"
	"context"
	"io"
	"iter"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// Discover finds the sitemaps of the targets and adds them with their entries to the store, as
// discover.Run does, and adds to the rules what was learned about the site.
func (c *Crawler) Discover(ctx context.Context, store discover.Store, d discover.Options) error {
	defer c.until(ctx)()
	d.Secrets, d.Robots, d.Progress = c.o.Ask.HasSecrets(), c.o.Rules.Robots, &c.Progress.Progress
	err := discover.Run(ctx, web{c}, store, d)
	r := &c.o.Rules
	if c.o.Ask.HasSecrets() {
		r.Secret = d.Audited.Origins()
	}
	if err = cmp.Or(err, c.err); err != nil {
		return err
	}
	return r.FindSections(c.store.Entries(ctx, 0, c.store.EntryCount()))
}

// Changed requests those of the sitemaps once more that the web answered before a time, as
// discover.Changed does. Its requests are part of Sent.
func (c *Crawler) Changed(ctx context.Context, store discover.Store, sitemaps iter.Seq[*audit.Sitemap], before time.Time) ([]int, error) {
	var again []audit.Sitemap
	for s := range sitemaps {
		if s.FetchedAt.Before(before) && s.AnsweredAt != "" && s.Spool != "" {
			again = append(again, *s)
		}
	}
	defer c.until(ctx)()
	return discover.Changed(ctx, web{c}, store, again)
}

// Missing takes a second look at the sitemaps that were not there, as discover.Missing does. It is taken
// once the entries are crawled: a site that is being written anew is whole by then.
func (c *Crawler) Missing(ctx context.Context, store discover.Store) error {
	defer c.until(ctx)()
	return discover.Missing(ctx, web{c}, store)
}

// web is a Crawler as a discover.Web.
type web struct{ c *Crawler }

// File implements discover.Web.
func (w web) File(ctx context.Context, f fetch.File, open func() (io.WriteCloser, error)) (discover.File, error) {
	return w.c.file(ctx, f, false, open)
}

// Robots implements discover.Web.
func (w web) Robots(ctx context.Context, origin string) (*robots.Answer, error) {
	return w.c.robots.of(ctx, origin)
}

// Mapped implements discover.Web.
func (w web) Mapped(ref string, at address.Address) string { return w.c.client.Mapped(ref, at) }
