package html

import (
	"path"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
)

// firstFiles is how many files stand open; more can be unfolded.
const firstFiles = 30

// A filesView is the section of the sitemap files: a row for each file with entries, their
// sum, and remarks on the others.
type filesView struct {
	Any         bool // there is a file
	Lead        page.Phrase
	Upload      bool // corrected files were written: columns of what they come to
	Decide      bool // a column of what is to be decided
	Other       bool // a column of what is redirected in another spelling
	Unseen      bool // a column of what was not checked
	First, More []fileView
	Sum         *fileView // nil where there is one file
	Remarks     []page.Phrase
	Moves       []movedFile
	Indexes     int
	Unread      int
	Faults      *faultsView
}

// A fileView is one row.
type fileView struct {
	N                     int
	Name                  string // of the file alone, or its whole URL where another has the same
	Tags                  []page.Phrase
	Entries, Edits        int
	Decide, Spelt, Unseen int
	Today, After          page.Phrase // how many are clean; nil where not known, or not written
	Href                  string      // of the corrected file
	Fold                  string      // the place of its edits on the page
	Why                   page.Phrase // there is none
}

func newFilesView(result *audit.Result, o Options) filesView {
	c := &result.Counts
	v := filesView{Any: len(result.Files) > 0, Decide: c.Total(audit.NeedsDecision) > 0, Other: c.Total(audit.OtherSpelling) > 0,
		Unseen: c.Total(audit.NotChecked) > 0}
	names, written := conclude.FileNames(result), 0
	generators := map[string]int{}
	for i := range result.Files {
		f := &result.Files[i]
		v.move(f)
		if f.Sitemap.Generator != "" {
			generators[page.Visible(f.Sitemap.Generator)]++
		}
		switch {
		case f.Sitemap.Kind == "index" && f.Counts.Entries == 0:
			v.Indexes++
			if o.Written(i) != "" {
				written++
			}
			if remark := indexRemark(f, names[i]); remark != nil {
				v.Remarks = append(v.Remarks, remark)
			}
			continue
		case f.Counts.Entries == 0:
			v.Unread++
			v.Remarks = append(v.Remarks, emptyRemark(f, names[i]))
			continue
		}
		row := newFileView(i, f, names[i], o)
		if row.Href != "" {
			written++
		}
		v.First = append(v.First, row)
	}
	v.Upload = written > 0
	v.Lead = filesLead(result, generators, written)
	if len(v.First) > 1 {
		v.Sum = sumOf(v.First, result)
	}
	cut := min(firstFiles, len(v.First))
	v.First, v.More = v.First[:cut], v.First[cut:]
	return v
}

func filesLead(result *audit.Result, generators map[string]int, written int) page.Phrase {
	lead := say("files-none")
	switch {
	case written > 0:
		lead = say("files-lead", "n", written)
	case result.Info.Partial || result.Info.NoFetch:
		lead = say("files-part")
	case result.NoFiles:
		lead = say("files-no-folder")
	}
	whole, part, moved := 0, 0, 0
	for i := range result.Files {
		switch f := &result.Files[i]; {
		case !f.Changed:
		case f.Sitemap.InPart():
			part++
		case f.Moved:
			moved++
		default:
			whole++
		}
	}
	switch {
	case written > 0 && part > 0 && whole+moved == 0:
		return say("files-copies", "n", part)
	case written > 0 && moved > 0 && whole == 0:
		lead = say("files-moved")
	case written > 0 && moved > 0:
		lead = say("files-moved-some")
	}
	if written > 0 && part > 0 {
		lead = say("files-in-part", "lead", lead)
	}
	if written > 0 && len(generators) == 1 {
		for name, n := range generators {
			lead = say("files-generated", "lead", lead, "name", name, "n", n)
		}
	}
	return lead
}

func lastSegment(url string) string {
	base := path.Base(url)
	if base == "." || base == "/" {
		return ""
	}
	return page.Visible(base)
}

