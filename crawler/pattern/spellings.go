package pattern

import (
	"cmp"
	"slices"

	"sitemend/crawler/address"
)

// A Spelt is how a server spells something, as far as redirects show it.
type Spelt string

// The spellings. Raw, Encoded and Either are those of a byte, Upper and Lower of the hex digits of
// escapes, Plus and Percent20 of a space in a query, InCharset of text. Mixed stands for
// contradictory redirects; NotSeen for two listed spellings, of which neither was seen to redirect
// to the other.
const (
	SpeltRaw       Spelt = "raw"
	SpeltEncoded   Spelt = "encoded"
	SpeltEither    Spelt = "either"
	SpeltUpper     Spelt = "upper"
	SpeltLower     Spelt = "lower"
	SpeltPlus      Spelt = "plus"
	SpeltPercent20 Spelt = "percent-20"
	SpeltInCharset Spelt = "charset"
	SpeltMixed     Spelt = "mixed"
	SpeltNotSeen   Spelt = "not-seen"
)

// A SpellingOf is the subject of a SpellingRule.
type SpellingOf string

// What can be spelled in two ways.
const (
	OfByte    SpellingOf = "byte"    // literal or as %XX
	OfHex     SpellingOf = "hex"     // the digits of escapes: %E3 or %e3
	OfSpace   SpellingOf = "space"   // + or %20, in a query
	OfCharset SpellingOf = "charset" // text in UTF-8 or in a legacy charset
)

// A SpellingRule is how one server spells one thing in the paths or in the queries of its
// addresses, as its answers show it.
type SpellingRule struct {
	Origin string // scheme, host and port: "http://wiki.example"
	Query  bool   // in queries, not in paths
	Of     SpellingOf
	Byte   byte // with OfByte
	Wants  Spelt
	// Charset is the name in the WHATWG Encoding Standard, with SpeltInCharset; "" where it is
	// unknown.
	Charset string
	// For and Against count addresses whose answers support and contradict Wants. An answer in
	// support is a redirect to the spelling, or, for SpeltEither, a 200 in both spellings.
	For, Against int
	// Redirects counts the redirects between the two spellings, in either direction.
	Redirects int
	// Together is set where the spelling never changed alone: then it is unknown which of the
	// simultaneous changes the server requires.
	Together bool
	// From and To are one redirect to the wanted spelling, in wire form; "" for
	// none.
	From, To string
	// Probe is an address whose spellings would settle the doubt; "" where there is none.
	Probe string
}

// Doubtful reports whether the answers leave the spelling open: they are contradictory, or there
// were none.
func (r *SpellingRule) Doubtful() bool {
	return r.Against > 0 || r.Wants == SpeltMixed || r.Wants == SpeltNotSeen
}

// maxSpellingOrigins limits how many servers Spellings lists: the first ones by name, so that the
// order of rows does not matter. maxSpellingRules limits the list.
const (
	maxSpellingOrigins = 256
	maxSpellingRules   = 2000
)

// Spellings infers how servers spell their addresses from three kinds of evidence: a permanent
// redirect to another spelling of the same address (Redirect) supports the target's; a 200 in both
// spellings (Both) supports either; an address that answers 200 as listed (Listed) contradicts a
// rule that would redirect it. The result does not depend on the order of the evidence. The zero
// Spellings is ready to use. It is not safe for concurrent use.
type Spellings struct {
	byOrigin map[string]*originVotes
	last     string // the last name in a full byOrigin
}

// originVotes are the votes on each thing in paths, and on each in queries.
type originVotes [2]map[thing]*votes

// A thing is something that can be spelled in two ways: an ASCII byte, or one of those below.
type thing uint8

const (
	theHex thing = 128 + iota
	theSpace
	theCharset
	things
)

// Sides of a thing.
const (
	sideA = 0 // raw, upper, plus, UTF-8
	sideB = 1 // encoded, lower, %20, a legacy charset
)

