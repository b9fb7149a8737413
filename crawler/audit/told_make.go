package audit

import "iter"

// MakeTold returns a copy of t whose rows and rewritten links come from the
// given functions. It is for outputs that are shown or tested without an audit:
// rows yields the rows of a file as Told.Rows and Told.Edits do, and link answers for
// Told.Link; nil functions give no rows and no links. A Told made so has nothing
// to prove: Prove and ProofRequests are not for it.
func MakeTold(t Told, rows func(file int) iter.Seq2[Row, error], link func(href string) (string, bool)) *Told {
	if rows == nil {
		rows = func(int) iter.Seq2[Row, error] { return func(func(Row, error) bool) {} }
	}
	if link == nil {
		link = func(string) (string, bool) { return "", false }
	}
	t.rows, t.edits, t.links = rows, rows, link
	t.indexCauses()
	return &t
}
