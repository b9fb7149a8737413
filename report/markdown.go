package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// maxMarkdown is what a comment on GitHub may have (65,536 characters), with room
// for a line of the user's; a job summary may have 1 MiB. The parts of the text
// share it, the first ones first.
const maxMarkdown = 60_000

// The most rows that each table of summary.md has.
const (
	mdCauses   = 20
	mdFiles    = 100
	mdProblems = 100
	mdFaults   = 50
)

// summaryPage is summary.md while it is put together.
type summaryPage struct {
	terminal
	buf      bytes.Buffer
	problems map[audit.Group][]string // rows of the table
	unmet    []string                 // likewise of the map of --expect
	named    []string                 // likewise of what sitemaps name beside their entries
}

// openMarkdown begins summary.md, for a pull request, a ticket or a job summary, in lang (a
// language tag or locale): the state, what to do, the causes lane by lane, a row for each sitemap
// file, the first problems (those that need a person before those that are corrected), the faults
// of the files, and what could not be checked. It is GitHub's Markdown and has 60,000 bytes at
// most, so that it fits into a comment; what a table leaves out is counted under it. What a site
// sent stands in code spans, and in a sentence with each sign that could be markup as a character
// reference: it makes no link, no mention, no further cell and no HTML. It returns the first error
// of w or of result's rows.
func openMarkdown(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	c := conclude.Of(result, conclude.Options{Again: e.again})
	m := &summaryPage{terminal: terminal{result: result, o: Summary{Again: e.again}, words: messages.Of(e.lang).With(e.again), c: c}, problems: map[audit.Group][]string{}}
	return rows{take: m.take, end: func(whole bool) error {
		if !whole {
			return nil
		}
		if err := m.readExpected(ctx); err != nil {
			return err
		}
		if err := m.readAlso(ctx); err != nil {
			return err
		}
		m.write()
		_, err := m.buf.WriteTo(w)
		return err
	}}, nil
}

// take keeps the first problems of each group.
func (m *summaryPage) take(f *audit.File, r *audit.Row) error {
	g := r.Group()
	if !problemGroup(g) || len(m.problems[g]) >= mdProblems {
		return nil
	}
	final := ""
	if hasFinal(r) && r.Trail.Redirects() > 0 {
		final = mdCode(r.Final.String())
	}
	fix := m.words.Action(r.Fix.Action).Name
	if r.Fix.Loc != "" && r.Fix.Loc != r.Final.String() {
		fix += " " + mdCode(r.Fix.Loc)
	}
	if m.unwritten() && r.Fix.Action != audit.Keep {
		fix = ""
	}
	m.problems[g] = append(m.problems[g], row(escapeMarkdown(m.words.Verdict(r.Verdict).Name), mdCode(url(r)), statuses(r), final, fix,
		mdCode(f.Sitemap.URL), fmt.Sprint(r.Entry.Line)))
	return nil
}

// problemGroup reports whether the entries of g are listed.
func problemGroup(g audit.Group) bool {
	return g == audit.NeedsDecision || g == audit.TakenOut || g == audit.Corrected
}

func (m *summaryPage) write() {
	m.paragraph("## sitemend")
	targets := m.result.Info.Targets
	for _, x := range targets[:min(listed, len(targets))] {
		m.buf.WriteString(mdSpan(address.Shown(x)) + "<br>\n")
	}
	m.paragraph(escapeMarkdown(m.facts()[0]))
	if b := m.result.Build; b != nil {
		m.paragraph(escapeMarkdown(conclude.Modelled(m.words, b)))
	}
	m.paragraph("**" + m.md(m.c.Headline) + "** " + m.md(m.c.Proof))
	if !m.c.Braked { // else the question comes first
		m.bars()
	}
	m.actions()
	if m.c.Braked {
		m.bars()
	}
	for i := range m.c.Lanes {
		m.lane(&m.c.Lanes[i])
	}
	m.reported()
	m.expected()
	m.also()
	m.links()
	m.files()
	m.problemTable()
	m.faultTable()
	m.ruleTable()
	m.ruleFiles()
	m.remarks()
}

