package conclude

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// A Piece is a part of a pattern. Changes is set on what is not the same on both sides.
// Octets is the part as it is sent, where Text is that made readable or cut; else "".
type Piece struct {
	Text    string
	Changes bool
	Octets  string
}

// Octets writes a pattern as Text does, as it is sent; "" where Text is that already.
func (p Pattern) Octets() string {
	sent := Pattern{slices.Clone(p.From), slices.Clone(p.To)}
	same := true
	for _, side := range [][]Piece{sent.From, sent.To} {
		for i := range side {
			if x := &side[i]; x.Octets != "" {
				x.Text, same = x.Octets, false
			}
		}
	}
	if same {
		return ""
	}
	return sent.Text()
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

// patternOf is what a cause's entries look like, and where they lead. What is right as listed, and
// redirected in another spelling, leads from that to the one that is listed.
func patternOf(x *audit.Cause, show detail) Pattern {
	p := listedOf(x, show)
	if leadsBack(x) && len(p.To) > 0 {
		p.From, p.To = p.To, p.From
	}
	return p
}

// leadsBack reports whether the server redirects another spelling to what is listed.
func leadsBack(x *audit.Cause) bool {
	return x.Group == audit.OtherSpelling && x.Verdict == audit.SpellingBounce
}

// A detail is how much of its addresses a pattern shows.
type detail int

// The details, from the least: what they have in common but for the origin of the site, with the origin, and
// the first of them.
const (
	common detail = iota
	withOrigin
	firstOnes
)

// listedOf is what a cause's entries look like as listed, and where they lead or what their other
// spelling is.
func listedOf(x *audit.Cause, show detail) Pattern {
	switch {
	case x.From.IsZero() && x.Rule != "": // told without its rows
		return Pattern{From: ruleAlone(x)}
	case x.From.IsZero(): // not even an address
		return Pattern{From: examples(x.Examples, x.Count)}
	}
	asSent, crosses := respelt(x), slices.Contains(x.Reasons, address.Host)
	from, to := sideOf(&x.From, asSent), sideOf(&x.To, asSent)
	mixed := crosses && from.several()
	if x.From.Bare() || show == firstOnes {
		from.name(x.Examples, x.Count, crosses)
	}
	if x.To.Bare() || to.slashAlone() && !x.Redirects() {
		to.name(x.Finals, x.Targets, crosses)
	}
	why := label(x, "unseen")
	sameOrigin := x.To.IsZero() || !mixed && (from.origin == to.origin || from.few != "" && someAt(x.Examples, to.origin))
	switch {
	case x.To.IsZero() && messages.Of("en").Fault(audit.Fault(why)) != why: // the host, which may not be the site's
	case sameOrigin && show != withOrigin:
		from.origin, to.origin = "", ""
	}
	if from == to && !x.To.IsZero() { // they differ in how they are written
		return respelled(x.Terms, from)
	}
	p := Pattern{From: from.pieces(&to)}
	if !x.To.IsZero() {
		p.To = to.pieces(&from)
	}
	return p
}

// ruleAlone is a rule without what its addresses look like; the title says the status.
func ruleAlone(x *audit.Cause) []Piece {
	said := slices.DeleteFunc(slices.Clone(x.Terms), func(t pattern.Term) bool { return t.Name == "status" || t.Name == "unseen" })
	switch {
	case len(said) > 0:
		return []Piece{{Text: visible(pattern.Text(said))}}
	case len(x.Terms) > 0:
		return nil
	}
	return []Piece{{Text: visible(x.Rule)}}
}

// A side is one side of a pattern.
type side struct {
	origin, head, star, tail string
	few                      string // in place of all: the first of them
	asSent                   bool   // escapes stay: they are all that differs
}

// sideOf is the side of s.
func sideOf(s *pattern.Shape, asSent bool) (out side) {
	if s.IsZero() {
		return out
	}
	out.asSent = asSent
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
	for i, loc := range x.Examples[:min(len(x.Examples), len(x.Finals))] {
		if looksSame(wireOf(loc).Target(), address.Wire(x.Finals[i]).Target()) {
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
// where these differ and are the point. Where they are long it is one alone.
func (s *side) name(first []string, n int, hosts bool) {
	var few []string
	wide := 0
	for _, loc := range first {
		a := wireOf(loc)
		text := s.readable(a.Target())
		if hosts && s.several() {
			text = a.Origin() + text
		}
		if text = visible(text); slices.Contains(few, text) {
			continue
		}
		if wide += utf8.RuneCountInString(text); len(few) == 2 || len(few) == 1 && wide > widestFew {
			break
		}
		few = append(few, middle(text, widestFew))
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
	if s.asSent {
		return part
	}
	return readable(part)
}

// slashAlone reports whether all that the addresses of a side have in common is the slash at both
// ends, which says nothing of where they lead, unless by a rule.
func (s *side) slashAlone() bool {
	return s.few == "" && s.star != "" && s.head == "/" && s.tail == "/"
}

// widestFew is about how many characters the first addresses take where nothing is common
// to all, and the longest that is shown whole.
const widestFew = 60

// widestPiece is how many characters of a part of a pattern are shown, and widestOctets how
// many of them as they are sent: the addresses of a sitemap may have thousands.
const widestPiece, widestOctets = 200, 1000

// middle is a text without its middle where it is longer than most characters.
func middle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	tail := most / 2
	return string(runes[:most-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// someAt reports whether one of the addresses has an origin.
func someAt(locs []string, origin string) bool {
	return slices.ContainsFunc(locs, func(loc string) bool { return wireOf(loc).Origin() == origin })
}

// pieces are the pieces of a side; what the other does not have changes.
func (s *side) pieces(other *side) (out []Piece) {
	add := func(text string, changes bool) {
		if text == "" {
			return
		}
		sent := visible(text)
		p := Piece{Text: visible(s.readable(text)), Changes: changes}
		if p.Text = middle(p.Text, widestPiece); p.Text != sent {
			p.Octets = middle(sent, widestOctets)
		}
		out = append(out, p)
	}
	add(s.origin, s.origin != other.origin)
	if s.few != "" && s.origin == "" {
		return append(out, Piece{Text: s.few, Changes: true})
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

// respelled is the pattern of addresses that differ in nothing but how they are written.
func respelled(terms []pattern.Term, s side) Pattern {
	from, to := s.pieces(&s), s.pieces(&s)
	for _, t := range terms {
		a, b := t.From, t.To
		switch t.Name {
		case "hex-upper":
			a, b = "%e3", "%E3"
		case "hex-lower":
			a, b = "%E3", "%e3"
		case "space-encoded":
			a, b = "+", "%20"
		case "space-plus":
			a, b = "%20", "+"
		case "double-decoded":
			a, b = "%25XX", "%XX"
		case "double-encoded":
			a, b = "%XX", "%25XX"
		case "decoded", "encoded", "charset":
		default:
			continue
		}
		return Pattern{append(from, Piece{Text: " " + visible(a), Changes: true}), append(to, Piece{Text: " " + visible(b), Changes: true})}
	}
	return Pattern{From: from}
}

// examples are the first of what has no pattern.
func examples(locs []string, count int) (out []Piece) {
	named := 0
	for _, loc := range locs {
		if loc == "" || len(out) > 2 {
			continue
		}
		named++
		if len(out) > 0 {
			out = append(out, Piece{Text: ", "})
		}
		out = append(out, Piece{Text: visible(loc)})
	}
	if named > 0 && named < count {
		out = append(out, Piece{Text: ", …"})
	}
	return out
}
