package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

const (
	// maxDestinations and maxListed are how many destinations stand by name in the table,
	// and how many patterns of listed addresses by each; what follows is counted.
	maxDestinations = 20
	maxListed       = 4
	// maxPlaces bounds how many patterns and destinations are told apart while rows are
	// counted; what comes later is "other".
	maxPlaces = 2000
	// maxWays bounds how many ways between them are: what comes later leads from
	// other ones to other ones.
	maxWays = 20_000
)

// A destinations counts where the rows that are not clean lead: from a pattern of the
// listed addresses to where the trail ends.
type destinations struct {
	counts map[way]int
	names  [2]map[string]bool // patterns and destinations
}

// A way is what is counted; "" as pattern or destination stands for other ones. A
// destination that is no address begins with endWord.
type way struct {
	from, to string
	kind     string
}

const endWord = "\x00"

func newDestinations() *destinations {
	return &destinations{counts: map[way]int{}, names: [2]map[string]bool{{}, {}}}
}

func (d *destinations) add(r *audit.Row) {
	kind := kindOf(r.Group())
	if kind == "" || r.Address.IsZero() {
		return
	}
	w := way{d.name(0, firstSection(r.Address)), d.name(1, endOf(r)), kind}
	if _, ok := d.counts[w]; !ok && len(d.counts) >= maxWays {
		w.from, w.to = "", ""
	}
	d.counts[w]++
}

// name is a name of a column; beyond maxPlaces it is an other one.
func (d *destinations) name(column int, s string) string {
	names := d.names[column]
	if !names[s] && len(names) >= maxPlaces {
		return ""
	}
	names[s] = true
	return s
}

// firstSection is the origin of an address with the first segment of its path, where
// another follows: https://shop.example/blog/*.
func firstSection(a address.Address) string {
	path := a.Path()
	first, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "/":
		return a.Origin() + "/"
	case deeper && rest != "":
		return a.Origin() + "/" + first + "/*"
	case strings.Contains(a.Target(), "?"):
		return a.Origin() + path + "?*"
	}
	return a.Origin() + "/*"
}

// endOf is where a row leads: a pattern of addresses, or a word.
func endOf(r *audit.Row) string {
	switch {
	case r.Verdict.Facts().Leads == audit.LeadRound:
		return endWord + "leads-never"
	case r.Verdict == audit.Unverified:
		return endWord + "leads-unseen"
	case r.Verdict == audit.Disallowed:
		return endWord + "leads-robots"
	case r.Verdict == audit.Noindex:
		return endWord + "leads-noindex"
	case r.Verdict.Facts().Leads == audit.LeadNowhere && r.Verdict != audit.Soft404 && len(r.Trail.Steps) > 0:
		return endWord + strconv.Itoa(r.Trail.Last().Hop.Status)
	case r.Verdict == audit.Noncanonical:
		return endWord + "leads-canonical"
	case len(r.Trail.Steps) > 1 && !r.Final.IsZero():
		return firstSection(r.Final)
	}
	return endWord + "leads-itself"
}

// A destinationsView is the table of where addresses lead.
type destinationsView struct {
	Total int
	Rows  []destinationRow
	More  int // entries that lead elsewhere
}

// A destinationRow is one destination: what is listed that leads there, the most first.
type destinationRow struct {
	Ends   page.Phrase
	Count  int
	Parts  []barPart
	Listed []listedAs
	Others int // entries of patterns that are not named
}

type listedAs struct {
	Name  page.Phrase
	Count int
}

// view is the table; nil where nothing but clean entries was counted.
func (d *destinations) view() *destinationsView {
	ends, froms, kinds := map[string]int{}, map[string]map[string]int{}, map[string]map[string]int{}
	v := &destinationsView{}
	for w, n := range d.counts {
		if froms[w.to] == nil {
			froms[w.to], kinds[w.to] = map[string]int{}, map[string]int{}
		}
		v.Total += n
		ends[w.to] += n
		froms[w.to][w.from] += n
		kinds[w.to][w.kind] += n
	}
	if v.Total == 0 {
		return nil
	}
	list := byNumber(ends)
	most := ends[list[0]]
	origin := oneOrigin(d.names)
	for i, to := range list {
		if i >= maxDestinations {
			v.More += ends[to]
			continue
		}
		row := destinationRow{Ends: placeText(to, origin), Count: ends[to]}
		row.Parts = kindParts(kinds[to], most)
		for j, from := range byNumber(froms[to]) {
			if j >= maxListed {
				row.Others += froms[to][from]
				continue
			}
			row.Listed = append(row.Listed, listedAs{placeText(from, origin), froms[to][from]})
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// byNumber returns the keys of m, the largest number first, then by name, what is
// called "" last.
func byNumber(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if (a == "") != (b == "") {
			return cmp.Compare(b, a)
		}
		return cmp.Or(m[b]-m[a], strings.Compare(a, b))
	})
}

// oneOrigin is the origin of all addresses; "" where they have several.
func oneOrigin(names [2]map[string]bool) string {
	origin := ""
	for _, column := range names {
		for s := range column {
			if strings.HasPrefix(s, endWord) {
				continue
			}
			o := address.Wire(strings.TrimSuffix(s, "*")).Origin()
			if origin != "" && o != origin {
				return ""
			}
			origin = o
		}
	}
	return origin
}

// placeText writes a pattern or a destination for people, without the origin that all have.
func placeText(s, origin string) page.Phrase {
	if s == "" {
		return say("leads-other")
	}
	if word, ok := strings.CutPrefix(s, endWord); ok {
		if _, err := strconv.Atoi(word); err == nil {
			return page.Code(word)
		}
		return say(word)
	}
	return page.Code(page.Middle(page.Visible(strings.TrimPrefix(s, origin)), 60))
}
