package audit

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// labels are the languages of the pages that links are to follow, in 16 to 24 bytes for each such
// page.
type labels struct {
	of     sketch.Numbers // the addresses -> place in known
	known  []label        // the different ones; the first is the zero label
	places map[label]uint32
	named  int // how many of the pages name themselves
	size   int // bytes of the codes of known
	// settled is set once all is known that will be.
	settled bool
	// devices is set where a link for a kind of device may be to follow an address: then it is to
	// be known which pages are entries.
	devices bool
}

// Bounds of what is kept: a page is listed with a few codes, and most pages with the same ones.
// What goes beyond says nothing more of a page.
const (
	maxCodes  = 200     // of a page
	maxLabels = 1 << 20 // bytes of all codes
	maxSet    = 1_000   // links of an element: there are fewer pairs of a language and a region
)

// A label is what the sitemaps call a page. Codes are those of Entry.Langs.
type label struct {
	self string // by its own element, by its address
	// replaced is what an entry calls itself that is replaced by the page, where self is "": that
	// is said of the address that was listed.
	replaced string
	// What the links of all sets say, where self is "": the codes of those of other elements that
	// name its address; of those of its own element and of others that lead to it from other
	// addresses; and whether its own element does so from several addresses, for different
	// languages.
	direct, own, others string
	split               bool
	// listed is set where an entry is listed, or will be, by the page's address; it is known where
	// labels.devices is set.
	listed bool
}

// langs are the codes by which the page calls itself; where it does not, those by which the pages
// of other elements call it; where these do not, either, those by which its own element will, once
// it names the page: those of an entry that is replaced by it, or of other addresses, where all
// agree on that. "" where that is not known.
func (l label) langs() string {
	switch {
	case l.self != "":
		return l.self
	case l.direct != "":
		return l.direct
	case l.replaced != "":
		return l.replaced
	case l.disputed() != "":
		return ""
	}
	return l.own
}

// disputed returns the codes by which links lead to a page that nobody names by its address, where
// they do not agree on what its own element means: then it is not known whether an address of that
// which redirects to the page is its own, or was that of another language and is retired. "" where
// they agree, or the page has no element.
func (l label) disputed() string {
	if l.self != "" || l.direct != "" || l.replaced != "" || l.own == "" {
		return ""
	}
	if all := allCodes(l.own, l.others); l.split || all != l.own {
		return all
	}
	return ""
}

// disputedBy is disputed for a link from an address that is named by codes: where no element is the
// page's own, links from other addresses have to agree with these.
func (l label) disputedBy(codes string) string {
	several := strings.Contains(l.others, " ") && allCodes(codes, l.others) != codes
	if l.self == "" && l.direct == "" && l.replaced == "" && l.own == "" && several {
		return l.others
	}
	return l.disputed()
}

// sure reports whether the page's own element says langs.
func (l label) sure() bool { return l.self != "" || l.direct == "" && l.replaced != "" }

// allCodes returns the codes of both; a where there would be too many.
func allCodes(a, b string) string {
	if a == "" || a == b {
		return b
	}
	codes := append(strings.Fields(a), strings.Fields(b)...)
	slices.Sort(codes)
	if codes = slices.Compact(codes); len(codes) > maxCodes {
		return a
	}
	return strings.Join(codes, " ")
}

// want takes note of an address that a link is to follow.
func (l *labels) want(loc string) { l.of.At(sketch.Hash(wireOf(loc))) }

// at returns the label of an address; the zero label where nothing is known.
func (l *labels) at(loc string) label {
	n, _ := l.of.Get(sketch.Hash(wireOf(loc)))
	if n == 0 {
		return label{}
	}
	return l.known[n]
}

// list takes note of where a final row of a file stays listed.
func (l *labels) list(r *Row) {
	at := r.Address.String()
	switch {
	case !l.devices || r.Fix.Action == Drop || r.Fix.Action == Merge:
		return
	case r.Fix.Action == Replace:
		at = wireOf(r.Fix.Loc)
	}
	l.changeAt(sketch.Hash(at), func(l *label) { l.listed = true })
}

// change changes the label of an address, where that is wanted.
func (l *labels) change(loc string, change func(*label)) {
	l.changeAt(sketch.Hash(wireOf(loc)), change)
}

// changeAt is change by the hash of the address.
func (l *labels) changeAt(hash uint64, change func(*label)) {
	n, wanted := l.of.Get(hash)
	if !wanted {
		return
	}
	var is label
	if n != 0 {
		is = l.known[n]
	}
	was := is
	change(&is)
	if is == was {
		return
	}
	place, known := l.places[is]
	if !known && l.size+is.size() > maxLabels {
		return
	}
	l.named += number(is.self != "") - number(was.self != "")
	if l.places == nil {
		l.places, l.known = map[label]uint32{{}: 0}, []label{{}}
	}
	if !known {
		place = uint32(len(l.known))
		l.places[is], l.known, l.size = place, append(l.known, is), l.size+is.size()
	}
	at, _ := l.of.At(hash)
	*at = place
}

