package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// maxFaultPlaces is how many places of a kind of fault are listed; the rest is counted.
const maxFaultPlaces = 200

// ofAddress are the faults that are of an entry's address, by Search Console's names: one
// that is corrected or removed has them no more.
var ofAddress = []string{
	"URL not allowed", "Path mismatch: Missing www", "Path mismatch: Includes www", "Invalid URL",
}

// byRow are the faults that count rows, by the key of their sentence: each such row that is edited
// has the fault no more.
var byRow = map[string]func(r *audit.Row) bool{
	"blocked":    func(r *audit.Row) bool { return r.Verdict == audit.Disallowed },
	"duplicates": func(r *audit.Row) bool { return r.Has(audit.Duplicate) },
}

// A faultList collects the faults of the sitemap files, and which of them the upload mends.
type faultList struct {
	kinds []*faultKind
	at    map[faultPlace][]*faultSpot // those of an address, by where its entry stands
	files map[int]*fileFaults
	// last is the line of the last row, edited is set where it has one entry, which is edited.
	last   faultPlace
	edited bool
}

type faultPlace struct{ file, line int }

// fileFaults are the faults of a file of which no line tells whether they are mended: those that
// count rows, those of addresses that are only counted, and those that may stand in an entry.
type fileFaults struct {
	counted       map[string][]*faultSpot // by key
	loose, within []*faultKind
}

// A faultKind is all faults of one name.
type faultKind struct {
	Name, Example page.Phrase
	English       string
	Error         bool
	Today, After  int
	Places        []string // of what remains
	More          int      // places that are not listed
	AtMost        bool     // After is the most: some of them may be of entries that are edited

	spots []*faultSpot
}

// A faultSpot is a place of a kind of fault, or many in one, and how many of them are mended.
type faultSpot struct {
	kind          *faultKind
	at            string
	count, mended int
}

func newFaultList(result *audit.Result) *faultList {
	l := &faultList{at: map[faultPlace][]*faultSpot{}, files: map[int]*fileFaults{}, last: faultPlace{-1, 0}}
	changed := slices.ContainsFunc(result.Files, func(f audit.File) bool { return f.Changed })
	for i := range result.Files {
		l.files[i] = &fileFaults{counted: map[string][]*faultSpot{}}
		for _, x := range result.Files[i].Sitemap.Faults {
			k := l.kind(&x)
			k.Error = k.Error || x.Severity == "error"
			// What pages name of one another changes with any entry that is edited.
			k.AtMost = k.AtMost || changed && strings.HasPrefix(x.Key, "hreflang-")
			spot := &faultSpot{k, faultAt(&x), x.Places(), x.Mended}
			k.spots, k.Today = append(k.spots, spot), k.Today+spot.count
			l.watch(i, &x, spot)
		}
	}
	slices.SortStableFunc(l.kinds, func(a, b *faultKind) int {
		if a.Error != b.Error {
			return cmp.Compare(b2i(b.Error), b2i(a.Error))
		}
		return b.Today - a.Today
	})
	return l
}

