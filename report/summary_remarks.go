package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// listed is how many things of one kind the summary names; summary.json has
// them all.
const listed = 5

// beside says that outputs which were not written now are in the folder, after those of another
// audit, or that those of another audit were left there.
func (t *terminal) beside() {
	if t.o.Written.Spared {
		t.row("label-beside", t.words.Text("spared", "dir", t.o.Written.Dir))
	}
	b := &t.o.Written.Beside
	if len(b.Files) == 0 {
		return
	}
	var files []string
	for _, name := range b.Files {
		files = append(files, t.path(name))
	}
	t.row("label-beside", t.words.Text("beside", "files", strings.Join(files, t.words.Text("between-terms")), "audit", b.Audit, "formats", strings.Join(b.Formats, ",")))
}

// remarks add what there is to know besides the causes.
func (t *terminal) remarks() {
	t.held()
	t.childrenOut()
	t.moves()
	t.back()
	t.hindrances()
	t.unread()
	t.faults()
	t.beside()
}

// few adds up to five rows under a label, and how many there are beyond.
func (t *terminal) few(label string, rows []string) { t.fewOf(label, rows, len(rows)) }

// fewOf is few where rows are the first of so many.
func (t *terminal) fewOf(label string, rows []string, all int) {
	for _, text := range rows[:min(listed, len(rows))] {
		t.row(label, text)
	}
	if more := all - min(listed, len(rows)); more > 0 {
		t.row(label, t.words.Text("more", "n", messages.Number(more)))
	}
}

// childrenOut names the indexes that lose sitemaps.
func (t *terminal) childrenOut() {
	for i := range t.result.Files {
		if f := &t.result.Files[i]; f.Changed && f.ChildrenOut() > 0 {
			t.row("label-sitemaps", t.words.Count("children-out", f.ChildrenOut(), "url", f.Sitemap.URL))
		}
	}
}

// moves names the files that belong on another origin now.
func (t *terminal) moves() {
	var moved []string
	for i := range t.result.Files {
		f := &t.result.Files[i]
		if f.Changed && f.Moved {
			moved = append(moved, t.words.Text("moved", "old", f.Sitemap.AnsweredAt, "new", f.BelongsAt))
		}
	}
	t.few("label-moved", moved)
	if len(moved) > 0 {
		t.row("label-moved", t.words.Text("moved-do"))
	}
}

// back says of what the last audit dropped and what is fine again.
func (t *terminal) back() {
	b := &t.result.Back
	if b.Unlisted > 0 {
		t.row("label-back", t.words.Count("back", b.Unlisted))
		var at []string
		for _, x := range b.Addresses {
			at = append(at, t.words.Text("back-at", "url", x.Loc, "sitemap", x.Sitemap))
		}
		t.fewOf("label-back", at, b.Unlisted)
	}
	if b.Listed > 0 {
		t.row("label-back", t.words.Count("back-listed", b.Listed))
	}
}

// openLabels are the labels of what audit.OpenNotes tells of.
var openLabels = map[audit.Note]string{audit.NeedsJavaScript: "label-javascript", audit.ScriptRedirect: "label-javascript",
	audit.Truncated: "label-unread"}

// hindrances says what could not be seen, and how to be let in.
func (t *terminal) hindrances() {
	info := &t.result.Info
	switch t.left(); {
	case len(info.Abandoned) > 0:
		t.letIn("label-left")
	case t.manyUnseen():
		t.letIn("label-refused")
	}
	var bad []string
	for _, origin := range info.RobotsBad {
		key := "robots"
		switch {
		case slices.Contains(info.RobotsDown, origin):
			key = "robots-down"
		case t.result.Counts.Unseen[audit.RobotsWhy(429)] > 0 && len(info.RobotsBad) == 1:
			key = "robots-429"
		}
		bad = append(bad, t.words.Text(key, "origin", origin))
	}
	t.few("label-robots", bad)
	var never []string
	for _, origin := range t.result.NeverGone() {
		never = append(never, t.words.Text("never-gone", "origin", origin))
	}
	t.few("label-never-gone", never)
	for _, note := range audit.OpenNotes() {
		if n := t.result.Counts.Notes[note]; n > 0 {
			t.row(openLabels[note], t.words.Text(messages.ForOne("open-"+string(note), n), "n", messages.Number(n)))
		}
	}
	if info.Proxy {
		t.row("label-proxy", t.words.Text("proxy"))
	}
}

// left names the hosts that were left alone.
func (t *terminal) left() {
	key := "left"
	if t.result.Counts.Unseen[string(audit.FaultAbandoned)] == 0 { // each of their entries was requested
		key = "left-whole"
	}
	hosts := slices.Sorted(maps.Keys(t.result.Info.Abandoned))
	for _, host := range hosts[:min(listed, len(hosts))] {
		what := t.words.Text("left-none")
		if status := t.result.Info.Abandoned[host]; status != 0 {
			what = t.words.Text("left-status", "n", messages.Number(status))
		}
		t.row("label-left", t.words.Text(key, "host", host, "what", what))
	}
	if more := len(hosts) - listed; more > 0 {
		t.row("label-left", t.words.Text("more", "n", messages.Number(more)))
	}
}

