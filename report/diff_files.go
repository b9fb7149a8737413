package report

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/messages"
)

// WriteDiffJSON writes a comparison as one JSON object: the two audits, the counts, the sitemaps, and
// every address that is not as before, a line each. It returns the first error of w or of the changes.
func WriteDiffJSON(ctx context.Context, w io.Writer, d *diff.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	counts, sitemaps := map[diff.Kind]int{}, []members{}
	for _, k := range diff.Kinds() {
		counts[k] = d.Counts[k]
	}
	for _, c := range d.Sitemaps {
		sitemaps = append(sitemaps, members{"url", c.URL, "old", sitemapJSON(c.Old), "new", sitemapJSON(c.New)})
	}
	text, err := plainJSON(members{"old", auditJSON(&d.Old), "new", auditJSON(&d.New), "both", d.Both, "open_decisions", d.Open, "counts", counts, "new_verdicts", d.NewVerdicts, "sitemaps", sitemaps})
	if err != nil {
		return err
	}
	bw.Write(text[:len(text)-1])
	bw.WriteString(`,"changes":[`)
	between := "\n"
	for c, err := range d.Changes(ctx) {
		if err != nil {
			return err
		}
		sitemap, line := d.Place(&c)
		text, err := plainJSON(members{"url", c.URL, "kind", c.Kind, "sitemap", sitemap, "line", line, "old?", seenJSON(c.Old), "new?", seenJSON(c.New)})
		if err != nil {
			return err
		}
		bw.WriteString(between)
		if _, err := bw.Write(text); err != nil {
			return err
		}
		between = ",\n"
	}
	bw.WriteString("]}\n")
	return bw.Flush()
}

func auditJSON(i *audit.Info) members {
	return members{"id", i.ID, "start", i.Started.UTC(), "end", i.Ended.UTC(), "targets", i.Targets, "as", i.Identity}
}

func sitemapJSON(s *diff.Sitemap) any {
	if s == nil {
		return nil
	}
	faults := map[string]int{} // places, by name
	for _, f := range s.Faults {
		faults[f.Name] = f.Places
	}
	return members{"read", s.Read, "faults", faults}
}

func seenJSON(o *diff.Observation) members {
	if o == nil {
		return nil
	}
	return members{"verdict", o.Verdict, "status?", o.Status, "target?", o.Target, "fix", o.Fix}
}

// shownInTable is how many changes of each kind the Markdown shows.
const shownInTable = 50

// WriteDiffMarkdown writes what changed between two audits in Markdown (GitHub's tables), as for the
// summary of a job or a ticket: the counts, the sitemaps, and the first changes of each kind; about
// 60,000 bytes at most, as summary.md. Nothing that a site sent can be read as Markdown or HTML. It
// returns an error of w.
func WriteDiffMarkdown(w io.Writer, d *diff.Result, lang string) error {
	t := NewDiffWords(d, lang)
	m := diffMarkdown{words: t}
	m.line("## " + mdCell(shownTargets(d.New.Targets)) + "\n\n" + mdCell(t.Header()))
	var rows []string
	for _, k := range diff.Kinds() {
		if n := d.Counts[k]; n > 0 {
			rows = append(rows, row(messages.Number(n), mdCell(t.Text(string(k)))))
		}
	}
	m.table("", row(mdCell(t.Text("addresses")), mdCell(t.Text("kind"))), rows, len(rows))
	head := func(what string) string {
		return row(mdCell(t.Text(what)), mdCell(t.Text("then")), mdCell(t.Text("now")))
	}
	changed := ChangedSitemaps(d)
	rows = nil
	for i := range changed[:min(shownInTable, len(changed))] {
		then, now := t.Sitemap(&changed[i])
		rows = append(rows, row(mdCode(changed[i].URL), mdCell(then), mdCell(now)))
	}
	m.table(t.Text("sitemaps"), head("sitemap"), rows, len(changed))
	for _, k := range ListedKinds() {
		first := d.First[k][:min(shownInTable, len(d.First[k]))]
		rows = nil
		for i := range first {
			then, now := t.Sides(&first[i])
			rows = append(rows, row(mdCode(first[i].URL), mdCell(then), mdCell(now)))
		}
		m.table(t.Text(string(k)), head("address"), rows, d.Counts[k])
	}
	if len(changed) == 0 && d.Nothing() {
		m.line("\n" + mdCell(t.Text("nothing")))
	}
	_, err := w.Write(m.buf.Bytes())
	return err
}

// maxMarkdown is what a comment on GitHub may have (65,536 characters), with room for a line of the user's.
const maxMarkdown = 60_000

// diffMarkdown is the Markdown of a comparison while it is put together.
type diffMarkdown struct {
	words *DiffWords
	buf   bytes.Buffer
}

func (m *diffMarkdown) line(s string) { m.buf.WriteString(s + "\n") }

// table writes rows under a title, "" for none, as long as there is room, and how many of all are
// left out; nothing where there are none.
func (m *diffMarkdown) table(title, head string, rows []string, all int) {
	if len(rows) == 0 {
		return
	}
	if title != "" {
		m.line("\n### " + mdCell(title))
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
		m.line("\n" + mdCell(m.words.Text("more", "n", messages.Number(all))))
	}
}

// mdCell is a text of at most 300 characters.
func mdCell(s string) string { return escapeMarkdown(middle(s, shownSigns)) }
