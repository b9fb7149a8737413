package audit

import (
	"context"
	"iter"
)

// MakeResult returns a copy of t whose rows and edits of links come from the
// given functions. It is for outputs that are shown or tested without an audit:
// rows yields the rows of a file as Result.Rows and Result.Edits do, and link says what
// becomes of an xhtml:link with an href; nil functions give no rows and no edits of links.
func MakeResult(t Result, rows func(file int) iter.Seq2[Row, error], link func(href string) LinkFix) *Result {
	if rows == nil {
		rows = func(int) iter.Seq2[Row, error] { return func(func(Row, error) bool) {} }
	}
	if link == nil {
		link = func(string) LinkFix { return LinkFix{Action: Keep} }
	}
	t.rows = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return lent(Until(ctx, rows(file)), t.Files[file].Unwritten)
	}
	t.links = func(_ context.Context, _ []Own, links []Link) (fixes []LinkFix, err error) {
		for _, l := range links {
			fixes = append(fixes, link(l.Href))
		}
		return fixes, nil
	}
	t.edits, t.editsLinks = t.rows, true
	return &t
}

// lent yields each row to a caller who has it until the next; with why that of a file that is withheld.
func lent(rows iter.Seq2[Row, error], why Unwritten) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for r, err := range rows {
			if why != "" && r.Fix.Action != Keep {
				r.hold(why.note())
			}
			if !yield(&r, err) {
				return
			}
		}
	}
}
