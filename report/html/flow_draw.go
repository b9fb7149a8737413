package html

import (
	"cmp"
	"fmt"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// The measures of the flow, in units of its viewBox (1000 wide).
const (
	flowBar    = 10.0  // width of a bar
	flowTall   = 240.0 // height that all rows share
	flowSlot   = 24.0  // height of a bar with its label, at least
	flowTop    = 24.0  // for the heads of the columns
	flowThin   = 1.0   // height of a band, at least
	flowMargin = 8.0   // between a bar and its label
)

var flowX = [3]float64{270, 495, 720}

// A column is the bars of one column while they are laid out, by name.
type column struct {
	order []string
	nodes map[string]*flowNode
	used  map[string][2]float64 // how much of each bar has a band: on the left, on the right
}

// flowNames are the names of a key in the three columns.
func (k flowKey) names() [3]string {
	return [3]string{k.from, string(k.verdict) + "/" + string(k.group), k.to}
}

// draw lays out bars and bands.
func (p *flow) draw(keys []flowKey, counts map[flowKey]int, label flowLabels) {
	var cols [3]column
	for c := range cols {
		cols[c] = column{nodes: map[string]*flowNode{}, used: map[string][2]float64{}}
		for _, k := range keys {
			name := k.names()[c]
			n := cols[c].nodes[name]
			if n == nil {
				n = newFlowNode(c, k, label)
				cols[c].nodes[name] = n
				cols[c].order = append(cols[c].order, name)
			}
			n.Count += counts[k]
		}
		p.Height = max(p.Height, cols[c].place(float64(p.Total)))
	}
	for c := range cols {
		for _, name := range cols[c].order {
			p.Nodes = append(p.Nodes, *cols[c].nodes[name])
		}
	}
	p.bands(&cols, keys, counts)
}

func newFlowNode(c int, k flowKey, label flowLabels) *flowNode {
	n := &flowNode{X: flowX[c]}
	switch c {
	case 0:
		n.Label, n.LabelX, n.LeftSide = label.of(k.from), n.X-flowMargin, true
	case 1:
		n.Label, n.Group, n.LabelX = label.verdict(k), k.group, n.X+flowBar+flowMargin
	case 2:
		n.Label, n.LabelX = label.of(k.to), n.X+flowBar+flowMargin
	}
	return n
}

// place puts the bars of a column below one another, the most frequent first and
// other ones last, and returns the height that they take.
func (c *column) place(total float64) int {
	slices.SortStableFunc(c.order, func(a, b string) int {
		if (a == "") != (b == "") {
			return cmp.Compare(b, a)
		}
		return c.nodes[b].Count - c.nodes[a].Count
	})
	y := flowTop
	for _, name := range c.order {
		n := c.nodes[name]
		n.H = max(float64(n.Count)/total*flowTall, flowThin)
		n.Y = round1(y + max(0, flowSlot-n.H)/2)
		n.LabelY = round1(n.Y + n.H/2 + 4)
		y += max(n.H, flowSlot) + 4
		n.H = round1(n.H)
	}
	return int(y + 1)
}

// bands joins the bars: each way is a band from a bar of the first column to its
// verdict, and one on to where it ends.
func (p *flow) bands(cols *[3]column, keys []flowKey, counts map[flowKey]int) {
	for c := range 2 {
		type pair struct{ a, b string }
		sums, groups := map[pair]int{}, map[pair]audit.Group{}
		var order []pair
		for _, k := range keys {
			x := pair{k.names()[c], k.names()[c+1]}
			if sums[x] == 0 {
				order = append(order, x)
			}
			sums[x] += counts[k]
			groups[x] = k.group
		}
		// In the order of the bars, so that bands cross as little as they can.
		slices.SortStableFunc(order, func(x, y pair) int {
			return cmp.Or(slices.Index(cols[c].order, x.a)-slices.Index(cols[c].order, y.a),
				slices.Index(cols[c+1].order, x.b)-slices.Index(cols[c+1].order, y.b))
		})
		for _, x := range order {
			p.Bands = append(p.Bands, cols[c].join(&cols[c+1], x.a, x.b, sums[x], groups[x], float64(p.Total), p.lang))
		}
	}
}

// join is the band of n rows between two bars.
func (c *column) join(to *column, a, b string, n int, g audit.Group, total float64, lang string) flowBand {
	from, end := c.nodes[a], to.nodes[b]
	h := max(float64(n)/total*flowTall, flowThin)
	ua, ub := c.used[a], to.used[b]
	y1, y2 := from.Y+ua[1], end.Y+ub[0]
	ua[1], ub[0] = ua[1]+h, ub[0]+h
	c.used[a], to.used[b] = ua, ub
	x1, x2 := from.X+flowBar, end.X
	mid := (x1 + x2) / 2
	return flowBand{Group: g, Title: messages.Number(n) + ": " + from.Label.In(lang) + " → " + end.Label.In(lang),
		Path: fmt.Sprintf("M%g %.1fC%g %.1f %g %.1f %g %.1fv%.1fC%g %.1f %g %.1f %g %.1fZ",
			x1, y1, mid, y1, mid, y2, x2, y2, h, mid, y2+h, mid, y1+h, x1, y1+h)}
}
