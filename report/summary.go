package report

import (
	"bufio"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Summary says how WriteSummary writes.
type Summary struct {
	Written Written // what was written, as WriteAll returned it; the zero value for nothing
	Lang    string  // language tag or locale; English where there are no words for it
	Color   bool    // colour the counts with ANSI escapes
	Again   string  // the command that writes the outputs again; "sitemend report" where it is ""
}

// WriteSummary writes the summary for a terminal: the brake's question, if it
// held; the targets in one line; a line for each group of entries with its
// parts, largest first; and below what somebody has to decide and what the upload
// settles, by cause, the proof, where the outputs lie, and what hindered the audit. Columns are aligned for Japanese,
// too. What a site sent cannot steer the terminal: controls are written out. It
// returns an error of w.
func WriteSummary(w io.Writer, told *audit.Result, o Summary) error {
	t := terminal{told: told, o: o, words: messages.Of(o.Lang).With(o.Again)}
	t.brake()
	t.header()
	t.groups()
	t.reported()
	t.accessLogs()
	t.causes()
	t.held()
	t.proof()
	t.outputs()
	t.childrenOut()
	t.moves()
	t.back()
	t.spelling()
	t.hindrances()
	t.unread()
	t.faults()
	bw := bufio.NewWriter(w)
	t.print(bw)
	return bw.Flush()
}

// terminal is the summary while it is put together. UI rules: the counts first,
// flush right; then one line for each thing to know, its label at the left; no
// line that says nothing; no word that the audit did not see.
type terminal struct {
	told  *audit.Result
	o     Summary
	words *messages.Catalogue
	top   []string  // lines as they are
	below []labeled // lines with a label
}

type labeled struct{ label, text string }

// row adds a line under a label of the catalogue. Under the same label again,
// the line continues the one before.
func (t *terminal) row(label, text string) {
	t.below = append(t.below, labeled{t.words.Text(label), visible(text)})
}

func (t *terminal) line(text string) { t.top = append(t.top, text) }

func (t *terminal) print(w *bufio.Writer) {
	for _, line := range t.top {
		w.WriteString(line + "\n")
	}
	width := 0
	for _, l := range t.below {
		width = max(width, cellsOf(l.label))
	}
	last := ""
	for _, l := range t.below {
		label := l.label
		if label == last {
			label = ""
		}
		last = l.label
		w.WriteString(pad(label, width+2) + l.text + "\n")
	}
}

// ruler measures text as terminals show it; signs of ambiguous width count as
// narrow, whatever the locale of this process is.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(s string) int { return ruler.StringWidth(s) }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cellsOf(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cellsOf(s))) + s
}

