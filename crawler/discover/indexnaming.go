package discover

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// indexNaming is what an index names that it should not.
type indexNaming struct {
	first map[uint64]indexName // where it names a sitemap first, by the hash of the address
	// itself counts the lines on which it names itself, the first of them at itselfAt.
	itself, itselfAt int
	// twice are the names of a sitemap that it names before, other those with a lastmod of their
	// own, or something else beside the address.
	twice, other repeated
	repeats      []audit.Repeat // those of twice
}

// repeated counts lines on which an index names a sitemap once more; the first of them is at, and
// names what url is, as the line before does.
type repeated struct {
	n, before, at int
	url           string
}

// indexName is where an index names a sitemap, with a hash of the lastmod beside the address (0 for
// none), and whether that is all that stands there.
type indexName struct {
	place, line int
	lastmod     uint64
	plain       bool
}

func indexNameOf(e *sitemap.Entry) indexName {
	at := indexName{place: e.N, line: e.Line, plain: e.Sole && e.Ext == 0}
	if e.Lastmod != "" {
		at.lastmod = xxhash.Sum64String(e.Lastmod)
	}
	return at
}

func (n *indexNaming) see(sm *audit.Sitemap, a address.Address, e *sitemap.Entry) {
	if a.String() == sm.URL || a.String() == sm.AnsweredAt {
		if n.itself++; n.itself == 1 {
			n.itselfAt = e.Line
		}
		return
	}
	if n.first == nil {
		n.first = map[uint64]indexName{}
	}
	hash, at := xxhash.Sum64String(a.String()), indexNameOf(e)
	first, named := n.first[hash]
	switch {
	case !named:
		n.first[hash] = at
	case at.plain && (at.lastmod == 0 || first.plain && at.lastmod == first.lastmod):
		n.twice.see(a, first, at)
		n.repeats = append(n.repeats, audit.Repeat{Place: at.place, Line: at.line, Of: first.place})
	default:
		n.other.see(a, first, at)
	}
}

func (r *repeated) see(a address.Address, first, at indexName) {
	if r.n++; r.n == 1 {
		r.url, r.before, r.at = a.String(), first.line, at.line
	}
}

// faults adds the faults of the index, and which of its names can be taken out.
func (n *indexNaming) faults(sm *audit.Sitemap) {
	sm.Repeats = n.repeats
	if n.itself > 0 {
		sm.Faults = append(sm.Faults, several(say("lists-itself").fault(sm, source{}, nestedIndex, "error"), n.itselfAt, n.itself))
	}
	n.twice.fault(sm, say("names-twice"))
	n.other.fault(sm, say("names-twice-other"))
}

func (r *repeated) fault(sm *audit.Sitemap, said sentence) {
	if said.args = []string{r.url, strconv.Itoa(r.before)}; r.n > 0 {
		sm.Faults = append(sm.Faults, several(said.fault(sm, source{}, audit.DuplicateSitemap, "warning"), r.at, r.n))
	}
}

// several is a fault of n places, the first of them on a line.
func several(f audit.SitemapFault, line, n int) audit.SitemapFault {
	if f.Line = line; n > 1 {
		f.Count = n
	}
	return f
}
