package report

import (
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// longLabel is the width of a group's title beyond which it does not widen the
// column of all.
const longLabel = 30

// A part is a share of a group: how many, and of what.
type part struct {
	key string
	n   int
}

// A groupLine is a group that has entries, in words.
type groupLine struct {
	group               audit.Group
	count, label, parts string
}

// groupLines returns the groups that have entries, and the fine ones always.
func (t *terminal) groupLines() (lines []groupLine) {
	for _, g := range audit.Groups() {
		n := t.told.Counts.Total(g)
		if n == 0 && g != audit.Fine {
			continue
		}
		lines = append(lines, groupLine{g, messages.Number(n), t.group(g), visible(t.parts(g))})
	}
	return lines
}

// group names a group. Where no sitemap is written, nothing was corrected or
// taken out.
func (t *terminal) group(g audit.Group) string {
	if t.unwritten() {
		return t.words.Would(g)
	}
	return t.words.Group(g)
}

// unwritten reports whether the audit writes no sitemap: only a part was asked, or
// only the files were checked.
func (t *terminal) unwritten() bool { return t.told.Info.Partial || t.told.Info.NoFetch }

// groups adds a line for each group that has entries.
func (t *terminal) groups() {
	number, label := 0, 0
	lines := t.groupLines()
	for _, s := range lines {
		number = max(number, len(s.count))
		if w := cellsOf(s.label); w <= longLabel {
			label = max(label, w)
		}
	}
	for _, s := range lines {
		line := "  " + t.colored(s.group, padLeft(s.count, number)) + "  " + s.label
		if s.parts != "" {
			line += strings.Repeat(" ", max(3, label+5-cellsOf(s.label))) + s.parts
		}
		t.line(line)
	}
}

// colored gives a count the colour of its group, where colours are wanted.
func (t *terminal) colored(g audit.Group, count string) string {
	color, ok := map[audit.Group]string{audit.Fine: "32", audit.Corrected: "34", audit.TakenOut: "33", audit.NeedsDecision: "31"}[g]
	if !t.o.Color || !ok {
		return count
	}
	return "\x1b[" + color + "m" + count + "\x1b[0m"
}

// parts says what a group consists of, largest first; "" where its title says
// it all.
func (t *terminal) parts(g audit.Group) string {
	switch g {
	case audit.Fine, audit.LeftOut:
		return ""
	case audit.NotChecked:
		return t.unseen()
	}
	var said []string
	for _, p := range sorted(t.told.Counts.Groups[g]) {
		said = append(said, t.words.Text("part", "n", messages.Number(p.n), "what", t.partName(p)))
	}
	return strings.Join(said, " · ")
}

func (t *terminal) partName(p part) string {
	one, many := "", ""
	if p.key == "merged" {
		d := t.words.Action(audit.Merge)
		one, many = d.One, d.Many
	} else {
		f := t.words.Verdict(audit.Verdict(p.key))
		one, many = f.One, f.Many
	}
	if p.n == 1 {
		return one
	}
	return many
}

// unseen says what answered in place of a page.
func (t *terminal) unseen() string {
	parts := sorted(t.told.Counts.Unseen)
	if len(parts) == 0 {
		return ""
	}
	var said []string
	for _, p := range parts {
		name := t.words.Fault(audit.Fault(p.key))
		switch _, err := strconv.Atoi(p.key); {
		case p.key == string(audit.Unsteady):
			name = t.words.Text("unsteady")
		case err != nil && name == p.key && p.key != "captcha": // no status, no fault: a bot protection
			name = t.words.Text("refused-by", "what", name)
		}
		said = append(said, t.words.Text("times", "n", messages.Number(p.n), "what", name))
	}
	return t.words.Text("unseen", "parts", strings.Join(said, " · "))
}

// sorted returns parts by their number, those of the same number by the
// precedence of verdicts, then by name.
func sorted(counts map[string]int) []part {
	var parts []part
	for key, n := range counts {
		if n > 0 {
			parts = append(parts, part{key, n})
		}
	}
	rank := func(key string) int {
		if at := slices.Index(audit.Verdicts(), audit.Verdict(key)); at >= 0 {
			return at
		}
		return len(audit.Verdicts()) // "merged", a status, a fault
	}
	slices.SortFunc(parts, func(a, b part) int {
		if a.n != b.n {
			return b.n - a.n
		}
		if x, y := rank(a.key), rank(b.key); x != y {
			return x - y
		}
		return strings.Compare(a.key, b.key)
	})
	return parts
}
