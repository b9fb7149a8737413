package audit

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// A Link is an xhtml:link of an element of a sitemap.
type Link struct {
	Href  string // as listed, entities resolved
	Lang  string // its hreflang, "" for none
	Bound bool   // it cannot be taken out of the file
}

// An Own is an entry of the element that has the links, with what becomes of it.
type Own struct {
	at string // wire form, "" where it is no address
	decided
}

// A decided is what becomes of an address that links name; the zero one stays.
type decided struct {
	action  Action
	loc     string
	verdict Verdict
	also    bool // no sitemap lists it
}

// Own returns the entry of a final row as one of its element.
func (r *Row) Own() Own { return Own{r.Address.String(), r.decided()} }

func (r *Row) decided() decided {
	if r.Fix.Action == Keep || r.Fix.Loc == r.Address.String() {
		return decided{}
	}
	return decided{r.Fix.Action, r.Fix.Loc, r.Verdict, r.Entry.Also != nil}
}

// A LinkFix is what becomes of an xhtml:link.
type LinkFix struct {
	Action  Action  // Keep, Relink or Unlink
	Loc     string  // the address to write, with Relink
	Verdict Verdict // of what the link names; "" with Keep
	Why     Why     // zero with Keep
}

// linkEdits knows what becomes of the addresses that links may name: see takes each final row, in any
// order.
type linkEdits struct {
	wanted bool // a file has links
	edits  bool // an address is edited that links may name
	action func(Verdict) (Action, string)
	at     map[uint64]decided // by the hash of an address that is edited; zero where an entry with it stays
}

// mostLinked bounds the addresses that are known to be edited; links to others stay as they are.
const mostLinked = 1_000_000

func (x *linkEdits) see(r *Row) {
	if !x.wanted || r.Address.IsZero() {
		return
	}
	is := r.decided()
	if wrong, _ := x.action(r.Verdict); is == (decided{}) && (r.Entry.Also != nil || wrong == Keep) {
		return
	}
	hash := sketch.Hash(r.Address.String())
	had, known := x.at[hash]
	if !known && len(x.at) < mostLinked || known && had != (decided{}) { // links follow where no entry with the address stays
		x.at[hash], x.edits = is, x.edits || is != (decided{})
	}
}

// fix decides on the links of one element. A link follows the entry that it names, and so that of
// the element itself whatever becomes of others with its address. Two addresses of a set do not
// become one: then the link to an entry that is merged goes with it, and that to what no sitemap
// lists stays. Links stay where a set would be left with no other address than the element's own.
func (x *linkEdits) fix(own []Own, links []Link) []LinkFix {
	fixes, at, becomes, turns := make([]LinkFix, len(links)), make([]string, len(links)), make([]decided, len(links)), make([]int, len(links))
	mine, self := make(map[string]decided, len(own)), make(map[string]bool, len(own))
	for _, o := range own {
		mine[o.at] = o.decided
		self[cmp.Or(o.loc, o.at)] = true
	}
	for i, l := range links {
		turns[i], at[i] = i, l.Href
		if a, err := address.Parse(l.Href); err == nil {
			at[i] = a.String()
		}
		is, known := mine[at[i]]
		if !known {
			is = x.at[sketch.Hash(at[i])]
		}
		becomes[i] = is
	}
	slices.SortStableFunc(turns, func(i, j int) int { return becomes[i].turn() - becomes[j].turn() })
	others, names := false, map[string]string{} // the addresses that the set will name -> what it lists in their place
	for _, i := range turns {
		to, everyone := cmp.Or(becomes[i].loc, at[i]), strings.EqualFold(links[i].Lang, xDefault)
		from, named := names[to]
		taken := named && from != at[i] && !everyone || links[i].Lang == "" && self[to] && !self[at[i]]
		if fixes[i] = becomes[i].link(taken, links[i].Bound); fixes[i].Action == Unlink {
			continue
		}
		to = cmp.Or(fixes[i].Loc, at[i])
		others = others || !self[to]
		if !everyone {
			names[to] = at[i]
		}
	}
	for i := range fixes {
		if !others && fixes[i].Action == Unlink {
			fixes[i] = LinkFix{Action: Keep}
		}
	}
	return fixes
}

// turn is when the link is decided, so that the order in which those of a set stand says nothing: what
// stays or is replaced, what is merged, and what no sitemap lists.
func (d *decided) turn() int {
	switch {
	case d.also:
		return 2
	case d.action == Merge:
		return 1
	}
	return 0
}

// link says what becomes of a link; taken is set where the set names already what would be written.
func (d *decided) link(taken, bound bool) LinkFix {
	switch a := d.action; {
	case a == Replace && d.also && !taken:
		return LinkFix{Relink, d.loc, d.verdict, Why{Key: string(d.verdict)}}
	case a == Replace && !d.also, a == Merge && !taken:
		return LinkFix{Relink, d.loc, d.verdict, Why{Key: whyRelinked}}
	case (a == Merge || a == Drop) && !bound:
		return LinkFix{Unlink, "", d.verdict, Why{Key: whyRelinked}}
	}
	return LinkFix{Action: Keep}
}

// xDefault is the code of the page for whoever no other is for; it names no language, and may be
// that of another link, too.
const xDefault = "x-default"

// Links decides on the xhtml:links of one element, whose entries are listed as own: a fix for each.
func (t *Result) Links(own []Own, links []Link) []LinkFix { return t.links(own, links) }

// EditsLinks reports whether Links may edit any link at all.
func (t *Result) EditsLinks() bool { return t.editsLinks }

// Forbidden returns the line of robots.txt that forbids an address to the crawler of a purpose; ""
// where none does, where it is no address, and where robots.txt is not known or not heeded. It
// returns an error only where what is remembered cannot be read.
func (t *Result) Forbidden(as Purpose, loc string) (line string, err error) {
	a, err := address.Parse(loc)
	if err != nil || t.Info.Rules.Permits == nil {
		return "", nil
	}
	line, _, err = t.Info.Rules.Permits.Forbidden(as, a)
	return line, err
}
