package job

import (
	"context"
	"maps"
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
	// hosts are each host of an entry, and its twin with or without www, with an origin of it, whose
	// scheme and port are those of its entries: a log says neither.
	hosts map[string]string
	// only is the host of all entries, "" where there are several. Of a host and its www twin it is
	// neither: whose lines these are is not known.
	only string
}

// openEntries learns the sitemaps and hosts of an audit.
func openEntries(ctx context.Context, a *storage.Audit) (*listedEntries, error) {
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return nil, err
	}
	l := &listedEntries{audit: a, sitemaps: sitemaps, hosts: map[string]string{}}
	err = l.each(ctx, func(_ int64, a address.Address) error {
		host := strings.TrimSuffix(a.Host(), ".") // as logs have it
		if origin := l.hosts[host]; origin == "" || strings.HasPrefix(origin, "http:") {
			l.hosts[strings.Clone(host)] = strings.Clone(a.Origin())
		}
		return nil
	})
	listed := maps.Clone(l.hosts)
	for host, origin := range listed {
		if len(listed) == 1 {
			l.only = host
		}
		twin, at := "www."+host, strings.Replace(origin, "://", "://www.", 1)
		if bare, www := strings.CutPrefix(host, "www."); www {
			twin, at = bare, strings.Replace(origin, "://www.", "://", 1)
		}
		if l.hosts[twin] == "" {
			l.hosts[twin] = at
		}
	}
	return l, err
}

// has reports whether entries are of a host, or of its twin with or without www.
func (l *listedEntries) has(host string) bool { return l.hosts[host] != "" }

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
