package audit

import "sitemend/crawler/address"

// follow walks the remembered answers from the address of an entry, as Follow does. One that stands
// in an earlier list, too, is requested once: the answers to the crawler of that list are taken, as
// far as robots.txt lets it go.
func (e *Entry) follow(mem Answers, at address.Address, rules *Rules, steps []Step) Trail {
	if e.Also == nil || len(e.Also.Before) == 0 {
		return follow(mem, at, e.as(AsRobot), rules, steps)
	}
	s := sharedAnswers{Answers: mem, rules: rules, before: e.Also.Before}
	t := follow(&s, at, e.as(AsRobot), rules, steps)
	if t.End == EndUnknown {
		t.Need = s.need
	}
	return t
}

// sharedAnswers answer for the crawler of one list with what those of others were answered.
type sharedAnswers struct {
	Answers
	rules  *Rules
	before []AlsoList
	need   Request // what is to be asked for where there is no answer
}

// Hop implements Answers.
func (s *sharedAnswers) Hop(r Request) (Hop, bool) {
	for _, list := range s.before {
		s.need = Request{URL: r.URL, Purpose: list.as() | r.Purpose&WithoutSecrets}
		h, ok := s.Answers.Hop(s.need)
		switch {
		case !ok:
			return h, false
		case h.Fault != FaultForbidden: // else nothing was sent
			return s.as(r, h), true
		}
	}
	s.need = r
	return s.Answers.Hop(r)
}

// as makes the answer to another crawler what the one of r would know: of a file that stands with a
// page the head alone, and what robots.txt says to it.
func (s *sharedAnswers) as(r Request, h Hop) Hop {
	h.Page = h.Page.head()
	h.Truncated = h.Truncated && Redirects(h.Status)
	h.Forbidden, h.ForbiddenLine = "", 0
	if s.rules.Permits == nil {
		return h // while the audit runs: robots.txt keeps back no request then, for none is due
	}
	line, n, err := s.rules.Permits.Forbidden(r.Purpose, address.Wire(r.URL))
	if c, keeps := s.Answers.(*AnswerCache); err != nil && keeps {
		c.fail(err)
	}
	switch {
	case line == "":
	case s.rules.Robots == "obey":
		return Hop{Request: r, Fault: FaultForbidden, Forbidden: line, ForbiddenLine: n, At: h.At}
	default:
		h.Forbidden, h.ForbiddenLine = line, n
	}
	return h
}

// head returns what the headers of an answer say of the page.
func (p Page) head() Page {
	return Page{ContentType: p.ContentType, RefreshHeader: p.RefreshHeader,
		RefreshHeaderDelay: p.RefreshHeaderDelay}
}
