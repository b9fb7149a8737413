package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// How many of each the terminal is shown at most.
const (
	shownCauses  = 8
	shownFiles   = 10
	shownChanges = 10
	shownSigns   = 300 // of an address
)

// WriteDiff writes for a terminal what changed between two audits: what became of the corrections
// and decisions of the older one, the counts, what the audits were asked differently in, the causes
// and sitemaps that changed most, the gravest changes, and what changed beside the entries: of the
// other addresses that sitemaps name, of the faults of files and of the links of pages. It is
// bounded however much changed. What a site sent cannot steer the terminal. It returns an error of
// w.
func WriteDiff(w io.Writer, d *audit.Diff, o Summary) error {
	t := differing{DiffWords: NewDiffWords(d, o.Lang), o: o}
	out := terminal{o: o, words: t.diff}
	out.line(middle(visible(shownTargets(d.New.Targets)), shownSigns) + "    " + visible(t.Header()))
	out.line("")
	if since := t.Since(); since != "" {
		out.line(since)
		out.line("")
	}
	t.effects(&out)
	for _, name := range d.Differ.Names() {
		out.row("label-note", t.diff.Text("differ-"+name))
	}
	t.causes(&out)
	t.files(&out)
	t.changes(&out)
	t.beside(&out)
	if note := t.Nothing(); note != "" {
		out.row("label-note", note)
	}
	return out.print(w)
}

// DiffWords says what changed between two audits in one language. What a site
// sent is in what it returns as the site sent it.
type DiffWords struct {
	d           *audit.Diff
	words, diff *messages.Catalogue
}

// NewDiffWords returns the words for d in a language: a tag or a locale, English
// where there are none for it.
func NewDiffWords(d *audit.Diff, lang string) *DiffWords {
	return &DiffWords{d: d, words: messages.Of(lang), diff: messages.Of(lang).Diff()}
}

// Text returns a text of the catalogue of comparisons.
func (t *DiffWords) Text(key string, pairs ...string) string { return t.diff.Text(key, pairs...) }

// Header says which audits are compared, and how many addresses are in both. Where the two began
// within one minute the times have seconds.
func (t *DiffWords) Header() string {
	key, d := "header", t.d
	if d.Differ.As {
		key = "header-as"
	}
	old, new := t.began()
	return t.diff.Text(key, "old", old, "new", new, "both", t.diff.Count("both", d.Both),
		"was", t.words.Crawler(&d.Old), "as", t.words.Crawler(&d.New))
}

// began says when each of the two audits began: with seconds where that was within one minute.
func (t *DiffWords) began() (old, new string) {
	in := func(form string) (string, string) { return t.d.Old.Started.Format(form), t.d.New.Started.Format(form) }
	if old, new = in("2006-01-02 15:04"); old == new {
		return in(time.DateTime)
	}
	return old, new
}

// dated returns a text that names one of the audits by when it began.
func (t *DiffWords) dated(key string) string {
	old, new := t.began()
	return t.diff.Text(key, "old", old, "new", new)
}

// Nothing says that no entry changed, and whether anything beside the entries did; "" where an
// entry changed.
func (t *DiffWords) Nothing() string {
	switch d := t.d; {
	case d.Effects[audit.Same]+d.Parts[audit.NotCompared][audit.NeverSeen] != d.Addresses:
		return ""
	case t.changedBeside():
		return t.diff.Text("nothing-but")
	}
	return t.diff.Text("nothing")
}

// Since says what became of the corrections and decisions of the older audit, what is new
// and what is still open, and what else is worse (audit.Diff.Worse); "" where there is none of it.
func (t *DiffWords) Since() string {
	worse := t.worseBeside()
	s := t.d.Since
	s.Better, s.Worse, s.BesideWorse, s.Left, s.Undone = 0, 0, 0, 0, 0 // the counts say it
	if s == (audit.Since{}) {
		return strings.Join(worse, " · ")
	}
	var said []string
	for _, x := range []struct {
		key  string
		n    int
		show bool
	}{{"left", s.Lost, s.Lost > 0}, {"applied", s.Applied, s.Applied+s.Waiting > 0}, {"new", s.New, s.New > 0 || len(worse) == 0}, {"open", s.Open, s.Open > 0},
		{"settled", s.Settled, s.Settled > 0}, {"waiting", s.Waiting, s.Waiting > 0},
		{"beside", s.Beside, s.Beside > 0}, {"unnamed", s.Unnamed, s.Unnamed > 0}} {
		if x.show {
			said = append(said, t.diff.Count("since-"+x.key, x.n))
		}
		if x.key == "new" {
			said = append(said, worse...)
		}
	}
	return strings.Join(said, " · ")
}

