package html

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A piece is a run of an address with what it is against the address before
// it: '=' the same, '~' the same bytes in another spelling, '+' different,
// '-' removed (it stood in the address before). Written as one JSON string,
// mark first.
type piece struct {
	Mark byte
	Text string
}

// Same, Respelled, Different and Removed tell the template what to mark.
func (p piece) Same() bool      { return p.Mark == '=' }
func (p piece) Respelled() bool { return p.Mark == '~' }
func (p piece) Different() bool { return p.Mark == '+' }
func (p piece) Removed() bool   { return p.Mark == '-' }

// align returns the pieces that show to against from; all the same where there
// is nothing to compare with.
func align(from, to string) []piece {
	if from == "" || from == to {
		return []piece{{'=', visible(to)}}
	}
	aligned := address.Align(from, to)
	out := make([]piece, 0, len(aligned))
	for _, p := range aligned {
		out = append(out, piece{mark(p.Kind), visible(p.Text)})
	}
	return out
}

func mark(k address.PieceKind) byte {
	switch k {
	case address.Respelled:
		return '~'
	case address.Different:
		return '+'
	case address.Removed:
		return '-'
	}
	return '='
}

// A step is one hop as it is shown. The tags are those that appendDetail writes.
type step struct {
	URL       []piece `json:"u"`
	Readable  string  `json:"r,omitempty"` // "" where it says no more than URL
	Status    int     `json:"s,omitempty"`
	Fault     string  `json:"f,omitempty"`
	Detail    string  `json:"d,omitempty"`
	Kind      string  `json:"k,omitempty"` // how it led on, where not by HTTP
	Temporary bool    `json:"t,omitempty"`
	Location  string  `json:"l,omitempty"` // as received, where it is not simply the next address
	Robots    string  `json:"b,omitempty"` // the robots.txt line that forbids it
	Line      int     `json:"n,omitempty"`
	Challenge string  `json:"c,omitempty"`
	MS        int     `json:"m,omitempty"`
}

// A detail is what a row shows when it is opened: for people with JavaScript
// from the compressed chunks, for the first rows in the page itself.
type detail struct {
	Steps    []step  `json:"t,omitempty"`
	End      string  `json:"e,omitempty"`
	Other    []step  `json:"o,omitempty"`
	OtherEnd string  `json:"oe,omitempty"`
	Fix      []piece `json:"f,omitempty"` // the address that is written, against the listed one
	Why      string  `json:"w,omitempty"` // audit.Fix.Why: its key and its two Args
	Why1     string  `json:"w1,omitempty"`
	Why2     string  `json:"w2,omitempty"`
	Stop     string  `json:"s,omitempty"` // audit.Fix.Stop
	Policy   string  `json:"p,omitempty"` // "" for the default
	Syntax   string  `json:"x,omitempty"`
	Title    string  `json:"h,omitempty"`
	Canon    []piece `json:"c,omitempty"`
	Robots   string  `json:"r,omitempty"`
	At       string  `json:"a,omitempty"`
}

// ends names the ends of a trail that need words.
var ends = map[audit.End]string{
	audit.EndLoop: "loop", audit.EndTooMany: "too-many", audit.EndForbidden: "forbidden",
	audit.EndUnseen: "unseen", audit.EndBadLocation: "bad-location",
}

// simple tells whether r has nothing to open: one answer, 200, no remark. The
// page shows such a row's trail from the columns alone.
func simple(r *audit.Row) bool {
	return r.Verdict == audit.OK && len(r.Notes) == 0 && r.Other == nil && len(r.Trail.Steps) < 2 ||
		r.Verdict == audit.Skipped && len(r.Trail.Steps) == 0
}

