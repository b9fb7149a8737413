package audit

import (
	"context"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// maxFilesOf is how many files are named that list one address.
const maxFilesOf = 20

// joining finds the addresses of exports among the entries, in one walk over
// the final rows: by hashes of their addresses, so that memory grows with the
// exports and with what is found, not with the sitemaps.
type joining struct {
	t        *Plan
	exports  []Sitemap
	wires    map[uint64]bool     // wire forms of reported addresses
	spelled  map[uint64]bool     // and their second spellings
	listings map[uint64]*listing // by wire form, and by second spelling
	locs     map[uint64]bool     // entries' locs, where the wire form is reported
}

// newJoining reads the exports once; nil where there are none.
func newJoining(ctx context.Context, t *Plan) (*joining, error) {
	if len(t.exports) == 0 {
		return nil, nil
	}
	j := &joining{t: t, exports: t.exports, wires: map[uint64]bool{}, spelled: map[uint64]bool{}, listings: map[uint64]*listing{}, locs: map[uint64]bool{}}
	for e, err := range t.listed(ctx, j.exports) {
		if err != nil {
			return nil, err
		}
		if a, err := e.Parse(); err == nil {
			j.wires[sketch.Hash(a.String())] = true
			j.spelled[j.spelling(a)] = true
		}
	}
	return j, nil
}

// spelling is the key under which all spellings of an address meet. It is never
// that of a wire form.
func (j *joining) spelling(a address.Address) uint64 {
	return sketch.Hash("~" + j.t.rules.Second(a).String())
}

// see looks whether an entry's final row is reported.
func (j *joining) see(r *Row) {
	if j == nil || r.Address.IsZero() {
		return
	}
	if wire := sketch.Hash(r.Address.String()); j.wires[wire] {
		j.locs[sketch.Hash(r.Entry.Loc)] = true
		j.add(wire, r)
	}
	if j.t.rules.Spelling == address.None || j.t.rules.Spelling == "" {
		return
	}
	if key := j.spelling(r.Address); j.spelled[key] {
		j.add(key, r)
	}
}

// urgency orders the groups of entries that list one address.
var urgency = []Group{LeftOut, Fine, OtherSpelling, NotChecked, TakenOut, Corrected, NeedsDecision}

// moreUrgent reports whether a group needs a person more than another.
func moreUrgent(g, than Group) bool { return slices.Index(urgency, g) > slices.Index(urgency, than) }

func (j *joining) add(key uint64, r *Row) {
	l := j.listings[key]
	if l == nil {
		l = &listing{group: LeftOut}
		j.listings[key] = l
	}
	g := r.Group()
	if l.listed == "" || moreUrgent(g, l.group) {
		l.group, l.stop, l.listed, l.written = g, r.StoppedBy(), r.Address.String(), r.Fix.Loc
	}
	if file := int32(r.Entry.Sitemap); len(l.files) < maxFilesOf && !slices.Contains(l.files, file) {
		l.files = append(l.files, file)
	}
}

// find returns what the sitemaps say of an address, nil where none lists it.
func (j *joining) find(r *Row) *listing {
	if r.Address.IsZero() {
		return nil
	}
	if l := j.listings[sketch.Hash(r.Address.String())]; l != nil {
		out := *l
		out.join = ByWire
		if j.locs[sketch.Hash(r.Entry.Loc)] {
			out.join = ByLoc
		}
		return &out
	}
	if l := j.listings[j.spelling(r.Address)]; l != nil {
		out := *l
		out.join = BySpelling
		return &out
	}
	return nil
}

// rows yields the reported addresses, classified. It may be walked while rows of
// files are. What a row holds is the caller's until the next.
func (j *joining) rows(ctx context.Context) iter.Seq2[ReportedRow, error] {
	unread := slices.ContainsFunc(j.t.sitemaps, func(s Sitemap) bool { return s.Cut || s.InPart() || s.Unread() })
	return func(yield func(ReportedRow, error) bool) {
		for row, err := range j.t.rowsOf(ctx, j.exports, j.t.judge) {
			if err != nil {
				yield(ReportedRow{}, err)
				return
			}
			r := ReportedRow{Row: *row, Unread: unread}
			at := j.find(&r.Row)
			if at != nil {
				r.Join, r.Listed, r.Stop = at.join, at.listed, at.stop
				for _, n := range at.files {
					r.Sitemaps = append(r.Sitemaps, j.t.sitemaps[n].URL)
				}
			}
			r.advise(at, j.t.rules, j.t.info.Partial)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// join adds the exports to the result.
func (j *joining) join(ctx context.Context, result *Result) error {
	if j == nil {
		return nil
	}
	sc := &SearchConsole{NoSitemap: true, Rows: j.rows}
	for _, x := range j.exports {
		sc.Exports = append(sc.Exports, ReportedExport{Name: x.URL, Addresses: x.Entries, Faults: x.Faults})
	}
	for _, f := range result.Files {
		sc.NoSitemap = sc.NoSitemap && (f.Sitemap.Kind == "" || f.Sitemap.Kind == "index")
		if f.Sitemap.Cut || f.Sitemap.InPart() || f.Sitemap.Unread() {
			sc.Unread++
		}
	}
	for r, err := range j.rows(ctx) {
		if err != nil {
			return err
		}
		sc.Add(&r)
	}
	result.SearchConsole = sc
	return nil
}