// brake asks whether the drops that were held back are meant.
func (t *terminal) brake() {
	drops, entries, key := map[audit.Verdict]int{}, 0, "brake-all"
	for i := range t.told.Files {
		f := &t.told.Files[i]
		held := 0
		for v, n := range f.Braked {
			drops[v] += n
			held += n
		}
		if held > 0 {
			entries += f.Counts.Entries
			if !f.AllBraked {
				key = "brake"
			}
		}
	}
	for _, v := range audit.Verdicts() {
		if drops[v] > 0 {
			t.line(t.words.Text(key, "again", t.again(), "n", messages.Number(drops[v]), "entries", t.words.Count("entries", entries), "what", t.dropped(v, drops[v])))
		}
	}
	if len(t.top) > 0 {
		t.line("")
	}
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

func (t *terminal) dropped(v audit.Verdict, n int) string {
	switch v {
	case audit.Noindex, audit.NotFound, audit.Invalid:
		return t.words.Count("brake-"+string(v), n)
	}
	return t.words.Text("brake-other", "name", t.words.Verdict(v).Name)
}

func (t *terminal) header() {
	t.line(visible(shownTargets(t.told.Info.Targets)) + "    " + visible(t.facts()))
	t.line("")
}

// facts says how much was audited, as whom, when and how long.
func (t *terminal) facts() string {
	info := &t.told.Info
	key := "header"
	if info.NoFetch {
		key = "header-files"
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

// shownIn is how many causes of a lane the summary names.
const shownIn = 8

// causes names what is behind the findings, lane by lane; or says that there is
// nothing to do.
func (t *terminal) causes() {
	for _, l := range []audit.Lane{audit.Decide, audit.Spelling, audit.Upload} {
		causes, label := t.told.In(l), t.laneLabel(l)
		for i := range causes[:min(shownIn, len(causes))] {
			t.row(label, t.cause(&causes[i]))
		}
		if more := len(causes) - shownIn; more > 0 {
			t.row(label, t.words.Count("more-causes", more))
		}
	}
	switch {
	case t.told.Clean():
		t.row("label-fix", t.words.Text("clean"))
	case t.told.AllSettled():
		t.row("label-fix", t.words.Text("all-settled"))
	case t.told.AllFine():
		t.row("label-fix", t.allFine("all-fine", "all-fine-unread"))
	}
}

// allFine says that every entry is fine, of the sitemaps that could be read.
func (t *terminal) allFine(key, unread string) string {
	if n := t.told.Unread(); n > 0 {
		return t.words.Count(unread, n, "all", messages.Number(t.told.Sitemaps()))
	}
	return t.words.Text(key)
}

// laneLabel is the key of a lane's label. Where no sitemap is written there is none to
// upload.
func (t *terminal) laneLabel(l audit.Lane) string {
	if l == audit.Upload && t.unwritten() {
		return "label-would"
	}
	if l == audit.Spelling {
		return "label-decide"
	}
	return "label-" + string(l)
}

// cause is a cause in a line: how many entries, what they are or what rule they
// follow, and why they are kept or who can put it right.
func (t *terminal) cause(c *audit.Cause) string {
	what := t.words.Verdict(c.Verdict).Name
	rule := ruleText(t.words, c)
	switch {
	case c.Redirects() && c.Stop == "":
		what = rule
	case rule != "":
		what = t.words.Text("cause-rule", "name", what, "rule", rule)
	}
	key, then := "cause", ""
	switch {
	case c.Stop != "":
		key, then = "cause-kept", t.words.Note(c.Stop)
		if c.Stop == audit.Gate || c.Stop == audit.TargetNotPage { // whatever the server does, it is no page to list
			then += t.words.Text("cause-gate")
		}
	case c.Verdict == audit.Noindex && c.Group == audit.TakenOut:
		then = t.words.Text("cause-meant") // never told as fixed
	case c.Who != "" && (c.Group.Lane() != audit.Upload || !c.Redirects()):
		then = t.words.Who(c.Who)
	}
	if then == "" {
		key = "cause-bare"
	}
	return t.words.Text(key, "entries", t.words.Count("entries", c.Count), "what", what, "then", then)
}

// ruleText is the rule of a cause in the language of its terms.
func ruleText(c *messages.Catalogue, x *audit.Cause) string {
	if len(x.Terms) > 0 {
		return c.Rule(x.Terms)
	}
	return x.Rule
}

// remedy is what to change at the source of a cause, one after the other.
func remedy(c *messages.Catalogue, told *audit.Result, x *audit.Cause) string {
	return strings.ReplaceAll(strings.Join(c.Remedies(x, told.Generator(x)), " "), "`", "")
}

// proof says what the corrected sitemaps would be judged.
func (t *terminal) proof() {
	p := t.told.Proof
	if t.unwritten() || p.Entries == 0 {
		return
	}
	if !p.Clean() {
		first := ""
		if len(p.Unclean) > 0 {
			first = p.Unclean[0]
		}
		t.row("label-proof", t.words.Text("proof-unclean", "n", messages.Number(p.Uncleans), "url", first))
	}
	if p.Blind() {
		t.row("label-proof", t.words.Text("proof-none", "entries", t.words.Count("entries", p.Entries)))
		return
	}
	text := t.words.Text("proof", "entries", t.words.Count("entries", p.Entries), "direct", t.words.Count("direct", p.Direct))
	if p.NeedDecision > 0 {
		text += t.words.Text("join") + t.words.Count("proof-you", p.NeedDecision)
	}
	if p.Settled > 0 {
		text += "; " + t.words.Count("proof-settled", p.Settled)
	}
	if p.NotChecked > 0 {
		text += t.words.Text("join") + t.words.Text("proof-unseen", "n", messages.Number(p.NotChecked))
	}
	if p.LeftOut > 0 {
		text += t.words.Text("join") + t.words.Text("proof-left-out", "n", messages.Number(p.LeftOut))
	}
	t.row("label-proof", text)
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

func (t *terminal) outputs() {
	if file := t.reportFile(); file != "" {
		t.row("label-report", file)
	}
	indexes, changed, relinked, unlinked := 0, 0, 0, 0
	for i := range t.told.Files {
		if f := &t.told.Files[i]; f.Changed {
			changed++
			relinked, unlinked = relinked+f.Relinked, unlinked+f.Unlinked
			if f.Sitemap.Kind == "index" {
				indexes++ // Sitemaps counts those with entries
			}
		}
	}
	switch {
	case t.told.Info.NoFetch:
		t.row("label-sitemaps", t.words.Text("files-only"))
	case t.unwritten():
		t.row("label-sitemaps", t.words.Text("partial"))
	case changed == 0:
		t.row("label-sitemaps", t.words.Text("unchanged"))
	default:
		files := t.words.Count("files", t.told.Sitemaps())
		if indexes > 0 {
			files = t.words.Count("files-indexes", indexes, "files", files)
		}
		text := t.words.Text("changed", "n", messages.Number(changed), "files", files)
		for _, part := range []struct {
			key string
			n   int
		}{{"relinked", relinked}, {"unlinked", unlinked}} {
			if part.n > 0 {
				text += " · " + t.words.Count(part.key, part.n)
			}
		}
		if t.o.Written.Dir != "" {
			text = t.path(sitemapsDir) + string(filepath.Separator) + "    " + text
		}
		t.row("label-sitemaps", text)
	}
}
