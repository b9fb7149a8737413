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
	mostNamed   = 3 // causes of a lane
)

// WriteSummary writes the summary for a terminal: the site; how many URLs are clean, today and after
// the upload; what is fixed, to decide and unknown, with the largest causes of each; what to do. It
// has at most 14 lines of 100 columns. What a site sent cannot steer the terminal: controls are
// written out. It returns an error of w.
func WriteSummary(w io.Writer, result *audit.Result, o Summary) error {
	t := terminal{o: o, words: messages.Of(o.Lang), c: conclude.Of(result, conclude.Options{Again: o.Again})}
	head, steps := []string{t.site(result.Info.Duration), "", cut(t.said(t.c.Headline))}, t.steps()
	head = append(head, t.alarm()...)
	var lanes []string
	wide := 3
	for _, l := range t.lanes() {
		wide = max(wide, len(messages.Number(l.n)))
	}
	for _, l := range t.lanes() {
		lanes = append(lanes, cut(pad("  "+l.label, labelWidth)+pad(messages.Number(l.n), wide+2)+l.text))
	}
	if len(lanes) > 0 {
		lanes = append([]string{""}, lanes...)
	}
	if over := len(head) + len(lanes) + 1 + len(steps) - mostLines; over > 0 {
		steps = steps[:len(steps)-over] // the last ones are said in the report, too
	}
	return writeLines(w, slices.Concat(head, lanes, []string{""}, steps))
}

// terminal is the summary while it is put together. It words what is concluded, and counts nothing.
type terminal struct {
	o     Summary
	words *messages.Catalogue
	c     *conclude.Conclusion
}

func (t *terminal) text(key string, pairs ...string) string {
	return visible(t.words.Text("brief-"+key, pairs...))
}

func (t *terminal) count(key string, n int, pairs ...string) string {
	return visible(t.words.Count("brief-"+key, n, pairs...))
}

// said puts a sentence into words.
func (t *terminal) said(s conclude.Sentence) string { return visible(s.Plain(t.words)) }

// cut shortens a line to what fits.
func cut(s string) string { return ruler.Truncate(s, mostColumns, "…") }

// site names what was audited, and how much of it.
func (t *terminal) site(took time.Duration) string {
	hosts := t.c.Hosts
	name := strings.Join(hosts[:min(2, len(hosts))], t.text("and"))
	if more := len(hosts) - 2; more > 0 {
		name = strings.Join(hosts[:2], ", ") + ", " + t.words.Count("more", more)
	}
	unit, n, m := messages.Span(took)
	facts := t.text("facts", "sitemaps", t.words.Count("n-sitemaps", t.c.Sitemaps), "urls", t.words.Count("entries", t.c.Entries),
		"took", t.words.Text(unit, "n", messages.Number(n), "m", messages.Number(m)))
	return ruler.Truncate(name, mostColumns-3-cellsOf(facts), "…") + "   " + facts
}

// alarm is what to know before the numbers, and what to type then: two lines at most.
func (t *terminal) alarm() (lines []string) {
	a := t.c.Alarm
	switch {
	case t.o.Written.Spared:
		return []string{cut(t.text("spared", "dir", t.o.Written.Dir))}
	case a.Key == "":
		return nil
	case a.Leads: // the headline says it
	default:
		lines = append(lines, cut(t.said(a.Said)))
	}
	if a.Command != "" {
		lines = append(lines, "  "+visible(a.Command))
	}
	return lines
}

// A lane is a number of URLs under a label, "" for that of the one before: "To decide   15   3 soft 404".
type lane struct {
	label string
	n     int
	text  string
}

// lanes are what is fixed, to decide and unknown: four at most.
func (t *terminal) lanes() (lanes []lane) {
	add := func(label string, n int, text string) {
		if len(lanes) > 0 && lanes[len(lanes)-1].label == label {
			label = ""
		}
		if n > 0 {
			lanes = append(lanes, lane{label, n, text})
		}
	}
	c := t.c
	fixed, replaced, removed := "lane-upload", "replaced", "removed"
	if !c.Writes {
		fixed, replaced, removed = "lane-would", "can-replace", "can-remove"
	}
	add(t.lane(fixed), c.Replaced, t.text(replaced))
	add(t.lane(fixed), c.Removed.N, t.text(removed, "why", t.named(c.Removed)))
	add(t.lane("lane-decide"), c.Decide, t.named(c.Decided))
	var parts []string
	if c.Unseen > 0 {
		var whys []string
		for _, p := range c.Unknown.By[:min(mostNamed, len(c.Unknown.By))] {
			whys = append(whys, visible(t.words.Fault(audit.Fault(p.Key))))
		}
		parts = append(parts, t.count("unseen", c.Unseen, "why", strings.Join(whys, ", ")))
	}
	if c.LeftOut > 0 {
		parts = append(parts, t.words.Counted(string(audit.Skipped), c.LeftOut))
	}
	add(t.lane("lane-unseen"), c.Unseen+c.LeftOut, strings.Join(parts, ", "))
	return lanes
}

