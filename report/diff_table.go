package report

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"iter"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// diffColumns is the first line of the CSV of a comparison. The names are never
// changed and new ones come last.
const diffColumns = "url,effect,kinds,verdict_then,verdict_now,final_status_then,final_status_now,redirects_then,redirects_now," +
	"temporary_then,temporary_now,target_then,target_now,sitemap,line,fix_then,written_then,list"

// WriteDiffCSV writes every address that is not as before, in order of address, as entries.csv
// writes cells. then and now are the older and the newer audit; cells of the one that does not list
// the address are empty. kinds has a space between them; target is where the address ends, or its
// canonical, where that is another one; sitemap and line are the first place now, else then;
// fix_then (replace, merge or drop) and written_then are the correction of the older audit. Behind
// the entries come the addresses that sitemaps name beside them, list by list (alternates, images,
// videos), of which sitemap and line are the first entry that names each. It returns the first
// error of w or of the sights.
func WriteDiffCSV(ctx context.Context, w io.Writer, d *audit.Diff) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + diffColumns + "\r\n")
	var line []byte
	for x, err := range eachChange(ctx, d) {
		if err != nil {
			return err
		}
		line = diffLine(line[:0], &x)
		if _, err := bw.Write(line); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// A listChange is a change of an entry, or of an address of a list beside the entries.
type listChange struct {
	d    *audit.Diff // that it is of
	list audit.AlsoList
	audit.Change
}

// eachChange yields all changes: of the entries, then of each list that is compared.
func eachChange(ctx context.Context, d *audit.Diff) iter.Seq2[listChange, error] {
	return func(yield func(listChange, error) bool) {
		all := append([]audit.AlsoDiff{{Diff: d}}, d.Also...)
		for _, x := range all {
			if x.Diff == nil {
				continue
			}
			for c, err := range x.Diff.Changes(ctx) {
				if !yield(listChange{x.Diff, x.List, c}, err) || err != nil {
					return
				}
			}
		}
	}
}

func diffLine(b []byte, c *listChange) []byte {
	line := cells{b: b}
	line.text(c.Address)
	line.text(string(c.Effect))
	line.text(plain.Join(c.Kinds))
	both := []*audit.Observation{c.Old, c.New}
	for i, s := range both {
		if s == nil {
			both[i] = &audit.Observation{}
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
	sitemap, at := c.d.Place(&c.Change)
	line.text(sitemap)
	line.number(at)
	line.text(string(both[0].Fix))
	line.text(both[0].Written)
	line.text(string(c.list))
	return line.end()
}

// shownInTable is how many changes of each effect the Markdown shows.
const shownInTable = 50

// WriteDiffMarkdown writes what changed between two audits in Markdown (GitHub's
// tables), as for the summary of a job or a ticket: the counts, then the gravest
// changes of each effect, the causes and the sitemaps; about 60,000 bytes at most,
// as summary.md. Nothing that a site sent can be read as Markdown or HTML. It
// returns an error of w.
func WriteDiffMarkdown(w io.Writer, d *audit.Diff, lang string) error {
	m := diffMarkdown{DiffWords: NewDiffWords(d, lang)}
	m.line("## " + mdCell(shownTargets(d.New.Targets)) + "\n\n" + mdCell(m.Header()))
	for _, name := range d.Differ.Names() {
		m.line("- " + mdCell(m.Text("differ-"+name)))
	}
	if since := m.Since(); since != "" {
		m.line("\n**" + mdCell(since) + "**")
	}
	var rows []string
	for _, e := range DiffEffects() {
		if n := d.Effects[e]; n > 0 {
			rows = append(rows, row(messages.Number(n), mdCell(m.Text(string(e))), mdCell(m.Parts(e))))
		}
	}
	m.table("", row(mdCell(m.Text("label-addresses")), mdCell(m.Text("label-effect")), mdCell(m.Text("label-parts"))), rows, len(rows))
	for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise} {
		m.changes("### ", m.DiffWords, e)
	}
	rows = nil
	for _, c := range MostChanged(d.Causes, shownInTable) {
		was, is := c.Named()
		rows = append(rows, row(mdCell(m.Cause(&c)+" ("+m.Turn(&c)+")"), messages.Number(was), messages.Number(is)))
	}
	m.table("### "+m.Text("label-causes"), m.head("label-cause"), rows, len(d.Causes))
	rows = nil
	files := ChangedFiles(d.Files)
	for _, f := range files[:min(shownInTable, len(files))] {
		then, now := m.Tallies(&f)
		rows = append(rows, row(mdCode(f.URL), mdCell(then), mdCell(now)))
	}
	m.table("### "+m.Text("label-sitemaps"), m.head("label-sitemap"), rows, len(files))
	m.beside()
	if note := m.Nothing(); note != "" {
		m.line("\n" + mdCell(note))
	}
	_, err := w.Write(m.buf.Bytes())
	return err
}

// diffMarkdown is the Markdown of a comparison while it is put together.
type diffMarkdown struct {
	*DiffWords
	buf bytes.Buffer
}

func (m *diffMarkdown) line(s string) { m.buf.WriteString(s + "\n") }

func (m *diffMarkdown) head(what string) string {
	return row(mdCell(m.Text(what)), mdCell(m.Text("label-then")), mdCell(m.Text("label-now")))
}

// changes writes the gravest changes of an effect under a heading of a level ("### "), in the words
// of the entries or of a list.
func (m *diffMarkdown) changes(level string, in *DiffWords, e audit.Effect) {
	first, all, groups := in.Shown(e)
	var rows []string
	for i := range first[:min(shownInTable, len(first))] {
		then, now := in.Sides(&first[i])
		rows = append(rows, row(mdCode(first[i].Address), mdCell(then), mdCell(now)))
	}
	all -= len(rows)
	for _, g := range groups {
		what, then, now := in.Group(g)
		rows = append(rows, row(mdCell(what), mdCell(then), mdCell(now)))
	}
	m.table(level+m.Text("label-"+string(e)), m.head("label-address"), rows, all+len(rows))
}

// beside writes what changed beside the entries.
func (m *diffMarkdown) beside() {
	for _, x := range m.Lists() {
		m.line("\n### " + mdCell(m.List(x)) + "\n\n" + mdCell(m.ListState(x)))
		if x.Diff == nil {
			continue
		}
		for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise} {
			m.changes("#### ", m.In(x), e)
		}
	}
	var rows []string
	for i := range m.d.Faults {
		x := &m.d.Faults[i]
		rows = append(rows, row(mdCell(m.Stated(m.Fault(x), m.FaultState(x))), messages.Number(x.Then), messages.Number(x.Now)))
		for _, place := range m.FaultPlaces(x) {
			rows = append(rows, row(mdCell(place), "", ""))
		}
	}
	m.table("### "+m.Text("label-faults"), m.head("label-fault"), rows, len(rows))
	rows = nil
	for _, l := range m.Links() {
		rows = append(rows, row(mdCell(m.Stated(l.Name, l.State)), mdCell(l.Then), mdCell(l.Now)))
	}
	m.table("### "+m.Text("label-links"), m.head("label-linked"), rows, len(rows))
	if basis := m.LinksBasis(); basis != "" {
		m.line("\n" + mdCell(basis))
	}
}

// Stated is a name with what is said of it.
func (t *DiffWords) Stated(name, state string) string {
	return t.diff.Text("stated", "what", name, "parts", state)
}

// table writes rows under a heading ("### Worse"; "" for none) as long as there is room, and how
// many of all are left out; nothing where there are none.
func (m *diffMarkdown) table(heading, head string, rows []string, all int) {
	if len(rows) == 0 {
		return
	}
	if heading != "" {
		m.line("\n" + heading)
	}
	m.line("\n" + head + strings.Repeat("|---", strings.Count(head, "|")-1) + "|")
	for _, r := range rows {
		if m.buf.Len()+len(r) > maxMarkdown {
			break
		}
		m.buf.WriteString(r)
		all--
	}
	if all > 0 {
		m.line("\n" + mdCell(m.Text("more", "n", messages.Number(all))))
	}
}

// mdCell is a text of at most 300 characters.
func mdCell(s string) string { return escapeMarkdown(middle(s, 300)) }