// md puts a sentence into words as Markdown.
func (m *summaryPage) md(s conclude.Sentence) string {
	var b strings.Builder
	for i, part := range strings.Split(s.In(m.words), "`") {
		if i%2 == 1 {
			b.WriteString(mdFence(visible(part)))
		} else {
			b.WriteString(escapeMarkdown(part))
		}
	}
	return b.String()
}

// bars are how much is clean, and what the rest is.
func (m *summaryPage) bars() {
	for i := range m.c.Bars {
		b := &m.c.Bars[i]
		var parts []string
		for _, s := range b.Segments {
			parts = append(parts, m.md(s.Label))
		}
		m.buf.WriteString("- " + m.md(b.Name) + ": **" + m.md(b.Figure) + "** (" + strings.Join(parts, " · ") + ")\n")
	}
	if len(m.c.Bars) > 0 {
		m.buf.WriteString("\n")
	}
}

// actions are what to do, numbered.
func (m *summaryPage) actions() {
	if len(m.c.Actions) > 0 {
		m.paragraph("### " + m.text("md-actions"))
	}
	for i := range m.c.Actions {
		a := &m.c.Actions[i]
		who := ""
		if !a.Who.IsZero() {
			who = " (" + m.md(a.Who) + ")"
		}
		fmt.Fprintf(&m.buf, "%d. **%s**%s %s", i+1, m.md(a.Title), who, m.md(a.Text))
		if a.Command != "" {
			m.buf.WriteString(" " + m.md(a.If) + " " + mdFence(visible(a.Command)))
		}
		if !a.Note.IsZero() {
			m.buf.WriteString(" " + m.md(a.Note))
		}
		m.buf.WriteString("\n")
		for _, e := range a.Evidence {
			count := ""
			if e.Count > 0 {
				count = messages.Number(e.Count) + " "
			}
			m.buf.WriteString("   - " + count + m.md(e.Text) + "\n")
		}
	}
	if len(m.c.Actions) > 0 {
		m.buf.WriteString("\n")
	}
}

// paragraph adds a paragraph.
func (m *summaryPage) paragraph(text string) { m.buf.WriteString(text + "\n\n") }

// table adds a heading and a table of as many rows as fit and most allows, with
// the number of those that are left out under it; all is how many there are.
func (m *summaryPage) table(heading string, head []string, rows []string, most, all int) {
	if len(rows) == 0 {
		return
	}
	if heading != "" {
		m.paragraph("### " + heading)
	}
	m.buf.WriteString(row(head...))
	m.buf.WriteString(row(slices.Repeat([]string{"---"}, len(head))...))
	n := 0
	for _, r := range rows[:min(most, len(rows))] {
		if m.buf.Len()+len(r) > maxMarkdown {
			break
		}
		m.buf.WriteString(r)
		n++
	}
	m.buf.WriteString("\n")
	if all > n {
		m.paragraph(m.words.Text("md-more", "n", messages.Number(all-n)))
	}
}

// row is a line of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func (m *summaryPage) text(key string) string { return escapeMarkdown(m.words.Text(key)) }

// lane is the causes of a lane: how many entries, what they have in common, and what to do.
func (m *summaryPage) lane(l *conclude.Lane) {
	var lines []string
	for i := range l.Causes {
		x := &l.Causes[i]
		do := m.md(x.Ask)
		for _, d := range x.Do {
			do = strings.TrimSpace(do + " " + m.md(d))
		}
		if x.Command != "" {
			do += " " + m.md(x.Lift) + " " + mdCode(x.Command)
		}
		if x.Flag != "" {
			do += " " + mdCode(x.Flag)
		}
		example := ""
		if len(x.Examples) > 0 {
			example = mdCode(x.Examples[0].Listed)
		}
		lines = append(lines, row(messages.Number(x.Count), m.md(x.Title), mdCode(x.Pattern.Text()), strings.ReplaceAll(do, "|", `\|`), m.md(x.Who), example))
	}
	heading := m.md(l.Title) + " (" + messages.Number(l.Count) + ")"
	m.table(heading, []string{m.text("md-entries"), m.text("md-cause"), m.text("md-pattern"), m.text("md-do"), m.text("md-who"), m.text("md-example")}, lines, mdCauses, len(lines))
}

