package audit

import (
	"strings"

	"sitemend/crawler/address"
)

// maxReplaced bounds how many of the addresses that an audit replaces later ones know.
const maxReplaced = 10_000

// A Replaced is an entry, or a sitemap of an index, that the corrected files replace, and by what.
type Replaced struct {
	Loc            string // as listed
	Sitemap, Line  int    // as of Entry
	WithoutSecrets bool   // as of Entry
	By             string
}

// Replaced returns the first 10,000 entries and sitemaps that the corrected files replace. Where what they
// were replaced by is not found one day, a release was rolled back, or there was another one: then their old
// addresses say what becomes of them.
func (t *Result) Replaced() []Replaced { return t.replaced }

func (t *Result) replaces(r *Row) {
	if len(t.replaced) < maxReplaced {
		// Texts of rows are parts of the blocks that were read, which would all be kept.
		e := &r.Entry
		t.replaced = append(t.replaced, Replaced{strings.Clone(e.Loc), e.Sitemap, e.Line, e.WithoutSecrets, strings.Clone(r.Fix.Loc)})
	}
}

func (t *Result) replacesChildren() {
	for i := range t.Files {
		for _, row := range t.Files[i].children {
			if row.Fix.Action == Replace {
				t.replaces(&row)
			}
		}
	}
}

// lookBack follows the address that the entry's, which is not found, was written for.
func (j *judging) lookBack() {
	r := j.row
	from, err := address.Parse(r.Entry.Former)
	if r.Entry.Former == "" || err != nil || from == r.Address {
		return
	}
	back := Follow(j.mem, from, r.Entry.as(AsRobot), j.rules)
	if back.End == EndUnknown {
		if j.want.Recheck {
			j.need(back.Need)
		}
		return
	}
	last := &back.last().Hop
	at := address.Wire(last.URL)
	home := j.rules.isHome(at) && !j.rules.isHome(from)
	if back.End != EndAnswer || !answers200(last.Status) || at == r.Address || noindex(last) || home || last.Page.saysNotFound(at) {
		return
	}
	r.former = at
}

// formers are where the old addresses of entries that are not found lead.
type formers map[address.Address]bool

func (f *formers) see(r *Row) {
	if r.former.IsZero() || r.Fix.Action != Drop {
		return
	}
	if *f == nil {
		*f = formers{}
	}
	(*f)[r.former] = true
}

// holdFormer keeps an entry that would be taken out where its page stands at its old address again, or at a
// third one, and no sitemap lists that: else the page would be in none. --fix not-found=drop takes it out.
func (t *evaluation) holdFormer(r *Row) {
	if r.Fix.Action == Drop && t.formers[r.former] && t.rules.Fix[NotFound] != Drop {
		r.hold(HeldFormer)
		r.Fix.Why.Args[2] = r.former.String()
	}
}
