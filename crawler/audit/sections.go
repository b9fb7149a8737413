package audit

import (
	"cmp"
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
	maxCounted  = 100_000 // sections that are counted; of folders, half as many
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
	if last == nil {
		last = &Rules{}
	}
	counted, strange := newSectionCount(last.Sections), newSectionCount(last.PlainSections)
	for e, err := range entries {
		switch {
		case err != nil:
			return nil, nil, err
		case e.Skip != SkipNone || e.Also.File():
		case apart && e.WithoutSecrets:
			strange.list(e.Loc)
		default:
			counted.list(e.Loc)
		}
	}
	return counted.sections(), strange.sections(), nil
}

// A section is a path of an origin, without its outer slashes, under which entries lie: a first
// path segment, or a folder. sections counts their entries.
type (
	section  struct{ origin, path string }
	sections map[section]int
)

// count counts an address in a section of its origin. Where there are limit sections, no other
// is begun.
func (n sections) count(origin, path string, limit int) {
	s := section{origin, path}
	if path == "" {
		return
	}
	if _, known := n[s]; known || len(n) < limit {
		n[section{strings.Clone(origin), strings.Clone(path)}]++
	}
}

// A sectionCount counts entries by their first path segments, and in the sections that the last
// audit had.
type sectionCount struct{ now, last sections }

func newSectionCount(last map[string][]string) sectionCount {
	l := sectionCount{sections{}, sections{}}
	for origin, paths := range last {
		for _, path := range paths {
			l.last[section{origin, path}] = 0
		}
	}
	return l
}

func (l sectionCount) list(loc string) {
	a, err := address.Parse(loc)
	if err != nil {
		return
	}
	first := firstSegment(a.Path())
	l.now.count(a.Origin(), first, maxCounted)
	if len(l.last) > 0 {
		l.last.count(a.Origin(), first, 0)
		l.last.count(a.Origin(), folder(a.Path()), 0)
	}
}

// sections returns the sections of each origin that count, and those of the last audit that
// have an entry.
func (l sectionCount) sections() map[string][]string {
	found, _ := l.now.most(sectionAt, maxSections, nil)
	more, _ := l.last.most(1, maxWritten, found)
	return union(found, more)
}

// most returns the sections of each origin that have enough entries, up to a number of
// them, those with the most and of equals the least deep, sorted; but those that are known.
// left counts, by origin, how many there were beyond that number.
func (n sections) most(enough, limit int, known map[string][]string) (found map[string][]string, left map[string]int) {
	found, left = map[string][]string{}, map[string]int{}
	for s, entries := range n {
		if entries >= enough && !slices.Contains(known[s.origin], s.path) {
			found[s.origin] = append(found[s.origin], s.path)
		}
	}
	for origin, paths := range found {
		slices.SortFunc(paths, func(a, b string) int {
			return cmp.Or(n[section{origin, b}]-n[section{origin, a}], strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
		})
		if len(paths) > limit {
			left[origin] = len(paths) - limit
			paths = paths[:limit]
		}
		slices.Sort(paths)
		found[origin] = paths
	}
	return found, left
}

// union returns the sections of both, by origin, sorted.
func union(a, b map[string][]string) map[string][]string {
	all := map[string][]string{}
	maps.Copy(all, a)
	for origin, paths := range b {
		all[origin] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all[origin], paths))))
	}
	return all
}

// An EditedSections counts the sections that edits concern: the first path segment and the folder
// of a listed address which would be taken out or replaced, and the first path segment of the
// address in its place. Before either is done, it is asked there what the host says to an address
// that cannot exist, however few entries lie there. It also finds the sites that have a field for a
// password on their pages, from which edits follow. The zero value is ready for use.
type EditedSections struct {
	own, plain sections
	boxes      map[string]*loginBox // by origin
}

// See counts those of a row that was judged by rules.
func (n *EditedSections) See(r *Row, rules *Rules) {
	n.seeBox(r)
	if behind := r.behindBox(rules); !behind.IsZero() {
		r = &Row{Entry: r.Entry, Address: r.Address, Reasons: r.Reasons, Trail: r.Trail, Fix: Fix{Action: Replace, Loc: behind.String()}, withheld: rules.plain(&r.Entry)}
	}
	if r.Fix.Action == Keep || r.Entry.Reported.Is || r.Entry.Also.File() || r.Address.IsZero() {
		return
	}
	if r.Trail.direct() || r.Fix.Action == Replace && r.changesPage() {
		at := n.at(rules.plain(&r.Entry))
		at.count(r.Address.Origin(), firstSegment(r.Address.Path()), maxCounted)
		at.count(r.Address.Origin(), folder(r.Address.Path()), maxCounted/2)
	}
	if r.Fix.Action == Replace {
		to := address.Wire(r.Fix.Loc)
		at := n.at(r.withheld)
		at.count(to.Origin(), firstSegment(to.Path()), maxCounted)
		at.count(to.Origin(), folder(to.Path()), maxCounted/2)
	}
}

// at returns the counts of what is asked with secrets or without.
func (n *EditedSections) at(plain bool) sections {
	if n.own == nil {
		n.own, n.plain = sections{}, sections{}
	}
	if plain {
		return n.plain
	}
	return n.own
}

// Add sets Rules.LoginBoxes, and adds to the rules the sections that they do not have yet: of each origin the hundred that
// concern the most edits. How many are left out stands in Rules.UnaskedSections. It returns
// what is to be asked there.
func (n *EditedSections) Add(r *Rules) *MissingPages {
	m := &MissingPages{rules: r}
	r.LoginBoxes = n.loginBoxes()
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
			for _, path := range more[origin] {
				m.places = append(m.places, missingAt{origin + "/" + path + "/", kind.plain})
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
