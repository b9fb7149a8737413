package html

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A donut is the share of each group as a ring; its legend is the table.
type donut struct {
	Arcs  []arc
	Share string // of what is fine
	Label page.Phrase
	Title string // for screen readers: the numbers in words
}

type arc struct {
	Group audit.Group
	Path  string
}

func newDonut(c *audit.Counts, lang string) donut {
	d := donut{Share: percent(c.Total(audit.Fine), c.Entries), Label: say("fine")}
	var said []string
	at := 0
	for _, g := range groupList {
		n := c.Total(g)
		if n == 0 {
			continue
		}
		d.Arcs = append(d.Arcs, arc{g, ring(at, at+n, c.Entries)})
		said = append(said, messages.Number(n)+" "+page.ShortGroup(g).In(lang))
		at += n
	}
	d.Title = strings.Join(said, ", ")
	return d
}

// ring is the path of the part of a ring from a to b of all, clockwise from
// the top, with a hair's breadth left free on both sides. A part too thin to
// see is drawn as wide as can just be seen.
func ring(a, b, all int) string {
	const outer, inner, gap = 56.0, 38.0, 0.012
	from, to := 2*math.Pi*float64(a)/float64(all), 2*math.Pi*float64(b)/float64(all)
	if b-a == all {
		to -= 0.001 // two decimals still tell the ends apart
	} else if to-from > 4*gap {
		from, to = from+gap, to-gap
	}
	big := 0
	if to-from > math.Pi {
		big = 1
	}
	x := func(r, w float64) string {
		return fmt.Sprintf("%.2f %.2f", 60+r*math.Sin(w), 60-r*math.Cos(w))
	}
	return fmt.Sprintf("M%s A%g %g 0 %d 1 %s L%s A%g %g 0 %d 0 %s Z",
		x(outer, from), outer, outer, big, x(outer, to), x(inner, to), inner, inner, big, x(inner, from))
}

// A legendRow is one line of the tables beside the ring.
type legendRow struct {
	Group audit.Group
	Href  template.URL // the filter that shows these rows: words of ours only
	Icon  string
	Name  page.Phrase
	Count int
	Share string
}

// legend has a line for each group that holds an entry.
func legend(c *audit.Counts) (out []legendRow) {
	for _, g := range groupList {
		if n := c.Total(g); n > 0 {
			out = append(out, legendRow{g, template.URL("entries&lane=" + string(laneOf(g))), "g-" + string(g), page.GroupText(g), n, percent(n, c.Entries)})
		}
	}
	return out
}

// byVerdict has a line for each verdict of each group.
func byVerdict(c *audit.Counts) (out []legendRow) {
	for _, g := range groupList {
		counts := c.Groups[g]
		for _, k := range byCount(counts) {
			row := legendRow{g, template.URL("entries&lane=" + string(laneOf(g))), k, page.VerdictText(audit.Verdict(k), ""), counts[k], percent(counts[k], c.Entries)}
			if k == "merged" {
				row.Name = say("merged")
			}
			out = append(out, row)
		}
	}
	return out
}
