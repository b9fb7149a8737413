package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// mdCauses is the most rows that the table of summary.md has: with them it has 40 lines at most.
const mdCauses = 15

// openMarkdown begins summary.md, for a pull request, a ticket or a job summary, in lang (a language
// tag or locale): what the terminal says, and the largest causes with an example and what to do. It is GitHub's Markdown, and has 40 lines at most. What a site
// sent stands in code spans, and in a sentence with each sign that could be markup as a character
// reference: it makes no link, no mention, no further cell and no HTML. It returns the first error
// of w or of result's rows.
func openMarkdown(_ context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
	m := &summaryPage{terminal: terminal{words: messages.Of(o.Lang), c: conclude.Of(result, o.Again)}}
	return rows{func(*audit.File, *audit.Row) error { return nil }, func() error {
		m.write(&result.Info)
		_, err := m.buf.WriteTo(w)
		return err
	}}, nil
}

// summaryPage is summary.md while it is put together.
type summaryPage struct {
	terminal
	buf bytes.Buffer
}

func (m *summaryPage) write(info *audit.Info) {
	m.paragraph("## sitemend")
	m.paragraph(escapeMarkdown(m.site(info)))
	m.paragraph("**" + escapeMarkdown(m.said(m.c.Headline)) + "**")
	for _, line := range m.alarm() {
		if command := strings.TrimPrefix(line, "  "); command != line {
			m.paragraph(mdFence(command))
		} else {
			m.paragraph(escapeMarkdown(line))
		}
	}
	for _, l := range m.lanes() {
		fmt.Fprintf(&m.buf, "- **%s** %s: %s\n", escapeMarkdown(l.label), messages.Number(l.n), escapeMarkdown(l.text))
	}
	for _, said := range m.c.Proof {
		if line := m.said(said); !slices.Contains(m.alarm(), cut(line)) { // which stands above
			fmt.Fprintf(&m.buf, "- %s\n", escapeMarkdown(line))
		}
	}
	m.buf.WriteString("\n")
	m.causes()
}

// paragraph adds a paragraph.
func (m *summaryPage) paragraph(text string) { m.buf.WriteString(text + "\n\n") }

// row is a line of a table, which is split into cells before anything else is read: a | needs its
// backslash in code, too.
func row(cells ...string) string {
	for i, s := range cells {
		cells[i] = strings.ReplaceAll(s, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// causes are the largest causes of each lane, with an example and what to do; of more than fit the
// last line counts those that are left out.
func (m *summaryPage) causes() {
	var lines []string
	for i := range m.c.Lanes {
		for j := range m.c.Lanes[i].Causes {
			lines = append(lines, m.cause(&m.c.Lanes[i].Causes[j]))
		}
	}
	if len(lines) == 0 {
		return
	}
	if over := len(lines) - mdCauses; over > 0 {
		lines = append(lines[:mdCauses-1:mdCauses-1], row(m.text("more", "n", over+1), "", "", ""))
	}
	m.buf.WriteString(row(m.text("urls"), m.text("col-cause"), m.text("for-example"), m.text("do")) + row("---", "---", "---", "---"))
	m.buf.WriteString(strings.Join(lines, "") + "\n")
}

func (m *summaryPage) cause(x *conclude.Cause) string {
	do, example := x.Do, ""
	if x.Ask != nil {
		do = messages.Say("two", "one", x.Ask, "two", x.Do)
	}
	if len(x.Examples) > 0 {
		example = mdFence(messages.Middle(visible(x.Examples[0].Listed), 200))
	}
	return row(messages.Number(x.Count), mdText(x.Title.In(m.words)), example, mdText(do.In(m.words)))
}

// mdText is a text as Markdown, in which `code` stands between backticks.
func mdText(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString(mdFence(visible(part)))
		} else {
			b.WriteString(escapeMarkdown(part))
		}
	}
	return b.String()
}

// mdMarkup is a word with a sign that can be markup in GitHub's Markdown, or begin a link or a
// mention that it makes by itself.
var mdMarkup = regexp.MustCompile("[!-~]*(?:[&<`*_\\[\\]\\\\|~#$@]|://|www\\.)[!-~]*")

// escapeMarkdown returns s as text that stands for itself anywhere in a line but at its start, also for
// who reads it raw: a word that could be markup is code.
func escapeMarkdown(s string) string {
	return mdMarkup.ReplaceAllStringFunc(visible(s), func(word string) string {
		bare := strings.TrimRight(word, ".,:;")
		return mdFence(bare) + word[len(bare):]
	})
}

// mdFence returns s, which visible has seen, as a code span (CommonMark 6.1), in which nothing is markup but
// backticks: it begins and ends with one more of them than stand together in s.
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
