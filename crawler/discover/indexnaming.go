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
	first map[uint64]int // on which line it names a sitemap first, by the hash of the address
	// itself counts the lines on which it names itself, the first of them at itselfAt.
	itself, itselfAt int
	// twice counts the lines on which it names a sitemap once more: the first of them is twiceAt, and
	// names url as the line before does.
	twice, twiceAt, before int
	url                    string
}

func (n *indexNaming) see(sm *audit.Sitemap, a address.Address, e *sitemap.Entry) {
	if a.String() == sm.URL || a.String() == sm.AnsweredAt {
		if n.itself++; n.itself == 1 {
			n.itselfAt = e.Line
		}
		return
	}
	if n.first == nil {
		n.first = map[uint64]int{}
	}
	hash := xxhash.Sum64String(a.String())
	first, named := n.first[hash]
	if !named {
		n.first[hash] = e.Line
	} else if n.twice++; n.twice == 1 {
		n.url, n.before, n.twiceAt = a.String(), first, e.Line
	}
}

// faults adds the faults of the index.
func (n *indexNaming) faults(sm *audit.Sitemap) {
	if n.itself > 0 {
		sm.Faults = append(sm.Faults, several(say("lists-itself").fault(sm, source{}, nestedIndex, "error"), n.itselfAt, n.itself))
	}
	if n.twice > 0 {
		sm.Faults = append(sm.Faults, several(say("names-twice", n.url, strconv.Itoa(n.before)).fault(sm, source{}, audit.DuplicateSitemap, "warning"), n.twiceAt, n.twice))
	}
}

// several is a fault of n places, the first of them on a line.
func several(f audit.SitemapFault, line, n int) audit.SitemapFault {
	if f.Line = line; n > 1 {
		f.Count = n
	}
	return f
}
