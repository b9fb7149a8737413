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

// A faultList collects the faults of the sitemap files, and which of them the upload mends.
type faultList struct {
	kinds []*faultKind
	at    map[faultPlace][]*faultKind // places whose entry tells whether the fault is mended
	// loose are the kinds that a file has where no entry tells: counted, not listed.
	loose map[int][]*faultKind
	// last is the line of the last row, edited is set where it has one entry, which is edited.
	last   faultPlace
	edited bool
}

type faultPlace struct{ file, line int }

// A faultKind is all faults of one name.
type faultKind struct {
	Name, Example page.Phrase
	English       string
	Error         bool
	Today, After  int
	Places        []string
	More          int  // places that are not listed
	AtMost        bool // After is the most: some of them may be of entries that are edited
}

func newFaultList(told *audit.Result) *faultList {
	l := &faultList{at: map[faultPlace][]*faultKind{}, loose: map[int][]*faultKind{}, last: faultPlace{-1, 0}}
	changed := slices.ContainsFunc(told.Files, func(f audit.File) bool { return f.Changed })
	for i := range told.Files {
		for _, x := range told.Files[i].Sitemap.Faults {
			k := l.kind(&x)
			n := x.Places()
			k.Today += n
			k.After += n - x.Mended
			k.Error = k.Error || x.Severity == "error"
			// What pages name of one another changes with any entry that is edited.
			k.AtMost = k.AtMost || changed && strings.HasPrefix(x.Key, "hreflang-")
			if len(k.Places) < maxFaultPlaces {
				k.Places = append(k.Places, faultAt(&x))
			} else {
				k.More += n
			}
			if x.Line > 0 && x.Count == 0 && slices.Contains(ofAddress, x.Name) {
				l.at[faultPlace{i, x.Line}] = append(l.at[faultPlace{i, x.Line}], k)
			} else if x.Count > 0 {
				l.loose[i] = append(l.loose[i], k)
			}
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

// faultAt is the place of a fault, "sitemap.xml:12:3".
func faultAt(x *audit.SitemapFault) string {
	at := page.Visible(x.Sitemap)
	if name := lastSegment(x.Sitemap); name != "" {
		at = name
	}
	if x.Line > 0 {
		at += fmt.Sprintf(":%d", x.Line)
	}
	if x.Count > 1 {
		at += fmt.Sprintf(" (%d)", x.Count)
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
		for _, k := range l.loose[file] {
			k.AtMost = true
		}
		delete(l.loose, file)
	}
	if at == l.last {
		for _, k := range l.at[at] {
			k.AtMost = k.AtMost || edited || l.edited
		}
		l.edited = false
		return
	}
	l.settle()
	l.last, l.edited = at, edited
}

// settle counts what became of the last line.
func (l *faultList) settle() {
	if l.edited {
		for _, k := range l.at[l.last] {
			k.After--
		}
	}
	l.edited = false
}

// A faultsView is the table of faults: a row for each kind.
type faultsView struct {
	Kinds        []*faultKind
	Today, After int
	Upload       bool // something is written, so that After says more than Today
	AtMost       bool // After is the most, for that of a kind is
}

// view is the table; nil where there is no fault.
func (l *faultList) view(upload bool) *faultsView {
	if len(l.kinds) == 0 {
		return nil
	}
	l.settle()
	v := &faultsView{Kinds: l.kinds, Upload: upload}
	for _, k := range l.kinds {
		v.Today += k.Today
		v.After += k.After
		v.AtMost = v.AtMost || k.AtMost
	}
	return v
}
