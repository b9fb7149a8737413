package html

import (
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// firstFiles is how many files stand open; more are behind a button.
const firstFiles = 30

// maxFaults is how many faults of sitemap files are listed; the rest is counted.
const maxFaults = 200

// openFaults is how many of them stand open; the others can be opened.
const openFaults = 10

type fileViews struct {
	FileGroups       []audit.Group
	Files, MoreFiles []fileView
	Generators       []generatorView
	Moves            []movedFile
}

// A fileView is one row of the table of sitemap files.
type fileView struct {
	N         int
	URL       string
	Tags      []page.Phrase
	Entries   int
	Cells     []cell
	Dirt      string
	Dirty     bool
	Written   string
	Unwritten page.Phrase
	Quiet     bool // an index, or a file that could not be read: no entries to tell of
}

type cell struct {
	File  int
	Group audit.Group
	Count int
}

type generatorView struct {
	Name  string
	Files int
}

func newFileViews(told *audit.Result, o Options) fileViews {
	v := fileViews{FileGroups: page.Columns(func(g audit.Group) bool { return told.Counts.Total(g) > 0 })}
	generators := map[string]int{}
	for i := range told.Files {
		f := &told.Files[i]
		v.Files = append(v.Files, newFileView(i, f, v.FileGroups, o.Written(i), told.Info.Partial))
		if f.Sitemap.Generator != "" {
			generators[f.Sitemap.Generator]++
		}
		switch to, do := moveOf(f); {
		case f.Alone == audit.HeldMoved:
			v.Moves = append(v.Moves, movedFile{moved{page.Visible(f.Sitemap.AnsweredAt), ""}, "stays"})
		case f.Changed && to != "":
			v.Moves = append(v.Moves, movedFile{moved{page.Visible(f.Sitemap.AnsweredAt), page.Visible(to)}, do})
		}
	}
	for _, name := range byCount(generators) {
		v.Generators = append(v.Generators, generatorView{page.Visible(name), generators[name]})
	}
	cut := min(firstFiles, len(v.Files))
	v.Files, v.MoreFiles = v.Files[:cut], v.Files[cut:]
	return v
}

// A movedFile is a file that moved, and the key of what is to be done.
type movedFile struct {
	moved
	Do string
}

// moveOf is where a file goes that moved as a whole, and the key of what is to be
// done; "" for one that did not.
func moveOf(f *audit.File) (to, do string) {
	switch {
	case f.MergeInto != "":
		return f.MergeInto, "merge-into"
	case !f.Moved:
		return "", ""
	case f.Unasked:
		return f.BelongsAt, "belongs-unasked"
	}
	return f.BelongsAt, "belongs-at"
}

func newFileView(i int, f *audit.File, groups []audit.Group, written string, partial bool) fileView {
	c := &f.Counts
	v := fileView{
		N: i, URL: page.Visible(f.Sitemap.URL), Entries: c.Entries, Written: page.Visible(written), Tags: fileTags(f),
		Dirt: "–", Quiet: c.Entries == 0, Unwritten: say("unchanged"),
	}
	if f.Changed || partial {
		v.Unwritten = say("not-written")
	}
	for _, g := range groups {
		v.Cells = append(v.Cells, cell{i, g, c.Total(g)})
	}
	if c.Entries > c.Verdicts[audit.Skipped] {
		v.Dirt, v.Dirty = page.ErrorRate(c.ErrorRate())
	}
	return v
}

// fileTags says what kind of file it is and who wrote it.
func fileTags(f *audit.File) (out []page.Phrase) {
	s := &f.Sitemap
	switch {
	case s.Kind == "" && slices.ContainsFunc(s.Faults, func(f audit.SitemapFault) bool { return f.Name == audit.DuplicateSitemap }):
		out = append(out, say("kind-again"))
	case s.Kind == "":
		out = append(out, say("kind-none"))
	default:
		out = append(out, say("kind-"+s.Kind))
	}
	if s.Gzip {
		out = append(out, page.Raw("gzip"))
	}
	if f.Relinked > 0 {
		out = append(out, say("relinked", "n", f.Relinked))
	}
	if f.Unlinked > 0 {
		out = append(out, say("unlinked", "n", f.Unlinked))
	}
	if s.Generator != "" {
		out = append(out, page.Raw(page.Visible(s.Generator)))
	}
	if s.AnsweredAt != "" && s.AnsweredAt != s.URL {
		out = append(out, say("answered-at", "url", page.Middle(page.Visible(s.AnsweredAt), 80)))
	}
	return out
}

type faultViews struct {
	Faults     []faultView
	FoldFaults []faultView // listed after them, folded
	MoreFaults int
}

// A faultView is one fault of a sitemap file with its place.
type faultView struct {
	Group                audit.Group
	Icon                 string
	Place                string
	Name, Text, Severity page.Phrase
}

// newFaultViews lists the faults of all files, errors first, each at its line.
func newFaultViews(told *audit.Result) (v faultViews) {
	for _, f := range told.Files {
		for _, x := range f.Sitemap.Faults {
			v.Faults = append(v.Faults, newFaultView(x))
		}
	}
	slices.SortStableFunc(v.Faults, func(a, b faultView) int { return strings.Compare(a.Icon, b.Icon) }) // "error" before "warn"
	if n := len(v.Faults); n > maxFaults {
		v.Faults, v.MoreFaults = v.Faults[:maxFaults], n-maxFaults
	}
	if len(v.Faults) > openFaults {
		v.Faults, v.FoldFaults = v.Faults[:openFaults], v.Faults[openFaults:]
	}
	return v
}

func newFaultView(x audit.SitemapFault) faultView {
	v := faultView{Group: audit.OtherSpelling, Icon: "warn", Place: page.Visible(x.Sitemap), Severity: say("warning")}
	v.Name, v.Text = sitemapFaultText(x)
	if x.Severity == "error" {
		v.Group, v.Icon, v.Severity = audit.NeedsDecision, "error", say("error")
	}
	if x.Line > 0 {
		v.Place += fmt.Sprintf(":%d", x.Line)
		if x.Column > 0 {
			v.Place += fmt.Sprintf(":%d", x.Column)
		}
	}
	return v
}
