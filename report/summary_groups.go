package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// unwritten reports whether the audit writes no sitemap: only a part was crawled, or
// only the files were checked.
func (t *terminal) unwritten() bool { return t.result.Info.Partial || t.result.Info.NoFetch }

// state says in a sentence how the audit ended; or, where entries are not clean, how many
// are, before and after the upload.
func (t *terminal) state() {
	said := t.conclusive()
	t.sentenced = !said
	switch {
	case t.sentenced:
		t.line(t.words.Text("two-sentences", "one", t.say(t.c.Headline), "two", t.say(t.c.Proof)))
	case t.c.Braked:
		t.line(t.say(t.c.Headline))
	case !t.c.Alarm.IsZero():
		t.line(t.say(t.c.Alarm))
	}
	if t.c.Braked {
		t.numbered()
	}
	if t.sentenced || t.c.Braked || !t.c.Alarm.IsZero() {
		t.line("")
	}
	if !said && t.c.State != conclude.Part && t.c.State != conclude.Unread && t.c.State != conclude.InPart && t.c.State != conclude.Script {
		return
	}
	var today, after *conclude.Bar
	for i := range t.c.Bars {
		switch b := &t.c.Bars[i]; {
		case b.After:
			after = b
		default:
			today = b
		}
	}
	if today == nil {
		return
	}
	t.clean(today, after)
	if said := t.say(t.c.Since); said != "" && t.conclusive() {
		t.row("label-since", said)
	}
}

// clean says how much is clean today and after the upload, nil for none, and of how many entries.
func (t *terminal) clean(today, after *conclude.Bar) {
	if today.Percent == "" { // most was not checked
		t.row("label-clean", t.say(today.Figure))
		return
	}
	clean, short := t.words.Text("clean-today", "p", today.Percent), ""
	if after != nil && after.Percent != "" {
		s := after.Shares
		pairs := []string{"p", today.Percent, "q", after.Percent, "clean", messages.Number(s.Clean), "left", t.words.Count("entries", s.Entries), "n", messages.Number(s.Checked())}
		clean, short = t.words.Text("clean-after", pairs...), t.words.Text("clean-after-short", pairs...)
		switch {
		case s.Clean == s.Entries && s.Entries == 1:
			clean = t.words.Text("clean-after-one", pairs...)
		case s.Clean == s.Entries:
			clean = t.words.Text("clean-after-all", pairs...)
		case s.Checked() < s.Entries:
			clean = t.words.Text("clean-after-checked", pairs...)
		}
	}
	s := today.Shares
	switch n := messages.Number(s.Checked()); {
	case t.c.State == conclude.InPart, t.c.State == conclude.Unread:
		clean = t.words.Text("clean-read", "clean", clean)
	case !s.AsGoodAsAll():
		clean = t.words.Text("clean-part", "n", n, "clean", clean)
		if short != "" {
			short = t.words.Text("clean-part", "n", n, "clean", short)
		}
	}
	if short == "" {
		t.row("label-clean", clean)
		return
	}
	t.figures("label-clean", clean, short)
}

// lanes are the causes, lane by lane.
func (t *terminal) lanes() {
	fixes := func(l conclude.Lane) bool { return l.Lane == audit.Upload }
	if !slices.ContainsFunc(t.c.Lanes, fixes) && slices.ContainsFunc(t.result.Files, func(f audit.File) bool { return f.Changed }) {
		t.row("label-upload", t.uploads(t.result.Counts.Total(audit.Corrected)+t.result.Counts.Total(audit.TakenOut)))
	}
	for i := range t.c.Lanes {
		t.lane(i, &t.c.Lanes[i])
	}
}

// removals says by kind how many entries the corrected sitemaps leave out: as many as there are,
// however few of the causes have a line. Of those that say noindex it asks whether that is meant.
func (t *terminal) removals(label string) {
	counts, how := &t.result.Counts, t.words.Text("out-how")
	if t.unwritten() {
		how = t.words.Text("out-how-would")
	}
	var parts, brief []string
	also := func(what string, n int) {
		if n > 0 {
			parts = append(parts, t.words.Text("out", "n", messages.Number(n), "how", how, "what", what))
			brief = append(brief, t.words.Text("out-brief-each", "n", messages.Number(n), "what", what))
		}
	}
	also(t.words.Text("out-merged"), counts.Actions[audit.Merge])
	for _, v := range []audit.Verdict{audit.NotFound, audit.Noindex, audit.Invalid} {
		also(t.words.Text("out-"+string(v)), counts.Removed(v))
	}
	for _, v := range audit.Verdicts() {
		if v.Facts().Fix != audit.Drop { // --fix removes it
			also(t.words.Verdict(v).Name, counts.Removed(v))
		}
	}
	if len(parts) == 0 {
		return
	}
	said := strings.Join(parts, " · ")
	if room := t.o.Width - max(t.labels(), cellsOf(t.words.Text(label))) - 2; t.o.Width > 0 && cellsOf(said) > room {
		said = t.words.Text("out-brief", "how", how, "parts", strings.Join(brief, " · "))
	}
	t.row(label, said)
}

