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

// An Own is an entry of the element that has the links.
type Own struct {
	N   int    // as Entry.N
	Loc string // as listed
}

// Own returns e as one of its element.
func (e *Entry) Own() Own { return Own{e.N, e.Loc} }

// A LinkFix is what becomes of an xhtml:link.
type LinkFix struct {
	Action  Action  // Keep, Relink or Unlink
	Loc     string  // the address to write, with Relink
	Verdict Verdict // of what the link names; "" with Keep
	Why     Why     // zero with Keep
}

// linkEdits knows what becomes of the addresses that links may name: see takes each final row,
// in any order; named is asked by whoever writes a link. It takes up to 24 bytes
// for each address that is edited.
type linkEdits struct {
	wanted bool // a file has links
	edits  bool // an address is edited that links may name
	action func(Verdict) (Action, string)
	at     sketch.Numbers // hash of an address -> N of an entry that is edited, or linkStays
	// row returns the final row of an entry.
	row    func(ctx context.Context, n int) (*Row, error)
	recent map[uint32]linkNamed
}

// A linkNamed is what becomes of an address that a link names; the zero one stays.
type linkNamed struct {
	address address.Address
	fix     Fix
	verdict Verdict
	also    bool // no sitemap lists it
}

const (
	linkStays  = math.MaxUint32 // stands for the N of an entry: one with the address stays
	mostLinked = 5_000_000      // addresses; links to others stay as they are
	linkRecent = 1024           // rows: the pages of a set name each other, each in its own element
)

func (x *linkEdits) see(r *Row) {
	if !x.wanted || r.Address.IsZero() {
		return
	}
	edited := r.Fix.Action != Keep && r.Fix.Loc != r.Address.String()
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

// named returns what becomes of an address that an element names whose entries are own: one of
// these decides for itself, whatever becomes of others with its address.
func (x *linkEdits) named(ctx context.Context, own map[address.Address]int, a address.Address) (linkNamed, error) {
	n, known := x.at.Get(sketch.Hash(a.String()))
	if !known {
		return linkNamed{}, nil
	}
	if mine, is := own[a]; is {
		n = uint32(mine)
	} else if n == linkStays {
		return linkNamed{}, nil
	}
	is, known := x.recent[n]
	if !known {
		r, err := x.row(ctx, int(n))
		if err != nil {
			return linkNamed{}, err
		}
		is = linkNamed{r.Address, r.Fix, r.Verdict, r.Entry.Also != nil}
		if len(x.recent) >= linkRecent || x.recent == nil {
			x.recent = make(map[uint32]linkNamed, linkRecent)
		}
		x.recent[n] = is
	}
	if is.address != a || is.fix.Action == Keep {
		return linkNamed{}, nil
	}
	return is, nil
}

// fix decides on the links of one element.
func (x *linkEdits) fix(ctx context.Context, own []Own, links []Link) ([]LinkFix, error) {
	if !x.edits {
		return keepLinks(links), nil
	}
	mine := make(map[address.Address]int, len(own))
	for _, o := range own {
		if a, err := address.Parse(o.Loc); err == nil {
			mine[a] = o.N
		}
	}
	self, named := make(map[string]bool, len(own)), make([]linkNamed, len(links))
	for a := range mine {
		is, err := x.named(ctx, mine, a)
		if err != nil {
			return nil, err
		}
		self[cmp.Or(is.fix.Loc, a.String())] = true
	}
	edited := false
	for i, l := range links {
		a, err := address.Parse(l.Href)
		if err != nil {
			continue
		}
		if named[i], err = x.named(ctx, mine, a); err != nil {
			return nil, err
		}
		edited = edited || named[i].fix.Action != ""
	}
	if !edited {
		return keepLinks(links), nil
	}
	return fixLinks(self, links, named), nil
}

func keepLinks(links []Link) []LinkFix {
	fixes := make([]LinkFix, len(links))
	for i := range fixes {
		fixes[i].Action = Keep
	}
	return fixes
}

// claims are the addresses that links of a set will name -> the one listed there, "" for several.
type claims map[string]string

func (c claims) add(at, listed string) {
	if was, known := c[at]; known && was != listed {
		listed = ""
	}
	c[at] = listed
}

// fixLinks says what becomes of the links of one element, of which named is what they name, and
// self the addresses of the element's entries as they are written. A link follows the entry that
// it names. Two addresses of a set do not become one: then the link to an entry that is merged
// goes with it, and that to what no sitemap lists stays. Links stay where a set would be left with
// no other address than the element's own.
func fixLinks(self map[string]bool, links []Link, named []linkNamed) []LinkFix {
	byEntries, all, to := claims{}, claims{}, make([]string, len(links))
	for i, l := range links {
		to[i] = wireOf(l.Href)
		if strings.EqualFold(l.Lang, xDefault) {
			continue
		}
		for _, at := range []string{to[i], cmp.Or(named[i].fix.Loc, to[i])} {
			all.add(at, to[i])
			if at == to[i] || !named[i].also {
				byEntries.add(at, to[i])
			}
		}
	}
	fixes, alone := make([]LinkFix, len(links)), true
	for i, l := range links {
		x, of := &named[i], byEntries
		if x.also {
			of = all
		}
		taken := of[x.fix.Loc] != to[i] && !strings.EqualFold(l.Lang, xDefault) || l.Lang == "" && self[x.fix.Loc] && !self[to[i]]
		fixes[i] = x.becomes(taken, l.Bound)
		if f := &fixes[i]; f.Action != Unlink {
			alone = alone && self[cmp.Or(f.Loc, to[i])]
		}
	}
	for i := range fixes {
		if alone && fixes[i].Action == Unlink {
			fixes[i] = LinkFix{Action: Keep}
		}
	}
	return fixes
}

// becomes says what becomes of a link; taken is set where the set names already what would be
// written.
func (x *linkNamed) becomes(taken, bound bool) LinkFix {
	switch {
	case x.fix.Action == Replace && !(x.also && taken):
		f := LinkFix{Relink, x.fix.Loc, x.verdict, Why{Key: whyRelinked}}
		if x.also {
			f.Why = x.fix.Why
		}
		return f
	case x.fix.Action == Merge && !taken:
		return LinkFix{Relink, x.fix.Loc, x.verdict, Why{Key: whyRelinked}}
	case (x.fix.Action == Merge || x.fix.Action == Drop) && !bound:
		return LinkFix{Unlink, "", x.verdict, Why{Key: whyUnlinked}}
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
