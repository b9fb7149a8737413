package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// listedEntries is what logs are held beside: the entries of an audit.
type listedEntries struct {
	audit    *storage.Audit
	store    *storage.Store // nil where the entries are those of --sitemap
	sitemaps []audit.Sitemap
	hosts    map[string]string // each host of an entry, and an origin of it
	compared bool              // the audit has answers, too
	// release lets go of entries that are read no more; nil where the audit is looked at again.
	release func() error
}

// entriesFor reads the sitemaps that s names, else it opens the latest audit of the store, and says
// to r whose lines without a host are.
func entriesFor(ctx context.Context, s *Spec, r *logfiles.Reader, env Env, c *Closers) (*listedEntries, error) {
	var l *listedEntries
	var err error
	if len(s.Targets) > 0 {
		l, err = sitemapEntries(ctx, s, env, c)
	} else {
		l, err = auditedEntries(ctx, s, r.Collector.Host, c)
	}
	if err != nil {
		return nil, err
	}
	r.Beside(l.onlyHost(), l.has)
	return l, nil
}

// sitemapEntries reads sitemaps into a store that goes when the caller is done.
func sitemapEntries(ctx context.Context, s *Spec, env Env, c *Closers) (*listedEntries, error) {
	temporary, err := scratch.New()
	if err != nil {
		return nil, err
	}
	c.Add(temporary.Close)
	s.NoFetch, s.Fresh, s.Logs = true, true, logfiles.Spec{}
	j, err := newJob(ctx, s, env)
	if err != nil {
		return nil, err
	}
	store, err := StoreFile{Path: filepath.Join(temporary.Dir, "audits.db")}.Write()
	if err != nil {
		return nil, err
	}
	c.Add(store.Close)
	a, err := j.begin(store, "")
	if err != nil {
		return nil, err
	}
	c.Add(a.Close)
	asks := crawler.New(a, j.o)
	defer asks.Close()
	if err := j.readSitemaps(ctx, asks, a); err != nil {
		return nil, letInto(err, func() (audit.Info, error) { return a.Info(), nil })
	}
	l, err := openEntries(ctx, a)
	if err == nil {
		l.release = store.Close // the pages of the store that were read count as memory of this process
	}
	return l, err
}

// auditedEntries takes the latest audit, with a host where one is named.
func auditedEntries(ctx context.Context, s *Spec, host string, c *Closers) (*listedEntries, error) {
	store, err := s.StoreFile().Read()
	if err != nil {
		return nil, cli.WithHint(err, "--sitemap TARGET reads the URLs of a sitemap; else audit the site first: sitemend audit TARGET")
	}
	c.Add(store.Close)
	infos, err := store.Audits()
	if err != nil {
		return nil, err
	}
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() {
			continue
		}
		l, err := entriesOfAudit(ctx, store, info.ID, c)
		if err != nil {
			return nil, err
		}
		if host == "" || l.has(host) {
			return l, nil
		}
	}
	what := "no finished audit"
	if host != "" {
		what = "no finished audit of " + host
	}
	return nil, cli.WithHint(fmt.Errorf("%s: the store has %s", store.Path(), what), "--sitemap TARGET reads the URLs of a sitemap; else audit the site first: sitemend audit TARGET")
}

func entriesOfAudit(ctx context.Context, store *storage.Store, id string, c *Closers) (*listedEntries, error) {
	a, err := store.Audit(id)
	if err != nil {
		return nil, err
	}
	c.Add(a.Close)
	l, err := openEntries(ctx, a)
	if err == nil {
		l.store, l.compared = store, !a.Info().NoFetch
	}
	return l, err
}

// auditEntries are the entries of an audit, whose hosts are not learned.
func auditEntries(a *storage.Audit) (*listedEntries, error) {
	sitemaps, err := a.Sitemaps()
	return &listedEntries{audit: a, sitemaps: sitemaps, hosts: map[string]string{}, compared: !a.Info().NoFetch}, err
}

// openEntries learns the sitemaps and hosts of an audit. Its answers are not looked at.
func openEntries(ctx context.Context, a *storage.Audit) (*listedEntries, error) {
	l, err := auditEntries(a)
	if err != nil {
		return nil, err
	}
	l.compared = false
	err = l.each(ctx, func(_ int64, a address.Address) error {
		host := logHost(a)
		if origin := l.hosts[host]; origin == "" || strings.HasPrefix(origin, "http:") {
			l.hosts[strings.Clone(host)] = strings.Clone(a.Origin())
		}
		return nil
	})
	return l, err
}

// logHost is the host of an address as logs have it.
func logHost(a address.Address) string { return strings.TrimSuffix(a.Host(), ".") }

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
func (l *listedEntries) onlyHost() string {
	if len(l.hosts) != 1 {
		return ""
	}
	for host := range l.hosts {
		return host
	}
	return ""
}

