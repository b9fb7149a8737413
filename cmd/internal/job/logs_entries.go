package job

import (
	"context"
	"sort"
	"strings"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// listedEntries is what logs are held beside: the entries of an audit.
type listedEntries struct {
	audit    *storage.Audit
	sitemaps []audit.Sitemap
	hosts    map[string]string // each host of an entry, and an origin of it
}

// openEntries learns the sitemaps and hosts of an audit.
func openEntries(ctx context.Context, a *storage.Audit) (*listedEntries, error) {
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return nil, err
	}
	l := &listedEntries{audit: a, sitemaps: sitemaps, hosts: map[string]string{}}
	return l, l.each(ctx, func(_ int64, a address.Address) error {
		host := strings.TrimSuffix(a.Host(), ".") // as logs have it
		if origin := l.hosts[host]; origin == "" || strings.HasPrefix(origin, "http:") {
			l.hosts[strings.Clone(host)] = strings.Clone(a.Origin())
		}
		return nil
	})
}

// each calls yield for every entry that is an address and stands in a sitemap.
func (l *listedEntries) each(ctx context.Context, yield func(int64, address.Address) error) error {
	for e, err := range l.audit.Entries(ctx, 0, l.audit.EntryCount()) {
		if err != nil {
			return err
		}
		if !l.sitemaps[e.Sitemap].Listed() {
			continue
		}
		a, err := e.Parse()
		if err != nil {
			continue // what is no address was never asked for
		}
		if err := yield(int64(e.N), a); err != nil {
			return err
		}
	}
	return nil
}

// onlyHost is the host of all entries, "" where there are several. Of a host and its www twin it
// is neither: whose lines these are is not known.
func (l *listedEntries) onlyHost() (only string) {
	for host := range l.hosts {
		if len(l.hosts) == 1 {
			only = host
		}
	}
	return only
}

// has reports whether entries are of a host, or of its twin with or without www.
func (l *listedEntries) has(host string) bool { return l.origin(host) != "" }

// origin is that of a host, with the scheme and port that its entries have, or else those of its
// twin: a log says neither. It is "" where there are no entries.
func (l *listedEntries) origin(host string) string {
	bare, www := strings.CutPrefix(host, "www.")
	switch {
	case l.hosts[host] != "":
		return l.hosts[host]
	case www:
		return strings.Replace(l.hosts[bare], "://", "://www.", 1)
	}
	return strings.Replace(l.hosts["www."+host], "://www.", "://", 1)
}

// sitemapAt is the number of the sitemap of the n-th entry; for none the number behind the last.
func (l *listedEntries) sitemapAt(n int64) int {
	i := sort.Search(len(l.sitemaps), func(i int) bool { return int64(l.sitemaps[i].First) > n })
	for i--; i >= 0; i-- {
		if s := &l.sitemaps[i]; int64(s.First) <= n && n < int64(s.First+s.Entries) {
			return i
		}
	}
	return len(l.sitemaps)
}

// oursOf is what the audit got for what was asked; the zero Ours where it did not ask for that.
func oursOf(mem audit.Answers, f *accesslog.Finding) (out accesslog.Ours) {
	if f.Class == accesslog.RedirectedUnlisted || f.Class == accesslog.Unspelt {
		return out
	}
	listed := address.Wire(f.URL)
	asked := listed
	if f.Class == accesslog.OtherSpelling {
		var err error
		if asked, err = address.Parse(listed.Origin() + f.Asked); err != nil || asked.Target() != f.Asked {
			return out // octets that are sent otherwise
		}
	}
	h, ok := answerTo(mem, asked)
	if !ok {
		return out
	}
	out.Status = h.Status
	out.Differs = f.Class != accesslog.Never && !accesslog.SameAnswer(f.Seen.LastStatus, h.Status)
	if at, _ := answerTo(mem, listed); f.Class == accesslog.OtherSpelling && at.Status/100 == 2 && h.Location != "" {
		to, err := address.Resolve(asked, h.Location)
		out.Back = err == nil && to.String() == listed.String()
	}
	return out
}

// answerTo is the first answer to an address.
func answerTo(mem audit.Answers, a address.Address) (h audit.Hop, ok bool) {
	for _, purpose := range []audit.Purpose{audit.AsRobot, audit.AsRobot | audit.WithoutSecrets} {
		if h, ok = mem.Hop(audit.Request{URL: a.String(), Purpose: purpose}); ok {
			break
		}
	}
	return h, ok
}
