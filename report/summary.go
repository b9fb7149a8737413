package report

import (
	"bufio"
	"cmp"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// A Summary says how WriteSummary writes.
type Summary struct {
	Written Written // what was written, as WriteAll returned it; the zero value for nothing
	Lang    string  // language tag or locale; English where there are no words for it
	Color   bool    // colour the counts with ANSI escapes
	Again   string  // the command that writes the outputs again; "sitemend report" where it is ""
	Width   int     // cells of a line of the terminal, that lines are wrapped to; 0 for no terminal
}

// WriteSummary writes the summary for a terminal: the targets in one line; the state of the
// audit, in a sentence or as how much is clean before and after the upload; what the upload
// fixes and what needs a decision, by cause, at most 8 of each; what hindered the audit;
// the proof; and in the last line what to do next. Columns are aligned for Japanese,
// too. What a site sent cannot steer the terminal: controls are written out. It
// returns an error of w.
func WriteSummary(w io.Writer, told *audit.Result, o Summary) error {
	t := terminal{told: told, o: o, words: messages.Of(o.Lang).With(o.Again), least: leastLabel}
	t.c = conclude.Of(told, conclude.Options{Again: o.Again})
	t.header()
	t.state()
	t.lanes()
	t.reported()
	t.expected()
	t.also()
	t.accessLogs()
	t.ruleFiles()
	t.remarks()
	t.proof()
	t.next()
	bw := bufio.NewWriter(w)
	t.print(bw)
	return bw.Flush()
}

// terminal is the summary while it is put together. UI rules: one line for each thing to
// know, its label at the left; counts flush right; no line that says nothing; no word
// that the audit did not see.
type terminal struct {
	told  *audit.Result
	o     Summary
	words *messages.Catalogue
	c     *conclude.Conclusion
	top   []string  // lines as they are
	below []labeled // lines with a label
	least int       // how wide the column of labels is at least
}

// labeled is a line under a label. aside stands at its right, in a column of its own, or below
// it where there is no room; hang is how far lines that go on are indented. Where cut is set it
// makes the text, in as many cells as there is room for.
type labeled struct {
	label, text, aside string
	hang               int
	cut                func(cells int) string
}

// fit makes the text of a line that can be cut.
func (l *labeled) fit(cells int) {
	if l.cut != nil {
		l.text = l.cut(cells)
	}
}

// row adds a line under a label of the catalogue. Under the same label again,
// the line continues the one before.
func (t *terminal) row(label, text string) {
	t.below = append(t.below, labeled{label: t.words.Text(label), text: visible(text)})
}

// say puts a sentence into words.
func (t *terminal) say(s conclude.Sentence) string { return visible(s.Plain(t.words)) }

func (t *terminal) line(text string) { t.top = append(t.top, text) }

func (t *terminal) print(w *bufio.Writer) {
	for _, line := range t.top {
		w.WriteString(strings.Join(wrap(line, t.o.Width, t.o.Width), "\n") + "\n")
	}
	labels := t.least
	for _, l := range t.below {
		labels = max(labels, cellsOf(l.label))
	}
	for rest := t.below; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].label == rest[0].label {
			n++
		}
		t.printRun(w, rest[:n], labels+2)
		rest = rest[n:]
	}
}

// printRun prints the lines of one label, whose texts begin at indent. What stands aside has
// a column where all of it has room there, and else lines of its own.
func (t *terminal) printRun(w *bufio.Writer, run []labeled, indent int) {
	room, beside, texts := cmp.Or(t.o.Width, usualWidth)-indent, true, 0
	for i := range run {
		l := &run[i]
		l.fit(min(room, longText))
		if l.aside != "" {
			texts = max(texts, cellsOf(l.text))
		}
	}
	for _, l := range run {
		beside = beside && (l.aside == "" || texts+3+cellsOf(l.aside) <= room)
	}
	label := run[0].label
	put := func(in int, text string) {
		w.WriteString(pad(label, indent) + strings.Repeat(" ", in) + text + "\n")
		label = ""
	}
	wrapped := func(text string, first, in int) {
		to := 0
		if t.o.Width > 0 {
			to = room
		}
		for i, part := range wrap(text, to-first, to-in) {
			if i > 0 {
				first = in
			}
			put(first, part)
		}
	}
	for i := range run {
		l := &run[i]
		if beside && l.aside != "" {
			put(0, pad(l.text, texts)+"   "+l.aside)
			continue
		}
		l.fit(min(room, longLine))
		wrapped(l.text, 0, l.hang)
		if l.aside != "" {
			wrapped(l.aside, max(l.hang, 2), max(l.hang, 2))
		}
	}
}

// leastLabel is how wide the column of labels is in a summary, whatever they are.
const leastLabel = 8

// longText is the width of a line beside which something else stands.
const longText = 56

// usualWidth is the width of a line beyond which nothing stands beside it, where the terminal
// does not say how wide it is.
const usualWidth = 100

// longLine is about how wide the text of a line without another column is.
const longLine = 96

// ruler measures text as terminals show it; signs of ambiguous width count as
// narrow, whatever the locale of this process is.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(s string) int { return ruler.StringWidth(color.ReplaceAllString(s, "")) }

// color is what begins and ends a colour.
var color = regexp.MustCompile("\x1b\\[[0-9]+m")

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cellsOf(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cellsOf(s))) + s
}

// again is the command that writes the outputs again from the store.
func (t *terminal) again() string {
	if t.o.Again == "" {
		return "sitemend report"
	}
	return t.o.Again
}

