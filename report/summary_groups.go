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
func (t *terminal) unwritten() bool { return t.told.Info.Partial || t.told.Info.NoFetch }

// state says in a sentence how the audit ended; or, where entries are not clean, how many
// are, before and after the upload.
func (t *terminal) state() {
	said := t.conclusive()
	if !said {
		t.line(t.words.Text("two-sentences", "one", t.say(t.c.Headline), "two", t.say(t.c.Proof)))
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
	clean := t.words.Text("clean-today", "p", today.Percent)
	if after != nil {
		clean = t.words.Text("clean-after", "p", today.Percent, "q", after.Percent)
	}
	if t.c.State == conclude.InPart {
		clean = t.words.Text("clean-read", "clean", clean)
	}
	if s := today.Shares; s.LeftOut > 0 {
		clean = t.words.Text("clean-part", "n", messages.Number(s.Crawled()), "clean", clean)
	}
	t.row("label-clean", clean)
	if said := t.say(t.c.Since); said != "" && t.conclusive() {
		t.row("label-since", said)
	}
}

// lanes are the causes, lane by lane.
func (t *terminal) lanes() {
	fixes := func(l conclude.Lane) bool { return l.Lane == audit.Upload }
	if !slices.ContainsFunc(t.c.Lanes, fixes) && slices.ContainsFunc(t.told.Files, func(f audit.File) bool { return f.Changed }) {
		t.row("label-upload", t.uploads(t.told.Counts.Total(audit.Corrected)+t.told.Counts.Total(audit.TakenOut)))
	}
	for i := range t.c.Lanes {
		t.lane(&t.c.Lanes[i])
	}
}

// conclusive reports whether most of the site was seen, and something is wrong with it: then
// numbers say more than a sentence.
func (t *terminal) conclusive() bool {
	return t.c.State == conclude.Redirects || t.c.State == conclude.Mixed
}

// shownIn is how many causes of a lane the summary names.
const shownIn = 8

// lane says how many entries a lane has, and its causes, the first of them.
func (t *terminal) lane(l *conclude.Lane) {
	label, text := "label-"+string(l.Lane), ""
	switch {
	case l.Lane == audit.Upload && t.c.Uploads == 0 && !t.unwritten(): // copies of files that were read only in part
		label, text = "label-would", t.words.Count("would-whole", l.Count)
	case l.Lane == audit.Upload && t.unwritten():
		label, text = "label-would", t.words.Text("would", "entries", t.words.Count("entries", l.Count))
	case l.Lane == audit.Upload:
		text = t.uploads(l.Count)
	default:
		text = t.words.Text("lane-"+string(l.Lane), "entries", t.words.Count("entries", l.Count), "causes", t.words.Count("causes", len(l.Causes)))
	}
	t.row(label, text)
	shown := min(shownIn, l.Open)
	if len(l.Causes) == shown+1 && shown < shownIn { // the one takes no more room than its number
		shown++
	}
	width, rest := len(messages.Number(l.Causes[0].Count)), l.Count
	for i := range l.Causes[:shown] {
		x := &l.Causes[i]
		rest -= x.Count
		aside := ""
		if l.Lane != audit.Upload {
			aside = t.say(x.Hint())
		}
		if x.Flag != "" && len(x.Do) == 1 {
			aside += " " + x.Flag
		}
		if x.Command != "" && l.Lane == audit.Decide && strings.Contains(x.Command, "--max-drop") {
			aside += " " + visible(x.Command)
		}
		before := "  " + t.colored(l.Lane, padLeft(messages.Number(x.Count), width)) + "  "
		t.below = append(t.below, labeled{label: t.words.Text(label), aside: aside, hang: width + 4, cut: func(cells int) string {
			return before + visible(x.LineWithin(t.words, func(text string) bool { return cellsOf(text)+width+4 <= cells }))
		}})
	}
	if more := len(l.Causes) - shown; more > 0 {
		t.row(label, "  "+padLeft(messages.Number(rest), width)+"  "+t.words.Count("in-more-causes", more))
	}
	if text := strings.TrimSpace(t.say(l.Bounces)); text != "" {
		t.row(label, text)
	}
	if l.Lane == audit.Spelling {
		key := "bounce"
		if t.c.Asked {
			key = "bounce-asked"
		}
		t.row(label, t.words.Text(key))
	}
}

// uploads says which files the upload is of, and how many entries it fixes.
func (t *terminal) uploads(fixed int) string {
	changed, relinked, unlinked, parts := 0, 0, 0, 0
	for i := range t.told.Files {
		if f := &t.told.Files[i]; f.Changed {
			changed++
			if f.Sitemap.InPart() {
				parts++
			}
			relinked, unlinked = relinked+f.Relinked, unlinked+f.Unlinked
		}
	}
	text := t.words.Count("uploads", changed, "fixed", messages.Number(fixed))
	switch {
	case changed == 0: // a copy that could not be written
		return t.words.Text("would", "entries", t.words.Count("entries", fixed))
	case fixed == 0:
		text = t.words.Count("uploads-links", changed)
	case t.o.Written.Dir != "":
		text = t.words.Count("uploads-from", changed, "fixed", messages.Number(fixed), "dir", t.path(sitemapsDir)+string(filepath.Separator))
	}
	for _, part := range []struct {
		key string
		n   int
	}{{"relinked", relinked}, {"unlinked", unlinked}, {"upload-in-part", parts}} {
		if part.n > 0 {
			text += " · " + t.words.Count(part.key, part.n)
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
