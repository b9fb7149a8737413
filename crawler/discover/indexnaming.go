package discover

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// indexNaming is what an index names that it should not.
type indexNaming struct {
	lines map[uint64]int // of the sitemaps that it names, by the hash of the address
	// itself and twice count the lines on which it names itself, or a sitemap once more; the
	// first of them is at itselfAt, and names what url is, as the line before does.
	itself, itselfAt       int
	twice, before, twiceAt int
	url                    string
}

func (n *indexNaming) see(sm *audit.Sitemap, a address.Address, line int) {
	if a.String() == sm.URL || a.String() == sm.AnsweredAt {
		if n.itself++; n.itself == 1 {
			n.itselfAt = line
		}
		return
	}
	hash := xxhash.Sum64String(a.String())
	first, named := n.lines[hash]
	switch {
	case n.lines == nil:
		n.lines = map[uint64]int{hash: line}
	case !named:
		n.lines[hash] = line
	case n.twice == 0:
		n.url, n.before, n.twiceAt = a.String(), first, line
		fallthrough
	default:
		n.twice++
	}
}

// faults adds the faults of the index.
func (n *indexNaming) faults(sm *audit.Sitemap) {
	if n.itself > 0 {
		sm.Faults = append(sm.Faults, several(say("lists-itself").fault(sm, source{}, nestedIndex, "error"), n.itselfAt, n.itself))
	}
	if n.twice > 0 {
		said := say("names-twice", n.url, strconv.Itoa(n.before))
		sm.Faults = append(sm.Faults, several(said.fault(sm, source{}, audit.DuplicateSitemap, "warning"), n.twiceAt, n.twice))
	}
}

// several is a fault of n places, the first of them on a line.
func several(f audit.SitemapFault, line, n int) audit.SitemapFault {
	if f.Line = line; n > 1 {
		f.Count = n
	}
	return f
}
