package html

import (
	"fmt"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// maxBars is how many audits the trend shows, this one included.
const maxBars = 16

// A trend is the problems across audits as stacked bars, with its table.
type trend struct {
	Width  int
	Groups []audit.Group
	Bars   []bar
	Title  string
}

type bar struct {
	At, Day string
	Time    string // where a day has several audits
	Mid     int
	Top     float64
	Total   int
	Counts  []int
	Parts   []rect
}

type rect struct {
	Group audit.Group
	X, W  int
	Y, H  float64
}

// trendGroups are what is stacked, from below: what is wrong. What was not checked, or
// is right in itself, is no problem.
var trendGroups = []audit.Group{audit.Corrected, audit.TakenOut, audit.NeedsDecision}

// newTrend returns the bars of the earlier audits and of this one; nil where
// there is nothing to compare with.
func newTrend(told *audit.Result, o Options) *trend {
	points := make([]TrendPoint, 0, len(o.Trend)+1)
	for _, p := range o.Trend {
		if p.Groups != nil {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return nil
	}
	now := TrendPoint{At: told.Info.Started, Entries: told.Counts.Entries, Groups: map[audit.Group]int{}}
	for _, g := range groupList {
		now.Groups[g] = told.Counts.Total(g)
	}
	points = append(points, now)
	return drawn(points[max(0, len(points)-maxBars):], o.Lang)
}

// drawn lays the bars out, the tallest 120 units high.
func drawn(points []TrendPoint, lang string) *trend {
	const step, width = 64, 36
	t := &trend{Width: max(len(points)*step, 320), Groups: trendGroups}
	high := 1
	for _, p := range points {
		high = max(high, problems(p))
	}
	var said []string
	for i, p := range points {
		b := bar{At: page.Stamp(p.At), Day: day(p.At), Mid: i*step + step/2, Total: problems(p)}
		y := 140.0
		for _, g := range trendGroups {
			b.Counts = append(b.Counts, p.Groups[g])
			h := float64(p.Groups[g]) * 115 / float64(high)
			y -= h
			if h > 0 {
				b.Parts = append(b.Parts, rect{g, b.Mid - width/2, width, round1(y), round1(max(h-1, 0.5))})
			}
		}
		b.Top = round1(y - 6)
		said = append(said, fmt.Sprintf("%s: %s", day(p.At), messages.Number(b.Total)))
		t.Bars = append(t.Bars, b)
	}
	t.Title = strings.Join(said, ", ")
	t.tellTimes(points)
	return t
}

// tellTimes adds the time to the days where one has several bars.
func (t *trend) tellTimes(points []TrendPoint) {
	days := map[string]bool{}
	for _, p := range points {
		days[day(p.At)] = true
	}
	for i, p := range points {
		if len(days) < len(points) {
			t.Bars[i].Time = p.At.UTC().Format("15:04")
		}
	}
}

func problems(p TrendPoint) (n int) {
	for _, g := range trendGroups {
		n += p.Groups[g]
	}
	return n
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

func round1(f float64) float64 { return float64(int(f*10+0.5)) / 10 }
