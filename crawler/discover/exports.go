package discover

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/searchconsole"
)

// An Export is a file of --search-console.
type Export struct {
	Name string // as the user named it
	searchconsole.Export
}

// exports adds the addresses of --search-console, one list for each file.
func (w *discovery) exports(ctx context.Context) error {
	if len(w.Exports) == 0 {
		return nil
	}
	sites := w.sites()
	seen, others := map[string]bool{}, map[string]int{}
	asked := 0
	for _, x := range w.Exports {
		l := reportedList{w: w, sites: sites, seen: seen, others: map[string]int{}}
		sm := audit.Sitemap{URL: x.Name, Parent: -1, Kind: audit.KindSearchConsole, FetchedAt: w.Now}
		added, err := w.store.AddSitemap(ctx, sm, l.entries(x.Rows))
		if err != nil {
			return err
		}
		added.Faults = l.faults(&x)
		for _, f := range added.Faults {
			w.Warn("%s: %s", x.Name, w.Words(f))
		}
		if err := w.store.PutSitemap(added); err != nil {
			return err
		}
		for host, n := range l.others {
			others[host] += n
			asked -= n
		}
		asked += added.Entries
	}
	if asked == 0 && len(others) > 0 {
		return &Error{What: "no URL of the export is of the audited site: they are of " + hostsOf(others),
			Fix: "leave the TARGET out, and the site of the export is audited; or give the export of this site"}
	}
	return nil
}

// sites returns the registrable domains of the audited hosts. An export's addresses of other sites
// are not crawled, because the user named none of these.
func (w *discovery) sites() map[string]bool {
	sites := map[string]bool{}
	for _, origin := range w.Audited.Origins() {
		if a, err := address.Parse(origin); err == nil {
			sites[a.Site()] = true
		}
	}
	return sites
}

// reportedList makes the entries of one export.
type reportedList struct {
	w        *discovery
	sites    map[string]bool
	seen     map[string]bool // wire form and reason
	repeated int
	others   map[string]int // addresses of other sites, by host
}

func (l *reportedList) entries(rows []searchconsole.Row) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, r := range rows {
			a, err := address.Parse(r.URL)
			if err != nil {
				continue // Read returns no such row
			}
			key := a.String() + " " + string(r.Reason)
			if l.seen[key] {
				l.repeated++
				continue
			}
			l.seen[key] = true
			loc, tooLong := audit.Kept(r.URL)
			e := audit.Entry{Loc: loc, TooLong: tooLong, Line: r.Line, Skip: l.skip(a, r.URL),
				Reported: audit.Reported{Is: true, Reason: r.Reason, Crawled: r.Crawled}}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l *reportedList) skip(a address.Address, loc string) audit.Skip {
	if !l.sites[a.Site()] {
		l.others[a.Host()]++
		return audit.SkipSite
	}
	if l.w.skip(loc, ^uint64(0)) == audit.SkipFilter {
		return audit.SkipFilter
	}
	return audit.SkipNone
}

// faults returns the faults of the export.
func (l *reportedList) faults(x *Export) []audit.SitemapFault {
	var out []audit.SitemapFault
	fault := func(n, line int, name string, s sentence) {
		if n > 0 {
			out = append(out, audit.SitemapFault{Sitemap: x.Name, Line: line, Name: name, Severity: "warning", Count: n, Key: s.key, Args: s.args})
		}
	}
	fault(x.Unread, x.FirstUnread, unreadRows, say("export-unread", strconv.Itoa(x.Unread), strconv.Itoa(x.FirstUnread)))
	fault(l.repeated, 0, repeatedRows, say("export-repeated", strconv.Itoa(l.repeated)))
	n := 0
	for _, x := range l.others {
		n += x
	}
	fault(n, 0, otherSite, say("export-other-site", strconv.Itoa(n), hostsOf(l.others)))
	return out
}

// The names of the faults of an export.
const unreadRows = "Rows that could not be read"
const repeatedRows = "Repeated rows"
const otherSite = "URLs of another site"

// hostsOf returns the hosts with the most addresses, in words.
func hostsOf(counts map[string]int) string {
	hosts := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	if len(hosts) > 3 {
		return strings.Join(hosts[:3], ", ") + ", ..."
	}
	return strings.Join(hosts, ", ")
}
