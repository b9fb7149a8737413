package address

import (
	"fmt"
	"maps"
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

// ParseSpelling returns the spelling with a name. The error lists the names.
func ParseSpelling(name string) (Spelling, error) {
	all := []Spelling{Googlebot, RFC3986, WHATWG, None}
	if slices.Contains(all, Spelling(name)) {
		return Spelling(name), nil
	}
	return "", fmt.Errorf("spelling %q is not one of googlebot, rfc3986, whatwg, none", name)
}

const (
	alphabet   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	unreserved = alphabet + "0123456789-._~" // RFC 3986, 2.3
)

// A rule is the changes that a spelling makes to a path or query in wire form.
type rule struct {
	literal [256]bool // escapes of these are decoded
	encode  [256]bool // these are escaped
	upper   bool      // hex digits become upper case
}

func newRule(literal, encode string, upper bool) *rule {
	r := &rule{upper: upper}
	for _, c := range []byte(literal) {
		r.literal[c] = true
	}
	for _, c := range []byte(encode) {
		r.encode[c] = true
	}
	return r
}

var (
	googlebotRule   = newRule(unreserved+"!$'()*,@", "[]", true)
	rfcRule         = newRule(unreserved, "", true)
	upperOnly       = newRule("", "", true)
	whatwgPathRule  = newRule("", "", false)
	whatwgQueryRule = newRule("", "'", false)
)

// rules returns the rules of s for a path and for a query; nil for None and unknown spellings.
func (s Spelling) rules() (path, query *rule) {
	switch s {
	case Googlebot:
		return googlebotRule, googlebotRule
	case RFC3986:
		return rfcRule, rfcRule
	case WHATWG:
		return whatwgPathRule, whatwgQueryRule
	}
	return nil, nil
}

// Spell returns a in this spelling: an address in wire form that differs from a in path and query
// only. It returns a, without allocating, where nothing differs, and for None and unknown
// spellings. Spelling twice is the same as once, and no decoding ever makes an escape that was not
// there.
func (s Spelling) Spell(a Address) Address {
	path, query := s.rules()
	if path == nil || a.IsZero() || isPlain(a.Target()) {
		return a
	}
	var stack [512]byte
	auth := int(a.auth)
	b := append(append(stack[:0], a.Origin()...), '/')
	b = s.appendPath(b, auth, a.Path()[1:], path)
	end := len(b)
	if q, has := a.Query(); has {
		b = query.append(append(b, '?'), q)
	}
	if string(b) == a.wire {
		return a
	}
	return written(b, auth, end)
}

// isPlain reports whether no spelling changes a target in wire form: it has no escape, and no byte
// that one of them would escape.
func isPlain(target string) bool {
	return strings.IndexByte(target, '%') < 0 && strings.IndexByte(target, '[') < 0 &&
		strings.IndexByte(target, ']') < 0 && strings.IndexByte(target, '\'') < 0
}

// appendPath appends the segments of a path. A segment that decodes to a dot segment is resolved;
// in the googlebot spelling it stays escaped, because the request would otherwise be for another
// path.
func (s Spelling) appendPath(b []byte, auth int, path string, r *rule) []byte {
	for more := true; more; {
		var seg string
		seg, path, more = strings.Cut(path, "/")
		switch dots := dotSegment(seg); {
		case dots > 0 && s == Googlebot:
			b = upperOnly.append(b, seg)
		case dots == 2:
			b = pop(b, auth)
			continue
		case dots == 1:
			continue
		default:
			b = r.append(b, seg)
		}
		if more {
			b = append(b, '/')
		}
	}
	return b
}

// dotSegment returns 1 for a segment that decodes to ".", 2 for "..", else 0.
func dotSegment(seg string) int {
	if len(seg) > len("%2e%2e") {
		return 0
	}
	dots := 0
	for i := 0; i < len(seg); dots++ {
		t := tokenAt(seg, i)
		if t.value != '.' {
			return 0
		}
		i += int(t.len)
	}
	if dots > 2 {
		return 0
	}
	return dots
}

// append appends s, which is in wire form, by the rule.
func (r *rule) append(b []byte, s string) []byte {
	open := 0
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		b = r.appendToken(b, s, i, t, open)
		open = stillOpen(open, t)
		i += int(t.len)
	}
	return b
}

// appendToken appends the token at byte i of s. open is the result of stillOpen for the tokens
// before it.
func (r *rule) appendToken(b []byte, s string, i int, t token, open int) []byte {
	c := t.value
	switch {
	case t.kind == escaped && r.literal[c] && (open == 0 || !isHex(c)):
		return append(b, c)
	case t.kind == raw && r.encode[c], t.kind == escaped && r.upper:
		return append(b, '%', upperHex[c>>4], upperHex[c&15])
	}
	return append(b, s[i:i+int(t.len)]...)
}

// stillOpen returns how many hex digits could still complete an escape with a bare % that was
// written before: a decoded digit must not become one of them.
func stillOpen(open int, t token) int {
	switch {
	case t.kind == bare:
		return 2
	case t.kind == raw && open > 0 && isHex(t.value):
		return open - 1
	}
	return 0
}

// Kinds returns in what a and Spell(a) differ: "hex-case", each character that only one of them
// escapes, and "." where a dot segment is removed; sorted, nil where nothing differs.
func (s Spelling) Kinds(a Address) []string {
	path, query := s.rules()
	if path == nil || s.Spell(a) == a {
		return nil
	}
	kinds := map[string]bool{}
	for rest, more := a.Path(), true; more; {
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		switch {
		case dotSegment(seg) > 0 && s == Googlebot:
			upperOnly.kinds(kinds, seg)
		case dotSegment(seg) > 0:
			kinds["."] = true
		default:
			path.kinds(kinds, seg)
		}
	}
	q, _ := a.Query()
	query.kinds(kinds, q)
	return slices.Sorted(maps.Keys(kinds))
}

// kinds adds what the rule changes in s.
func (r *rule) kinds(into map[string]bool, s string) {
	open := 0
	var buf [3]byte
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		was, is := s[i:i+int(t.len)], r.appendToken(buf[:0], s, i, t, open)
		switch {
		case was == string(is):
		case len(was) == len(is):
			into["hex-case"] = true
		default:
			into[string(rune(t.value))] = true
		}
		open = stillOpen(open, t)
		i += int(t.len)
	}
}
