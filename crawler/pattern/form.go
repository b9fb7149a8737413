package pattern

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

const (
	// MinMembers is how many entries make a rule or a place.
	MinMembers = 5
	// fewMembers is how many entries make a rule that changes the spelling of an address and leaves
	// its path in place: words describe such a rule completely, however few entries there are. The
	// same number makes a cause of a rule that is known from more entries.
	fewMembers = 2
	// maxPlaceText is how many bytes the name of a place or way may have: nobody reads longer ones.
	maxPlaceText = 256
)

// The Levels of forms, the most specific first. Those of an address that leads nowhere are places.
const (
	LevelGiven   = iota // what the caller of a Miner knows
	LevelRule           // all differences between the two addresses
	LevelToOne          // any address to this one
	levelWords          // a part of one segment
	LevelAny            // any segments become these
	LevelNarrow         // from folder to folder, where they begin to differ; two folders
	LevelFolders        // from the first folder or file to the first folder or file
	LevelFirst          // from the first folder to the first folder
	levelHosts          // from host to host
	Levels
)

// IDs are the numbers of the forms that an entry may have in common with others, by level; 0 where
// there is none. They are the same in every run.
type IDs [Levels]uint64

// A Form is what many entries have in common: the Rule of their redirects, or else the Place where
// they are ("/tag/*") or the way they lead ("/blog/* -> /guide/*").
type Form struct {
	Rule  *Rule
	Place string
}

// Key returns a text that is the same for the same form only, in every run; "" for none.
func (f *Form) Key() string {
	if f.Rule != nil {
		return f.Rule.Key()
	}
	return f.Place
}

// Terms describes the form for people. from is the shape of the entries' addresses.
func (f *Form) Terms(from *Shape) (ts []Term) {
	if f.Place != "" {
		ts = append(ts, Term{Name: "place", From: f.Place})
	}
	if f.Rule != nil {
		ts = append(ts, f.Rule.Terms(from)...)
	}
	return ts
}

// A Pair is a redirect from one address to another; an address that leads nowhere where To is zero.
type Pair struct {
	From, To address.Address
	Reasons  []address.Reason // as address.Compare returns them
}

// First returns the most specific rule of a redirect, and its number.
func (p *Pair) First() (r Rule, id uint64) {
	r, ok := describe(p.From, p.To, p.Reasons)
	if !ok || !r.specific() {
		r = Rule{to: p.To.String()}
	}
	return r, r.id()
}

func (r *Rule) id() uint64 {
	var room [512]byte
	return number(r.key(room[:0]))
}

func number(text []byte) uint64 { return max(1, xxhash.Sum64(text)) }

// IDs returns the numbers of all forms, and how many entries make a rule of the first level.
func (p *Pair) IDs() (all IDs, least int) {
	least = MinMembers
	for level, r := range p.rules {
		all[level] = r.id()
		if level == LevelRule && r.to == "" && r.lift == "" && r.edit.none() {
			least = fewMembers
		}
	}
	var room [2 * maxPlaceText]byte
	for level := LevelNarrow; level < Levels; level++ {
		way := p.appendWay(room[:0], level)
		if len(way) > 0 && len(way) <= maxPlaceText && string(way) != "/* -> /*" && string(way) != "/*" {
			all[level] = number(way)
		}
	}
	return all, least
}

// Form returns the form of a level for which IDs returned a number.
func (p *Pair) Form(level int) (f Form) {
	if level >= LevelNarrow {
		return Form{Place: string(p.appendWay(nil, level))}
	}
	for at, r := range p.rules {
		if at == level {
			return Form{Rule: r}
		}
	}
	return f
}

// Widen widens the rule of a form that the pair has at a level.
func (p *Pair) Widen(f *Form, level int) {
	if f.Rule != nil && f.Rule.varies() {
		f.Rule.Widen(p.Form(level).Rule)
	}
}

// rules yields the rules that may explain a redirect, with their Levels.
func (p *Pair) rules(yield func(level int, r *Rule) bool) {
	if p.To.IsZero() || p.To == p.From {
		return
	}
	r, ok := describe(p.From, p.To, p.Reasons)
	specific := ok && r.specific()
	if specific && !yield(LevelRule, &r) || !yield(LevelToOne, &Rule{to: p.To.String()}) || !ok {
		return
	}
	if words, is := r.words(); is && !yield(levelWords, &words) {
		return
	}
	if anything, is := r.anySegments(); is && specific {
		yield(LevelAny, &anything)
	}
}

// appendWay appends the way or place of a level; nothing where there is none.
func (p *Pair) appendWay(b []byte, level int) []byte {
	path := p.From.Path()
	if p.To.IsZero() {
		switch level {
		case LevelNarrow:
			return appendSource(b, p.From, 1+max(0, strings.IndexByte(path[1:], '/')+1), false)
		case LevelFolders:
			return appendSource(b, p.From, 1, false)
		}
		return b
	}
	hosts := p.From.Host() != p.To.Host()
	if level == levelHosts && !hosts {
		return b
	}
	below := 1
	if level == LevelNarrow {
		below = sameFolders(path, p.To.Path())
	}
	for i, a := range [2]address.Address{p.From, p.To} {
		if i == 1 {
			b = append(b, " -> "...)
		}
		if hosts {
			b = append(b, a.Host()...)
		}
		if level == levelHosts {
			b = append(b, "/*"...)
			continue
		}
		b = appendSource(b, a, below, level != LevelFirst)
	}
	return b
}

// sameFolders returns how many bytes two paths have in common, whole folders.
func sameFolders(a, b string) int {
	same := 1
	for i := 1; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			same = i + 1
		}
	}
	return same
}

// appendSource appends where an address is below the first bytes of its path: "/blog/*" in a
// folder, "/item.php?id=*" for a file with a query where files is set, else "/*".
func appendSource(b []byte, a address.Address, below int, files bool) []byte {
	path := a.Path()
	below = min(below, len(path))
	if at := strings.IndexByte(path[below:], '/'); at > 0 {
		return append(append(b, path[:below+at+1]...), '*')
	}
	if q, has := a.Query(); files && has && strings.Contains(q, "=") {
		b = append(append(b, path...), '?')
		return append(append(b, paramName(q)...), "=*"...)
	}
	return append(append(b, path[:below]...), '*')
}
