package job

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/axiomhq/hyperloglog"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
	"sitemend/storage"
)

// Of an audit with up to exactEntries the requests that are ahead are counted. Of a
// larger one they are estimated, to one in a hundred: to remember 25 million addresses
// would take more memory than all else. Then the hosts beyond countedHosts are not
// distinguished.
const (
	exactEntries = 1_000_000
	countedHosts = 10_000
)

// words are those of the log.
func (j *job) words() *messages.Catalogue { return messages.Of(cmp.Or(j.env.LogLang, j.f.Lang)) }

// announce says what is ahead before the first entry is asked: how many entries,
// at least how many requests, and how long these take at least. Each
// address takes one request, if it is not remembered; how many more there will be
// (redirects, second tries, the proof) nobody knows before. Hosts are asked side by
// side.
func (j *job) announce(ctx context.Context, a *storage.Audit) error {
	n, err := lookAhead(ctx, a, exactEntries)
	if err != nil {
		return err
	}
	c := j.words()
	about := func(what string) string {
		if n.about {
			return c.Text("ahead-about", "what", what)
		}
		return what
	}
	requests := c.Count("ahead-requests", n.requests)
	if a.Hops() > 0 {
		requests = c.Count("ahead-more", n.requests)
	}
	text := c.Text("ahead", "entries", c.Count("entries", n.entries), "also", alsoAhead(c, n.also, n.others), "requests", about(requests))
	if j.f.Robots == "obey" && n.requests > 0 {
		text += c.Text("ahead-robots")
	}
	if n.requests > 0 {
		text += c.Text("ahead-on-top")
	}
	if j.o.Rate > 0 && n.requests > 0 {
		took, key := crawler.LeastTime(n.most, j.o.Rate, j.o.GivenRate), "ahead-time"
		if !j.o.GivenRate && j.o.Rate > crawler.StartRate {
			key = "ahead-time-rising"
		}
		text += c.Text(key, "time", about(span(c, took)), "rate", plainRate(j.o.Rate), "first", plainRate(crawler.StartRate))
	}
	j.log.Info(text)
	return nil
}

// plainRate is a rate as people write it.
func plainRate(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) }

// ahead is what an audit still has to ask.
type ahead struct {
	entries  int
	also     map[audit.AlsoList]int // what is crawled beside them
	others   int                    // addresses of exports, maps and earlier audits that no sitemap lists
	requests int                    // distinct addresses
	most     int                    // of one host
	about    bool                   // requests and most are estimated
}

// lookAhead counts what is ahead, exactly up to so many entries.
func lookAhead(ctx context.Context, a *storage.Audit, exact int) (ahead, error) {
	t := tally{hosts: map[string]*hostTally{}, also: map[audit.AlsoList]int{}}
	if a.EntryCount() <= exact {
		t.seen = map[uint64]struct{}{}
	} else {
		t.all = hyperloglog.New()
	}
	if err := t.walk(ctx, a); err != nil {
		return ahead{}, err
	}
	return t.sum(), a.Err()
}

// A tally counts distinct addresses, by host.
type tally struct {
	count   int // of all that is asked
	entries int // of sitemaps
	also    map[audit.AlsoList]int
	seen    map[uint64]struct{} // hashes; nil where they are estimated
	// listed and others are the hashes of what sitemaps list, crawled or left out, or name beside
	// it, and of what exports, maps and earlier audits have: each address of these counts once, and
	// not where a sitemap has it. Nil where there are no others, or addresses are estimated, and the
	// others are not counted.
	listed, others map[uint64]struct{}
	all            *hyperloglog.Sketch // of all hosts, in place of seen
	hosts          map[string]*hostTally
}

type hostTally struct {
	n   int
	all *hyperloglog.Sketch
}

// walk counts all entries of an audit.
func (t *tally) walk(ctx context.Context, a *storage.Audit) error {
	seed := maphash.MakeSeed()
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return err
	}
	if t.seen != nil && slices.ContainsFunc(sitemaps, besides) {
		t.listed, t.others = map[uint64]struct{}{}, map[uint64]struct{}{}
	}
	for e, err := range a.Entries(ctx, 0, a.EntryCount()) {
		if err != nil {
			return err
		}
		listed := sitemaps[e.Sitemap].Listed()
		if e.Skip != audit.SkipNone && !listed {
			continue
		}
		at, err := e.Parse()
		if err != nil {
			continue
		}
		hash := maphash.String(seed, at.String())
		if t.listed != nil && (listed || e.Also != nil) {
			t.listed[hash] = struct{}{}
		}
		if e.Skip != audit.SkipNone {
			continue
		}
		t.count++
		if e.Also != nil {
			t.also[e.Also.List]++
		} else {
			t.sort(hash, listed)
		}
		if hop, known := a.Hop(e.Request(at, audit.AsRobot, &audit.Rules{})); !known || hop.Pending {
			t.add(at.Host(), hash)
		}
	}
	return nil
}

// besides reports whether a list is of addresses that no sitemap may name: of an export, a map or an
// earlier audit.
func besides(s audit.Sitemap) bool {
	return !s.Listed() && !slices.Contains(audit.AlsoLists(), audit.AlsoList(s.Kind))
}

// sort counts an entry, and remembers what is in no sitemap.
func (t *tally) sort(hash uint64, listed bool) {
	if listed {
		t.entries++
	}
	if !listed && t.others != nil {
		t.others[hash] = struct{}{}
	}
}

// add takes one address.
func (t *tally) add(host string, hash uint64) {
	if t.seen != nil {
		if _, again := t.seen[hash]; again {
			return
		}
		t.seen[hash] = struct{}{}
	} else {
		t.all.InsertHash(hash)
	}
	h := t.hosts[host]
	if h == nil {
		if t.seen == nil && len(t.hosts) == countedHosts {
			return
		}
		h = &hostTally{}
		if t.seen == nil {
			h.all = hyperloglog.New()
		}
		t.hosts[strings.Clone(host)] = h
	}
	if h.n++; h.all != nil {
		h.all.InsertHash(hash)
	}
}

func (t *tally) sum() ahead {
	for hash := range t.others {
		if _, listed := t.listed[hash]; listed {
			delete(t.others, hash)
		}
	}
	n := ahead{others: len(t.others), entries: t.entries, also: t.also, requests: len(t.seen), about: t.seen == nil}
	if n.about {
		n.requests = roughly(t.all.Estimate(), t.count)
	}
	for _, h := range t.hosts {
		if n.about {
			h.n = roughly(h.all.Estimate(), n.requests)
		}
		n.most = max(n.most, h.n)
	}
	return n
}

// roughly is an estimate as it is printed, in two digits, and no more than can be.
func roughly(n uint64, most int) int {
	unit := math.Pow(10, math.Floor(math.Log10(float64(max(n, 10))))-1)
	return min(int(math.Round(float64(n)/unit)*unit), most)
}
