package pattern

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

const (
	// minMembers is how many entries make a rule or a place.
	minMembers = 5
	// fewMembers is how many entries make a rule that changes the spelling of an address and leaves
	// its path in place: words describe such a rule completely, however few entries there are. The
	// same number makes a cause of a rule that is known from more entries.
	fewMembers = 2
	// maxPlaceText is how many bytes the name of a place or way may have: nobody reads longer ones.
	maxPlaceText = 256
)

// The levels of forms, the most specific first. Those of an address that leads nowhere are places.
const (
	levelGiven   = iota // what the caller of Groups knows
	levelRule           // all differences between the two addresses
	levelToOne          // any address to this one
	levelWords          // a part of one segment
	levelAny            // any segments become these
	levelNarrow         // from folder to folder, where they begin to differ; two folders
	levelFolders        // from the first folder or file to the first folder or file
	levelFirst          // from the first folder to the first folder
	levelHosts          // from host to host
	levelNone           // nothing
	levels
)

// ids are the numbers of the forms that an entry may have in common with others, by level; 0 where
// there is none. They are the same in every run.
type ids [levels]uint64

// A form is what many entries have in common: the rule of their redirects, or else the place where
// they are ("/tag/*") or the way they lead ("/blog/* -> /guide/*").
type form struct {
	rule  *rule
	place string
}

// Key returns a text that is the same for the same form only, in every run; "" for none.
func (f *form) Key() string {
	if f.rule != nil {
		return strings.TrimSpace(string(f.rule.key(nil)))
	}
	return f.place
}

// Terms describes the form for people. from is the shape of the entries' addresses.
func (f *form) Terms(from *Shape) (ts []Term) {
	if f.place != "" {
		ts = append(ts, Term{Name: "place", From: f.place})
	}
	if f.rule != nil {
		ts = append(ts, f.rule.terms(from)...)
	}
	return ts
}

// A pair is a redirect from one address to another; an address that leads nowhere where to is zero.
type pair struct {
	from, to address.Address
	reasons  []address.Reason // as address.Compare returns them
}

// first returns the most specific rule of a redirect, and its number.
func (p *pair) first() (r rule, id uint64) {
	whole, ok := describe(p.from, p.to, p.reasons)
	if r, ok = p.rule(levelRule, &whole, ok); !ok {
		r = rule{to: p.to.String()}
	}
	return r, r.id()
}

func (r *rule) id() uint64 {
	var room [512]byte
	return number(r.key(room[:0]))
}

func number(text []byte) uint64 { return max(1, xxhash.Sum64(text)) }

// ids returns the numbers of all forms, and how many entries make a rule of the first level.
func (p *pair) ids() (all ids, least int) {
	least = minMembers
	whole, ok := describe(p.from, p.to, p.reasons)
	for level := levelRule; level <= levelAny; level++ {
		if r, is := p.rule(level, &whole, ok); is {
			all[level] = r.id()
			if level == levelRule && r.lift == "" && r.edit.none() {
				least = fewMembers
			}
		}
	}
	var room [2 * maxPlaceText]byte
	for level := levelNarrow; level < levelNone; level++ {
		way := p.appendWay(room[:0], level)
		if len(way) > 0 && len(way) <= maxPlaceText && string(way) != "/* -> /*" && string(way) != "/*" {
			all[level] = number(way)
		}
	}
	return all, least
}

// form returns the form of a level for which ids returned a number.
func (p *pair) form(level int) form {
	if level >= levelNarrow {
		return form{place: string(p.appendWay(nil, level))}
	}
	whole, ok := describe(p.from, p.to, p.reasons)
	if r, is := p.rule(level, &whole, ok); is {
		return form{rule: &r}
	}
	return form{} // of what is given
}

// rule returns the rule of a level that may explain a redirect which describe calls whole, if it is ok;
// false where there is none.
func (p *pair) rule(level int, whole *rule, ok bool) (r rule, is bool) {
	switch {
	case level == levelToOne:
		return rule{to: p.to.String()}, !p.to.IsZero() && p.to != p.from
	case !ok:
	case level == levelRule:
		return *whole, whole.specific()
	case level == levelWords:
		return whole.words()
	case level == levelAny && whole.specific():
		return whole.anySegments()
	}
	return r, false
}

// appendWay appends the way or place of a level; nothing where there is none.
func (p *pair) appendWay(b []byte, level int) []byte {
	path := p.from.Path()
	if p.to.IsZero() {
		switch level {
		case levelNarrow:
			return appendSource(b, p.from, 1+max(0, strings.IndexByte(path[1:], '/')+1), false)
		case levelFolders:
			return appendSource(b, p.from, 1, false)
		}
		return b
	}
	hosts := p.from.Host() != p.to.Host()
	if level == levelHosts && !hosts {
		return b
	}
	below := 1
	if level == levelNarrow {
		below = sameFolders(path, p.to.Path())
	}
	for i, a := range [2]address.Address{p.from, p.to} {
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
		b = appendSource(b, a, below, level != levelFirst)
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
