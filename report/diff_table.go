package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/words"
)

// diffColumns is the first line of the CSV of a comparison. The names are never
// changed and new ones come last.
const diffColumns = "url,effect,kinds,verdict_then,verdict_now,final_status_then,final_status_now,redirects_then,redirects_now," +
	"temporary_then,temporary_now,target_then,target_now,sitemap,line"

// WriteDiffCSV writes every address that is not as before, in order of address,
// as WriteCSV writes cells. then and now are the older and the newer audit; cells
// of the one that does not list the address are empty. kinds has a space between
// them; target is where the address ends, or its canonical, where that is another
// one; sitemap and line are the first place now, else then. It returns the first
// error of w or of the sights.
func WriteDiffCSV(w io.Writer, d *audit.Diff) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + diffColumns + "\r\n")
	var line []byte
	for c, err := range d.Changes() {
		if err != nil {
			return err
		}
		line = diffLine(line[:0], d, &c)
		if _, err := bw.Write(line); err != nil {
			return err
		}
	}
	return bw.Flush()
}

func diffLine(b []byte, d *audit.Diff, c *audit.Change) []byte {
	line := cells{b: b}
	line.text(c.Address)
	line.text(string(c.Effect))
	line.text(join(c.Kinds))
	both := []*audit.Sight{c.Old, c.New}
	for i, s := range both {
		if s == nil {
			both[i] = &audit.Sight{}
		}
	}
	for _, s := range both {
		line.text(string(s.Verdict))
	}
	for _, s := range both {
		line.numberOr(s.Status, s.Status != 0)
	}
	for _, s := range both {
		line.numberOr(s.Hops, s.Verdict != "")
	}
	for _, s := range both {
		line.text(yes(s.Temporary, s.Hops > 0))
	}
	for _, s := range both {
		line.text(s.Target)
	}
	sitemap, at := d.Place(c)
	line.text(sitemap)
	line.number(at)
	return line.end()
}

// shownInTable is how many changes of each effect the Markdown shows.
const shownInTable = 50

// WriteDiffMarkdown writes what changed between two audits in Markdown (GitHub's
// tables), as for the summary of a job or a ticket: the counts, then the causes,
// the sitemaps and the gravest changes of each effect. Nothing that a site sent
// can be read as Markdown or HTML. It returns an error of w.
func WriteDiffMarkdown(w io.Writer, d *audit.Diff, lang string) error {
	t := differing{DiffWords: NewDiffWords(d, lang)}
	m := markdown{w: bufio.NewWriter(w)}
	m.line("## " + escapeMarkdown(strings.Join(d.New.Targets, " ")))
	m.line("")
	m.line(escapeMarkdown(t.Header()))
	m.line("")
	for _, name := range d.Differ.Names() {
		m.line("- " + escapeMarkdown(t.diff.Text("differ-"+name)))
	}
	m.table([]string{"", "", ""}, func(row func(...string)) {
		for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise, audit.Same, audit.NotCompared} {
			if n := d.Effects[e]; n > 0 {
				row(words.Number(n), t.diff.Text(string(e)), t.Parts(e))
			}
		}
	})
	t.mdCauses(&m)
	t.mdFiles(&m)
	for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise} {
		t.mdChanges(&m, e)
	}
	return m.w.Flush()
}

func (t *differing) mdCauses(m *markdown) {
	if len(t.d.Causes) == 0 {
		return
	}
	m.table([]string{t.diff.Text("label-cause"), t.diff.Text("label-then"), t.diff.Text("label-now")}, func(row func(...string)) {
		for _, c := range MostChanged(t.d.Causes, shownInTable) {
			row(t.Cause(&c), words.Number(c.Old), words.Number(c.New))
		}
	})
}

func (t *differing) mdFiles(m *markdown) {
	files := ChangedFiles(t.d.Files)
	if len(files) == 0 {
		return
	}
	m.table([]string{t.diff.Text("label-sitemap"), t.diff.Text("label-then"), t.diff.Text("label-now")}, func(row func(...string)) {
		for _, f := range files[:min(shownInTable, len(files))] {
			row(f.URL, t.Tally(f.Old), t.Tally(f.New))
		}
	})
	if more := len(files) - shownInTable; more > 0 {
		m.line(escapeMarkdown(t.diff.Text("more", "n", words.Number(more))))
	}
}

func (t *differing) mdChanges(m *markdown, e audit.Effect) {
	first := t.d.First[e]
	first = first[:min(shownInTable, len(first))]
	if len(first) == 0 {
		return
	}
	m.line("")
	m.line("### " + escapeMarkdown(t.diff.Text("label-"+string(e))))
	m.table([]string{t.diff.Text("label-address"), t.diff.Text("label-then"), t.diff.Text("label-now")}, func(row func(...string)) {
		for i := range first {
			old, new := t.Sides(&first[i])
			row(first[i].Address, old, new)
		}
	})
	if more := t.d.Effects[e] - len(first); more > 0 {
		m.line("")
		m.line(escapeMarkdown(t.diff.Text("more", "n", words.Number(more))))
	}
}

// markdown writes lines and tables.
type markdown struct{ w *bufio.Writer }

func (m *markdown) line(s string) { m.w.WriteString(s + "\n") }

func (m *markdown) table(head []string, rows func(row func(cells ...string))) {
	write := func(cells ...string) {
		for _, c := range cells {
			fmt.Fprintf(m.w, "| %s ", escapeMarkdown(c))
		}
		m.line("|")
	}
	m.line("")
	write(head...)
	m.line(strings.Repeat("|---", len(head)) + "|")
	rows(write)
}