// group names a group. Where no sitemap is written, nothing was corrected or removed.
func (m *summaryPage) group(g audit.Group) string {
	if m.unwritten() {
		return m.words.Would(g)
	}
	if g == audit.Fine {
		return m.words.Text("md-clean")
	}
	return m.words.Group(g)
}

// totalOf is how many entries are in a group, as the bars tell them: what is removed as listed
// already is removed, not corrected.
func totalOf(c *audit.Counts, g audit.Group) int {
	switch n := c.Total(g); g {
	case audit.Corrected:
		return n - c.Actions[audit.Merge]
	case audit.TakenOut:
		return n + c.Actions[audit.Merge]
	default:
		return n
	}
}

func (m *summaryPage) files() {
	groups := slices.DeleteFunc(audit.Groups(), func(g audit.Group) bool { return totalOf(&m.result.Counts, g) == 0 })
	head := []string{m.text("md-file"), m.text("md-entries")}
	for _, g := range groups {
		head = append(head, escapeMarkdown(m.group(g)))
	}
	rate := "md-dirt"
	if m.result.Counts.Verdicts[audit.Disallowed] > 0 { // they are no errors, and not clean
		rate = "md-dirt-robots"
	}
	head = append(head, m.text(rate), m.text("md-changed"))
	var lines []string
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if !f.Sitemap.Listed() || f.Sitemap.Kind == "index" && !f.Changed && len(f.Sitemap.Faults) == 0 {
			continue
		}
		cells := []string{mdCode(f.Sitemap.URL), messages.Number(f.Counts.Entries)}
		rate := m.words.Rate(f.Counts.ErrorRate())
		for _, g := range groups {
			n := messages.Number(totalOf(&f.Counts, g))
			if g == audit.Fine && f.Counts.NeedScript() {
				n = m.text("md-unknown")
			}
			cells = append(cells, n)
		}
		switch {
		case f.Counts.NeedScript():
			rate = m.text("md-unknown")
		case f.Counts.Total(audit.LeftOut) == f.Counts.Entries:
			rate = m.text("md-not-crawled")
		}
		if f.Counts.Entries == 0 { // an index, or nobody read it: no number says anything
			rate, cells = "", append(cells[:1], slices.Repeat([]string{""}, len(groups)+1)...)
		}
		switch {
		case f.Sitemap.Unread():
			cells[1] = m.text("md-unread")
		case f.Sitemap.Again():
			cells[1] = m.text("md-again")
		case f.Sitemap.Kind == "index" && f.Sitemap.Parent >= 0:
			cells[1] = m.text("md-nested")
		case f.Sitemap.InPart() && f.Sitemap.Kind != "index":
			cells[1] = escapeMarkdown(m.words.Text("md-in-part", "n", messages.Number(f.Counts.Entries)))
		}
		written := ""
		if f.Changed && m.result.Writes() {
			written = mdCode(sitemapsDir + "/" + f.Name)
		}
		lines = append(lines, row(append(cells, rate, written)...))
	}
	m.table(m.text("md-files"), head, lines, mdFiles, len(lines))
}

func (m *summaryPage) problemTable() {
	var lines []string
	all := 0
	for _, g := range []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.Corrected} {
		lines = append(lines, m.problems[g]...)
		all += m.result.Counts.Total(g)
	}
	heading := m.text("md-problems")
	if all > mdProblems {
		heading = escapeMarkdown(m.words.Text("md-first", "n", messages.Number(mdProblems), "all", messages.Number(all)))
	}
	head := []string{m.text("md-verdict"), m.text("md-url"), m.text("md-statuses"), m.text("md-final"), m.text("md-written"), m.text("md-file"), m.text("md-line")}
	m.table(heading, head, lines, mdProblems, all)
}

