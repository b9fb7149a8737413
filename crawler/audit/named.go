package audit

import (
	"cmp"
	"context"
	"slices"

	"sitemend/crawler/internal/sketch"
)

// A NamedBeside is what sitemaps say of a reported address that none of them lists as an entry, and
// that they name beside their entries.
type NamedBeside struct {
	List AlsoList
	Of   int // entries that name it, at least 1
	// Fix is what becomes of the links to it, and Verdict what it is to the crawler of the list.
	Fix     Fix
	Verdict Verdict
	// Advice is what to do about these links: "" where nothing is.
	Advice Advice
	// Others are the other lists that have the address, in their order.
	Others []NamedBeside
	group  Group
}

// Alike reports whether the same becomes of the links of two lists.
func (x *NamedBeside) Alike(y *NamedBeside) bool {
	return x.Advice == y.Advice && x.Fix.Action == y.Fix.Action && x.Fix.Loc == y.Fix.Loc && x.Fix.Why == y.Fix.Why
}

// advise sets the advice; partial is set where no sitemap is written.
func (x *NamedBeside) advise(partial bool) {
	switch edited := x.Fix.Action == Replace || x.Fix.Action == Drop; {
	case edited && partial:
		x.Advice = AdviceNamedWhole
	case x.Fix.Action == Replace:
		x.Advice = AdviceNamedUpload
	case edited:
		x.Advice = AdviceNamedWithout
	case x.group == NeedsDecision:
		x.Advice = AdviceNamedKept
	}
}

// seeBeside looks whether an address that is named beside the entries is reported. Of the lists
// that have it, the one decides whose links are edited or need a decision most.
func (j *joining) seeBeside(r *Row) {
	if j == nil || r.Address.IsZero() {
		return
	}
	wire := sketch.Hash(r.Address.String())
	if !j.wires[wire] {
		return
	}
	x := NamedBeside{List: r.Entry.Also.List, Of: r.Entry.Also.Of, Fix: r.Fix, Verdict: r.Verdict, group: r.Group()}
	x.advise(j.t.info.Partial)
	known, has := j.beside[wire]
	switch {
	case !has:
	case moreUrgent(x.group, known.group):
		x.Others, known.Others = known.Others, nil
		x.Others = append(x.Others, known)
	default:
		known.Others = append(known.Others, x)
		x = known
	}
	slices.SortFunc(x.Others, func(a, b NamedBeside) int {
		return cmp.Compare(slices.Index(AlsoLists(), a.List), slices.Index(AlsoLists(), b.List))
	})
	j.beside[wire] = x
}

// besideAgain makes the joining with what became of the links to each address, which the rows
// of Also say now, and joins the result anew. It reads them and the exports again.
func (j *joining) besideAgain(ctx context.Context, t *Result) error {
	if j == nil || len(j.beside) == 0 {
		return nil
	}
	again := *j
	again.beside = map[uint64]NamedBeside{}
	for n := range t.Also {
		for r, err := range t.AlsoRows(ctx, n) {
			if err != nil {
				return err
			}
			again.seeBeside(&r)
		}
	}
	days := t.SearchConsole.Days
	if err := again.join(ctx, t); err != nil {
		return err
	}
	t.SearchConsole.Days = days
	return nil
}

// onlyBeside decides an address that no sitemap lists, and that some name: by what becomes of the
// links to it.
func (r *ReportedRow) onlyBeside(rules *Rules) {
	switch x := r.Beside; {
	case r.hidden():
	case x.Advice == "":
		r.unlisted(rules)
	case x.Advice == AdviceNamedUpload:
		r.is(InSitemapCorrected, x.Advice, x.Fix.Loc)
	case x.Advice == AdviceNamedWithout:
		r.is(InSitemapCorrected, x.Advice, "")
	default:
		r.is(InSitemapNeedsYou, x.Advice, "")
	}
}
