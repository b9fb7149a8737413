package page

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// A Piece is a run of an address after a mark, which says what it is against the address before
// it: '=' the same, '~' the same bytes in another spelling, '+' different, '-' removed (it stood in
// the address before).
type Piece string

// Mark returns what p is against the address before.
func (p Piece) Mark() byte { return p[0] }

// Text returns the run.
func (p Piece) Text() string { return string(p[1:]) }

// Same reports whether the template marks nothing.
func (p Piece) Same() bool { return p[0] == '=' }

// Respelled reports whether p is the same bytes in another spelling.
func (p Piece) Respelled() bool { return p[0] == '~' }

// Different reports whether p is not in the address before.
func (p Piece) Different() bool { return p[0] == '+' }

// marks are the marks of what address.Align tells apart.
var marks = map[address.PieceKind]string{address.Respelled: "~", address.Different: "+", address.Removed: "-"}

// align returns the pieces that show to against from; all the same where there
// is nothing to compare with.
func align(from, to string) (out []Piece) {
	if from == "" || from == to {
		return []Piece{Piece("=" + Visible(to))}
	}
	for _, p := range address.Align(from, to) {
		out = append(out, Piece(cmp.Or(marks[p.Kind], "=")+Visible(p.Text)))
	}
	return out
}

// Sides shows from and to beside each other, cut at their differences: the pieces of
// from that to does not have are '-', those of to that from does not have '+', and the
// same bytes in two spellings '~' on both sides. The pieces of a side spell its address.
// Both are wire forms, of visible ASCII; of others nothing is marked.
func Sides(from, to string) (listed, written []Piece) {
	if strings.ContainsFunc(from+to, func(r rune) bool { return r >= 0x80 }) {
		return []Piece{Piece("=" + from)}, []Piece{Piece("=" + to)}
	}
	at := 0
	for _, p := range align(from, to) {
		if p.Different() {
			written = append(written, p)
			continue
		}
		was := p
		if p.Respelled() {
			n := len(oneByte.FindAllString(p.Text(), -1))
			was = Piece("~" + strings.Join(oneByte.FindAllString(from[at:], n), ""))
		}
		listed = append(listed, was)
		if p.Mark() != '-' {
			written = append(written, p)
		}
		at += len(was.Text())
	}
	return listed, written
}

// oneByte is one byte of an address, as %XX or itself.
var oneByte = regexp.MustCompile(`%[0-9A-Fa-f]{2}|.`)

