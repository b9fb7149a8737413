package html

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// firstFiles is how many files stand open; more can be unfolded.
const firstFiles = 30

// A filesView is the section of the sitemap files while it is put together.
type filesView struct {
	*section
	result   *audit.Result
	table    page.Table
	optional []fileColumn // columns that this audit has
	upload   bool         // corrected files were written
	served   string       // Options.Served
}

// A fileColumn is a column of counts.
type fileColumn struct {
	key string
	of  func(*audit.Counts) int
}

// fileColumns are there where a file has one of them.
var fileColumns = []fileColumn{
	{"edits", edited},
	{"lane-decide", func(c *audit.Counts) int { return c.Total(audit.NeedsDecision) }},
	{"lane-spelling", func(c *audit.Counts) int { return c.Total(audit.OtherSpelling) }},
	{"lane-unseen", func(c *audit.Counts) int { return c.Total(audit.NotChecked) + c.Total(audit.LeftOut) }},
}

// filesSection is a row for each file with entries, their sum, remarks on the others, and the faults
// of all; nil where there is no file.
func filesSection(result *audit.Result, served string) *section {
	if len(result.Files) == 0 {
		return nil
	}
	v := &filesView{section: newSection("files"), result: result, served: served}
	v.lead()
	v.columns()
	for i, name := range conclude.FileNames(result) {
		v.file(&result.Files[i], name)
	}
	if len(v.table.Rows) > 0 {
		if len(v.table.Rows) > 1 {
			v.sum()
		}
		v.table.Fold(firstFiles)
		v.Tables = append(v.Tables, v.table)
	}
	if kinds := faultKinds(result); len(kinds) > 0 {
		v.Tables = append(v.Tables, faultsTable(kinds))
	}
	return v.section
}

// lead says what to do with the files, as far as there is something to say of each.
func (v *filesView) lead() {
	whole := 0
	for i := range v.result.Files {
		f := &v.result.Files[i]
		switch {
		case written(v.result, f) == "":
			continue
		case f.Moved():
			v.Remarks = append(v.Remarks, messages.Say("belongs-at", "from", messages.Code(f.Sitemap.AnsweredAt), "to", messages.Code(f.BelongsAt)))
		case !f.Sitemap.InPart():
			whole++
		}
		v.upload = true
	}
	switch {
	case !v.upload:
		v.Lead = append(v.Lead, messages.Say("files-none"))
	case whole > 0:
		v.Lead = append(v.Lead, messages.Say("files-lead", "n", whole))
	}
}

// columns are the columns of the table.
func (v *filesView) columns() {
	number := func(name messages.Sentence) {
		v.table.Columns = append(v.table.Columns, page.Column{Name: name, Num: true})
	}
	v.table.Name, v.table.Columns = v.Heading, page.Texts(messages.Say("col-file"))
	number(messages.Say("urls"))
	number(messages.Say("chip-clean"))
	if v.upload {
		number(messages.Say("after"))
	}
	for _, x := range fileColumns {
		if x.of(&v.result.Counts) > 0 {
			v.optional = append(v.optional, x)
			number(messages.Say(x.key))
		}
	}
	v.table.Columns = append(v.table.Columns, page.Column{Name: messages.Say("col-corrected"), Screen: true})
}

// file adds a file: a row, or a remark for one without entries.
func (v *filesView) file(f *audit.File, name string) {
	s := &f.Sitemap
	remark := func(key string, pairs ...any) { v.Remarks = append(v.Remarks, messages.Say(key, pairs...)) }
	switch index := s.Kind == "index"; {
	case f.Counts.Entries > 0:
	case index:
		if f.Changed {
			remark("index-changed", "name", name)
		}
		return
	default:
		remark("file-empty", "name", name)
		return
	}
	corrected, to := page.TextCell(messages.Say("entry-unchanged")), written(v.result, f)
	switch {
	case to != "":
		corrected = page.Cell{Links: []page.Link{{Href: v.served + relative(to), Text: messages.Say("open"), Of: name}}}
		if edited(&f.Counts) > 0 {
			corrected.Links = append(corrected.Links, page.Link{Href: "#edits", Text: messages.Say("edits"), Of: name})
		}
	case s.InPart():
		corrected = page.TextCell(messages.Say("diff-in-part"))
	case f.Changed || f.Outdated:
		corrected = page.TextCell(messages.Say("file-unwritten"))
	}
	v.table.Rows = append(v.table.Rows, v.row(page.TextCell(messages.Code(messages.Middle(name, 120)), fileTags(f)...), &f.Counts, to != "" && !s.InPart(), corrected))
}

