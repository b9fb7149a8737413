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
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Pattern is what the addresses of a cause look like, and where they lead: as the upload
// writes it, or as the server answers. It covers what was seen, and claims nothing of
// other addresses: what has nothing in common is shown by its first ones. To is empty
// where they lead nowhere. Its texts are visible as they are.
type Pattern struct{ From, To []Piece }

// A Piece is a part of a pattern. Changes is set on what is not the same on both sides.
type Piece struct {
	Text    string
	Changes bool
}

// Text writes a pattern in a line, with an arrow between its sides.
func (p Pattern) Text() string {
	text := piecesText(p.From)
	if len(p.To) > 0 {
		text += " -> " + piecesText(p.To)
	}
	return text
}

func piecesText(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// leadsBack reports whether the server redirects another encoding to what is listed.
func leadsBack(x *audit.Cause) bool {
	return x.Group == audit.OtherSpelling && x.Verdict == audit.SpellingBounce
}

// patternOf is what a cause's entries look like, and where they lead. What is right as listed, and
// redirected in another encoding, leads from that to the one that is listed.
func patternOf(x *audit.Cause) Pattern {
	listed, finals := x.Ends()
	said := slices.DeleteFunc(slices.Clone(x.Terms), func(t pattern.Term) bool { return t.Name == "status" || t.Name == "unseen" })
	switch {
	case x.From.IsZero() && len(said) > 0: // told without its rows; the title says a status
		return Pattern{From: []Piece{{Text: plain.Visible(pattern.Text(said))}}}
	case x.From.IsZero() && len(x.Terms) > 0:
		return Pattern{}
	case x.From.IsZero():
		few := side{}
		few.name(listed, x.Count, false)
		return Pattern{From: []Piece{{Text: few.few}}}
	}
	crosses := slices.Contains(x.Reasons, address.Host)
	from, to := sideOf(x, &x.From), sideOf(x, &x.To)
	mixed := crosses && from.several()
	if x.From.Bare() {
		from.name(listed, x.Count, crosses)
	}
	if x.To.Bare() || to.slashAlone() && !x.Redirects() {
		to.name(finals, x.Targets, crosses)
	}
	why := label(x, "unseen")
	_, fault := messages.Of("en").Faults[why]
	switch {
	case x.To.IsZero() && fault: // the host, which may not be the site's
	case x.To.IsZero() || !mixed && (from.origin == to.origin || from.few != "" && someAt(listed, to.origin)):
		from.origin, to.origin = "", ""
	}
	p := Pattern{From: from.pieces(&to)}
	switch {
	case x.To.IsZero():
	case from == to: // they differ in how they are written
		p = respelled(x.Terms, p.From)
	default:
		p.To = to.pieces(&from)
	}
	if leadsBack(x) && len(p.To) > 0 {
		p.From, p.To = p.To, p.From
	}
	return p
}

// respelled is the pattern of addresses that differ in nothing but how they are written.
func respelled(terms []pattern.Term, same []Piece) Pattern {
	for _, t := range terms {
		if a, b, ok := strings.Cut(t.String(), " -> "); ok {
			return Pattern{append(slices.Clone(same), Piece{" " + plain.Visible(a), true}), append(slices.Clone(same), Piece{" " + plain.Visible(b), true})}
		}
	}
	return Pattern{From: same}
}

// A side is one side of a pattern.
type side struct {
	origin, head, star, tail string
	few                      string // in place of all: the first of them
	asSent                   bool   // escapes stay: they are all that differs
}

// sideOf is the side of a cause whose addresses look like s.
func sideOf(x *audit.Cause, s *pattern.Shape) (out side) {
	if s.IsZero() {
		return out
	}
	out.asSent = respelt(x)
	out.origin, out.head, out.tail = s.Parts()
	if !s.One() {
		out.star = "*"
	}
	return out
}

// respelt reports whether what the entries of a cause lead to is what they are, but for how it is
// escaped: then the escapes are what is to be seen.
func respelt(x *audit.Cause) bool {
	_, fromHead, fromTail := x.From.Parts()
	_, toHead, toTail := x.To.Parts()
	if looksSame(fromHead+fromTail, toHead+toTail) {
		return true
	}
	for _, e := range x.Examples {
		if looksSame(wireOf(e.Listed).Target(), address.Wire(e.Final).Target()) {
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

// name has a side name the first of its n addresses in place of what they have in common; with their hosts
// where these differ and are the point. Where they are long it is one alone. What is no address stands as it is.
func (s *side) name(all []string, n int, hosts bool) {
	var few []string
	wide := 0
	for _, loc := range all {
		text := loc
		if a := wireOf(loc); !a.IsZero() {
			text = s.readable(a.Target())
			if hosts && s.several() {
				text = a.Origin() + text
			}
		}
		if text = plain.Visible(text); text == "" || slices.Contains(few, text) {
			continue
		}
		if wide += utf8.RuneCountInString(text); len(few) == 2 || len(few) == 1 && wide > widestFew {
			break
		}
		few = append(few, plain.Middle(text, widestFew))
	}
	if n != len(few) {
		few = append(few, "…")
	}
	s.few = strings.Join(few, ", ")
	if s.several() {
		s.origin = ""
	}
}

// several reports whether the addresses of a side are at several origins.
func (s *side) several() bool { return strings.HasSuffix(s.origin, "*") }

// readable is a part of an address as it is shown.
func (s *side) readable(part string) string {
	const at = "http://x.example/"
	if !s.asSent {
		part = strings.TrimPrefix(address.Readable(at+part).Text, at)
	}
	return plain.Visible(part)
}

// looksSame reports whether two different parts are one text, but for how it is escaped and
// composed.
func looksSame(a, b string) bool {
	x, errA := url.PathUnescape(a)
	y, errB := url.PathUnescape(b)
	return a != b && errA == nil && errB == nil && norm.NFC.String(x) == norm.NFC.String(y)
}

// slashAlone reports whether all that the addresses of a side have in common is the slash at both
// ends, which says nothing of where they lead, unless by a rule.
func (s *side) slashAlone() bool {
	return s.few == "" && s.star != "" && s.head == "/" && s.tail == "/"
}

// widestFew is about how many characters the first addresses take where nothing is common
// to all, and the longest that is shown whole; widestPiece how many characters of a part of a pattern are
// shown: the addresses of a sitemap may have thousands.
const widestFew, widestPiece = 60, 200

// someAt reports whether one of the addresses has an origin.
func someAt(locs []string, origin string) bool {
	return slices.ContainsFunc(locs, func(loc string) bool { return wireOf(loc).Origin() == origin })
}

// pieces are the pieces of a side; what the other does not have changes.
func (s *side) pieces(other *side) (out []Piece) {
	add := func(text string, changes bool) {
		if text != "" {
			out = append(out, Piece{plain.Middle(s.readable(text), widestPiece), changes})
		}
	}
	add(s.origin, s.origin != other.origin)
	if s.few != "" && s.origin == "" {
		return append(out, Piece{s.few, true})
	}
	same := 0 // of the heads, whole words
	for i := 0; i < len(s.head) && i < len(other.head) && s.head[i] == other.head[i]; i++ {
		if strings.IndexByte("/?=&", s.head[i]) >= 0 {
			same = i + 1
		}
	}
	add(s.head[:same], false)
	add(s.head[same:], true)
	add(s.star, s.star != other.star)
	add(s.tail, s.tail != other.tail)
	return out
}
