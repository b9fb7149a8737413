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
	table    page.Table
	optional []fileColumn // columns that this audit has
	upload   bool         // corrected files were written
	o        Options
}

// A fileColumn is a column of counts.
type fileColumn struct {
	key string
	of  func(*audit.Counts) int
}

// fileColumns are there where a file has one of them.
var fileColumns = []fileColumn{
	{"edits", func(c *audit.Counts) int {
		return c.Actions[audit.Replace] + c.Actions[audit.Merge] + c.Actions[audit.Drop]
	}},
	{"lane-decide", func(c *audit.Counts) int { return c.Total(audit.NeedsDecision) }},
	{"lane-spelling", func(c *audit.Counts) int { return c.Total(audit.OtherSpelling) }},
	{"lane-unseen", func(c *audit.Counts) int { return c.Total(audit.NotChecked) + c.Total(audit.LeftOut) }},
}

// filesSection is a row for each file with entries, their sum, remarks on the others, and the faults
// of all; nil where there is no file.
func filesSection(result *audit.Result, o Options) *section {
	if len(result.Files) == 0 {
		return nil
	}
	v := &filesView{section: newSection("files"), o: o}
	v.lead(result)
	v.columns(result)
	for i, name := range conclude.FileNames(result) {
		v.file(i, &result.Files[i], name)
	}
	if len(v.table.Rows) > 0 {
		if len(v.table.Rows) > 1 {
			v.sum(result)
		}
		v.table.Fold(firstFiles, func(n int) messages.Sentence { return messages.Say("more", "n", n) })
		v.Tables = append(v.Tables, v.table)
	}
	if kinds := faultKinds(result); len(kinds) > 0 {
		v.Tables = append(v.Tables, faultsTable(kinds))
	}
	return v.section
}

// lead says what to do with the files, as far as there is something to say of each.
func (v *filesView) lead(result *audit.Result) {
	whole := 0
	for i := range result.Files {
		f := &result.Files[i]
		switch {
		case v.o.Written(i) == "":
			continue
		case f.Moved:
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
func (v *filesView) columns(result *audit.Result) {
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
		if x.of(&result.Counts) > 0 {
			v.optional = append(v.optional, x)
			number(messages.Say(x.key))
		}
	}
	v.table.Columns = append(v.table.Columns, page.Column{Name: messages.Say("col-corrected"), Screen: true})
}

// file adds a file: a row, or a remark for one without entries.
func (v *filesView) file(i int, f *audit.File, name string) {
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
	today := conclude.SharesOf(f.Counts.Total)
	written := page.TextCell(messages.Say("entry-unchanged"))
	var after *conclude.Shares
	switch to := v.o.Written(i); {
	case to != "":
		written = page.Cell{Links: []page.Link{{Href: v.o.Served + relative(to), Text: messages.Say("open"), Of: name}}}
		if fileColumns[0].of(&f.Counts) > 0 {
			written.Links = append(written.Links, page.Link{Href: "#edits", Text: messages.Say("edits"), Of: name})
		}
		if !s.InPart() {
			left := today
			left.Clean, left.Fix = today.Clean+f.Counts.Actions[audit.Replace], 0
			left.Entries -= f.Counts.Actions[audit.Merge] + f.Counts.Actions[audit.Drop]
			after = &left
		}
	case s.InPart():
		written = page.TextCell(messages.Say("diff-in-part"))
	case f.Changed || f.Outdated:
		written = page.TextCell(messages.Say("file-unwritten"))
	}
	v.table.Rows = append(v.table.Rows, v.row(page.TextCell(messages.Code(messages.Middle(name, 120)), fileTags(f)...), &f.Counts, today, after, written))
}

// row is a row of the table. after is nil where it is not known.
func (v *filesView) row(name page.Cell, c *audit.Counts, today conclude.Shares, after *conclude.Shares, written page.Cell) []page.Cell {
	figure := func(s *conclude.Shares) page.Cell {
		if s == nil || s.Checked() == 0 || c.NeedScript() {
			return page.CountCell(0)
		}
		return page.TextCell(conclude.Figure(*s))
	}
	row := []page.Cell{name, page.CountCell(c.Entries), figure(&today)}
	if v.upload {
		row = append(row, figure(after))
	}
	for _, x := range v.optional {
		row = append(row, page.CountCell(x.of(c)))
	}
	return v.table.Row(append(row, written)...)
}

// sum is the last row of the table.
func (v *filesView) sum(result *audit.Result) {
	name := page.TextCell(messages.Say("n-files", "n", len(v.table.Rows)))
	var after *conclude.Shares
	if !slices.ContainsFunc(result.Files, func(f audit.File) bool { return f.Changed && f.Sitemap.InPart() }) {
		uploaded := conclude.Uploaded(result)
		after = &uploaded
	}
	v.table.Foot = v.row(name, &result.Counts, conclude.SharesOf(result.Counts.Total), after, page.Cell{})
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
