package answers

import (
	"slices"

	"sitemend/crawler/address"
)

// A Step is one hop of a trail, with where it led.
type Step struct {
	Hop       Hop
	Next      address.Address // where it leads; zero at the end
	Kind      string          // ByHTTP and the others; "" at the end
	Permanent bool            // of a step that leads on
}

// End says how a trail ended.
type End uint8

// The ends of a trail.
const (
	EndUnknown     End = iota // an answer is missing: Trail.Need names it
	EndAnswer                 // a whole answer that leads nowhere further
	EndLoop                   // back at an address already on the trail
	EndTooMany                // still redirecting after the last allowed hop
	EndForbidden              // robots.txt forbids the last address
	EndUnseen                 // no whole answer, or one that says nothing about Google (401, 403, ...)
	EndBadLocation            // a redirect without a usable http(s) Location, or an address over 8,000 bytes
)

// A Trail is the hops from one address, in order.
type Trail struct {
	Steps []Step
	End   End
	Need  Request // the missing answer, with EndUnknown
	// Way is WithoutSecrets where the user's headers and credentials are withheld at the end of the
	// trail, whether that host would be sent them or not, else 0: what the end names is asked so, too.
	Way Purpose
}

// Follow walks the remembered answers from an address, asked as as (with WithoutSecrets where a stranger
// named it), through at most so many redirects. secrets says from where on secrets are withheld. The steps
// of the trail take the memory of steps.
func Follow(steps []Step, mem Memory, from address.Address, as Purpose, most int, secrets Withheld) Trail {
	t := Trail{Steps: steps}
	as = secrets.As(as, from)
	for at := from; t.End == EndUnknown; {
		t.Way = secrets.Way
		if len(at.String()) > address.MaxLength {
			t.End = EndBadLocation
			return t
		}
		req := Request{URL: at.String(), Purpose: as}
		t.Steps = append(t.Steps, Step{})
		step, known := t.Last(), false
		if step.Hop, known = mem.Hop(req); !known {
			t.Steps, t.Need = t.Steps[:len(t.Steps)-1], req
			return t
		}
		t.End = step.Lead(at)
		switch {
		case t.End != EndUnknown:
		case slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Hop.URL == step.Next.String() }):
			t.End = EndLoop
		case len(t.Steps) > most:
			t.End = EndTooMany
		default:
			secrets.Next(at, step.Next, step.Kind)
			as = secrets.As(as, step.Next)
			at = step.Next
		}
	}
	return t
}

// Lead says where the answer of at leads: it fills in Next, or says how the
// trail ends. EndUnknown means that it goes on.
func (s *Step) Lead(at address.Address) End {
	hop := &s.Hop
	switch {
	case hop.Fault == FaultForbidden:
		return EndForbidden
	case hop.Unseen():
		return EndUnseen
	case Redirects(hop.Status):
		next, err := address.Resolve(at, hop.Location)
		if hop.Location == "" || hop.Truncated || err != nil { // the body is not read: the Location was cut
			return EndBadLocation
		}
		s.Next, s.Kind = next, ByHTTP
		s.Permanent = hop.Status == 301 || hop.Status == 308
		return EndUnknown
	case hop.Status == 200:
		return s.refresh(at)
	}
	return EndAnswer
}

// refresh follows a Refresh header, a meta refresh or a script. Without a delay Google
// takes it as permanent, else as temporary (Search docs, "301-redirects"). One
// that names the page itself, or no http(s) address, leads nowhere.
func (s *Step) refresh(at address.Address) End {
	p := &s.Hop.Page
	target, delay, kind := p.RefreshHeader, p.RefreshHeaderDelay, ByRefreshHeader
	if target == "" {
		target, delay, kind = p.Refresh, p.RefreshDelay, ByMetaRefresh
	}
	if p.ScriptTo != "" && (target == "" || delay > 0) {
		target, delay, kind = p.ScriptTo, 0, ByScript
	}
	if target == "" {
		return EndAnswer
	}
	next, err := address.Resolve(at, target)
	if err != nil || next == at {
		return EndAnswer
	}
	s.Next, s.Kind, s.Permanent = next, kind, delay == 0
	return EndUnknown
}

// Unseen reports whether an answer says nothing about what Google sees: none at
// all, or one that a server may give only to us.
func (h *Hop) Unseen() bool {
	return h.Fault != "" || h.Challenge != "" || slices.Contains([]int{401, 403, 407, 429, 503}, h.Status)
}

// Is200 reports whether a status counts as 200 in the contract's words.
func Is200(status int) bool {
	return status == 200 || status == 201 || status == 203 || status == 206
}

// Gone reports whether a status says that there is no such page.
func Gone(status int) bool { return status == 404 || status == 410 }

// Redirects counts the steps that led on: all, or all but the last.
func (t *Trail) Redirects() int {
	if len(t.Steps) > 0 && t.Last().Next.IsZero() {
		return len(t.Steps) - 1
	}
	return len(t.Steps)
}

// Last returns the last step; of an empty trail a zero Step.
func (t *Trail) Last() *Step {
	if len(t.Steps) == 0 {
		return &Step{}
	}
	return &t.Steps[len(t.Steps)-1]
}

// Temporary reports whether a step on the way was not permanent.
func (t *Trail) Temporary() bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool { return !s.Next.IsZero() && !s.Permanent })
}

// Answered returns the last address that gave a status; zero for none.
func (t *Trail) Answered() address.Address {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if t.Steps[i].Hop.Status != 0 {
			return address.Wire(t.Steps[i].Hop.URL)
		}
	}
	return address.Address{}
}

// Rules returns the rules that answered on a trail, in its order, each once.
func (t *Trail) Rules() (at []RuleAt) {
	for i := range t.Steps {
		if r := t.Steps[i].Hop.Rule; r != (RuleAt{}) && !slices.Contains(at, r) {
			at = append(at, r)
		}
	}
	return at
}