// detailOf returns what is shown of r when it is opened.
func detailOf(r *audit.Row, read *reader) detail {
	wire := r.Address.String()
	d := detail{
		Steps: stepsOf(r.Trail, "", read), End: ends[r.Trail.End],
		Why: visible(r.Fix.Why.Key), Why1: visible(r.Fix.Why.Args[0]), Why2: visible(r.Fix.Why.Args[1]), Stop: string(r.Fix.Stop), Syntax: visible(r.Syntax), At: stamp(r.CheckedAt),
	}
	if r.Other != nil {
		d.Other, d.OtherEnd = stepsOf(*r.Other, wire, read), ends[r.Other.End]
	}
	if r.Fix.Loc != "" {
		d.Fix = align(wire, r.Fix.Loc)
	}
	if r.Fix.Policy != "default" {
		d.Policy = visible(r.Fix.Policy)
	}
	d.addPage(r)
	return d
}

// addPage tells what the last answer says about indexing.
func (d *detail) addPage(r *audit.Row) {
	n := len(r.Trail.Steps)
	if n == 0 {
		return
	}
	last := r.Trail.Steps[n-1].Hop
	d.Title, d.Robots = visible(last.Page.Title), visible(last.Page.Robots)
	if c := last.Page.Canonical; c != "" && c != last.URL {
		d.Canon = align(last.URL, canonicalWire(last))
	}
}

// canonicalWire is the canonical of h as an address, or as written where it is none.
func canonicalWire(h audit.Hop) string {
	base := address.Wire(h.URL)
	if b, err := address.Resolve(base, h.Page.CanonicalBase); h.Page.CanonicalBase != "" && err == nil {
		base = b
	}
	c, err := address.Resolve(base, h.Page.Canonical)
	if err != nil {
		return h.Page.Canonical
	}
	return c.String()
}

// stepsOf shows each address of t against the one before it, the first against
// from ("" for nothing).
func stepsOf(t audit.Trail, from string, read *reader) []step {
	out := make([]step, 0, len(t.Steps))
	for i := range t.Steps {
		s := &t.Steps[i]
		out = append(out, stepOf(s, from, read))
		from = s.Hop.URL
		if s.Next.String() == s.Hop.Location {
			out[i].Location = ""
		}
	}
	return out
}

func stepOf(s *audit.Step, from string, read *reader) step {
	h := &s.Hop
	v := step{
		URL: align(from, h.URL), Readable: read.readable(h.URL), Status: h.Status, Fault: string(h.Fault),
		Detail: visible(h.Detail), Location: visible(h.Location), Robots: visible(h.Forbidden),
		Line: h.ForbiddenLine, Challenge: visible(h.Challenge), MS: h.MS,
	}
	if s.Kind != audit.ByHTTP {
		v.Kind = string(s.Kind)
	}
	v.Temporary = s.Kind != "" && !s.Permanent
	return v
}

// readable is wire as text for people, "" where that says no more than wire.
func readable(wire string) string {
	if !strings.ContainsRune(wire, '%') && !strings.Contains(wire, "xn--") {
		return ""
	}
	t := visible(address.Readable(wire).Text)
	if t == wire {
		return ""
	}
	return t
}

// A reader remembers the last few addresses that it read: those of a row come up in
// its columns and again in its trail, and reading one takes longer than all else that
// is written of it. The zero value is ready; nil remembers nothing.
type reader struct {
	wires, texts [4]string
	next         int
}

func (m *reader) readable(wire string) string {
	if m == nil {
		return readable(wire)
	}
	if i := slices.Index(m.wires[:], wire); i >= 0 && wire != "" {
		return m.texts[i]
	}
	text := readable(wire)
	m.wires[m.next], m.texts[m.next] = wire, text
	m.next = (m.next + 1) % len(m.wires)
	return text
}

// statuses is the answers of a trail in one line: "301 302 200", "timeout".
func statuses(t audit.Trail) string {
	var b strings.Builder
	for i := range t.Steps {
		if i > 0 {
			b.WriteByte(' ')
		}
		h := &t.Steps[i].Hop
		if h.Status == 0 {
			b.WriteString(string(h.Fault))
			continue
		}
		b.WriteString(strconv.Itoa(h.Status))
	}
	return b.String()
}

// took is the time of all answers of a trail in milliseconds.
func took(t audit.Trail) (ms int) {
	for i := range t.Steps {
		ms += t.Steps[i].Hop.MS
	}
	return ms
}

// stamp writes t in UTC to the second, "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