// worseBeside says what is worse beside the entries that are a new problem.
func (t *DiffWords) worseBeside() (said []string) {
	say := func(key string, n int) {
		if n > 0 {
			said = append(said, t.diff.Count("since-"+key, n))
		}
	}
	say("graver", t.d.Effects[audit.Worse]-t.d.Since.New)
	for i := range t.d.Also {
		if x := &t.d.Also[i]; x.Diff != nil {
			say(string(x.List), x.Diff.Effects[audit.Worse])
		}
	}
	say("errors", t.d.NewErrors())
	for _, l := range audit.FileLosses() {
		say(string(l), t.d.Losses(l))
	}
	return said
}

// Parts says what an effect consists of, largest first; "" for what is as before. Corrections
// that were applied are followed by how many addresses stand in place of theirs.
func (t *DiffWords) Parts(e audit.Effect) string {
	if e == audit.Applied && t.d.Effects[audit.Written] > 0 {
		return t.parts(e) + " · " + t.parts(audit.Written)
	}
	return t.parts(e)
}

func (t *DiffWords) parts(e audit.Effect) string {
	var kinds []audit.ChangeKind
	for _, k := range audit.ChangeKinds() {
		if t.d.Parts[e][k] > 0 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b audit.ChangeKind) int { return t.d.Parts[e][b] - t.d.Parts[e][a] })
	var said []string
	for _, k := range kinds {
		n := t.d.Parts[e][k]
		said = append(said, t.words.Text("part", "n", messages.Number(n), "what", t.diff.Count(string(k), n)))
	}
	return strings.Join(said, " · ")
}

// Cause names a cause in a line, as the summary of an audit does.
func (t *DiffWords) Cause(c *audit.CauseChange) string { return causeLine(&c.Cause, t.words) }

// CauseLine names a cause in a line in a language, as the summary of an audit does. What a site
// sent is in it as the site sent it.
func CauseLine(c *audit.Cause, lang string) string { return causeLine(c, messages.Of(lang)) }

func causeLine(c *audit.Cause, words *messages.Catalogue) string {
	named := conclude.Named(c)
	fits := func(text string) bool { return cellsOf(text) <= longLine }
	line, below := named.LineWithin(words, fits, fits)
	if below != "" {
		line += ": " + below
	}
	return line
}

// Turn says in a word how a cause changed, with how many of its addresses were not compared.
func (t *DiffWords) Turn(c *audit.CauseChange) string {
	said := t.diff.Text("cause-" + c.Turn())
	if n := c.Open(); n > 0 {
		return t.diff.Text("cause-open", "turn", said, "n", messages.Number(n))
	}
	return said
}

// causeLine is a cause with how it changed, as a row of the terminal has it.
func (t *DiffWords) causeLine(c *audit.CauseChange) string {
	was, is := c.Named()
	line := t.diff.Text("cause", "turn", t.diff.Text("cause-"+c.Turn()), "rule", middle(t.Cause(c), shownSigns), "old", messages.Number(was), "new", messages.Number(is))
	if n := c.Open(); n > 0 {
		return t.diff.Text("cause-open", "turn", line, "n", messages.Number(n))
	}
	return line
}

// Tallies says what a sitemap held then and now, or that nothing named it: with other targets that
// says nothing of the site.
func (t *DiffWords) Tallies(f *audit.FileChange) (then, now string) {
	then, now = t.diff.Text("not-named-yet"), t.diff.Text("no-longer-named")
	if t.d.Differ.Targets {
		then, now = t.diff.Text("not-audited"), t.diff.Text("not-audited")
	}
	if f.Old != nil {
		then = t.tally(f.Old)
	}
	if f.New != nil {
		now = t.tally(f.New)
	}
	return then, now
}

func (t *DiffWords) tally(f *audit.Tally) string {
	switch {
	case f.Outside:
		return t.diff.Text("not-audited")
	case f.Unknown(), f.Unread && f.Sitemap.Awaited():
		return t.diff.Text("unseen")
	case !f.Unread && f.Sitemap.Kind == "":
		return t.diff.Text("other-name")
	case f.Unread && (f.Sitemap.Status == 404 || f.Sitemap.Status == 410):
		return t.diff.Text("no-file", "status", strconv.Itoa(f.Sitemap.Status))
	case f.Unread:
		return t.diff.Text("unread-file")
	case f.Sitemap.InPart():
		return t.diff.Text("part-file", "tally", t.rate(f))
	}
	return t.rate(f)
}