// votes are the evidence of one server about one thing.
type votes struct {
	to    [2]int // redirects to each side
	alone [2]int // of these, where nothing else changed
	both  int    // a 200 in both spellings
	ok    [2]int // listed with this side, and answered 200 at once
	names map[string]int
	moves [2]move // one redirect to each side
	seen  string  // one address with a 200
}

type move struct{ from, to string }

// Redirect counts a permanent redirect from one address to another. It ignores a pair that differs
// in more than the spelling.
func (s *Spellings) Redirect(from, to address.Address) { s.pair(from, to, false) }

// Both counts two addresses that both answer 200 at once. It ignores a pair that differs in more
// than the spelling.
func (s *Spellings) Both(a, b address.Address) { s.pair(a, b, true) }

// pair counts two addresses of which the first redirects to the second, or that both answer 200,
// where they are two spellings of one address.
func (s *Spellings) pair(from, to address.Address, both bool) {
	if from.IsZero() || to.IsZero() || from.Origin() != to.Origin() {
		return
	}
	reasons := address.Compare(from, to)
	if !address.OnlyEncoding(reasons) {
		return
	}
	var changes changes
	for c := range 2 {
		changes.find(component(from, c), component(to, c), c == 1,
			slices.Contains(reasons, address.Charset))
	}
	if changes.n == 0 {
		return
	}
	v := s.of(from.Origin())
	if v == nil {
		return
	}
	for _, c := range changes.list[:changes.n] {
		v.vote(c, from, to, both, changes.things() == 1)
	}
}

// vote counts one change.
func (o *originVotes) vote(c change, from, to address.Address, both, alone bool) {
	x := o.at(c.query, c.what)
	switch {
	case both:
		x.both++
		x.seen = earlier(x.seen, from.String())
		return
	case c.what == theCharset:
		c.side = x.charset(from, to)
	}
	x.to[c.side]++
	if alone {
		x.alone[c.side]++
	}
	m := &x.moves[c.side]
	if m.from == "" || before(from.String(), m.from) ||
		m.from == from.String() && before(to.String(), m.to) {
		*m = move{from.String(), to.String()}
	}
}

// charset returns the side that a redirect to another charset leads to, and counts the name of the
// legacy charset.
func (v *votes) charset(from, to address.Address) int {
	side := sideB
	_, name := address.InUTF8(to)
	if name == "" {
		side = sideA
		_, name = address.InUTF8(from)
	}
	if v.names == nil {
		v.names = map[string]int{}
	}
	v.names[name]++
	return side
}

// Listed counts the spellings of an address that is listed and answers 200 at once.
func (s *Spellings) Listed(a address.Address) {
	var seen [2][things]uint8
	any := false
	for c := range 2 {
		text := component(a, c)
		for i := 0; i < len(text); {
			t, n := speltAt(text, i, c == 1)
			i += n
			if t.hex > 0 {
				seen[c][theHex] |= t.hex
				any = true
			}
			if what, side, ok := t.choice(c == 1); ok {
				seen[c][what] |= 1 << side
				any = true
			}
		}
	}
	if !any {
		return
	}
	if v := s.of(a.Origin()); v != nil {
		for c := range 2 {
			v.listed(&seen[c], c == 1, a.String())
		}
	}
}

func (o *originVotes) listed(seen *[things]uint8, query bool, wire string) {
	for what, sides := range seen {
		if sides == 0 {
			continue
		}
		v := o.at(query, thing(what))
		v.seen = earlier(v.seen, wire)
		for side := range 2 {
			v.ok[side] += int(sides >> side & 1)
		}
	}
}

// of returns the votes on a server; nil where there are enough servers before it by name. A server
// that was left out never comes in later, since the last name only decreases.
func (s *Spellings) of(origin string) *originVotes {
	if v := s.byOrigin[origin]; v != nil {
		return v
	}
	if len(s.byOrigin) == maxSpellingOrigins {
		if origin > s.last {
			return nil
		}
		delete(s.byOrigin, s.last)
	}
	if s.byOrigin == nil {
		s.byOrigin = map[string]*originVotes{}
	}
	v := &originVotes{{}, {}}
	s.byOrigin[origin] = v
	if len(s.byOrigin) == maxSpellingOrigins {
		s.last = ""
		for name := range s.byOrigin {
			s.last = max(s.last, name)
		}
	}
	return v
}