// conclusive reports whether most of the site was seen, and something is wrong with it: then
// numbers say more than a sentence.
func (t *terminal) conclusive() bool {
	return t.c.State == conclude.Redirects || t.c.State == conclude.Mixed
}

// shownIn is how many causes of a lane the summary names at most, and shownAtLeast how many where
// it has no room for more.
const shownIn, shownAtLeast = 8, 2

// shownOf is how many causes of a lane are named; place is which of the lanes it is. What could
// not be checked is but counted where there is too little room, and something else to do.
func (t *terminal) shownOf(place int, l *conclude.Lane) int {
	if l.Lane == audit.Unseen && !t.unseen && t.conclusive() {
		return 0
	}
	return t.shown[place]
}

// numbered are the actions by their number, where the first is a question: that with the command
// that answers it, the others by their titles, and those that warn in a line of their own.
func (t *terminal) numbered() {
	var others []string
	submitted := false
	for i := range t.c.Actions {
		a, n := &t.c.Actions[i], messages.Number(i+1)
		title := t.say(a.Title)
		switch {
		case a.Kind == conclude.DoUpload: // the line of what is next says what is to be decided
			title, submitted = visible(t.uploadStep(false)), len(t.c.Submit) > 0
		case a.Kind == conclude.DoResubmit && submitted:
			continue
		}
		if i > 0 && !a.Warns {
			others = append(others, t.words.Text("numbered", "n", n, "title", title))
			continue
		}
		said := t.say(a.Text)
		if a.Command != "" {
			said = t.words.Text("two-sentences", "one", said, "two", t.say(a.If)+" "+visible(a.Command))
		}
		if len(others) > 0 {
			t.line(strings.Join(others, "   "))
			others = nil
		}
		t.line(t.words.Text("numbered-text", "n", n, "title", title, "text", said))
	}
	if len(others) > 0 {
		t.line(strings.Join(others, "   "))
	}
}

// lane says how many entries a lane has, and its causes, the first of them.
func (t *terminal) lane(place int, l *conclude.Lane) {
	shown := t.shownOf(place, l)
	some := shown > 0 && shown < len(l.Causes)
	label, text := t.laneHead(l, shown < len(l.Causes)) // no cause is promised that does not follow
	if some {
		largest := "largest"
		if shown == 1 {
			largest = "largest-one"
		}
		t.figures(label, t.words.Text(largest, "text", text, "n", messages.Number(shown), "causes", t.words.Count("causes", len(l.Causes))), text)
	} else if shown == 0 {
		t.figures(label, t.mostly(l, text, true), t.mostly(l, text, false), text)
	} else {
		t.row(label, text)
	}
	width := len(messages.Number(l.Causes[0].Count))
	for i := range l.Causes[:shown] {
		t.below = append(t.below, t.cause(t.words.Text(label), l.Lane, &l.Causes[i], width))
	}
	if l.Lane == audit.Upload {
		t.removals(label)
	}
	if text := strings.TrimSpace(t.say(l.Bounces)); text != "" {
		t.row(label, text)
	}
	if l.Lane == audit.Spelling {
		text := t.words.Text("bounce")
		if t.c.Asked {
			text = t.words.Text("bounce-asked")
		} else if t.c.Reported > 0 {
			text = t.words.Count("bounce-reported", t.c.Reported)
		}
		t.row(label, text)
	}
}

// mostly is text with the cause of most entries of a lane of which none is named below, and where aside
// is set with who acts, and how.
func (t *terminal) mostly(l *conclude.Lane, text string, aside bool) string {
	x := &l.Causes[0]
	key, title := "lane-one-cause", t.say(x.Title)
	if len(l.Causes) > 1 {
		key = "lane-most"
	}
	if aside {
		title = t.words.Text("title-aside", "title", title, "aside", t.aside(x))
	}
	return t.words.Text(key, "text", text, "title", title)
}

// aside says who acts on a cause, and how.
func (t *terminal) aside(x *conclude.Cause) string {
	hint := t.say(x.Hint())
	if x.Flag != "" && len(x.Do) == 1 {
		hint += " " + x.Flag
	}
	return t.words.Text("who-hint", "who", t.say(x.Who), "hint", hint)
}