func newFileView(i int, f *audit.File, name string, o Options) fileView {
	c := &f.Counts
	s, after := sharesOf(c)
	v := fileView{
		N: i, Name: page.Middle(name, 120), Entries: c.Entries, Tags: fileTags(f),
		Spelt:  c.Total(audit.OtherSpelling),
		Edits:  c.Actions[audit.Replace] + c.Actions[audit.Merge] + c.Actions[audit.Drop],
		Decide: s.Decide, Unseen: s.Unseen, Why: say("file-unchanged"),
	}
	if written := o.Written(i); written != "" {
		v.Href = o.Served + relative(written)
	}
	if s.Checked() > 0 && !c.NeedScript() {
		v.Today = phrase(conclude.Figure(s))
	}
	if v.Href == "" {
		if f.Sitemap.InPart() {
			v.Why = say("file-in-part")
		} else if s.Clean < s.Entries || f.Changed {
			v.Why = say("file-unwritten")
		}
		return v
	}
	if v.Today != nil && after.Checked() > 0 && !f.Sitemap.InPart() {
		v.After = phrase(conclude.Figure(after))
	}
	return v
}

// sumOf is the last row of the table.
func sumOf(rows []fileView, result *audit.Result) *fileView {
	s, after := conclude.SharesOf(result.Counts.Total), conclude.Uploaded(result)
	sum := fileView{N: len(rows), Entries: result.Counts.Entries, Decide: s.Decide, Unseen: s.Unseen,
		Spelt: result.Counts.Total(audit.OtherSpelling)}
	for _, r := range rows {
		sum.Edits += r.Edits
	}
	if s.Checked() > 0 && !result.Counts.NeedScript() {
		sum.Today = phrase(conclude.Figure(s))
		isWritten := func(r fileView) bool { return r.Href != "" }
		isPart := func(f audit.File) bool { return f.Changed && f.Sitemap.InPart() }
		if !slices.ContainsFunc(result.Files, isPart) && slices.ContainsFunc(rows, isWritten) && after.Checked() > 0 {
			sum.After = phrase(conclude.Figure(after))
		}
	}
	return &sum
}

// indexRemark says what of an index is to be said beside its faults; nil for nothing.
func indexRemark(f *audit.File, name string) page.Phrase {
	if n := f.ChildrenOut(); f.Changed && n > 0 {
		return say("children-out", "n", n, "url", name)
	}
	if f.Changed {
		return say("index-changed", "name", name)
	}
	return nil
}

// emptyRemark says why a file has no entries.
func emptyRemark(f *audit.File, name string) page.Phrase {
	s := &f.Sitemap
	switch {
	case s.Again():
		return say("file-again", "name", name)
	case s.Kind == "":
		return say("file-unread", "name", name)
	}
	return say("file-empty", "name", name)
}

// fileTags says what else is to be known of a file.
func fileTags(f *audit.File) (out []page.Phrase) {
	s := &f.Sitemap
	if s.InPart() {
		out = append(out, inPart(s))
	}
	if f.Relinked > 0 {
		out = append(out, say("relinked", "n", f.Relinked))
	}
	if f.Unlinked > 0 {
		out = append(out, say("unlinked", "n", f.Unlinked))
	}
	if f.Parts != nil {
		out = append(out, say("split", "n", len(f.Parts)))
	}
	if s.AnsweredAt != "" && s.AnsweredAt != s.URL {
		out = append(out, say("answered-at", "url", page.Middle(page.Visible(s.AnsweredAt), 80)))
	}
	return out
}

// inPart says where the reading of a file ended, as far as that is known.
func inPart(s *audit.Sitemap) page.Phrase {
	if f, ok := s.PartFault(); ok && f.Line > 0 {
		return say("in-part-line", "line", f.Line)
	}
	return say("in-part")
}

// A movedFile is a file whose entries all moved, where the corrected one belongs, and
// what is to be done.
type movedFile struct {
	From, To string
	Do       page.Phrase
}

func (v *filesView) move(f *audit.File) {
	if f.Changed && f.Moved {
		v.Moves = append(v.Moves, movedFile{page.Visible(f.Sitemap.AnsweredAt), page.Visible(f.BelongsAt), say("belongs-at")})
	}
}

// sharesOf counts the entries of a file by what becomes of them, and those that
// are left after the upload.
func sharesOf(c *audit.Counts) (now, after conclude.Shares) {
	now = conclude.SharesOf(c.Total)
	after = now
	after.Clean, after.Fix = now.Clean+c.Actions[audit.Replace], 0
	after.Entries -= c.Actions[audit.Merge] + c.Actions[audit.Drop]
	return now, after
}