// row is a row of the table. after says whether it is known what is listed after the upload.
func (v *filesView) row(name page.Cell, c *audit.Counts, after bool, corrected page.Cell) []page.Cell {
	figure := func(known bool, s conclude.Shares) page.Cell {
		if !known || s.Checked() == 0 || c.NeedScript() {
			return page.CountCell(0)
		}
		return page.TextCell(conclude.Figure(s))
	}
	row := []page.Cell{name, page.CountCell(c.Entries), figure(true, conclude.SharesOf(c.Total))}
	if v.upload {
		row = append(row, figure(after, conclude.Uploaded(c)))
	}
	for _, x := range v.optional {
		row = append(row, page.CountCell(x.of(c)))
	}
	return v.table.Row(append(row, corrected)...)
}

// sum is the last row of the table.
func (v *filesView) sum() {
	name := page.TextCell(messages.Say("n-files", "n", len(v.table.Rows)))
	inPart := slices.ContainsFunc(v.result.Files, func(f audit.File) bool { return f.Changed && f.Sitemap.InPart() })
	v.table.Foot = v.row(name, &v.result.Counts, !inPart, page.Cell{})
}

// fileTags says what else is to be known of a file.
func fileTags(f *audit.File) (out []messages.Sentence) {
	s := &f.Sitemap
	add := func(there bool, key string, pairs ...any) {
		if there {
			out = append(out, messages.Say(key, pairs...))
		}
	}
	add(s.InPart(), "diff-in-part")
	add(f.Relinked+f.Unlinked > 0, "links-follow", "n", f.Relinked+f.Unlinked)
	add(s.AnsweredAt != "" && s.AnsweredAt != s.URL, "answered-at", "url", messages.Middle(page.Visible(s.AnsweredAt), 80))
	return out
}

// maxFaultPlaces is how many places of a kind of fault are listed; the rest is counted.
const maxFaultPlaces = 200

// A faultKind is all faults of one name, in the sitemap files.
type faultKind struct {
	name          string
	first         *audit.SitemapFault
	severe        bool
	count, listed int // places, and those that are in places
	mended        int // of count
	places        []string
}

// faultKinds are the kinds of faults, errors first, then the most frequent.
func faultKinds(result *audit.Result) (kinds []*faultKind) {
	for i := range result.Files {
		for j := range result.Files[i].Sitemap.Faults {
			x := &result.Files[i].Sitemap.Faults[j]
			at := slices.IndexFunc(kinds, func(k *faultKind) bool { return k.name == x.Name })
			if at < 0 {
				at, kinds = len(kinds), append(kinds, &faultKind{name: x.Name, first: x})
			}
			k := kinds[at]
			k.severe, k.count, k.mended = k.severe || x.Severity == "error", k.count+x.Places(), k.mended+x.Mended
			if len(k.places) < maxFaultPlaces {
				k.places, k.listed = append(k.places, faultAt(x)), k.listed+x.Places()
			}
		}
	}
	slices.SortStableFunc(kinds, func(a, b *faultKind) int {
		if a.severe != b.severe {
			return map[bool]int{true: -1, false: 1}[a.severe]
		}
		return cmp.Compare(b.count, a.count)
	})
	return kinds
}

// text is the name of the kind, or the sentence of its first fault. They quote the site.
func (k *faultKind) text(which int) messages.Sentence {
	return messages.Words(func(c *messages.Catalogue) string {
		name, text := c.SitemapFault(*k.first)
		return [2]string{name, text}[which]
	})
}

// faultsTable has a row for each kind; where the upload leaves none, it is for experts.
func faultsTable(kinds []*faultKind) page.Table {
	t := page.Table{ID: "faults", Headed: true, Expert: true, Columns: page.Texts(messages.Say("what"), messages.Verbatim("#"), messages.Say("col-rule-at"))}
	t.Columns[1].Num = true
	for _, k := range kinds {
		places := page.TextCell(messages.Code(k.places[0]))
		if len(k.places) > 1 {
			places = page.Cell{List: &page.Folded{Name: messages.Verbatim(messages.Number(len(k.places))), Items: k.places}}
			if k.count > k.listed {
				places.List.More = messages.Say("more", "n", k.count-k.listed)
			}
		}
		count := page.CountCell(k.count)
		if t.Expert = t.Expert && k.mended == k.count; k.mended > 0 {
			count.Small = []messages.Sentence{messages.Say("line", "what", messages.Say("lane-upload"), "pattern", k.mended)}
		}
		t.Add(page.TextCell(k.text(0), k.text(1)), count, places)
	}
	t.Name = messages.Say("faults")
	return t
}

// faultAt is the place of a fault, "sitemap.xml:12".
func faultAt(x *audit.SitemapFault) string {
	at := page.Visible(x.Sitemap)
	if name := path.Base(x.Sitemap); name != "." && name != "/" {
		at = page.Visible(name)
	}
	if x.Line > 0 {
		at += fmt.Sprintf(":%d", x.Line)
	}
	if n := x.Places(); n > 1 {
		at += fmt.Sprintf(" (%d)", n)
	}
	return at
}