func (m *summaryPage) faultTable() {
	var lines []string
	for i := range m.result.Files {
		for _, x := range m.result.Files[i].Sitemap.Faults {
			at := mdCode(m.result.Files[i].Sitemap.URL)
			line := ""
			if x.Line > 0 {
				line = fmt.Sprint(x.Line)
			}
			name, text := m.words.SitemapFault(x)
			lines = append(lines, row(escapeMarkdown(m.words.Count(x.Severity+"s", x.Places())), escapeMarkdown(name), mdCode(text), at, line))
		}
	}
	m.table(m.text("md-faults"), []string{"", m.text("md-fault"), "", m.text("md-file"), m.text("md-line")}, lines, mdFaults, len(lines))
}

// remarks adds the labelled lines of the terminal's summary: files that move, and what hindered the
// audit.
func (m *summaryPage) remarks() {
	m.terminal.remarks()
	last := ""
	for _, l := range m.below {
		line := "- **" + escapeMarkdown(l.label) + "** " + m.prose(l.text) + "\n"
		if l.label == last {
			line = "  - " + m.prose(l.text) + "\n"
		}
		last = l.label
		if m.buf.Len()+len(line) > maxMarkdown {
			return
		}
		m.buf.WriteString(line)
	}
}

// mdPlain writes the signs that can be markup in GitHub's Markdown or begin a link
// that it makes by itself as character references. A mention is made from the
// text after all markup is read, but not in code.
var mdPlain = func() *strings.Replacer {
	pairs := []string{"@", "<code>&#64;</code>", "://", "&#58;//", "www.", "&#119;ww."}
	for _, r := range "&<>`*_[]\\|~#$" {
		pairs = append(pairs, string(r), fmt.Sprintf("&#%d;", r))
	}
	return strings.NewReplacer(pairs...)
}()

// prose is escapeMarkdown for a sentence that may name the command which writes this again:
// that stands as code, so that it can be pasted as it is.
func (m *summaryPage) prose(s string) string {
	s = visible(s)
	if m.o.Again == "" {
		return mdPlain.Replace(s)
	}
	command := regexp.MustCompile(regexp.QuoteMeta(visible(m.o.Again)) + `( --[a-z-]+ [^ ;]+)*`)
	var b strings.Builder
	for at := command.FindStringIndex(s); at != nil; at = command.FindStringIndex(s) {
		before, after := strings.TrimSuffix(s[:at[0]], "`"), strings.TrimPrefix(s[at[1]:], "`")
		b.WriteString(mdPlain.Replace(before) + mdFence(s[at[0]:at[1]]))
		s = after
	}
	return b.String() + mdPlain.Replace(s)
}

// escapeMarkdown returns s as text that stands for itself anywhere in a line but
// at its start.
func escapeMarkdown(s string) string { return mdPlain.Replace(visible(s)) }

// mdCode returns s as code in a cell of a table, on one line, cut in its middle
// where it is longer than 200 characters; "" for nothing. A table is split into
// cells before anything else is read, so a | needs its backslash in code, too.
func mdCode(s string) string { return strings.ReplaceAll(mdSpan(s), "|", `\|`) }

// mdSpan is mdCode for text that stands in no table: a code span (CommonMark 6.1),
// in which nothing is markup but backticks: it begins and ends with one more of
// them than stand together in s.
func mdSpan(s string) string {
	if s == "" {
		return ""
	}
	return mdFence(middle(visible(s), 200))
}

// mdFence returns s, which visible has seen, as a code span.
func mdFence(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence != "`" || strings.HasPrefix(s, " ") {
		s = " " + s + " " // one is taken off again at each end
	}
	return fence + s + fence
}

// middle shortens s to at most n characters by leaving out its middle, so that
// the host and the last segment of an address stay readable.
func middle(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	tail := n * 2 / 5
	return string(rs[:n-tail-1]) + "…" + string(rs[len(rs)-tail:])
}

// MarkdownText returns s as text of Markdown that stands for itself anywhere in a line but at its
// start, with what hides in it written out.
func MarkdownText(s string) string { return escapeMarkdown(s) }
