package conclude

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

// A Pattern is what the addresses of a cause look like, and where they lead: as the upload
// writes it, or as the server answers. It covers what was seen, and claims nothing of
// other addresses: what has nothing in common is shown by its first ones. To is empty
// where they lead nowhere. Its texts are visible as they are.
type Pattern struct{ From, To []Piece }

// A Piece is a part of a pattern after a mark: '=' where it is the same on both sides, else '+'.
type Piece string

// Text returns the part without its mark.
func (p Piece) Text() string { return string(p[1:]) }

// Different reports whether the part is not the same on both sides.
func (p Piece) Different() bool { return p[0] == '+' }

// Line is a pattern in a line, with an arrow between its sides.
func (p Pattern) Line(arrow Piece) []Piece {
	if len(p.To) == 0 {
		return p.From
	}
	return slices.Concat(p.From, []Piece{"= " + arrow + " "}, p.To)
}

// Text is a pattern in a line as a text.
func (p Pattern) Text() string {
	var b strings.Builder
	for _, x := range p.Line("->") {
		b.WriteString(x.Text())
	}
	return b.String()
}

// leadsBack reports whether the server redirects another encoding to what is listed.
func leadsBack(x *audit.Cause) bool {
	return x.Group == audit.OtherSpelling && x.Verdict == audit.SpellingBounce
}

// patternOf is what a cause's entries look like, and where they lead; where they have nothing in common, or
// their rows are not known, the first of them. What is right as listed, and redirected in another encoding,
// leads from that to the one that is listed.
func patternOf(x *audit.Cause) Pattern {
	if said := slices.DeleteFunc(slices.Clone(x.Terms), func(t pattern.Term) bool { return t.Name == "status" || t.Name == "unseen" }); x.From.IsZero() && len(said) > 0 {
		return Pattern{From: []Piece{Piece("=" + messages.Visible(pattern.Text(said)))}}
	}
	listed, finals := x.Ends()
	asSent, hosts := respelt(listed, finals), slices.Contains(x.Reasons, address.Host)
	from, to := sideOf(&x.From, listed, x.Count, asSent, hosts), sideOf(&x.To, finals, x.Targets, asSent, hosts)
	if from.origin == to.origin || x.To.IsZero() || from.origin == "" && !hosts {
		from.origin, to.origin = "", ""
	}
	a, b := from.text(), to.text()
	p := Pattern{From: []Piece{Piece("=" + a)}}
	switch {
	case x.To.IsZero():
	case from == to: // they differ in how they are written
		p = respelled(x.Terms, p.From[0])
	case from.few+to.few != "": // there is nothing to hold against the other
		p.To = []Piece{Piece("=" + b)}
	default:
		p = differ(a, b, !asSent)
	}
	if leadsBack(x) && len(p.To) > 0 {
		p.From, p.To = p.To, p.From
	}
	return p
}

// respelled is the pattern of addresses that differ in nothing but how they are written.
func respelled(terms []pattern.Term, same Piece) Pattern {
	for _, t := range terms {
		if a, b, ok := strings.Cut(t.String(), " -> "); ok {
			return Pattern{[]Piece{same, Piece("+ " + messages.Visible(a))}, []Piece{same, Piece("+ " + messages.Visible(b))}}
		}
	}
	return Pattern{From: []Piece{same}}
}

// respelt reports whether what addresses lead to is what they are, but for how it is escaped: then the
// escapes are what is to be seen.
func respelt(listed, finals []string) bool {
	for i, loc := range listed[:min(len(listed), len(finals))] {
		a, b := wireOf(loc).Target(), address.Wire(finals[i]).Target()
		x, errA := url.PathUnescape(a)
		y, errB := url.PathUnescape(b)
		if a != b && errA == nil && errB == nil && norm.NFC.String(x) == norm.NFC.String(y) {
			return true
		}
	}
	return false
}

// wireOf returns the address of an example of a cause, which is as its sitemap lists it: "HTTP://a.example".
func wireOf(loc string) address.Address {
	if a, err := address.Parse(loc); err == nil {
		return a
	}
	return address.Wire(loc)
}

// widestFew is about how many characters the first addresses take where nothing is common
// to all, and the longest that is shown whole; widestPiece how many characters of a part of a pattern are
// shown: the addresses of a sitemap may have thousands.
const widestFew, widestPiece = 60, 200

// A side is one side of a pattern.
type side struct {
	origin, head, star, tail string
	few                      string // in place of the others: the first of them
	asSent                   bool   // escapes stay
}

// sideOf is the side of n addresses that look like s, of which all are the first. Where these have nothing in
// common they are named themselves, and where one is long it alone; with their hosts where these differ and are
// the point. What is no address stands as it is.
func sideOf(s *pattern.Shape, all []string, n int, asSent, hosts bool) (out side) {
	out.asSent = asSent
	out.origin, out.head, out.tail = s.Parts()
	if !s.IsZero() && !s.One() {
		out.star = "*"
	}
	if several := strings.HasSuffix(out.origin, "*"); s.IsZero() || s.Bare() {
		var few []string
		wide := 0
		for _, loc := range all {
			text := messages.Visible(loc)
			if a := wireOf(loc); !a.IsZero() {
				if text = out.readable(a.Target()); several && hosts {
					text = a.Origin() + text
				}
			}
			if wide += utf8.RuneCountInString(text); len(few) == 2 || len(few) == 1 && wide > widestFew {
				break
			}
			few = append(few, messages.Middle(text, widestFew))
		}
		if n > len(few) {
			few = append(few, "…")
		}
		if out.few = strings.Join(few, ", "); several {
			out.origin = ""
		}
	}
	return out
}

// readable is a part of an address as it is shown.
func (s *side) readable(part string) string {
	const at = "http://x.example/"
	if !s.asSent {
		part = strings.TrimPrefix(address.Readable(at+part).Text, at)
	}
	return messages.Visible(part)
}

// text is a side in a line.
func (s *side) text() string {
	if s.few != "" && s.origin == "" {
		return s.few
	}
	part := func(text string) string { return messages.Middle(s.readable(text), widestPiece) }
	return s.origin + part(s.head) + s.star + part(s.tail)
}

// differ marks what two texts have not in common at their beginning and end: of words whole ones, else from
// sign to sign.
func differ(a, b string, words bool) (p Pattern) {
	head, tail, most := 0, 0, min(len(a), len(b))
	ends := func(sign byte, signs string) bool {
		return sign < utf8.RuneSelf && (!words || strings.IndexByte(signs, sign) >= 0)
	}
	begins := func(rest string) bool { return rest == "" || ends(rest[0], "/?=&") }
	closed := func(rest string) bool { return rest == "" || ends(rest[len(rest)-1], "/?=&") }
	for i := 0; i < most && a[i] == b[i]; i++ {
		if ends(a[i], "/?=&") || begins(a[i+1:]) && begins(b[i+1:]) {
			head = i + 1
		}
	}
	for i := 1; i <= most-head && a[len(a)-i] == b[len(b)-i]; i++ {
		if ends(a[len(a)-i], "/?=&.-_:*") || closed(a[:len(a)-i]) && closed(b[:len(b)-i]) {
			tail = i
		}
	}
	pieces := func(s string) []Piece {
		all := []Piece{Piece("=" + s[:head]), Piece("+" + s[head:len(s)-tail]), Piece("=" + s[len(s)-tail:])}
		return slices.DeleteFunc(all, func(x Piece) bool { return len(x) == 1 })
	}
	return Pattern{pieces(a), pieces(b)}
}
