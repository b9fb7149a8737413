package audit

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

const (
	sectionAt   = 5       // entries that share a first path segment, from which it is one
	maxSections = 8       // of an origin, those with the most entries
	maxWritten  = 100     // of an origin, those that edits concern: the ones with the most
	maxCounted  = 100_000 // first path segments that are counted
)

// Sections returns, for each scheme, host and port, the first path segments that
// Rules.Sections is made of: those that five or more of the entries share, the
// eight with most, and those that last, the rules of the last audit of the same targets, had and
// one entry still is in; sorted. So what is known of a section does not go by how many entries
// the last audit left there. What a server says to an address that does not exist
// often depends on the rule, and so on the path. Where apart is set the entries with
// Entry.WithoutSecrets make plain, Rules.PlainSections, and nothing else: no stranger makes a
// section that is asked with secrets. It returns an error only where entries does.
func Sections(entries iter.Seq2[Entry, error], apart bool, last *Rules) (own, plain map[string][]string, err error) {
	counted, strange := sections{}, sections{}
	for e, err := range entries {
		switch {
		case err != nil:
			return nil, nil, err
		case e.Skip != SkipNone:
		case apart && e.WithoutSecrets:
			strange.list(e.Loc)
		default:
			counted.list(e.Loc)
		}
	}
	if last == nil {
		last = &Rules{}
	}
	return counted.listed(last.Sections), strange.listed(last.PlainSections), nil
}

// A section is a first path segment of an origin; sections counts their entries.
type (
	section  struct{ origin, segment string }
	sections map[section]int
)

func (n sections) list(loc string) {
	if a, err := address.Parse(loc); err == nil {
		n.count(a)
	}
}

func (n sections) count(a address.Address) {
	s := section{a.Origin(), firstSegment(a.Path())}
	if s.segment == "" {
		return
	}
	if _, known := n[s]; known || len(n) < maxCounted {
		n[section{strings.Clone(s.origin), strings.Clone(s.segment)}]++
	}
}

// listed returns the sections of each origin that count, and those of last that have an
// entry.
func (n sections) listed(last map[string][]string) map[string][]string {
	found, _ := n.most(sectionAt, maxSections, nil)
	kept := sections{}
	for origin, segments := range last {
		for _, segment := range segments {
			if s := (section{origin, segment}); n[s] > 0 {
				kept[s] = n[s]
			}
		}
	}
	more, _ := kept.most(1, maxWritten, found)
	return union(found, more)
}

// most returns the sections of each origin that have enough entries, up to a number of
// them, those with the most, sorted; but those that are known. left counts, by origin, how
// many there were beyond that number.
func (n sections) most(enough, limit int, known map[string][]string) (found map[string][]string, left map[string]int) {
	found, left = map[string][]string{}, map[string]int{}
	for s, entries := range n {
		if entries >= enough && !slices.Contains(known[s.origin], s.segment) {
			found[s.origin] = append(found[s.origin], s.segment)
		}
	}
	for origin, segments := range found {
		slices.SortFunc(segments, func(a, b string) int {
			if more := n[section{origin, b}] - n[section{origin, a}]; more != 0 {
				return more
			}
			return strings.Compare(a, b)
		})
		if len(segments) > limit {
			left[origin] = len(segments) - limit
			segments = segments[:limit]
		}
		slices.Sort(segments)
		found[origin] = segments
	}
	return found, left
}

// union returns the segments of both, by origin, sorted.
func union(a, b map[string][]string) map[string][]string {
	all := map[string][]string{}
	maps.Copy(all, a)
	for origin, segments := range b {
		all[origin] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all[origin], segments))))
	}
	return all
}

// An EditedSections counts the first path segments that edits concern: that of a listed
// address which would be taken out or replaced, and that of the address in its place. Before
// either is done, it is asked there what the host says to an address that cannot exist, however few
// entries lie there. The zero value is ready for use.
type EditedSections struct{ own, plain sections }

// See counts those of a row that was judged by rules.
func (n *EditedSections) See(r *Row, rules *Rules) {
	if r.Fix.Action == Keep || r.Entry.Reported.Is || r.Address.IsZero() {
		return
	}
	if r.Trail.direct() || r.Fix.Action == Replace && r.changesPage() {
		n.count(r.Address, rules.plain(&r.Entry))
	}
	if r.Fix.Action == Replace {
		n.count(address.Wire(r.Fix.Loc), r.withheld)
	}
}

func (n *EditedSections) count(a address.Address, plain bool) {
	if n.own == nil {
		n.own, n.plain = sections{}, sections{}
	}
	if plain {
		n.plain.count(a)
	} else {
		n.own.count(a)
	}
}

// Add adds to the rules the sections that they do not have yet: of each origin the hundred that
// concern the most edits. How many are left out stands in Rules.UnaskedSections. It returns
// what is to be asked there.
func (n *EditedSections) Add(r *Rules) *MissingPages {
	m := &MissingPages{rules: r}
	if r.MissingPath == "" {
		return m
	}
	r.UnaskedSections = nil
	for _, kind := range []struct {
		counted sections
		known   *map[string][]string
		plain   bool
	}{{n.own, &r.Sections, false}, {n.plain, &r.PlainSections, true}} {
		more, left := kind.counted.most(1, maxWritten, *kind.known)
		for _, origin := range slices.Sorted(maps.Keys(more)) {
			for _, segment := range more[origin] {
				m.places = append(m.places, missingAt{origin + "/" + segment + "/", kind.plain})
			}
		}
		*kind.known = union(*kind.known, more)
		for origin, sections := range left {
			if r.UnaskedSections == nil {
				r.UnaskedSections = map[string]int{}
			}
			r.UnaskedSections[origin] += sections
		}
	}
	return m
}

// MissingPages are addresses that cannot exist, of which the answers are needed.
type MissingPages struct {
	rules  *Rules
	places []missingAt
}

// Needs returns the requests that are still missing, each once; to ask them may lead to more.
func (m *MissingPages) Needs(mem Answers) []Request {
	var rs []Request
	for _, at := range m.places {
		if t := Follow(mem, m.rules.missingAddress(at), way(at.plain), m.rules); t.End == EndUnknown && !slices.Contains(rs, t.Need) {
			rs = append(rs, t.Need)
		}
	}
	return rs
}
