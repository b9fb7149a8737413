package address

import (
	"bytes"
	"slices"
	"strings"
)

// ModelDate is the date of the googlebot spelling: its rules were last observed in a test published
// before 2014. It is a probe, not a claim about Googlebot today.
const ModelDate = "2014"

// Spelling names a way to write the path and query of an address.
type Spelling string

// The spellings.
const (
	// Googlebot is the model of 2009-2014 (M. Monperrus, "Google and URL
	// encoding"): unreserved and ! $ ' ( ) * , @ literal; & + : = ; / ? # % as
	// given; the rest encoded, hex in upper case.
	Googlebot Spelling = "googlebot"
	// RFC3986 is the syntax-based normalisation of RFC 3986, 6.2.2: hex in upper
	// case, unreserved literal, dot segments resolved.
	RFC3986 Spelling = "rfc3986"
	// WHATWG is the result of a browser for path and query (WHATWG URL): ' in the query encoded,
	// %2e read as a dot in dot segments.
	WHATWG Spelling = "whatwg"
	// None leaves every address unchanged.
	None Spelling = "none"
)

const (
	alphabet   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	unreserved = alphabet + "0123456789-._~" // RFC 3986, 2.3
)

// A rule is the changes that are made to a path or query in wire form.
type rule struct {
	literal, encode [256]bool // escapes that become literal, and literals that become escapes
	query           bool      // a literal space is "+", and one escapes as a space
	hex             hexCase
	dots            bool // decoded dot segments are resolved
}

// hexCase is the case that the digits of escapes get.
type hexCase uint8

const (
	asGiven hexCase = iota
	upper
	lower
)

func newRule(literal, encode string, hex hexCase, dots bool) *rule {
	r := &rule{hex: hex, dots: dots}
	for _, c := range []byte(literal) {
		r.literal[c] = true
	}
	for _, c := range []byte(encode) {
		r.encode[c] = true
	}
	return r
}

// rules are those of each spelling for a path and for a query. Where decoded dot segments stay, the
// request would otherwise be for another path.
var rules = func() map[Spelling][2]*rule {
	googlebot := newRule(unreserved+"!$'()*,@", "[]", upper, false)
	rfc := newRule(unreserved, "", upper, true)
	return map[Spelling][2]*rule{Googlebot: {googlebot, googlebot}, RFC3986: {rfc, rfc},
		WHATWG: {newRule("", "", asGiven, true), newRule("", "'", asGiven, false)}}
}()

// Spell returns a in this spelling: an address in wire form that differs from a in path and query
// only. It returns a, without allocating, where nothing differs, and for None and unknown
// spellings. Spelling twice is the same as once, and no decoding ever makes an escape that was not
// there.
func (s Spelling) Spell(a Address) Address {
	r, known := rules[s]
	if !known || !strings.ContainsAny(a.Target(), "%[]'") { // no spelling changes others
		return a
	}
	return respell(a, r[0], r[1])
}

// Kinds returns in what a and Spell(a) differ: "hex-case", each character that only one of them
// escapes, and "." where a dot segment is removed; sorted, nil where nothing differs.
func (s Spelling) Kinds(a Address) (kinds []string) {
	if s.Spell(a) == a {
		return nil
	}
	add := func(kind string) {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	r := rules[s]
	for segment := range strings.SplitSeq(a.Path(), "/") {
		if isDots(segment) && r[0].dots {
			add(".")
		} else {
			r[0].segment(nil, segment, add)
		}
	}
	query, _ := a.Query()
	r[1].text(nil, query, add)
	slices.Sort(kinds)
	return kinds
}

// respell returns a with its path and its query changed by a rule.
func respell(a Address, path, query *rule) Address {
	var stack [512]byte
	auth := int(a.auth)
	b := append(append(stack[:0], a.Origin()...), '/')
	for rest, more := a.Path()[1:], true; more; {
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		switch {
		case !path.dots || !isDots(seg):
			b = path.segment(b, seg, nil)
		case strings.HasSuffix(DecodeValue(seg), ".."):
			b = pop(b, auth)
			continue
		default:
			continue
		}
		if more {
			b = append(b, '/')
		}
	}
	end := len(b)
	if q, has := a.Query(); has {
		b = query.text(append(b, '?'), q, nil)
	}
	return written(b, auth, end, a.wire)
}

// isDots reports whether a segment decodes to a dot segment.
func isDots(seg string) bool {
	if len(seg) > len("%2e%2e") {
		return false
	}
	dots := DecodeValue(seg)
	return dots == "." || dots == ".."
}

// segment appends a segment of a path as the rule has it. Dots of a dot segment stay escaped.
func (r *rule) segment(b []byte, seg string, changed func(kind string)) []byte {
	if isDots(seg) {
		r = &rule{hex: r.hex}
	}
	return r.text(b, seg, changed)
}

// text appends s, which is in wire form, as the rule has it, and calls changed, which may be nil, for
// each change. A decoded digit must not become one of an escape with a bare % before it: open is how
// many of its digits may follow.
func (r *rule) text(b []byte, s string, changed func(kind string)) []byte {
	open := 0
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		n := len(b)
		b = r.token(b, t, open > 0)
		switch was := s[i : i+t.size()]; {
		case changed == nil || was == string(b[n:]):
		case len(was) == len(b)-n:
			changed("hex-case")
		default:
			changed(string(rune(t.value)))
		}
		switch {
		case t == token{value: '%'}:
			open = 2
		case !t.escaped && open > 0 && isHex(t.value):
			open--
		default:
			open = 0
		}
		i += t.size()
	}
	return b
}

// token appends a token as the rule has it.
func (r *rule) token(b []byte, t token, open bool) []byte {
	c := t.value
	switch {
	case t.escaped && r.literal[c] && !(open && isHex(c)):
		if r.query && c == ' ' {
			c = '+'
		}
		return append(b, c)
	case !t.escaped && !r.encode[c]:
		return append(b, c)
	case t.escaped && r.hex == asGiven:
		return append(b, '%', t.hex[0], t.hex[1])
	case !t.escaped && r.query && c == '+':
		c = ' '
	}
	b = appendEscape(b, c)
	if r.hex == lower {
		copy(b[len(b)-2:], bytes.ToLower(b[len(b)-2:]))
	}
	return b
}