// has reports whether entries are of a host, or of its twin with or without www.
func (l *listedEntries) has(host string) bool {
	return l.hosts[host] != "" || l.hosts[twin(host)] != ""
}

// twin is a host with www. before it, or without.
func twin(host string) string {
	if bare, ok := strings.CutPrefix(host, "www."); ok {
		return bare
	}
	return "www." + host
}

// absolute is an address that begins with its host, with the scheme and port that the entries of
// this host have, or else those of its twin: a log says neither.
func (l *listedEntries) absolute(url string) string {
	host, target, _ := strings.Cut(url, "/")
	origin := l.hosts[host]
	if origin == "" {
		origin = l.hosts[twin(host)]
	}
	scheme, port := "https://", ""
	if a, err := address.Parse(origin); err == nil {
		scheme = a.Scheme() + "://"
		if a.Port() != "" {
			port = ":" + a.Port()
		}
	}
	return scheme + host + port + "/" + target
}

// sameHosts is l where a log is of its hosts or has none; else the latest audit of which it is. The
// hosts of a log are not printed: what stands in their place may be a user or an address.
func (l *listedEntries) sameHosts(ctx context.Context, r *logfiles.Reader, log *slog.Logger, c *Closers) (*listedEntries, error) {
	hosts := r.Collector.Hosts()
	if len(hosts) == 0 || slices.ContainsFunc(hosts, l.has) {
		return l, nil
	}
	if l.store == nil {
		log.Warn("the logs are of other hosts than the sitemap")
		return l, nil
	}
	infos, err := l.store.Audits()
	if err != nil {
		return nil, err
	}
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() || info.ID == l.audit.ID() {
			continue
		}
		other, err := entriesOfAudit(ctx, l.store, info.ID, c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(hosts, other.has) {
			return other, nil
		}
	}
	return nil, cli.WithHint(errors.New("the logs are of other hosts, of which the store has no audit"), "--sitemap TARGET reads the URLs of a sitemap; --log-host HOST counts where lines have no host")
}

// sitemapOf is the sitemap of the n-th entry.
func (l *listedEntries) sitemapOf(n int64) string {
	if i := l.sitemapAt(n); i >= 0 {
		return l.sitemaps[i].URL
	}
	return ""
}

// sitemapAt is the number of the sitemap of the n-th entry, -1 for none.
func (l *listedEntries) sitemapAt(n int64) int {
	i := sort.Search(len(l.sitemaps), func(i int) bool { return int64(l.sitemaps[i].First) > n })
	for i--; i >= 0; i-- {
		if s := &l.sitemaps[i]; int64(s.First) <= n && n < int64(s.First+s.Entries) {
			return i
		}
	}
	return -1
}

// answers calls fn with what the audit got for what was asked.
func (l *listedEntries) answers(fn func(func(*accesslog.Finding) accesslog.Ours) error) error {
	if !l.compared {
		return fn(func(*accesslog.Finding) accesslog.Ours { return accesslog.Ours{} })
	}
	return cmp.Or(fn(func(f *accesslog.Finding) accesslog.Ours { return oursOf(l.audit, f) }), l.audit.Err())
}

// oursOf is what the audit got for what was asked; the zero Ours where it did not ask for that.
func oursOf(mem audit.Answers, f *accesslog.Finding) accesslog.Ours {
	if f.Class == accesslog.RedirectedUnlisted || f.Class == accesslog.Unspelt {
		return accesslog.Ours{}
	}
	listed := address.Wire(f.URL)
	asked := listed
	if f.Class == accesslog.OtherSpelling {
		var err error
		if asked, err = address.Parse(listed.Origin() + f.Asked); err != nil || asked.Target() != f.Asked {
			return accesslog.Ours{} // octets that are sent otherwise
		}
	}
	h, ok := answerTo(mem, asked)
	if !ok {
		return accesslog.Ours{}
	}
	out := accesslog.Ours{Status: h.Status, Differs: f.Class != accesslog.Never && !accesslog.SameAnswer(f.Seen.LastStatus, h.Status)}
	if at, _ := answerTo(mem, listed); f.Class == accesslog.OtherSpelling && at.Status/100 == 2 && h.Location != "" {
		to, err := address.Resolve(asked, h.Location)
		out.Back = err == nil && to.String() == listed.String()
	}
	return out
}

// answerTo is the first answer to an address.
func answerTo(mem audit.Answers, a address.Address) (audit.Hop, bool) {
	for _, purpose := range []audit.Purpose{audit.AsRobot, audit.AsRobot | audit.WithoutSecrets} {
		if h, ok := mem.Hop(audit.Request{URL: a.String(), Purpose: purpose}); ok {
			return h, true
		}
	}
	return audit.Hop{}, false
}
