package crawler

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
	return c.findSections(ctx)
}

const (
	sectionAt   = 5       // entries that share a first path segment, from which it is a section
	maxSections = 8       // of an origin, those with the most entries
	maxCounted  = 100_000 // first path segments that are counted
)

// findSections finds audit.Rules.Sections in the entries. What a server says to a URL that does not exist
// often depends on the rule, and so on the path. With secrets the entries with Entry.WithoutSecrets do not
// count: no stranger makes a section that is requested with them.
func (c *Crawler) findSections(ctx context.Context) error {
	counts := map[string]map[string]int{} // by origin and first path segment
	counted, secret := 0, len(c.o.Rules.Secret) > 0
	for e, err := range c.store.Entries(ctx, 0, c.store.EntryCount()) {
		if err != nil {
			return err
		}
		a, wrong := e.Parse()
		if wrong != nil || e.Skip != audit.SkipNone || e.Also.File() || secret && e.WithoutSecrets {
			continue
		}
		under, section := counts[a.Origin()], a.Section()
		if under == nil {
			under = map[string]int{}
			counts[strings.Clone(a.Origin())] = under
		}
		if _, known := under[section]; !known {
			if counted == maxCounted {
				continue
			}
			section, counted = strings.Clone(section), counted+1
		}
		under[section]++
	}
	found := map[string][]string{}
	for origin, under := range counts {
		delete(under, "")
		maps.DeleteFunc(under, func(_ string, n int) bool { return n < sectionAt })
		most := slices.SortedFunc(maps.Keys(under), func(a, b string) int { return cmp.Or(under[b]-under[a], strings.Compare(a, b)) })
		if len(most) > 0 {
			found[origin] = slices.Sorted(slices.Values(most[:min(len(most), maxSections)]))
		}
	}
	c.o.Rules.Sections = found
	return nil
}

// Changed requests those of the sitemaps once more that the web answered before a time, as
// discover.Changed does. Its requests are part of Sent.
func (c *Crawler) Changed(ctx context.Context, store discover.Store, sitemaps []audit.Sitemap, before time.Time) ([]int, error) {
	again := slices.DeleteFunc(sitemaps, func(s audit.Sitemap) bool {
		return !s.FetchedAt.Before(before) || s.AnsweredAt == "" || s.Spool == ""
	})
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

// file gets a file like any request: at the pace of its hosts, and with two more attempts where
// these may help. Each attempt writes to a writer of its own that open returns. Once ctx has ended
// no more requests are sent, but the answer to one under way may still arrive for a while. even
// requests the file from an abandoned host, too. The error is that of a writer, or of ctx.
func (c *Crawler) file(ctx context.Context, f fetch.File, even bool, open func() (io.WriteCloser, error)) (out discover.File, err error) {
	h := c.host(c.o.Key(f.URL))
	if !even && c.abandons(h) {
		out.Fault, out.Final = answers.FaultAbandoned, f.URL
		return out, nil
	}
	defer func() { c.alsoSent(out.Requests) }()
	var first time.Time
	for try := 0; ; {
		var got fetch.FileResult
		w, err := open()
		if err == nil {
			got, err = c.once(ctx, h, f, w)
			err = errors.Join(err, w.Close())
		}
		sent := len(got.Trail)
		if err == nil && got.Fault == fetch.FaultLocal {
			sent-- // the last one never left this machine
			err = c.outage.failed(&got.Fault, &got.Detail, &first)
		} else if err == nil {
			c.outage.passed()
		}
		out.FileResult = got
		out.Requests += sent
		c.Progress.Requests.Add(int64(sent))
		lost := errors.Is(err, ErrFenced) && c.o.Via != nil && c.hard.Err() == nil
		if lost || err == nil && got.Fault == fetch.FaultLocal { // neither says anything about the host
			continue
		}
		if err == nil {
			hop, wait := answers.Hop{Status: got.Status, Fault: got.Fault}, time.Duration(0)
			h := c.host(c.o.Key(got.Final))
			if h.count(&hop, got.RetryAfter) && c.abandons(h) || !heals(&hop) || got.RetryAfter > maxRest || try >= len(c.o.Backoff) {
				c.asksToWait(got.Final.HostPort(), &hop, got.RetryAfter)
				return out, nil
			}
			if !got.Stale || try > 0 {
				wait = max(c.o.Backoff[try], got.RetryAfter)
			}
			try++
			err = pause(ctx, wait)
		}
		if err != nil {
			return out, err
		}
	}
}

// once gets a file once, each request of it at its turn. A request under way is given up when its
// lease is lost: then the error is ErrFenced.
func (c *Crawler) once(ctx context.Context, h *host, f fetch.File, w io.Writer) (fetch.FileResult, error) {
	l := h.leased()
	hard, end := c.underWay(l)
	defer end()
	hard, cancel := context.WithCancelCause(hard)
	defer cancel(nil)
	f.Turn = func(_ context.Context, a address.Address) (func(*answers.Hop, fetch.Answer), error) {
		h := c.host(c.o.Key(a))
		b, err := c.borrow(ctx, h)
		if err != nil {
			return nil, err
		}
		turn, err := c.turn(ctx, h)
		if err == nil {
			if err = c.enter(ctx); err == nil && b != nil && b.lost() {
				<-c.slots
				err = ErrFenced
			}
			if err != nil {
				h.Done(turn, outcome{Fault: answers.FaultAbandoned})
			}
		}
		if err != nil {
			c.giveBack(ctx, h, b)
			return nil, err
		}
		stop := func() bool { return true }
		if b != nil {
			stop = context.AfterFunc(b.Live, func() { cancel(ErrFenced) })
		}
		return func(hop *answers.Hop, answer fetch.Answer) {
			<-c.slots
			stop()
			c.learn(h, turn, a, outcomeOf(hop, answer.RetryAfter, answer.Stale, false))
			c.giveBack(ctx, h, b)
		}, nil
	}
	got, err := c.client.Get(hard, f, w)
	if l.lost() || errors.Is(context.Cause(hard), ErrFenced) {
		err = ErrFenced
	}
	return got, err
}
