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

// patternOf is what a cause's entries look like, and where they lead; where they have nothing in common, or
// their rows are not known, the first of them. What is right as listed, and redirected in another encoding,
// leads from that to the one that is listed.
func patternOf(x *audit.Cause) Pattern {
	if said := slices.DeleteFunc(slices.Clone(x.Terms), func(t pattern.Term) bool { return t.Name == "status" || t.Name == "unseen" }); x.From.IsZero() && len(said) > 0 {
		return Pattern{From: []Piece{{Text: messages.Visible(pattern.Text(said))}}}
	}
	listed, finals := x.Ends()
	asSent, hosts := respelt(listed, finals), slices.Contains(x.Reasons, address.Host)
	from, to := sideOf(&x.From, listed, x.Count, asSent, hosts), sideOf(&x.To, finals, x.Targets, asSent, hosts)
	if from.origin == to.origin || x.To.IsZero() || from.origin == "" && !hosts {
		from.origin, to.origin = "", ""
	}
	if x.To.IsZero() { // then nothing differs
		to = from
	}
	p := Pattern{From: from.pieces(&to)}
	if from == to && !x.To.IsZero() { // they differ in how they are written
		p = respelled(x.Terms, p.From)
	} else if !x.To.IsZero() {
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
			return Pattern{append(slices.Clone(same), Piece{" " + messages.Visible(a), true}), append(slices.Clone(same), Piece{" " + messages.Visible(b), true})}
		}
	}
	return Pattern{From: same}
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

// pieces are the pieces of a side; what the other does not have changes.
func (s *side) pieces(other *side) (out []Piece) {
	add := func(text string, changes bool) {
		if text != "" {
			out = append(out, Piece{messages.Middle(text, widestPiece), changes})
		}
	}
	scheme, host, whole := strings.Cut(s.origin, "://")
	otherScheme, otherHost, _ := strings.Cut(other.origin, "://")
	if add(scheme, scheme != otherScheme); whole {
		add("://", false)
	}
	add(host, host != otherHost)
	if s.few != "" && s.origin == "" {
		return append(out, Piece{s.few, s.few != other.few})
	}
	same := 0 // of the heads, whole words
	for i := 0; i < len(s.head) && i < len(other.head) && s.head[i] == other.head[i]; i++ {
		if strings.IndexByte("/?=&", s.head[i]) >= 0 {
			same = i + 1
		}
	}
	if s.head == other.head {
		same = len(s.head)
	}
	add(s.readable(s.head[:same]), false)
	add(s.readable(s.head[same:]), true)
	add(s.star, s.star != other.star)
	add(s.readable(s.tail), s.tail != other.tail)
	return out
}
