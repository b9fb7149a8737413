package discover

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/expect"
	"sitemend/crawler/searchconsole"
)

// list adds a list of addresses that is no file of the site, once. Its faults, which are known after
// its entries were yielded, are warnings, too.
func (w *discovery) list(ctx context.Context, kind, name string, entries iter.Seq2[audit.Entry, error], faults func() []audit.SitemapFault) error {
	sm := &audit.Sitemap{URL: name, Parent: -1, Kind: kind, FetchedAt: w.Now}
	if _, known := w.done[kind+" "+name]; known {
		return nil
	}
	return w.store.AddSitemap(ctx, sm, func(yield func(audit.Entry, error) bool) {
		for e, err := range entries {
			if !yield(e, err) {
				return
			}
		}
		if faults == nil {
			return
		}
		for _, f := range faults() {
			if f.Count > 0 {
				f.Sitemap, f.Severity = name, "warning"
				sm.Faults = append(sm.Faults, f)
				w.Warn("%s: %s", name, w.Words(f))
			}
		}
	})
}

// numbers are the arguments of a sentence that counts.
func numbers(ns ...int) (args []string) {
	for _, n := range ns {
		args = append(args, strconv.Itoa(n))
	}
	return args
}

// An Export is a file of --search-console.
type Export struct {
	Name string // as the user named it
	searchconsole.Export
}

// exports adds the addresses of --search-console, one list for each file. Addresses of other sites than
// those audited are not crawled, because the user named none of these.
func (w *discovery) exports(ctx context.Context) error {
	if len(w.Exports) == 0 {
		return nil
	}
	sites, seen, others := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, origin := range w.Audited.Origins() {
		if a, err := address.Parse(origin); err == nil {
			sites[a.Site()] = true
		}
	}
	for _, x := range w.Exports {
		strange := 0
		entries := func(yield func(audit.Entry, error) bool) {
			for _, r := range x.Rows {
				a, err := address.Parse(r.URL)
				key := a.String() + " " + string(r.Reason)
				if err != nil || seen[key] { // Read returns no row without an address
					continue
				}
				seen[key] = true
				loc, tooLong := address.Kept(r.URL)
				e := audit.Entry{Loc: loc, TooLong: tooLong, Line: r.Line, Reported: audit.Reported{Is: true, Reason: r.Reason, Crawled: r.Crawled}}
				switch {
				case !sites[a.Site()]:
					e.Skip = audit.SkipSite
					others[a.Host()]++
					strange++
				case w.leftOut(r.URL):
					e.Skip = audit.SkipFilter
				}
				if !yield(e, nil) {
					return
				}
			}
		}
		err := w.list(ctx, audit.KindSearchConsole, x.Name, entries, func() []audit.SitemapFault {
			return []audit.SitemapFault{
				{Name: "Rows that could not be read", Key: "lines-left", Count: x.Unread, Line: x.FirstUnread, Args: numbers(x.Unread, x.FirstUnread)},
				{Name: "URLs of another site", Key: "export-other-site", Count: strange, Args: append(numbers(strange), hostsOf(others))},
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hostsOf returns the hosts with the most addresses, in words.
func hostsOf(counts map[string]int) string {
	hosts := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(hosts, func(a, b string) int { return counts[b] - counts[a] })
	if len(hosts) > 3 {
		hosts = append(hosts[:3], "...")
	}
	return strings.Join(hosts, ", ")
}

// An Expect is the map of --expect.
type Expect struct {
	Name string // as the user named it
	// Lines yields the lines of the map in order, each valid by itself; it may be called again.
	Lines func() iter.Seq2[expect.Line, error]
	// Passed counts the lines that do not say where an address must redirect to; FirstPassed is the
	// first.
	Passed, FirstPassed int
}

// expect adds the old addresses of the map, in its order.
func (w *discovery) expect(ctx context.Context) error {
	x := w.Expect
	if x == nil {
		return nil
	}
	return w.list(ctx, audit.KindExpect, x.Name, func(yield func(audit.Entry, error) bool) {
		for line, err := range x.Lines() {
			var e audit.Entry
			if err == nil {
				if e, err = w.expected(&line); err != nil {
					err = &Error{What: fmt.Sprintf("%s line %d: %v", x.Name, line.N, err), Fix: ExpectHint}
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}, func() []audit.SitemapFault {
		return []audit.SitemapFault{
			{Name: "Lines that are no redirect of a URL", Key: "lines-left", Count: x.Passed, Line: x.FirstPassed, Args: numbers(x.Passed, x.FirstPassed)},
		}
	})
}

// ExpectHint describes the format of a map.
const ExpectHint = "a map has a line for each pair, old,new, or a line of _redirects: /old /new 301"

// expected returns the entry of a line of the map.
func (w *discovery) expected(line *expect.Line) (audit.Entry, error) {
	p, err := line.Pair(w.origin)
	if err != nil {
		return audit.Entry{}, err
	}
	text := line.Old
	if expect.IsPath(text) {
		text = w.origin + text
	}
	loc, tooLong := address.Kept(text)
	if tooLong {
		return audit.Entry{}, fmt.Errorf("the old URL has more than %d bytes", address.MaxLength)
	}
	e := audit.Entry{Loc: loc, Line: line.N, Expected: audit.Expected{Is: true, To: p.To.String(), Wild: p.Wild}}
	switch {
	case p.Wild:
		e.Skip = audit.SkipPattern
	case w.leftOut(loc):
		e.Skip = audit.SkipFilter
	}
	return e, nil
}
