package audit

import (
	"context"

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
	group   Group
}

// seeBeside looks whether an address that is named beside the entries is reported. Of the lists
// that have it, the one counts whose links are edited or need a decision most.
func (j *joining) seeBeside(r *Row) {
	if j == nil || r.Address.IsZero() {
		return
	}
	wire := sketch.Hash(r.Address.String())
	if !j.wires[wire] {
		return
	}
	x := NamedBeside{List: r.Entry.Also.List, Of: r.Entry.Also.Of, Fix: r.Fix, Verdict: r.Verdict, group: r.Group()}
	if known, has := j.beside[wire]; !has || moreUrgent(x.group, known.group) {
		j.beside[wire] = x
	}
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
func (r *ReportedRow) onlyBeside(rules *Rules, partial bool) {
	x := r.Beside
	edited := x.Fix.Action == Replace || x.Fix.Action == Drop
	switch {
	case r.hidden():
	case edited && partial:
		r.is(InSitemapNeedsYou, AdviceNamedWhole, "")
	case x.Fix.Action == Replace:
		r.is(InSitemapCorrected, AdviceNamedUpload, x.Fix.Loc)
	case x.Fix.Action == Drop:
		r.is(InSitemapCorrected, AdviceNamedWithout, "")
	case x.group == NeedsDecision:
		r.is(InSitemapNeedsYou, AdviceNamedKept, "")
	default:
		r.unlisted(rules)
	}
}