// rate says what part of the entries of a sitemap is a problem.
func (t *DiffWords) rate(f *audit.Tally) string {
	crawled := f.Entries - f.Skipped
	if crawled == 0 && f.Skipped > 0 {
		return t.diff.Text("not-crawled", "entries", t.words.Count("entries", f.Entries))
	}
	// The rate is that of what was crawled, so this is what it is said to be of.
	key := "dirt"
	switch {
	case f.Unverified > 0 && f.Unverified == crawled: // nothing was seen that may be called an error, or none
		key = "not-checked"
	case f.Unverified > 0:
		key = "unasked"
	}
	said := t.diff.Text(key, "dirt", t.words.Rate(f.ErrorRate()), "entries", t.words.Count("entries", crawled), "n", messages.Number(f.Unverified))
	if f.Skipped > 0 {
		said = t.diff.Text("left-out", "tally", said, "n", messages.Number(f.Skipped))
	}
	return said
}

// DiffEffects returns the effects in the order in which a comparison shows them, one line
// each. What was written for a correction is no line of its own: the correction is.
func DiffEffects() []audit.Effect {
	return []audit.Effect{audit.Worse, audit.Better, audit.Applied, audit.Otherwise, audit.Same, audit.NotCompared}
}

// Sides says what was seen then and now, with what is different.
func (t *DiffWords) Sides(c *audit.Change) (then, now string) {
	return t.side(c, c.Old), t.side(c, c.New)
}

// differing writes a comparison.
type differing struct {
	*DiffWords
	o Summary
}

// effects adds a line for each effect that an address has, with its parts.
func (t *differing) effects(out *terminal) {
	number, label := 0, 0
	shown := slices.DeleteFunc(DiffEffects(),
		func(e audit.Effect) bool { return t.d.Effects[e] == 0 })
	for _, e := range shown {
		number = max(number, len(messages.Number(t.d.Effects[e])))
		label = max(label, cellsOf(t.diff.Text(string(e))))
	}
	for _, e := range shown {
		count := padLeft(messages.Number(t.d.Effects[e]), number)
		if color := map[audit.Effect]string{audit.Worse: "31", audit.Better: "32", audit.Otherwise: "34"}[e]; color != "" && t.o.Color {
			count = "\x1b[" + color + "m" + count + "\x1b[0m"
		}
		line := "  " + count + "  " + pad(t.diff.Text(string(e)), label+5) + t.Parts(e)
		out.line(strings.TrimRight(line, " "))
	}
}

// causes adds what grew most and what shrank most.
func (t *differing) causes(out *terminal) {
	causes := MostChanged(t.d.Causes, shownCauses)
	for _, c := range causes {
		out.row("label-causes", t.causeLine(&c))
	}
	if more := len(t.d.Causes) - len(causes); more > 0 {
		out.row("label-causes", t.diff.Text("more", "n", messages.Number(more)))
	}
}

// MostChanged returns the n causes that changed most as far as they were compared, in their order.
func MostChanged(causes []audit.CauseChange, n int) []audit.CauseChange {
	if len(causes) <= n {
		return causes
	}
	by := func(c audit.CauseChange) int { return max(c.New-c.Old, c.Old-c.New) }
	order := make([]int, len(causes)) // not by key, which two causes may have
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return by(causes[j]) - by(causes[i]) })
	kept := make([]audit.CauseChange, 0, n)
	for _, i := range slices.Sorted(slices.Values(order[:n])) {
		kept = append(kept, causes[i])
	}
	return kept
}

// files adds the sitemaps whose error rate changed most.
func (t *differing) files(out *terminal) {
	files := slices.DeleteFunc(ChangedFiles(t.d.Files), func(f audit.FileChange) bool {
		then, now := t.Tallies(&f)
		return then == now
	})
	for _, f := range files[:min(shownFiles, len(files))] {
		then, now := t.Tallies(&f)
		out.row("label-sitemaps", t.diff.Text("file", "url", middle(f.URL, shownSigns), "old", then, "new", now))
	}
	if more := len(files) - shownFiles; more > 0 {
		out.row("label-sitemaps", t.diff.Text("more", "n", messages.Number(more)))
	}
}