// watch has the rows of a file tell what becomes of a fault, as far as they can.
func (l *faultList) watch(file int, x *audit.SitemapFault, spot *faultSpot) {
	f := l.files[file]
	switch ofEntry := slices.Contains(ofAddress, x.Name); {
	case byRow[x.Key] != nil:
		f.counted[x.Key] = append(f.counted[x.Key], spot)
	case ofEntry && x.Line > 0 && x.Count == 0:
		at := faultPlace{file, x.Line}
		l.at[at] = append(l.at[at], spot)
	case ofEntry && x.Count > 0:
		f.loose = append(f.loose, spot.kind)
	case x.Line > 0 || x.Count > 0:
		f.within = append(f.within, spot.kind)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (l *faultList) kind(x *audit.SitemapFault) *faultKind {
	if i := slices.IndexFunc(l.kinds, func(k *faultKind) bool { return k.English == x.Name }); i >= 0 {
		return l.kinds[i]
	}
	k := &faultKind{English: x.Name}
	k.Name, k.Example = sitemapFaultText(*x)
	l.kinds = append(l.kinds, k)
	return k
}

// faultAt is the place of a fault, "sitemap.xml:12".
func faultAt(x *audit.SitemapFault) string {
	at := page.Visible(x.Sitemap)
	if name := lastSegment(x.Sitemap); name != "" {
		at = name
	}
	if x.Line > 0 {
		at += fmt.Sprintf(":%d", x.Line)
	}
	return at
}

// see takes a row of a file, in order; written is set where its file is written anew. Where the
// entry is edited, the faults of its address go: but of a line with several entries nobody
// knows which of them has the fault.
func (l *faultList) see(file int, r *audit.Row, written bool) {
	at := faultPlace{file, r.Entry.Line}
	edited := written && r.Fix.Action != audit.Keep && r.Fix.Action != ""
	if edited {
		l.files[file].edit(r)
	}
	if at == l.last {
		for _, spot := range l.at[at] {
			spot.kind.AtMost = spot.kind.AtMost || edited || l.edited
		}
		l.edited = false
		return
	}
	l.settle()
	l.last, l.edited = at, edited
}

// edit takes a row that is edited.
func (f *fileFaults) edit(r *audit.Row) {
	for key, spots := range f.counted {
		for _, spot := range spots {
			if byRow[key](r) {
				spot.mended = min(spot.mended+1, spot.count)
			}
		}
	}
	for _, k := range f.loose {
		k.AtMost = true
	}
	f.loose = nil
	if r.Fix.Action != audit.Replace { // what stands in the entry goes with it
		for _, k := range f.within {
			k.AtMost = true
		}
		f.within = nil
	}
}

// settle counts what became of the last line.
func (l *faultList) settle() {
	if l.edited {
		for _, spot := range l.at[l.last] {
			spot.mended = spot.count
		}
	}
	l.edited = false
}

// A faultsView is the table of faults: a row for each kind of which something remains.
type faultsView struct {
	Kinds        []*faultKind
	Mended       page.Phrase // the kinds that the upload corrects; nil for none
	Today, After int
	Upload       bool // something is written, so that After says more than Today
	AtMost       bool // After is the most, for that of a kind is
}

// uploaded reports whether a corrected file is to be uploaded: not a copy of one that was read
// only in part.
func uploaded(result *audit.Result) bool {
	return slices.ContainsFunc(result.Files, func(f audit.File) bool { return f.Changed && !f.Sitemap.InPart() })
}

// view is the table; nil where there is no fault. Without an upload nothing is mended.
func (l *faultList) view(upload bool) *faultsView {
	if len(l.kinds) == 0 {
		return nil
	}
	l.settle()
	v := &faultsView{Upload: upload}
	for _, k := range l.kinds {
		k.remains(upload)
		v.Today += k.Today
		v.After += k.After
		v.AtMost = v.AtMost || k.AtMost && k.After > 0
		switch {
		case k.After > 0:
			v.Kinds = append(v.Kinds, k)
		case v.Mended == nil:
			v.Mended = say("check-fault", "name", k.Name, "n", k.Today)
		default:
			v.Mended = say("check-fault-more", "list", v.Mended, "name", k.Name, "n", k.Today)
		}
	}
	if v.Mended != nil {
		v.Mended = say("faults-mended", "list", v.Mended)
	}
	return v
}

// remains counts what of a kind remains, and lists where.
func (k *faultKind) remains(upload bool) {
	k.After, k.Places, k.More = 0, nil, 0
	for _, spot := range k.spots {
		n := spot.count
		if upload {
			n -= spot.mended
		}
		k.After += n
		switch {
		case n == 0:
		case len(k.Places) >= maxFaultPlaces:
			k.More += n
		case spot.count > 1:
			k.Places = append(k.Places, fmt.Sprintf("%s (%d)", spot.at, n))
		default:
			k.Places = append(k.Places, spot.at)
		}
	}
}
