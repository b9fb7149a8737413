package fleet

import (
	"time"

	"sitemend/crawler/audit"
)

// hop is an audit.Hop in the form of messages: its fields have numbers, and empty ones, which most
// are, take no room. With the names of all fields, reading an answer took three times as long.
type hop struct {
	URL           string        `cbor:"1,keyasint"`
	Purpose       audit.Purpose `cbor:"2,keyasint,omitempty"`
	Status        int           `cbor:"3,keyasint,omitempty"`
	Fault         audit.Fault   `cbor:"4,keyasint,omitempty"`
	Detail        string        `cbor:"5,keyasint,omitempty"`
	Location      string        `cbor:"6,keyasint,omitempty"`
	Forbidden     string        `cbor:"7,keyasint,omitempty"`
	ForbiddenLine int           `cbor:"8,keyasint,omitempty"`
	Challenge     string        `cbor:"9,keyasint,omitempty"`
	Page          page          `cbor:"10,keyasint,omitempty"`
	MS            int           `cbor:"11,keyasint,omitempty"`
	Tries         int           `cbor:"12,keyasint,omitempty"`
	AltSpelling   bool          `cbor:"13,keyasint,omitempty"`
	Truncated     bool          `cbor:"14,keyasint,omitempty"`
	RuleFile      string        `cbor:"18,keyasint,omitempty"`
	RuleLine      int           `cbor:"19,keyasint,omitempty"`
	// At is in nanoseconds since 1970; 0 for the zero time.
	At           int64 `cbor:"20,keyasint,omitempty"`
	RobotsStatus int   `cbor:"21,keyasint,omitempty"`
	Counted      int   `cbor:"22,keyasint,omitempty"`
	Pending      bool  `cbor:"23,keyasint,omitempty"`
}

// page is an audit.Page in the same form.
type page struct {
	ContentType        string  `cbor:"1,keyasint,omitempty"`
	Title              string  `cbor:"2,keyasint,omitempty"`
	Canonical          string  `cbor:"3,keyasint,omitempty"`
	CanonicalBase      string  `cbor:"4,keyasint,omitempty"`
	Robots             string  `cbor:"5,keyasint,omitempty"`
	Refresh            string  `cbor:"6,keyasint,omitempty"`
	RefreshDelay       float64 `cbor:"7,keyasint,omitempty"`
	RefreshHeader      string  `cbor:"8,keyasint,omitempty"`
	RefreshHeaderDelay float64 `cbor:"9,keyasint,omitempty"`
	ScriptTo           string  `cbor:"10,keyasint,omitempty"`
	Heading            string  `cbor:"11,keyasint,omitempty"`
	Password           bool    `cbor:"12,keyasint,omitempty"`
	Script             bool    `cbor:"13,keyasint,omitempty"`
	Empty              bool    `cbor:"14,keyasint,omitempty"`
	Shell              bool    `cbor:"15,keyasint,omitempty"`
	Text               uint64  `cbor:"16,keyasint,omitempty"`
	Attachment         bool    `cbor:"17,keyasint,omitempty"`
}

// hopOf returns an answer in the form of messages.
func hopOf(h *audit.Hop) hop {
	out := hop{URL: h.URL, Purpose: h.Purpose, Status: h.Status, Fault: h.Fault, Detail: h.Detail, Location: h.Location,
		Forbidden: h.Forbidden, ForbiddenLine: h.ForbiddenLine, Challenge: h.Challenge, Page: page(h.Page), MS: h.MS, Tries: h.Tries,
		AltSpelling: h.AltSpelling, Truncated: h.Truncated,
		RuleFile: h.Rule.File, RuleLine: h.Rule.Line, RobotsStatus: h.RobotsStatus,
		Counted: h.Counted, Pending: h.Pending}
	if !h.At.IsZero() {
		out.At = h.At.UnixNano()
	}
	return out
}

// read returns the answer that h holds.
func (h *hop) read() audit.Hop {
	out := audit.Hop{Request: audit.Request{URL: h.URL, Purpose: h.Purpose}, Status: h.Status, Fault: h.Fault, Detail: h.Detail, Location: h.Location,
		Forbidden: h.Forbidden, ForbiddenLine: h.ForbiddenLine, Challenge: h.Challenge, Page: audit.Page(h.Page), MS: h.MS, Tries: h.Tries,
		AltSpelling: h.AltSpelling, Truncated: h.Truncated,
		Rule: audit.RuleAt{File: h.RuleFile, Line: h.RuleLine}, RobotsStatus: h.RobotsStatus,
		Counted: h.Counted, Pending: h.Pending}
	if h.At != 0 {
		out.At = time.Unix(0, h.At).UTC()
	}
	return out
}

// hopsOf returns answers in the form of messages.
func hopsOf(hops []audit.Hop) []hop {
	out := make([]hop, len(hops))
	for i := range hops {
		out[i] = hopOf(&hops[i])
	}
	return out
}

// settled returns how many answers of a message are the last of their request.
func (r *result) settled() (n int) {
	for i := range r.Hops {
		if !r.Hops[i].Pending {
			n++
		}
	}
	return n
}

// answers returns the answers of a message.
func (r *result) answers() []audit.Hop {
	out := make([]audit.Hop, len(r.Hops))
	for i := range r.Hops {
		out[i] = r.Hops[i].read()
	}
	return out
}
