package report

import (
	"cmp"
	"io"
	"maps"
	"math"
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
	Color   bool    // colour the counts with ANSI escapes
	Again   string  // the command that writes the outputs again; "sitemend report" where it is ""
	Width   int     // cells of a line of the terminal, that lines are wrapped to; 0 for no terminal
}

// WriteSummary writes the summary for a terminal: the targets in one line; the state of the audit,
// in a sentence or as how much is clean before and after the upload; what the upload fixes and what
// needs a decision, by cause, the first 8 of each at most; what hindered the audit; and in the last
// line what to do next. Of an ordinary site it has 12 lines at most: lanes show as many causes as
// there is room for, and 2 where there is none. On a terminal what does not fit into a line is said
// in fewer words, for the report has it all. Columns are aligned for Japanese, too. What a site
// sent cannot steer the terminal: controls are written out. It returns an error of w.
func WriteSummary(w io.Writer, result *audit.Result, o Summary) error {
	words, c := messages.Of(o.Lang).With(o.Again), conclude.Of(result, conclude.Options{Again: o.Again})
	fewer := make([]int, len(c.Lanes))
	for i := range c.Lanes {
		fewer[i] = min(shownAtLeast, len(c.Lanes[i].Causes))
	}
	draw := func(shown []int, unseen bool) ([]string, int) {
		t := terminal{result: result, o: o, words: words, c: c, least: leastLabel}
		t.shown, t.unseen = shown, unseen
		t.summary()
		lines := t.lines()
		return lines, len(lines) - t.wrapped
	}
	most := mostLines
	if c.Braked { // no ordinary audit
		most += 3
	}
	lines, n := draw(fewer, true)
	if n > most {
		lines, n = draw(fewer, false)
	}
	removed := result.Counts.Actions[audit.Drop] + result.Counts.Actions[audit.Merge]
	if n > most && o.Width > 0 && removed > 0 && c.Lanes[0].Lane == audit.Upload { // a line of its own says what is removed
		fewer[0] = 1
		lines, _ = draw(fewer, false)
	}
	return writeLines(w, moreCauses(lines, most, fewer, c.Lanes, draw))
}

// moreCauses names as many causes as there is room for: lane by lane one more, as long as the
// summary has most lines at most: what goes on with a line that is too long for a narrow terminal
// is no further line, so that it names as many causes as a wide one. lines are those that draw
// returned for shown.
func moreCauses(lines []string, most int, shown []int, lanes []conclude.Lane,
	draw func([]int, bool) ([]string, int)) []string {
	for grown := true; grown; {
		grown = false
		for i := range lanes {
			if shown[i] >= min(shownIn, len(lanes[i].Causes)) {
				continue
			}
			shown[i]++
			more, n := draw(shown, true)
			if n > most {
				shown[i]--
				continue
			}
			lines, grown = more, true
		}
	}
	return lines
}

// usualRemarks is how many remarks the summary of an ordinary site has at most.
const usualRemarks = 1

// mostLines is how many lines the summary of an ordinary site has at most.
const mostLines = 12

// minute is how the terminal shows a time.
const minute = "2006-01-02 15:04"

// terminal is the summary while it is put together. UI rules: one line for each thing to
// know, its label at the left; counts flush right; no line that says nothing; no word
// that the audit did not see.
type terminal struct {
	result *audit.Result
	o      Summary
	words  *messages.Catalogue
	c      *conclude.Conclusion
	top    []string  // lines as they are
	below  []labeled // lines with a label
	least  int       // how wide the column of labels is at least
	shown  []int     // how many causes each lane names
	// unseen is set where causes of what could not be checked are named though there is something
	// else to do.
	unseen bool
	// wrapped is how many lines no cause has to make room for: those that go on with the one
	// before, which was too long, and remarks beyond those of an ordinary site.
	wrapped int
	// sentenced is set where the state is said in a sentence.
	sentenced bool
}

// summary puts all together.
func (t *terminal) summary() {
	t.header()
	t.state()
	t.expected()
	t.lanes()
	t.reported()
	t.also()
	t.accessLogs()
	t.links()
	t.ruleFiles()
	before := len(t.below)
	t.remarks()
	t.wrapped += max(0, len(t.below)-before-usualRemarks)
	t.next()
}

// row adds a line under a label of the catalogue. Under the same label again, the line
// continues the one before. A terminal shows all of the text, however narrow it is: sentences go
// here, for one that is cut may be the one that keeps from harm.
func (t *terminal) row(label, text string) {
	t.below = append(t.below, labeled{label: t.words.Text(label), text: visible(text)})
}

// figures is row for a text of counts and names. Behind it stand others that say less, the least
// last: a terminal has the first one that fits into a line.
func (t *terminal) figures(label, text string, shorter ...string) {
	l := labeled{label: t.words.Text(label), text: visible(text)}
	for _, s := range shorter {
		l.shorter = append(l.shorter, visible(s))
	}
	t.below = append(t.below, l)
}

// say puts a sentence into words.
func (t *terminal) say(s conclude.Sentence) string { return visible(s.Plain(t.words)) }

func (t *terminal) line(text string) { t.top = append(t.top, text) }

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
	if t.unwritten() {
		return
	}
	var items []string
	for _, n := range slices.Sorted(maps.Keys(t.result.Counts.Liftable)) {
		if t.result.Counts.Liftable[n] > 0 {
			items = append(items, string(n)+"=replace")
		}
	}
	if len(items) > 0 {
		pairs := []string{"again", t.again(), "items", strings.Join(items, ",")}
		t.row("label-held", t.words.Text("held", pairs...))
	}
}

