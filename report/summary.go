package report

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// A Summary says how WriteSummary writes.
type Summary struct {
	Written Written // what was written, as WriteAll returned it; the zero value for nothing
	Lang    string  // language tag or locale; English where there are no words for it
	Again   string  // the command that writes the outputs again; "sitemend report" where it is ""
}

const (
	mostLines   = 14  // of the summary of any audit
	mostColumns = 100 // of a line; a command or a path alone may be longer, for it is pasted
	labelWidth  = 14
)

// WriteSummary writes the summary for a terminal: the site; how many URLs are clean, today and after
// the upload; what changed since the last audit; what is fixed, to decide and unknown, with the largest
// causes of each; what to do. It has at most 14 lines of 100 columns. What a site sent cannot steer the
// terminal: controls are written out. It returns an error of w.
func WriteSummary(w io.Writer, result *audit.Result, o Summary) error {
	t := terminal{o: o, words: messages.Of(o.Lang), c: conclude.Of(result, o.Again)}
	lines := append([]string{t.site(&result.Info), "", cut(t.said(t.c.Headline))}, t.alarm()...)
	if t.c.Since != nil {
		lines = append(lines, cut(t.said(t.c.Since)))
	}
	lanes, steps, wide := t.lanes(), t.steps(), max(3, len(messages.Number(t.c.Entries)))
	lines = append(lines, make([]string, min(1, len(lanes)))...) // one line is blank
	for i, l := range lanes {
		if i > 0 && l.label == lanes[i-1].label { // it goes on
			l.label = ""
		}
		lines = append(lines, cut(pad("  "+l.label, labelWidth)+pad(messages.Number(l.n), wide+2)+l.text))
	}
	steps = steps[:min(len(steps), mostLines-1-len(lines))] // the last ones are said in the report, too
	return writeLines(w, slices.Concat(lines, []string{""}, steps))
}

// terminal is the summary while it is put together. It words what is concluded, and counts nothing.
type terminal struct {
	o     Summary
	words *messages.Catalogue
	c     *conclude.Conclusion
}

// text is a text of the catalogue.
func (t *terminal) text(key string, pairs ...any) string {
	return visible(t.words.Text(key, pairs...))
}

// said puts a sentence into words.
func (t *terminal) said(s messages.Sentence) string { return visible(s.Plain(t.words)) }

// cut shortens a line to what fits.
func cut(s string) string { return ruler.Truncate(s, mostColumns, "…") }

// site names what was audited, how much of it, and when.
func (t *terminal) site(info *audit.Info) string {
	hosts := t.c.Hosts
	name := strings.Join(hosts[:min(2, len(hosts))], t.text("brief-and"))
	if more := len(hosts) - 2; more > 0 {
		name = strings.Join(hosts[:2], ", ") + ", " + t.text("more", "n", more)
	}
	facts := t.text("brief-facts", "sitemaps", messages.Say("n-sitemaps", "n", t.c.Sitemaps), "urls", messages.Say("entries", "n", t.c.Entries), "date", info.Started.UTC().Format(time.DateOnly), "took", messages.Took(info.Duration))
	return ruler.Truncate(name, mostColumns-3-cellsOf(facts), "…") + "   " + facts
}

// alarm is what to know before the numbers, and what to type then: two lines at most.
func (t *terminal) alarm() (lines []string) {
	a := t.c.Alarm
	if a.Key != "" && !a.Leads { // else the headline says it
		lines = append(lines, cut(t.said(a.Said)))
	}
	if a.Command != "" {
		lines = append(lines, "  "+visible(a.Command))
	}
	return lines
}

// A lane is a number of URLs under a label: "To decide   15   3 soft 404".
type lane struct {
	label string
	n     int
	text  string
}

// lanes are what is fixed, to decide and unknown: four at most.
func (t *terminal) lanes() (lanes []lane) {
	add := func(key string, n int, text string) {
		if n > 0 {
			lanes = append(lanes, lane{t.text(key), n, text})
		}
	}
	c, fixed, removed, replaced := t.c, "lane-upload", "brief-removed", "brief-replaced"
	if !c.Writes {
		fixed, removed, replaced = "lane-would", "brief-can-removed", "brief-can-replaced"
	}
	add(fixed, c.Replaced, t.text(replaced, "n", c.Replaced))
	add(fixed, c.Removed.N, t.text(removed, "why", t.named(c.Removed)))
	add("lane-decide", c.Decide, t.named(c.Decided))
	var parts []string
	if c.Unseen > 0 {
		var whys []string
		for _, p := range c.Unknown.By[:min(conclude.Evidences, len(c.Unknown.By))] {
			whys = append(whys, t.words.Fault(p.Key))
		}
		parts = append(parts, t.text("brief-unseen", "n", c.Unseen, "why", strings.Join(slices.Compact(whys), t.text("between"))))
	}
	if c.LeftOut > 0 {
		parts = append(parts, t.words.Counted(string(audit.Skipped), c.LeftOut))
	}
	add("lane-unseen", c.Unseen+c.LeftOut, strings.Join(parts, t.text("between")))
	return lanes
}

// named names the largest of numbers, and how many more there are: "3 duplicates, 2 not found".
func (t *terminal) named(p conclude.Numbers) string {
	var parts []string
	left, shown := p.N, p.By
	if len(shown) > conclude.Evidences { // as on the page
		shown = shown[:conclude.Evidences-1]
	}
	for _, x := range shown {
		parts = append(parts, t.words.Counted(x.Key, x.N))
		left -= x.N
	}
	if left > 0 {
		parts = append(parts, t.text("more", "n", left))
	}
	return visible(strings.Join(parts, t.text("between")))
}

// steps are what to do, the most important first.
func (t *terminal) steps() (lines []string) {
	c := t.c
	step := func(when bool, label, text string) {
		line := pad(t.text(label), labelWidth) + text
		if !strings.Contains(text, string(filepath.Separator)) { // a path is pasted
			line = cut(line)
		}
		if when {
			lines = append(lines, line)
		}
	}
	files := t.text("n-files", "n", c.Files)
	if c.Moving > 0 {
		files += "; " + t.text("brief-move", "n", c.Moving)
	}
	step(c.Files > 0, "brief-step-upload", visible(filepath.Join(t.o.Written.Dir, sitemapsDir, c.Folder)+string(filepath.Separator))+"   ("+files+")")
	// whoever uploads the folder would remove what was not read
	step(c.Copies != "", "brief-step-keep-out", c.Copies+" ("+t.text("diff-in-part")+")")
	step(c.Files > 0, "brief-step-then", t.text("brief-resubmit"))
	if file := t.reportFile(); file != "" {
		label, text := "brief-step-report", t.text("brief-open", "file", file)
		if c.Decide > 0 {
			label = "brief-step-decide"
		}
		if faults := t.said(messages.Join("between", c.Faults...)); faults != "" {
			text += "   (" + faults + ")"
		}
		step(true, label, text)
	}
	for _, x := range c.Besides {
		step(c.Entries > 0, x.Label, t.said(x.Said))
	}
	step(c.Asked != nil, "Googlebot", t.said(c.Asked))
	step(c.Asked == nil && c.Spelt > 0 && c.Alarm.Key != "stopped", "brief-step-encoding", t.text("encoded", "n", c.Spelt))
	return lines
}

// reportFile returns where to read more: the page, else the first other output.
func (t *terminal) reportFile() string {
	for _, f := range append(formats, format{file: summaryName}) {
		if name := f.file; slices.Contains(t.o.Written.Files, name) {
			return visible(filepath.Join(t.o.Written.Dir, name))
		}
	}
	return ""
}