func (o *originVotes) at(query bool, what thing) *votes {
	m := o[componentOf(query)]
	v := m[what]
	if v == nil {
		v = &votes{}
		m[what] = v
	}
	return v
}

func componentOf(query bool) int {
	if query {
		return 1
	}
	return 0
}

// before orders addresses by length, then by text: the first becomes the example.
func before(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func earlier(a, b string) string {
	if a == "" || before(b, a) {
		return b
	}
	return a
}

// List returns the inferred rules, by server, component and byte. The slice is small: at most 2,000
// rules of at most 256 servers.
func (s *Spellings) List() []SpellingRule {
	var list []SpellingRule
	for origin, o := range s.byOrigin {
		for c := range 2 {
			for what, v := range o[c] {
				of, _ := what.of()
				r := SpellingRule{Origin: origin, Query: c == 1, Of: of}
				if r.Of == OfByte {
					r.Byte = byte(what)
				}
				if v.judge(&r, what) {
					list = append(list, r)
				}
			}
		}
	}
	slices.SortFunc(list, compareRules)
	return list[:min(len(list), maxSpellingRules)]
}

func compareRules(a, b SpellingRule) int {
	return cmp.Or(cmp.Compare(a.Origin, b.Origin), componentOf(a.Query)-componentOf(b.Query),
		cmp.Compare(a.Of, b.Of), cmp.Compare(a.Byte, b.Byte))
}

// of returns the subject of a rule about a thing, and the names of the thing's sides.
func (t thing) of() (SpellingOf, [2]Spelt) {
	switch t {
	case theHex:
		return OfHex, [2]Spelt{SpeltUpper, SpeltLower}
	case theSpace:
		return OfSpace, [2]Spelt{SpeltPlus, SpeltPercent20}
	case theCharset:
		return OfCharset, [2]Spelt{SpeltInCharset, SpeltInCharset}
	}
	return OfByte, [2]Spelt{SpeltRaw, SpeltEncoded}
}

// judge sets the result of the votes; it returns false where there are none.
func (v *votes) judge(r *SpellingRule, what thing) bool {
	a, b := v.to[sideA], v.to[sideB]
	r.Redirects = a + b
	switch {
	case r.Redirects == 0 && v.both == 0:
		r.Wants = SpeltNotSeen
		r.Probe = v.seen
		return v.ok[sideA] > 0 && v.ok[sideB] > 0
	case v.both > 0 && v.alone[sideA]+v.alone[sideB] == 0:
		// A redirect for another reason changed this spelling along with it.
		r.Wants, r.For, r.Against = SpeltEither, v.both, r.Redirects
		r.Probe = v.seen
	case a == b:
		r.Wants, r.For, r.Against = SpeltMixed, a, b
		r.From, r.To = v.moves[sideA].from, v.moves[sideA].to
		r.Probe = r.To
	default:
		v.favour(r, what)
	}
	if !r.Doubtful() && !r.Together {
		r.Probe = ""
	}
	return true
}

// favour sets the side to which more redirects lead.
func (v *votes) favour(r *SpellingRule, what thing) {
	side := sideA
	if v.to[sideB] > v.to[sideA] {
		side = sideB
	}
	_, names := what.of()
	r.Wants = names[side]
	r.For, r.Against = v.to[side], v.to[1-side]+v.both+v.ok[1-side]
	r.Together = v.alone[side] == 0
	r.From, r.To = v.moves[side].from, v.moves[side].to
	r.Probe = r.To
	if what == theCharset {
		r.Charset = "utf-8"
		if side == sideB {
			r.Charset = mostOf(v.names)
		}
	}
}

// mostOf returns the key with the highest count; of several, the first by name.
func mostOf(m map[string]int) string {
	best := ""
	for name, n := range m {
		if best == "" || n > m[best] || n == m[best] && name < best {
			best = name
		}
	}
	return best
}
