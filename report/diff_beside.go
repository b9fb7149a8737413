package report

import (
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// What a comparison says beside the entries: of the other addresses that sitemaps name, of what is
// wrong with files, and of the links of pages.

// Lists returns the lists of other addresses of which there is something to say.
func (t *DiffWords) Lists() (lists []*audit.AlsoDiff) {
	for i := range t.d.Also {
		if x := &t.d.Also[i]; x.Any() {
			lists = append(lists, x)
		}
	}
	return lists
}

// List names a list, with a capital letter where the language has any.
func (t *DiffWords) List(x *audit.AlsoDiff) string { return t.diff.Text("list-" + string(x.List)) }

// ListState says how many addresses of a list are worse, better and so on, or why they are not
// compared.
func (t *DiffWords) ListState(x *audit.AlsoDiff) string {
	if why := t.ListUnseen(x); why != "" {
		return why
	}
	in := t.In(x)
	var said []string
	for _, e := range DiffEffects() {
		n := x.Diff.Effects[e]
		if n == 0 {
			continue
		}
		key, parts := "list-part", in.Parts(e)
		if parts != "" {
			key = "list-parts"
		}
		said = append(said, t.diff.Text(key, "n", messages.Number(n), "what", t.diff.Text(string(e)), "parts", parts))
	}
	return strings.Join(said, " · ")
}

// ListUnseen says why a list is not compared; "" where it is.
func (t *DiffWords) ListUnseen(x *audit.AlsoDiff) string {
	switch {
	case x.Diff != nil:
		return ""
	case x.InOld:
		return t.dated("list-not-now")
	}
	return t.dated("list-not-then")
}

// In returns the words for what changed in a list that is compared.
func (t *DiffWords) In(x *audit.AlsoDiff) *DiffWords { return &DiffWords{x.Diff, t.words, t.diff} }

// Fault names a kind of fault of sitemaps, and FaultState says what became of its places.
func (t *DiffWords) Fault(x *audit.FaultChange) string {
	name, _ := t.words.SitemapFault(audit.SitemapFault{Name: x.Name})
	return name
}

// FaultState says how many faults of a kind were mended and how many are new, or at least, where
// not all places are listed; where neither is so, that there are as many as before.
func (t *DiffWords) FaultState(x *audit.FaultChange) string {
	if x.Mended+x.New+x.NotCompared == 0 {
		return t.diff.Text("as-many")
	}
	said := t.counted([]counted{{"mended", x.Mended}, {"added", x.New}, {t.uncompared(), x.NotCompared}})
	if x.Unlisted && x.Mended+x.New > 0 {
		return t.diff.Text("at-least", "parts", said)
	}
	return said
}

// FaultPlaces says where the faults of a kind are that are new: the first of them, and how many more
// there are; nil for none.
func (t *DiffWords) FaultPlaces(x *audit.FaultChange) (said []string) {
	more := x.New
	for _, f := range x.Places {
		key := "fault-in"
		if f.Line > 0 {
			key = "fault-at"
		}
		said = append(said, t.diff.Count(key, f.N, "url", middle(f.Sitemap, shownSigns), "line", strconv.Itoa(f.Line)))
		more -= f.N
	}
	if more > 0 && len(said) > 0 {
		said = append(said, t.diff.Count("fault-more", more))
	}
	return said
}

// uncompared is the key of why faults are not compared.
func (t *DiffWords) uncompared() string {
	switch {
	case t.d.Differ.As:
		return "uncompared-as"
	case t.d.Differ.Options():
		return "uncompared-options"
	}
	return "uncompared"
}

// changedBeside reports whether anything that was compared beside the entries changed.
func (t *DiffWords) changedBeside() bool {
	linked := func(k audit.LinkKind) bool {
		x := &t.d.Linked.Kinds[k]
		return x.Gone+x.New > 0
	}
	return slices.ContainsFunc(t.Lists(), changedList) ||
		slices.ContainsFunc(t.d.Faults, func(x audit.FaultChange) bool { return x.Mended+x.New > 0 }) ||
		len(t.Links()) > 0 && slices.ContainsFunc(audit.LinkKinds(), linked)
}

// changedList reports whether an address of a list changed.
func changedList(x *audit.AlsoDiff) bool {
	return x.Diff != nil && slices.ContainsFunc(DiffEffects(), func(e audit.Effect) bool {
		return e != audit.Same && e != audit.NotCompared && x.Diff.Effects[e] > 0
	})
}

type counted struct {
	key string
	n   int
}

func (t *DiffWords) counted(all []counted) string {
	var said []string
	for _, x := range all {
		if x.n > 0 {
			said = append(said, t.diff.Count("n-"+x.key, x.n))
		}
	}
	return strings.Join(said, " · ")
}

// A LinkLine is what changed of a kind of rows about the links of pages.
type LinkLine struct {
	Name      string // "addresses that redirect or are gone"
	State     string // how many are linked no longer, are new, remain
	Then, Now string // how many, and by how many links
}

// Links returns what changed of the links of pages, a line for each kind that there is.
func (t *DiffWords) Links() (lines []LinkLine) {
	for _, k := range audit.LinkKinds() {
		if line, any := t.link(k); any {
			lines = append(lines, line)
		}
	}
	return lines
}

// link returns the line of a kind; any is false where there is none.
func (t *DiffWords) link(k audit.LinkKind) (line LinkLine, any bool) {
	l := t.d.Linked
	if l == nil || !l.InOld || !l.InNew {
		return line, false
	}
	x := &l.Kinds[k]
	if x.Then.Targets+x.Now.Targets == 0 {
		return line, false
	}
	count := func(c audit.LinkCount) string {
		if k == audit.Unlinked {
			return messages.Number(c.Targets)
		}
		return t.diff.Text("link-count", "n", messages.Number(c.Targets), "links", t.diff.Count("link", c.Links))
	}
	return LinkLine{Name: t.diff.Text(linkNames[k]), Then: count(x.Then), Now: count(x.Now), State: t.linkState(k)}, true
}

// linkState says what became of the targets of a kind, or why they are not compared.
func (t *DiffWords) linkState(k audit.LinkKind) string {
	l := t.d.Linked
	switch x := &l.Kinds[k]; {
	case l.Compared(k):
		return t.counted([]counted{{"gone", x.Gone}, {"added", x.New}, {"remain", x.Both}, {"written", x.Written}, {"uncrawled", x.NotCompared}})
	case l.NewAsked:
		return t.dated("links-not-asked-then")
	}
	return t.dated("links-not-asked-now")
}

var linkNames = map[audit.LinkKind]string{audit.LinkedOld: "links-old", audit.LinkedUnlisted: "links-unlisted", audit.Unlinked: "links-unlinked"}

// LinksBasis says on how many pages rests what changed of links, or why they are not compared; ""
// where no audit read them, or nothing is said of them.
func (t *DiffWords) LinksBasis() string {
	l := t.d.Linked
	switch {
	case l == nil:
		return ""
	case !l.InNew:
		return t.dated("links-not-now")
	case !l.InOld:
		return t.dated("links-not-then")
	case len(t.Links()) == 0:
		return ""
	}
	return t.diff.Text("links-read", "old", messages.Number(l.OldPages), "new", messages.Number(l.NewPages))
}

// Beside says in a line each what changed beside the entries: of the lists, of the faults of files,
// with the places of new ones, and of the links of pages; nil for nothing. What was not compared,
// and what is as before, is not in it.
func (t *DiffWords) Beside() (said []string) {
	add := func(label, text string) {
		said = append(said, t.diff.Text("beside", "what", t.diff.Text(label), "parts", text))
	}
	for _, x := range t.Lists() {
		if changedList(x) {
			add("list-"+string(x.List), t.ListState(x))
		}
	}
	for i := range t.d.Faults {
		x := &t.d.Faults[i]
		if x.Mended+x.New == 0 {
			continue
		}
		add("label-faults", t.turned(t.Fault(x), messages.Number(x.Then), messages.Number(x.Now), t.FaultState(x)))
		for _, place := range t.FaultPlaces(x) {
			said = append(said, "  "+place)
		}
	}
	if l := t.d.Linked; l != nil {
		for _, k := range audit.LinkKinds() {
			if line, any := t.link(k); any && l.Kinds[k].Gone+l.Kinds[k].New > 0 {
				add("label-links", t.turned(line.Name, line.Then, line.Now, line.State))
			}
		}
	}
	return said
}

// turned is what became of something, in a line.
func (t *DiffWords) turned(what, old, new, state string) string {
	return t.diff.Text("turned", "what", what, "old", old, "new", new, "parts", state)
}

// shownOthers is how many changes of an effect the terminal is shown of a list.
const shownOthers = 5

// beside adds what changed beside the entries.
func (t *differing) beside(out *terminal) {
	for _, x := range t.Lists() {
		label := "list-" + string(x.List)
		out.row(label, t.ListState(x))
		if x.Diff == nil {
			continue
		}
		in := t.In(x)
		for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise} {
			in.changed(out, label, e, shownOthers)
		}
	}
	t.faults(out)
	for _, l := range t.Links() {
		out.row("label-links", t.turned(l.Name, l.Then, l.Now, l.State))
	}
	if basis := t.LinksBasis(); basis != "" {
		out.row("label-links", basis)
	}
}

// faults adds the faults of sitemaps by kind, those that changed most first.
func (t *differing) faults(out *terminal) {
	all := t.d.Faults
	for i := range all[:min(shownFaults, len(all))] {
		x := &all[i]
		out.row("label-faults", t.turned(t.Fault(x), messages.Number(x.Then), messages.Number(x.Now), t.FaultState(x)))
		for _, place := range t.FaultPlaces(x) {
			out.row("label-faults", place)
		}
	}
	if more := len(all) - shownFaults; more > 0 {
		out.row("label-faults", t.diff.Text("more", "n", messages.Number(more)))
	}
}

// shownFaults is how many kinds of faults the terminal is shown.
const shownFaults = 10
