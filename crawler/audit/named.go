package audit

import "sitemend/crawler/internal/sketch"

// A NamedBeside is what sitemaps say of a reported address that none of them lists as an entry, and
// that they name beside their entries.
type NamedBeside struct {
	List AlsoList
	Of   int // entries that name it, at least 1
	Fix  Fix // what becomes of the links to it
	// Advice is what to do about these links: "" where nothing is.
	Advice Advice
	group  Group
}

// advise sets the advice; partial is set where no sitemap is written.
func (x *NamedBeside) advise(partial bool) {
	switch edited := x.Fix.Action == Replace; {
	case edited && partial:
		x.Advice = AdviceNamedWhole
	case edited:
		x.Advice = AdviceNamedUpload
	case x.group == NeedsDecision:
		x.Advice = AdviceNamedKept
	}
}

// seeBeside looks whether an address that is named beside the entries is reported.
func (j *joining) seeBeside(r *Row) {
	if j == nil || r.Address.IsZero() {
		return
	}
	wire := sketch.Hash(r.Address.String())
	if !j.wires[wire] {
		return
	}
	x := NamedBeside{List: r.Entry.Also.List, Of: r.Entry.Also.Of, Fix: r.Fix, group: r.Group()}
	x.advise(j.t.info.Partial)
	j.beside[wire] = x
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
	default:
		r.is(InSitemapNeedsYou, x.Advice, "")
	}
}
