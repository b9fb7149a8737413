package audit

import (
	"cmp"
	"context"
	"math"
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
	fix     Fix
	verdict Verdict
	also    bool // no sitemap lists it
}

// Own returns the entry of a final row as one of its element.
func (r *Row) Own() Own { return Own{r.Address.String(), r.decided()} }

func (r *Row) decided() decided {
	if r.Fix.Action == Keep || r.Fix.Loc == r.Address.String() {
		return decided{}
	}
	return decided{r.Fix, r.Verdict, r.Entry.Also != nil}
}

// A LinkFix is what becomes of an xhtml:link.
type LinkFix struct {
	Action  Action  // Keep, Relink or Unlink
	Loc     string  // the address to write, with Relink
	Verdict Verdict // of what the link names; "" with Keep
	Why     Why     // zero with Keep
}

// linkEdits knows what becomes of the addresses that links may name: see takes each final row,
// in any order. It takes up to 24 bytes for each address that is edited.
type linkEdits struct {
	wanted bool // a file has links
	edits  bool // an address is edited that links may name
	action func(Verdict) (Action, string)
	at     sketch.Numbers // hash of an address -> N of an entry that is edited, or linkStays
	// row returns the final row of an entry.
	row    func(ctx context.Context, n int) (*Row, error)
	recent map[uint32]decided // the pages of a set name each other, each in its own element
}

const (
	linkStays  = math.MaxUint32 // stands for the N of an entry: one with the address stays
	mostLinked = 5_000_000      // addresses; links to others stay as they are
	linkRecent = 1024           // rows
)

func (x *linkEdits) see(r *Row) {
	if !x.wanted || r.Address.IsZero() {
		return
	}
	edited := r.decided().fix.Action != ""
	if wrong, _ := x.action(r.Verdict); !edited && (r.Entry.Also != nil || wrong == Keep) {
		return
	}
	hash := sketch.Hash(r.Address.String())
	if _, known := x.at.Get(hash); !known && x.at.Len() == mostLinked {
		return
	}
	x.edits = x.edits || edited
	switch n, known := x.at.At(hash); {
	case !edited: // links follow where no entry with the address stays
		*n = linkStays
	case !known || *n != linkStays:
		*n = uint32(r.Entry.N)
	}
}

// of returns what becomes of an address.
func (x *linkEdits) of(ctx context.Context, at string) (decided, error) {
	n, known := x.at.Get(sketch.Hash(at))
	if !known || n == linkStays {
		return decided{}, nil
	}
	if is, known := x.recent[n]; known {
		return is, nil
	}
	r, err := x.row(ctx, int(n))
	if err != nil {
		return decided{}, err
	}
	if len(x.recent) >= linkRecent || x.recent == nil {
		x.recent = make(map[uint32]decided, linkRecent)
	}
	x.recent[n] = r.decided()
	return x.recent[n], nil
}

// fix decides on the links of one element. A link follows the entry that it names, and so that of
// the element itself whatever becomes of others with its address. Two addresses of a set do not
// become one: then the link to an entry that is merged goes with it, and that to what no sitemap
// lists stays. Links stay where a set would be left with no other address than the element's own.
func (x *linkEdits) fix(ctx context.Context, own []Own, links []Link) ([]LinkFix, error) {
	fixes, at := make([]LinkFix, len(links)), make([]string, len(links))
	for i := range fixes {
		fixes[i].Action = Keep
	}
	if !x.edits {
		return fixes, nil
	}
	mine, self := make(map[string]decided, len(own)), make(map[string]bool, len(own))
	for _, o := range own {
		mine[o.at] = o.decided
		self[cmp.Or(o.fix.Loc, o.at)] = true
	}
	becomes := make([]decided, len(links))
	for i, l := range links {
		at[i] = wireOf(l.Href)
		is, known := mine[at[i]]
		var err error
		if !known {
			is, err = x.of(ctx, at[i])
		}
		if becomes[i] = is; err != nil {
			return nil, err
		}
	}
	others, names := false, map[string]string{} // the addresses that the set will name -> what it lists in their place
	for turn := range decidedTurns {
		for i, l := range links {
			if becomes[i].turn() != turn {
				continue
			}
			to, everyone := cmp.Or(becomes[i].fix.Loc, at[i]), strings.EqualFold(l.Lang, xDefault)
			from, named := names[to]
			taken := named && from != at[i] && !everyone || l.Lang == "" && self[to] && !self[at[i]]
			fixes[i] = becomes[i].link(taken, l.Bound)
			if fixes[i].Action == Unlink {
				continue
			}
			to = cmp.Or(fixes[i].Loc, at[i])
			others = others || !self[to]
			if !everyone {
				names[to] = at[i]
			}
		}
	}
	for i := range fixes {
		if !others && fixes[i].Action == Unlink {
			fixes[i] = LinkFix{Action: Keep}
		}
	}
	return fixes, nil
}

// decidedTurns is in how many turns the links of a set are decided, so that the order in which they
// stand says nothing: what stays or is replaced, what is merged, and what no sitemap lists.
const decidedTurns = 3

func (d *decided) turn() int {
	switch {
	case d.also:
		return 2
	case d.fix.Action == Merge:
		return 1
	}
	return 0
}

// link says what becomes of a link; taken is set where the set names already what would be written.
func (d *decided) link(taken, bound bool) LinkFix {
	switch a := d.fix.Action; {
	case a == Replace && d.also && !taken:
		return LinkFix{Relink, d.fix.Loc, d.verdict, d.fix.Why}
	case a == Replace && !d.also, a == Merge && !taken:
		return LinkFix{Relink, d.fix.Loc, d.verdict, Why{Key: whyRelinked}}
	case (a == Merge || a == Drop) && !bound:
		return LinkFix{Unlink, "", d.verdict, Why{Key: whyRelinked}}
	}
	return LinkFix{Action: Keep}
}

// xDefault is the code of the page for whoever no other is for; it names no language, and may be
// that of another link, too.
const xDefault = "x-default"

func wireOf(loc string) string {
	a, err := address.Parse(loc)
	if err != nil {
		return loc
	}
	return a.String()
}

// Links decides on the xhtml:links of one element, whose entries are listed as own: a fix for each.
// It returns an error only where the source of the audit does.
func (t *Result) Links(ctx context.Context, own []Own, links []Link) ([]LinkFix, error) {
	return t.links(ctx, own, links)
}

// EditsLinks reports whether Links may edit any link at all.
func (t *Result) EditsLinks() bool { return t.editsLinks }

// EditsBeside reports whether links of a file may be edited.
func (t *Result) EditsBeside(f *File) bool { return t.EditsLinks() && f.Sitemap.Links }

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