// lane is the title of a lane.
func (t *terminal) lane(key string) string { return messages.Conclude().Of(t.words.Lang(), key) }

// named names the largest of numbers, and how many more there are.
func (t *terminal) named(p conclude.Numbers) string {
	var parts []string
	left := p.N
	most := mostNamed
	if len(p.By) == mostNamed+1 {
		most++ // "1 more" says no less
	}
	for _, x := range p.By[:min(most, len(p.By))] {
		parts = append(parts, t.kind(x.Key, x.N))
		left -= x.N
	}
	if left > 0 {
		parts = append(parts, t.words.Count("more", left))
	}
	return strings.Join(parts, ", ")
}

// kind is what so many URLs are called in a few words: "3 duplicates".
func (t *terminal) kind(key string, n int) string {
	if key == "duplicate" {
		return t.count("duplicate", n)
	}
	return visible(t.words.Counted(key, n))
}

// steps are what to do, the most important first.
func (t *terminal) steps() (lines []string) {
	c := t.c
	if c.Files > 0 {
		text := t.words.Count("n-files", c.Files)
		if c.Moving > 0 {
			text += "; " + t.count("move", c.Moving, "host", c.MovesTo)
		}
		lines = append(lines, t.step("upload", visible(filepath.Join(t.o.Written.Dir, "sitemaps")+string(filepath.Separator))+"   ("+text+")"))
	}
	if c.Copies != "" { // whoever uploads the folder would remove what was not read
		lines = append(lines, t.step("keep-out", c.Copies+" ("+t.words.Text("in-part")+")"))
	}
	if c.Files > 0 {
		lines = append(lines, t.step("then", t.text("resubmit")))
	}
	if file := t.reportFile(); file != "" {
		label, text := "report", t.text("open", "file", file)
		if c.Decide > 0 {
			label = "decide"
		}
		if c.Errors > 0 {
			text += "   (" + t.words.Count("n-errors", c.Errors) + ")"
		}
		lines = append(lines, t.step(label, text))
	}
	if c.Entries > 0 && c.Map != nil {
		lines = append(lines, t.step("map", t.said(c.MapSaid())))
	}
	if c.Entries > 0 && c.Console != nil {
		lines = append(lines, t.step("console", t.said(c.ConsoleSaid())))
	}
	switch a := c.Asked; { // in which encoding Googlebot asks, as far as that is seen
	case a != nil && a.Back > 0:
		lines = append(lines, t.googlebot(t.count("asked-back", a.Back, "kinds", strings.Join(a.Kinds, " "))))
	case a != nil:
		lines = append(lines, t.googlebot(t.text("asked", "k", messages.Number(a.URLs), "urls", t.words.Count("entries", c.Entries), "n", messages.Number(a.Otherwise))))
	case c.Spelt > 0 && c.Alarm.Key != "stopped":
		lines = append(lines, t.step("encoding", t.words.Count("encoded", c.Spelt)))
	}
	return lines
}

func (t *terminal) googlebot(text string) string { return cut(pad("Googlebot", labelWidth) + text) }

func (t *terminal) step(label, text string) string {
	line := pad(t.text("step-"+label), labelWidth) + text
	if strings.Contains(text, string(filepath.Separator)) {
		return line // a path is pasted
	}
	return cut(line)
}

// reportFile returns where to read more: the page, else the first other output.
func (t *terminal) reportFile() string {
	names := []string{"report.html", "entries.xlsx", "entries.csv", "summary.md"} // what people read best
	for _, f := range formats {
		names = append(names, f.file)
	}
	for _, name := range append(names, "summary.json") {
		if slices.Contains(t.o.Written.Files, name) {
			return visible(filepath.Join(t.o.Written.Dir, name))
		}
	}
	return ""
}
