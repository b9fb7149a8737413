package audit

// BothWays returns the row of an entry as Judge makes it and as the walks after the survey do from
// the outcome that was kept of it. ok is false where none was kept.
func BothWays(mem Answers, e Entry, rules *Rules) (judged, kept Row, ok bool) {
	var o outcomes
	judged.Judge(mem, e, rules, Want{Recheck: true})
	o.see(&judged, e.N+1)
	ok = o.judge(&kept, mem, e, rules)
	judged.detach()
	kept.detach()
	return judged, kept, ok
}

// Turned reports whether what was not found was a page when it was asked for once more.
func (r *Row) Turned() bool { return r.turned }
