package html

import (
	"cmp"
	"path"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// What the page shows of the edits: so many of a cause in a file, and so many files.
const (
	shownEdits     = 2
	shownEditFiles = 100
)

// edits collects the first edits of each cause in each file. Memory grows with the files
// that are shown, never with the edits.
type edits struct {
	result *audit.Result
	groups *entryGroups
	files  []*fileEdits // in order, at most shownEditFiles
	last   int          // index of the file of the last edit, -1 for none
	beyond int          // edits in files beyond
}

// A fileEdits is what is edited in one file.
type fileEdits struct {
	File   int // of Result.Files
	Name   string
	Count  int
	Note   messages.Sentence // what is to be known of the file: it is not written, its links follow
	Causes []causeEdits
}

// A causeEdits is what is edited in a file for one cause.
type causeEdits struct {
	entryGroup
	group int
	Count int
	First []editView
}

// More is how many there are beyond those that are shown.
func (c causeEdits) More() int { return c.Count - len(c.First) }

// An editView is one edit of a sitemap: the line as it was, and as it is.
type editView struct {
	Line   int
	Listed []page.Piece
	// Written is empty where the entry is removed; where it Stays, it is listed already.
	Written []page.Piece
	Stays   bool
}

// add takes a row of a file that its fix edits. Rows come file by file.
func (e *edits) add(file int, r *audit.Row) {
	if r.Fix.Action == audit.Keep || r.Fix.Action == "" {
		return
	}
	if file != e.last {
		e.last = file
		if e.beyond == 0 && len(e.files) < shownEditFiles {
			e.files = append(e.files, &fileEdits{File: file, Name: path.Base(page.Visible(e.result.Files[file].Sitemap.URL))})
		}
	}
	if e.files[len(e.files)-1].File != file {
		e.beyond++
		return
	}
	f, group := e.files[len(e.files)-1], e.groups.of(r)
	f.Count++
	at, found := slices.BinarySearchFunc(f.Causes, group, func(c causeEdits, g int) int { return cmp.Compare(c.group, g) })
	if !found {
		f.Causes = slices.Insert(f.Causes, at, causeEdits{entryGroup: e.groups.list[group], group: group})
	}
	c := &f.Causes[at]
	if c.Count++; len(c.First) < shownEdits {
		c.First = append(c.First, newEditView(r))
	}
}

// newEditView marks what differs; where the listed text is no wire form, there is
// nothing that it could be held against.
func newEditView(r *audit.Row) editView {
	loc, wire := page.Shown(r.Entry.Loc), r.Address.String()
	v := editView{Line: r.Entry.Line, Listed: []page.Piece{page.Piece("=" + loc)}, Stays: r.Fix.Action == audit.Merge}
	if r.Fix.Loc == "" {
		return v
	}
	listed, written := page.Sides(wire, r.Fix.Loc)
	if v.Written = written; loc == wire {
		v.Listed = listed
	}
	return v
}

// An editsView is the section of the edits.
type editsView struct {
	Lead, More messages.Sentence
	Files      []*fileEdits
}

// view is nil where nothing is edited.
func (e *edits) view() *editsView {
	if e.last < 0 {
		return nil
	}
	for _, f := range e.files {
		switch of := &e.result.Files[f.File]; {
		case of.Outdated:
			f.Note = messages.Say("file-unwritten")
		case of.Relinked+of.Unlinked > 0:
			f.Note = messages.Say("links-follow", "n", of.Relinked+of.Unlinked)
		}
	}
	return &editsView{Lead: messages.Join(" · ", editFacts(e.result)...), Files: e.files, More: moreIn("changes.csv", e.beyond, 0)}
}

// editFacts are what is replaced and removed, and the links that follow.
func editFacts(result *audit.Result) (facts []messages.Sentence) {
	n, replaced, links := edited(&result.Counts), result.Counts.Actions[audit.Replace], 0
	key := "n-fixed"
	if !result.Writes() {
		key = "n-fixable"
	}
	facts = append(facts, messages.Say(key, "n", n, "a", replaced, "b", n-replaced))
	for i := range result.Files {
		links += result.Files[i].Relinked + result.Files[i].Unlinked
	}
	if links > 0 {
		facts = append(facts, messages.Say("links-follow", "n", links))
	}
	return append(facts, messages.Say("edits-bytes"))
}