// letIn says how to be let in.
func (t *terminal) letIn(label string) {
	for _, how := range t.words.LetIn(&t.result.Info, t.result.Counts.Unseen) {
		t.row(label, strings.ReplaceAll(how, "`", ""))
	}
}

// manyUnseen reports whether so much could not be seen that the summary says how to be
// let in: a bot protection answered, or a tenth of the entries and more are concerned.
// A few entries are named in the report.
func (t *terminal) manyUnseen() bool {
	c := &t.result.Counts
	for why := range c.Unseen {
		_, err := strconv.Atoi(why)
		if err != nil && why != string(audit.Unsteady) && t.words.Fault(audit.Fault(why)) == why {
			return true
		}
	}
	return c.Verdicts[audit.Unverified] > 0 && c.Verdicts[audit.Unverified]*10 >= c.Entries
}

// unread names the sitemaps that could not be read, or only in part: nothing was
// crawled, nor is anything said, of what they list there. Of one that the terminal's sentence has
// named already it says what that does not: why a part is missing, or what names the sitemap.
func (t *terminal) unread() {
	var rows, parts []string
	var whys []audit.SitemapFault
	for i := range t.result.Files {
		s := &t.result.Files[i].Sitemap
		why, into := s.Error, &rows
		switch {
		case s.Unread():
		case s.InPart():
			why, into = s.PartFault, &parts
		default:
			continue
		}
		text := s.URL
		if fault, ok := why(); ok {
			_, what := t.words.SitemapFault(fault)
			text, whys = t.words.Text("unread", "url", s.URL, "what", what), append(whys, fault)
		}
		*into = append(*into, text)
	}
	named := len(parts) == 1 || t.c.State == conclude.Unread
	if t.sentenced && named && len(rows)+len(parts) == 1 && len(whys) == 1 {
		if _, what := t.words.SitemapFault(whys[0]); len(parts) == 1 && whys[0].Line > 0 {
			t.row("label-unread", what)
		}
		return
	}
	t.unreadRows("unread-of", rows)
	t.unreadRows("part-of", parts)
}

func (t *terminal) unreadRows(key string, rows []string) {
	switch len(rows) {
	case 0:
		return
	case 1:
		key += ".one"
	}
	t.row("label-unread", t.words.Text(key, "n", messages.Number(len(rows)), "all", messages.Number(t.result.Sitemaps())))
	t.few("label-unread", rows)
}

// faults counts what is wrong with the sitemap files, by name: today, where an upload mends some of
// it. What unread says is not said again.
func (t *terminal) faults() {
	counts, names, said, key := faultsOf(t.result), map[string]int{}, 0, "faults"
	for i := range t.result.Files {
		s := &t.result.Files[i].Sitemap
		for _, f := range s.Faults {
			name, _ := t.words.SitemapFault(f)
			if names[name] += f.Places(); f.Places() > 1 || f.Key == "more-places" {
				key = "faults-first"
			}
		}
		if len(s.Faults) == 1 && s.Faults[0].Places() == 1 && (s.Unread() || s.InPart()) {
			said++
		}
	}
	if all := counts["errors"] + counts["warnings"]; all == 0 || all == said || t.o.Written.Spared { // then no file has the places, and what is not read is named
		return
	}
	var kinds []string
	for _, severity := range []string{"errors", "warnings"} {
		if counts[severity] > 0 {
			kinds = append(kinds, t.words.Count(severity, counts[severity]))
		}
	}
	largest := sorted(names)
	named := func(n int) string {
		each := make([]string, 0, n+1)
		for _, p := range largest[:n] {
			each = append(each, p.key+" ("+messages.Number(p.n)+")")
		}
		if rest := largest[n:]; len(rest) > 0 {
			more := 0
			for _, p := range rest {
				more += p.n
			}
			each = append(each, t.words.Text("faults-more", "n", messages.Number(more), "m", messages.Number(len(rest))))
		}
		return strings.Join(each, " · ")
	}
	most := min(listed, len(largest))
	many, text := strings.Join(kinds, t.words.Text("between-terms")), ""
	if t.c.Uploads > 0 {
		many = t.words.Text("faults-today", "faults", many)
	}
	var shorter []string
	for n := most; n > 0; n-- {
		shorter = append(shorter, t.words.Text("faults-short", "faults", many, "names", named(n)))
	}
	text = t.words.Text(key, "faults", many, "names", named(most))
	t.figures("label-faults", text, append(shorter, t.words.Text("faults-shortest", "faults", many))...)
}
