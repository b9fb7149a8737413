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
	t := terminal{o: o, words: messages.Of(o.Lang), b: conclude.BriefOf(result, conclude.Options{Again: o.Again})}
	head, steps := []string{t.site(result.Info.Duration), "", t.headline()}, t.steps()
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

// terminal is the summary while it is put together. It words what a Brief has, and counts nothing.
type terminal struct {
	o     Summary
	words *messages.Catalogue
	b     *conclude.Brief
}

func (t *terminal) text(key string, pairs ...string) string {
	return visible(t.words.Text("brief-"+key, pairs...))
}

func (t *terminal) count(key string, n int, pairs ...string) string {
	return visible(t.words.Count("brief-"+key, n, pairs...))
}

// cut shortens a line to what fits.
func cut(s string) string { return ruler.Truncate(s, mostColumns, "…") }

// site names what was audited, and how much of it.
func (t *terminal) site(took time.Duration) string {
	hosts := t.b.Hosts
	name := strings.Join(hosts[:min(2, len(hosts))], t.text("and"))
	if more := len(hosts) - 2; more > 0 {
		name = t.text("hosts", "hosts", strings.Join(hosts[:2], ", "), "n", messages.Number(more))
	}
	unit, n, m := messages.Span(took)
	facts := t.text("facts", "sitemaps", t.words.Count("sitemaps", t.b.Sitemaps), "urls", t.count("urls", t.b.URLs),
		"took", t.words.Text(unit, "n", messages.Number(n), "m", messages.Number(m)))
	return ruler.Truncate(name, mostColumns-3-cellsOf(facts), "…") + "   " + facts
}

// headline says how many URLs are clean, and how many will be.
func (t *terminal) headline() string {
	b, of := t.b, t.count("urls", t.b.URLs)
	switch {
	case b.Alarm.Key == "stopped":
		return cut(visible(b.Alarm.Said.Plain(t.words)))
	case b.URLs == 0:
		return t.none()
	}
	key := "clean"
	if b.Clean == b.URLs && b.URLs > 1 {
		key = "all-clean"
	}
	said := t.text(key, "k", messages.Number(b.Clean), "urls", of)
	if b.Files > 0 && b.Fixed() > 0 {
		said += t.count("then-clean", b.Files, "k", messages.Number(b.After.Clean), "of", messages.Number(b.After.URLs))
	}
	return cut(said)
}

// none is the headline of an audit without a URL of a sitemap.
func (t *terminal) none() string {
	switch b := t.b; {
	case b.Map != nil:
		return t.text("map", "k", messages.Number(b.Map.K), "n", messages.Number(b.Map.N))
	case b.Console != nil:
		return t.text("console", "k", messages.Number(b.Console.K), "n", messages.Number(b.Console.N))
	}
	return t.text("no-urls")
}

// alarm is what to know before the numbers, and what to type then: two lines at most.
func (t *terminal) alarm() (lines []string) {
	a := t.b.Alarm
	switch {
	case t.o.Written.Spared:
		return []string{cut(t.text("spared", "dir", t.o.Written.Dir))}
	case a.Key == "":
		return nil
	case a.Key == "stopped": // the headline says it
	default:
		lines = append(lines, cut(visible(a.Said.Plain(t.words))))
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
	b := t.b
	fixed, replaced, removed := "lane-fixed", "replaced", "removed"
	if !b.Writes {
		fixed, replaced, removed = "lane-fixable", "can-replace", "can-remove"
	}
	add(t.text(fixed), b.Replaced, t.text(replaced))
	add(t.text(fixed), b.Removed.N, t.text(removed, "why", t.named(b.Removed)))
	add(t.text("lane-decide"), b.Decide.N, t.named(b.Decide))
	if n := b.Unknown(); n > 0 {
		var parts []string
		if b.Unseen.N > 0 {
			var whys []string
			for _, p := range b.Unseen.By[:min(mostNamed, len(b.Unseen.By))] {
				whys = append(whys, t.why(p.Key))
			}
			parts = append(parts, t.text("unseen-lane", "n", messages.Number(b.Unseen.N), "why", strings.Join(whys, ", ")))
		}
		if b.LeftOut > 0 {
			parts = append(parts, t.text("left-out", "n", messages.Number(b.LeftOut)))
		}
		add(t.text("lane-unknown"), n, strings.Join(parts, ", "))
	}
	return lanes
}

// why says in a word or two why a URL could not be checked.
func (t *terminal) why(key string) string {
	if key == string(audit.Unsteady) {
		return t.text("unsteady")
	}
	return visible(t.words.Fault(audit.Fault(key)))
}

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
		parts = append(parts, t.text("more", "n", messages.Number(left)))
	}
	return strings.Join(parts, ", ")
}

// kind is what so many URLs are called in a few words: "3 duplicates".
func (t *terminal) kind(key string, n int) string {
	if full := t.count("kind-"+key, n); !strings.HasPrefix(full, "brief-") {
		return full
	}
	name := t.words.Verdict(audit.Verdict(key))
	if n == 1 {
		name.Many = name.One
	}
	return t.text("kind", "n", messages.Number(n), "name", name.Many)
}

// steps are what to do, the most important first.
func (t *terminal) steps() (lines []string) {
	b := t.b
	if b.Files > 0 {
		text := t.count("files", b.Files)
		if b.Moving > 0 {
			text = t.text("files-move", "files", text, "n", messages.Number(b.Moving), "host", b.MovesTo)
		}
		lines = append(lines, t.step("upload", visible(filepath.Join(t.o.Written.Dir, "sitemaps")+string(filepath.Separator))+"   ("+text+")"))
	}
	if b.Copies > 0 { // whoever uploads the folder would remove what was not read
		lines = append(lines, t.step("keep-out", t.text("in-part", "names", b.Names)))
	}
	if b.Files > 0 {
		lines = append(lines, t.step("then", t.text("resubmit")))
	}
	if file := t.reportFile(); file != "" {
		label, text := "report", t.text("open", "file", file)
		if b.Decide.N > 0 {
			label = "decide-do"
		}
		if b.Errors > 0 {
			text += "   (" + t.count("errors", b.Errors) + ")"
		}
		lines = append(lines, t.step(label, text))
	}
	if b.URLs > 0 && b.Map != nil {
		lines = append(lines, t.step("map-label", t.text("map", "k", messages.Number(b.Map.K), "n", messages.Number(b.Map.N))))
	}
	if b.URLs > 0 && b.Console != nil {
		lines = append(lines, t.step("console-label", t.text("console", "k", messages.Number(b.Console.K), "n", messages.Number(b.Console.N))))
	}
	return append(lines, t.encoding()...)
}

// encoding says in which encoding Googlebot asks, as far as that is seen.
func (t *terminal) encoding() []string {
	a := t.b.Asked
	switch {
	case a != nil && a.Back > 0:
		return []string{t.step("googlebot", t.count("asked-back", a.Back, "kinds", strings.Join(a.Kinds, " ")))}
	case a != nil:
		return []string{t.step("googlebot", t.text("asked", "k", messages.Number(a.URLs), "urls", t.count("urls", t.b.URLs), "n", messages.Number(a.Otherwise)))}
	case t.b.Encoding > 0 && t.b.Alarm.Key != "stopped":
		return []string{t.step("encoding", t.count("encoded", t.b.Encoding))}
	}
	return nil
}

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