func (t *terminal) header() {
	target := visible(shownTargets(t.result.Info.Targets)) + "    "
	forms := t.facts()
	head := labeled{text: target + visible(forms[0])}
	for _, f := range forms[1:] {
		head.shorter = append(head.shorter, target+visible(f))
	}
	t.line(head.fitting(cmp.Or(t.o.Width, math.MaxInt)))
	if b := t.result.Build; b != nil {
		t.line(visible(conclude.Modelled(t.words, b)))
	}
	if info := &t.result.Info; !info.Continued.IsZero() {
		read := info.Continued
		for i := range t.result.Files {
			if at := t.result.Files[i].Sitemap.FetchedAt; at.Before(read) {
				read = at
			}
		}
		t.line(t.words.Text("continued", "date", info.Continued.Format(minute), "read", read.Format(minute)))
	}
	t.line("")
}

// facts says how much was audited, as whom, when and how long; then the same in fewer words.
func (t *terminal) facts() (forms []string) {
	info := &t.result.Info
	keys := []string{"header", "header-short", "header-shortest"}
	if info.NoFetch {
		keys = []string{"header-files", "header-shortest"}
	}
	if b := t.result.Build; b != nil && !b.Online {
		keys[0] = "header-site"
	}
	sitemaps := t.words.Count("sitemaps", t.result.Sitemaps())
	if n := t.result.Sitemaps(); n > 0 && t.result.Unread() == n {
		sitemaps = t.words.Count("sitemaps-unread", n)
	}
	for _, key := range keys {
		forms = append(forms, t.words.Text(key,
			"sitemaps", sitemaps, "entries", t.words.Count("entries", t.result.Counts.Entries),
			"as", t.words.Crawler(info), "start", info.Started.Format(minute),
			"duration", t.duration(info.Duration), "requests", t.requests()))
	}
	return forms
}

// requests is how many were sent, as far as that is known.
func (t *terminal) requests() string {
	n := t.words.Count("requests", t.result.Info.Requests)
	if t.result.Info.Least {
		return t.words.Text("requests-least", "requests", n)
	}
	return n
}

func (t *terminal) duration(d time.Duration) string {
	unit, n, m := messages.Span(d)
	return t.words.Text(unit, "n", messages.Number(n), "m", messages.Number(m))
}

// next is what to do next, in the last line, and where to read more.
func (t *terminal) next() {
	text, command := t.nextStep(false)
	file := t.reportFile()
	label, where := "label-next", ""
	switch {
	case text == "" && file == "":
		return
	case text == "":
		label, text = "label-report", file
	case file != "":
		where = t.words.Text("next-report", "file", file)
	}
	room := cmp.Or(t.o.Width, usualWidth) - max(t.labels(), cellsOf(t.words.Text(label))) - 2
	said := visible(text)
	if brief, _ := t.nextStep(true); t.o.Width > 0 && cellsOf(said) > room && cellsOf(visible(brief)) <= room {
		said = cmp.Or(visible(brief), said)
	}
	switch beside := "   " + visible(where); {
	case where == "":
	case command == "" && cellsOf(said)+cellsOf(beside) <= room:
		said += beside
	default:
		t.row("label-report", file)
	}
	t.row(label, said)
	if command != "" { // alone, so that it can be pasted
		t.row(label, command)
	}
}

// nextStep says the first thing to do, and the command that does it, "" for none; brief in fewer
// words, where those leave out no warning.
func (t *terminal) nextStep(brief bool) (text, command string) {
	for i := range t.c.Actions {
		a := &t.c.Actions[i]
		switch a.Kind {
		case conclude.DoLeave: // said beside the spellings
			continue
		case conclude.DoUpload:
			return t.uploadStep(brief), ""
		}
		title := t.say(a.Title)
		if a.Kind == conclude.DoDecide { // the causes, or the first lines, say more
			return title, ""
		}
		command, _ = strings.CutPrefix(a.Target, "copy:")
		if command == a.Target {
			command = ""
		}
		said := t.words.Text("next", "title", title, "text", t.say(a.Text))
		if a.Command != "" {
			said, command = t.words.Text("two-sentences", "one", said, "two", t.say(a.If)), a.Command
		}
		return said, command
	}
	return t.words.Text("next-clean"), t.c.Watch()
}

// uploadStep is to upload, and what to submit then; brief leaves out where that is done.
func (t *terminal) uploadStep(brief bool) string {
	step, short, alone := "next-upload", "next-upload-brief", "next-upload-alone"
	if t.c.Moved {
		step, short, alone = "next-moved", "next-moved-brief", "next-moved-alone"
	}
	if brief {
		step = short
	}
	var urls []string
	for _, e := range t.c.Submit {
		urls = append(urls, t.say(e.Text))
	}
	said := t.words.Count(step, t.c.Uploads, "urls", strings.Join(urls, " "))
	if len(urls) == 0 {
		said = t.words.Count(alone, t.c.Uploads)
	}
	if t.c.Twins > 0 {
		said = t.words.Count("next-twins", t.c.Twins, "step", said)
	}
	if t.c.Broken {
		said = t.words.Text("next-broken", "step", said)
	}
	return said
}

// reportFile returns where to read more: the page, else the first other output.
func (t *terminal) reportFile() string {
	names := []string{"report.html", "entries.xlsx", "entries.csv", "summary.md"} // what people read best
	for _, f := range formats {
		names = append(names, f.file)
	}
	for _, name := range append(names, "summary.json") {
		if slices.Contains(t.o.Written.Files, name) {
			return t.path(name)
		}
	}
	return ""
}

func (t *terminal) path(name string) string { return filepath.Join(t.o.Written.Dir, name) }