// A Step is one hop as it is shown. The script of the report reads it by its tags.
type Step struct {
	URL       []Piece `json:"u"`
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

// A Detail is what a row shows when it is opened: for people with JavaScript
// from the compressed chunks, for the first rows in the page itself.
type Detail struct {
	Steps    []Step  `json:"t,omitempty"`
	End      string  `json:"e,omitempty"`
	Other    []Step  `json:"o,omitempty"`
	OtherEnd string  `json:"oe,omitempty"`
	Fix      []Piece `json:"f,omitempty"` // the address that is written, against the listed one
	Why      string  `json:"w,omitempty"` // audit.Fix.Why: its key and its two Args
	Why1     string  `json:"w1,omitempty"`
	Why2     string  `json:"w2,omitempty"`
	Policy   string  `json:"p,omitempty"` // "" for the default
	Syntax   string  `json:"x,omitempty"`
	Title    string  `json:"h,omitempty"`
	Canon    []Piece `json:"c,omitempty"`
	Robots   string  `json:"r,omitempty"`
	At       string  `json:"a,omitempty"`
	// Of an address of an export: what to do, in each language, and when it was last
	// crawled, as the export has it.
	Advice      []string `json:"g,omitempty"`
	LastCrawled string   `json:"gc,omitempty"`
	Google      Kept     `json:"gi,omitzero"`
}

// ends names the ends of a trail that need words.
var ends = map[answers.End]string{
	answers.EndLoop: "loop", answers.EndTooMany: "too-many", answers.EndForbidden: "forbidden",
	answers.EndUnseen: "unseen", answers.EndBadLocation: "bad-location",
}

// DetailOf returns what is shown of r when it is opened; readable is Readable of its address where that
// is known: it takes longer than all else.
func DetailOf(r *audit.Row, readable string) Detail {
	wire := r.Address.String()
	d := Detail{
		Steps: stepsOf(r.Trail, "", readable), End: ends[r.Trail.End],
		Why: Visible(r.Fix.Why.Key), Why1: Visible(r.Fix.Why.Args[0]), Why2: Visible(r.Fix.Why.Args[1]), Syntax: Visible(r.Syntax), At: Stamp(r.CheckedAt),
	}
	if r.Other != nil {
		d.Other, d.OtherEnd = stepsOf(*r.Other, wire, ""), ends[r.Other.End]
	}
	switch steps := r.Trail.Steps; {
	case r.Fix.Loc == "":
	case len(steps) == 2 && r.Fix.Loc == steps[1].Hop.URL: // as of most
		d.Fix = d.Steps[1].URL
	default:
		d.Fix = align(wire, r.Fix.Loc)
	}
	if r.Fix.Policy != "default" {
		d.Policy = Visible(r.Fix.Policy)
	}
	d.addPage(r)
	d.Google = KeptOf(r)
	return d
}

// addPage reports what the last answer says about indexing.
func (d *Detail) addPage(r *audit.Row) {
	last := &r.Trail.Last().Hop
	d.Title, d.Robots = Visible(last.Page.Title), Visible(last.Page.Robots)
	if c := last.Page.Canonical; c != "" && c != last.URL {
		d.Canon = align(last.URL, last.Page.CanonicalAt(address.Wire(last.URL)))
	}
}

// stepsOf shows each address of t against the one before it, the first against
// from ("" for nothing). readable is that of the first, where it is known.
func stepsOf(t answers.Trail, from, readable string) []Step {
	out := make([]Step, 0, len(t.Steps))
	for i := range t.Steps {
		s := &t.Steps[i]
		if i > 0 || readable == "" {
			readable = Readable(s.Hop.URL)
		}
		out = append(out, stepOf(s, from, readable))
		from = s.Hop.URL
		if s.Next.String() == s.Hop.Location {
			out[i].Location = ""
		}
	}
	return out
}

func stepOf(s *answers.Step, from, readable string) Step {
	h := &s.Hop
	v := Step{
		URL: align(from, h.URL), Readable: readable, Status: h.Status, Fault: string(h.Fault),
		Detail: Visible(h.Detail), Location: Visible(h.Location), Robots: Visible(h.Forbidden),
		Line: h.ForbiddenLine, Challenge: Visible(h.Challenge), MS: h.MS,
	}
	if s.Kind != answers.ByHTTP {
		v.Kind = string(s.Kind)
	}
	v.Temporary = s.Kind != "" && !s.Permanent
	if r := h.Rule; r.File != "" {
		v.Detail = strings.TrimPrefix(v.Detail+" · "+Visible(r.File)+":"+strconv.Itoa(r.Line), " · ")
	}
	return v
}

// Readable returns a wire form with its escapes as text, "" where that says no more
// than the wire form.
func Readable(wire string) string {
	if !strings.ContainsRune(wire, '%') {
		return ""
	}
	t := Visible(address.Readable(wire).Text)
	if t == wire {
		return ""
	}
	return t
}

// Statuses is the answers of a trail in one line: "301 302 200", "timeout", "200(script) 200".
func Statuses(t answers.Trail) string {
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
		if kind := t.Steps[i].Kind; kind != "" && kind != answers.ByHTTP {
			b.WriteString("(" + kind + ")")
		}
	}
	return b.String()
}

// Stamp writes t in UTC to the second, "" for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