// ChangedFiles returns the sitemaps that are not as before, the dirtiest of now
// first; one that cannot be read, and could be or was not known, is as dirty as can be.
func ChangedFiles(files []audit.FileChange) []audit.FileChange {
	var list []audit.FileChange
	for _, f := range files {
		if f.Old == nil || f.New == nil || f.NewlyUnread() || (f.Old.Sitemap.Kind == "") != (f.New.Sitemap.Kind == "") || f.Old.Unread != f.New.Unread || f.Old.Sitemap.InPart() != f.New.Sitemap.InPart() || f.Old.Entries != f.New.Entries || f.Old.OK != f.New.OK || f.Old.Problems != f.New.Problems ||
			f.Old.Skipped != f.New.Skipped || f.Old.Unverified != f.New.Unverified {
			list = append(list, f)
		}
	}
	grown := func(f audit.FileChange) float64 {
		by := 0.0
		if f.NewlyUnread() {
			by = 1
		}
		if f.New != nil {
			by += f.New.ErrorRate()
		}
		if f.Old != nil {
			by -= f.Old.ErrorRate()
		}
		return by
	}
	slices.SortStableFunc(list, func(a, b audit.FileChange) int {
		switch x, y := grown(a), grown(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return list
}

// changes adds the gravest changes.
func (t *differing) changes(out *terminal) {
	for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise} {
		t.changed(out, "label-"+string(e), e, shownChanges)
	}
}

// changed adds the gravest changes of an effect, so many at most, and then those that are grouped.
func (t *DiffWords) changed(out *terminal, label string, e audit.Effect, most int) {
	first, all, groups := t.Shown(e)
	shown := first[:min(most, len(first))]
	for i := range shown {
		out.row(label, t.sided(&shown[i]))
	}
	if more := all - len(shown); more > 0 {
		out.row(label, t.diff.Text("more", "n", messages.Number(more)))
	}
	for _, g := range groups {
		what, then, now := t.Group(g)
		out.row(label, what+"    "+then+" -> "+now)
	}
}

// A ChangeGroup is changes that are not shown one by one, for nothing more is to be said of them
// than that the sitemaps list them, or do not.
type ChangeGroup struct {
	Kind audit.ChangeKind // audit.NewlyListed or audit.NoLongerListed
	N    int
}

// shownAlone is how many changes that could be grouped are shown one by one.
const shownAlone = 3

// Shown returns the gravest changes of an effect to be shown one by one, how many of these there
// are in all, and the groups of the others: where the newer audit lists many that are no problem
// and that the older one did not list, or the other way round.
func (t *DiffWords) Shown(e audit.Effect) (first []audit.Change, all int, groups []ChangeGroup) {
	first, all = t.d.First[e], t.d.Effects[e]
	for _, k := range []audit.ChangeKind{audit.NewlyListed, audit.NoLongerListed} {
		n := t.d.Parts[e][k]
		if e != audit.Otherwise || n <= shownAlone {
			continue
		}
		groups, all = append(groups, ChangeGroup{k, n}), all-n
		first = slices.DeleteFunc(slices.Clone(first), func(c audit.Change) bool { return c.Kind() == k })
	}
	return first, all, groups
}

// Group says what is in a group, and what was of it then and is now.
func (t *DiffWords) Group(g ChangeGroup) (what, then, now string) {
	then, now = t.diff.Text("unlisted"), t.diff.Text("listed")
	if g.Kind == audit.NoLongerListed {
		then, now = now, then
	}
	return t.diff.Count("grouped", g.N), then, now
}

// sided is a change in a line of the terminal.
func (t *DiffWords) sided(c *audit.Change) string {
	old, new := t.Sides(c)
	return middle(c.Address, shownSigns) + "    " + middle(old, shownSigns) + " -> " + middle(new, shownSigns)
}

func (t *DiffWords) side(c *audit.Change, s *audit.Observation) string {
	if s == nil && slices.Contains(c.Kinds, audit.AsEntry) {
		return t.diff.Text("as-entry")
	}
	if s == nil && (c.Effect == audit.NotCompared || slices.Contains(c.Kinds, audit.FirstSeen)) { // a sitemap was not read
		return t.diff.Text("unseen")
	}
	if s == nil && slices.Contains(c.Kinds, audit.LeftWithEntry) {
		return t.diff.Count(string(audit.LeftWithEntry), 1)
	}
	if s == nil && c.Effect == audit.Applied {
		if c.Old.Fix == audit.Drop {
			return t.diff.Text("removed")
		}
		return t.diff.Text("replaced", "url", c.Old.Written)
	}
	if s == nil && slices.Contains(c.Kinds, audit.ListedBeside) {
		return t.diff.Text("unlisted-beside")
	}
	if s == nil {
		return t.diff.Text("unlisted")
	}
	said := []string{t.words.Verdict(s.Verdict).One}
	if s.Status != 0 && s.Status != 200 {
		said[0] += fmt.Sprintf(" (%d)", s.Status)
	}
	has := func(kinds ...audit.ChangeKind) bool {
		return slices.ContainsFunc(kinds, func(k audit.ChangeKind) bool { return slices.Contains(c.Kinds, k) })
	}
	if has(audit.MoreHops, audit.FewerHops) {
		said = append(said, t.diff.Count("redirects", s.Hops))
	}
	if has(audit.BecameTemporary, audit.BecamePermanent) && c.Old.Verdict == c.New.Verdict {
		said = append(said, t.diff.Text(map[bool]string{true: "temporary", false: "permanent"}[s.Temporary]))
	}
	if s.Target != "" && (has(audit.OtherTarget) || s == c.New && s.Verdict != audit.NotFound) {
		said = append(said, t.diff.Text("to", "url", s.Target))
	}
	return strings.Join(said, ", ")
}