// held says how what rules keep out can be written all the same, where nothing else keeps
// it and somebody may know better than they.
func (t *terminal) held() {
	var items []string
	owners := audit.OwnerKnows()
	slices.Sort(owners)
	for _, n := range owners {
		if t.told.Counts.Liftable[n] > 0 {
			items = append(items, string(n)+"=replace")
		}
	}
	if len(items) > 0 && !t.unwritten() {
		t.row("label-held", t.words.Text("held", "again", t.again(), "items", strings.Join(items, ",")))
	}
}

func (t *terminal) header() {
	t.line(visible(shownTargets(t.told.Info.Targets)) + "    " + visible(t.facts()))
	if b := t.told.Build; b != nil {
		t.line(visible(conclude.Modelled(t.words, b)))
	}
	t.line("")
}

// facts says how much was audited, as whom, when and how long.
func (t *terminal) facts() string {
	info := &t.told.Info
	key := "header"
	if info.NoFetch {
		key = "header-files"
	}
	if b := t.told.Build; b != nil && !b.Online {
		key = "header-site"
	}
	return t.words.Text(key,
		"sitemaps", t.words.Count("sitemaps", t.told.Sitemaps()), "entries", t.words.Count("entries", t.told.Counts.Entries),
		"as", t.words.Identity(info.Identity), "start", info.Started.Format("2006-01-02 15:04"),
		"duration", t.duration(info.Duration), "requests", t.words.Count("requests", info.Requests))
}

func (t *terminal) duration(d time.Duration) string {
	unit, n, m := messages.Span(d)
	return t.words.Text(unit, "n", messages.Number(n), "m", messages.Number(m))
}

// proof says what the corrected sitemaps would be judged.
func (t *terminal) proof() {
	p := t.told.Proof
	if !p.Clean() {
		first := ""
		if len(p.Unclean) > 0 {
			first = p.Unclean[0]
		}
		t.row("label-proof", t.words.Text("proof-unclean", "n", messages.Number(p.Uncleans), "url", first))
	}
	switch {
	case t.c.Uploads == 0:
		return // nothing is uploaded
	case p.Blind():
		t.row("label-proof", t.words.Text("proof-none", "entries", t.words.Count("entries", p.Entries)))
		return
	}
	text := t.words.Text("proof", "entries", t.words.Count("entries", p.Entries), "direct", t.words.Count("direct", p.Direct))
	if p.NeedDecision > 0 {
		text += t.words.Text("join") + t.words.Count("proof-you", p.NeedDecision)
	}
	if p.Settled > 0 {
		text += t.words.Text("join") + t.words.Count("proof-settled", p.Settled)
	}
	if p.NotChecked > 0 {
		text += t.words.Text("join") + t.words.Text("proof-unseen", "n", messages.Number(p.NotChecked))
	}
	if p.LeftOut > 0 {
		text += t.words.Text("join") + t.words.Text("proof-left-out", "n", messages.Number(p.LeftOut))
	}
	t.row("label-proof", text)
}

// next is what to do next, and where to read more: the last line.
func (t *terminal) next() {
	label, text, paste, submit := "label-next", "", "", t.c.Submit
	switch x := t.told.Expected; {
	case t.c.State != conclude.Clean:
	case x != nil && x.Unmet() > 0:
		text = t.words.Text("next-unmet")
	default:
		text = t.words.Text("next-clean", "command", t.c.Watch())
	}
	for i := range t.c.Actions {
		a := &t.c.Actions[i]
		switch {
		case a.Kind == conclude.DoResubmit && t.c.State == conclude.Unread: // what is submitted is to be readable first
		case a.Kind == conclude.DoResubmit:
			submit = a.Evidence
		case text == "" && a.Kind == conclude.DoDecide:
			text = t.say(a.Title)
		case text == "" && a.Kind != conclude.DoLeave: // said beside the spellings
			text = t.words.Text("next", "title", t.say(a.Title), "text", t.say(a.Text))
			if command, ok := strings.CutPrefix(a.Target, "copy:"); ok {
				paste = command
			}
		}
	}
	if len(submit) > 0 {
		paste = ""
		var at []string
		for _, e := range submit {
			at = append(at, t.say(e.Text))
		}
		label, text = "label-resubmit", strings.Join(at, " ")
	}
	where := ""
	if file := t.reportFile(); file != "" {
		where = t.words.Text("next-report", "file", file)
	}
	if text == "" {
		if label, text, where = "label-report", t.reportFile(), ""; text == "" {
			return
		}
	}
	t.last(label, visible(text), visible(where), visible(paste))
}

// last adds the last line: what to do, and where to read more at its side, or before it where
// there is no room; behind it the command to paste, "" for none.
func (t *terminal) last(label, text, where, paste string) {
	labels := max(t.least, cellsOf(t.words.Text(label)))
	for _, l := range t.below {
		labels = max(labels, cellsOf(l.label))
	}
	if room := cmp.Or(t.o.Width, usualWidth) - labels - 2; paste != "" || cellsOf(text)+3+cellsOf(where) > room {
		if where != "" {
			t.row("label-report", t.reportFile())
		}
		where = ""
	}
	t.below = append(t.below, labeled{label: t.words.Text(label), text: text, aside: where})
	if paste != "" {
		t.below = append(t.below, labeled{label: t.words.Text(label), text: paste})
	}
}

// reportFile returns where to read more: the page, else the first other output.
func (t *terminal) reportFile() string {
	for _, name := range []string{"report.html", "entries.xlsx", "entries.csv", "summary.md", "entries.jsonl", "junit.xml", "sarif.json", "summary.json"} {
		if slices.Contains(t.o.Written.Files, name) {
			return t.path(name)
		}
	}
	return ""
}

func (t *terminal) path(name string) string { return filepath.Join(t.o.Written.Dir, name) }