// size is how many bytes the codes have.
func (l label) size() int {
	return len(l.self) + len(l.replaced) + len(l.direct) + len(l.own) + len(l.others)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A LinkSet is an element with xhtml:links.
type LinkSet struct {
	Own   []Own // its entries
	Links []Link
}

// Sets reads the extension blocks of the sitemaps of an audit.
type Sets interface {
	// Sets yields the elements with links of a sitemap, in its order. An error ends it, which may
	// be ctx's, or fs.ErrNotExist where the sitemap is not kept any more.
	Sets(ctx context.Context, s *Sitemap) iter.Seq2[LinkSet, error]
	// Written yields Entry.Ext of each entry of a file of result as its corrected copy will have
	// it, with all entries: in the order of the file. An error ends it, as that of Sets.
	Written(ctx context.Context, result *Result, file int) iter.Seq2[uint64, error]
}

// settle finds out what the wanted pages are called: what their own elements say, as they will be
// written, and where that is not enough, all sets.
func (t *evaluation) settle(ctx context.Context) error {
	if t.labels.of.Len() > 0 {
		if err := t.selfLabels(ctx); err != nil {
			return err
		}
		if err := t.setLabels(ctx); err != nil {
			return err
		}
	}
	t.labels.settled = true
	clear(t.linkFixes) // made without
	return t.src.Err()
}

// selfLabels takes what the entries say of themselves, under the addresses by which they stay
// listed.
func (t *evaluation) selfLabels(ctx context.Context) error {
	for i := range t.sitemaps {
		if !t.sitemaps[i].Links {
			continue
		}
		for row, err := range t.finals(ctx, i, t.brief) {
			if err != nil {
				return err
			}
			langs := row.Entry.Langs
			switch row.Fix.Action {
			case Replace:
				t.labels.change(row.Fix.Loc, func(l *label) { l.replaced = allCodes(l.replaced, langs) })
			case Drop, Merge:
			default:
				t.labels.change(row.Entry.Loc, func(l *label) { l.self = allCodes(l.self, langs) })
			}
		}
	}
	return nil
}

// setLabels takes what all links say of the pages that do not name themselves, whether they are
// listed or not, where any is such a page.
func (t *evaluation) setLabels(ctx context.Context) error {
	if t.labels.named == t.labels.of.Len() || t.rules.Sets == nil {
		return nil
	}
	for i := range t.sitemaps {
		if !t.sitemaps[i].Links || t.sitemaps[i].Spool == "" {
			continue
		}
		for set, err := range t.rules.Sets.Sets(ctx, &t.sitemaps[i]) {
			if errors.Is(err, fs.ErrNotExist) { // whoever writes sitemaps reads the file, too
				break
			}
			if err != nil {
				return err
			}
			if err := t.setLabel(ctx, &set); err != nil {
				return err
			}
		}
	}
	return nil
}

// setLabel takes what one element says.
func (t *evaluation) setLabel(ctx context.Context, set *LinkSet) error {
	if len(set.Links) > maxSet {
		return nil
	}
	self, err := selfOf(ctx, t.link, set.Own)
	if err != nil || !self.stays {
		return err
	}
	entries := &ownEntries{all: set.Own}
	codes := map[string]string{} // of its own addresses, as linked
	for _, l := range set.Links {
		lang := strings.ToLower(l.Lang)
		if lang == "" || lang == xDefault {
			continue
		}
		f, err := t.link(ctx, entries, AlsoAlternates, l.Href)
		if err != nil {
			return err
		}
		from, to := wireOf(l.Href), l.Href
		// What names another canonical is a page of its own, which may be in another language.
		another := f.Verdict == Noncanonical && !self.all[from]
		if f.Action == Relink && !another {
			to = f.Loc
		}
		own := self.all[wireOf(to)]
		if own {
			codes[from] = allCodes(codes[from], lang)
		}
		t.labels.change(to, func(x *label) { x.named(lang, own, from == wireOf(to)) })
	}
	for loc := range self.all {
		t.labels.change(loc, func(l *label) {
			for _, of := range codes {
				l.split = l.split || l.self == "" && of != l.own
			}
		})
	}
	return nil
}

// named takes a link that names a page, by its address or by one from where it moved.
func (l *label) named(lang string, own, direct bool) {
	switch {
	case own && direct: // in another spelling than the entry
		l.self = allCodes(l.self, lang)
	case l.self != "" || l.replaced != "" && !direct:
	case own:
		l.own = allCodes(l.own, lang)
	case direct:
		l.direct = allCodes(l.direct, lang)
	default:
		l.others = allCodes(l.others, lang)
	}
}

// xDefault is the code of the page for whoever no other is for; it names no language.
const xDefault = "x-default"

// namesLanguage reports whether a link is for readers of one language.
func namesLanguage(lang string) bool { return lang != "" && !strings.EqualFold(lang, xDefault) }

// otherLanguage reports whether a page that calls itself langs is another one than a link for lang
// means. A page of which nothing is known, and a link for readers of any language, are not.
func otherLanguage(langs, lang string) bool {
	return langs != "" && namesLanguage(lang) &&
		!slices.Contains(strings.Fields(langs), strings.ToLower(lang))
}

// otherLanguages reports whether that holds for all links to an address, as far as Also knows them.
func (x *Also) otherLanguages(langs string) bool {
	named := strings.Fields(x.Langs)
	this := func(lang string) bool { return !otherLanguage(langs, lang) }
	return len(named) > 0 && !slices.ContainsFunc(named, this)
}