// laneHead says how many entries a lane has, and in how many causes; where only some of them are
// named the number stands behind.
func (t *terminal) laneHead(l *conclude.Lane, some bool) (label, text string) {
	entries := t.words.Count("entries", l.Count)
	fixed := l.Count - t.result.Counts.Removed(audit.Noindex) // of which nobody but their owner knows whether it is a fault
	label = "label-" + string(l.Lane)
	switch {
	case l.Lane == audit.Upload && t.c.Uploads == 0 && !t.unwritten(): // copies of files that were read only in part
		return "label-would", t.words.Count("would-whole", fixed)
	case l.Lane == audit.Upload && t.unwritten():
		return "label-would", t.words.Text("would", "entries", t.words.Count("entries", fixed))
	case l.Lane == audit.Upload:
		return label, t.uploads(fixed)
	case l.Lane == audit.Decide && some:
		return label, entries
	case l.Stops && some:
		return label, entries
	case l.Stops:
		return label, t.words.Text("lane-decide", "entries", entries, "causes", t.words.Count("causes", len(l.Causes)))
	case l.Lane == audit.Unseen && some:
		return label, t.words.Text("lane-unseen-some", "entries", entries)
	}
	return label, t.words.Text("lane-"+string(l.Lane), "entries", entries, "causes", t.words.Count("causes", len(l.Causes)))
}

// cause is a row of a lane: how many entries, what it is, and aside who acts, and how. All that
// the upload fixes is of one who: there nothing stands aside.
func (t *terminal) cause(label string, lane audit.Lane, x *conclude.Cause, width int) labeled {
	before := "  " + t.colored(lane, padLeft(messages.Number(x.Count), width)) + "  "
	fits := func(cells int) func(string) bool {
		return func(text string) bool { return cellsOf(text)+width+4 <= cells }
	}
	if lane == audit.Upload {
		return labeled{label: label, cut: func(cells int) (string, string) {
			return under(before, width)(x.LineWithin(t.words, fits(cells), fits(cells)))
		}}
	}
	l := labeled{label: label, cut: func(cells int) (string, string) {
		return under(before, width)(x.LineWithin(t.words, fits(min(cells, longText)), fits(cells)))
	}}
	if lane == audit.Spelling { // what to do is the same for all, and said below them
		return l
	}
	l.asides = []string{t.aside(x), t.say(x.Who)}
	return l
}

// under puts a count before the line of a cause, and room for one of a width before what stands
// below it.
func under(count string, width int) func(line, below string) (string, string) {
	return func(line, below string) (string, string) {
		if below != "" {
			below = strings.Repeat(" ", width+4) + visible(below)
		}
		return count + visible(line), below
	}
}

// uploads says which files the upload is of, and how many entries it fixes.
func (t *terminal) uploads(fixed int) string {
	changed, relinked, unlinked := 0, 0, 0
	for i := range t.result.Files {
		switch f := &t.result.Files[i]; {
		case !f.Changed:
		case f.Sitemap.InPart() && t.c.Uploads > 0: // a copy that is not to be uploaded beside some that are
			fixed -= f.Counts.Total(audit.Corrected) + f.Counts.Total(audit.TakenOut) - f.Counts.Removed(audit.Noindex)
		default:
			changed += len(f.Written())
			relinked, unlinked = relinked+f.Relinked, unlinked+f.Unlinked
		}
	}
	text := t.words.Count("uploads", changed, "fixed", messages.Number(fixed))
	switch {
	case changed == 0: // a copy that could not be written
		return t.words.Text("would", "entries", t.words.Count("entries", fixed))
	case t.c.IndexOnly:
		text = t.words.Count("uploads-index", changed)
	case fixed == 0 && t.result.Counts.Removed(audit.Noindex) > 0:
		text = t.words.Count("uploads-removes", changed)
	case fixed == 0:
		text = t.words.Count("uploads-links", changed)
	case t.o.Written.Dir != "":
		text = t.words.Count("uploads-from", changed, "fixed", messages.Number(fixed), "dir", t.path(sitemapsDir)+string(filepath.Separator))
	}
	for _, part := range []struct {
		key string
		n   int
	}{{"relinked", relinked}, {"unlinked", unlinked}, {"upload-in-part", t.c.Copies}, {"upload-parts", t.c.Parts}} {
		if part.n > 0 {
			text += " · " + t.words.Count(part.key, part.n, "files", t.c.CopyNames)
		}
	}
	return text
}

// colored gives a count the colour of its lane, where colours are wanted.
func (t *terminal) colored(l audit.Lane, count string) string {
	color, ok := map[audit.Lane]string{audit.Upload: "34", audit.Decide: "33"}[l]
	if !t.o.Color || !ok {
		return count
	}
	return "\x1b[" + color + "m" + count + "\x1b[0m"
}

// A part is a share of something: how many, and of what.
type part struct {
	key string
	n   int
}

// sorted returns parts by their number, then by name.
func sorted(counts map[string]int) []part {
	var parts []part
	for key, n := range counts {
		if n > 0 {
			parts = append(parts, part{key, n})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(b.n-a.n, strings.Compare(a.key, b.key)) })
	return parts
}
