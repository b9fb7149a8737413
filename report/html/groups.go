package html

import (
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
)

// The lanes of the table besides those of the causes, as they stand in #hash.
const (
	laneClean    audit.Lane = "clean"
	laneLeft     audit.Lane = "left"
	laneReported audit.Lane = "reported"
)

// maxGroups is how many causes have a group of their own in the table.
const maxGroups = 200

// quietLanes are those of which nothing is to be done.
var quietLanes = []audit.Lane{laneClean, laneLeft}

// laneOf is the lane that the rows of a group are in.
func laneOf(g audit.Group) audit.Lane {
	switch lane := g.Lane(); {
	case lane != "":
		return lane
	case g == audit.LeftOut:
		return laneLeft
	}
	return laneClean
}

// An entryGroup is what the rows of one cause stand under in the table.
type entryGroup struct {
	ID      string
	Lane    audit.Lane
	Title   page.Phrase
	Pattern []page.Piece // '+' what changes
}

// entryGroups are the groups of the table, in the order in which it shows them.
type entryGroups struct {
	list   []entryGroup
	result *audit.Result
	own    int                  // causes with a group of their own
	causes []int                // of result.Causes: its group
	rest   map[audit.Lane]int   // by lane: the group of rows without a cause of their own
	upshot map[audit.Upshot]int // of reported addresses
	folded map[string]int       // IDs of causes without a group of their own, and theirs
	would  bool                 // Conclusion.Would: no upload of these outputs fixes anything
}

func newEntryGroups(result *audit.Result, c *conclude.Conclusion) *entryGroups {
	g := &entryGroups{result: result, causes: make([]int, len(result.Causes)), rest: map[audit.Lane]int{}, upshot: map[audit.Upshot]int{}, folded: map[string]int{}, would: !result.Writes()}
	lanes := map[audit.Lane][]conclude.Cause{}
	for _, l := range c.Lanes {
		lanes[l.Lane] = l.Causes
	}
	for _, lane := range audit.Lanes() {
		g.addLane(lane, lanes[lane])
	}
	for _, lane := range quietLanes {
		g.addRest(lane)
	}
	if r := conclude.ReportedOf(result); r != nil {
		for _, e := range r.Ends {
			g.upshot[e.Upshot] = len(g.list)
			g.list = append(g.list, entryGroup{ID: "r-" + string(e.Upshot), Lane: laneReported, Title: phrase(e.Title)})
		}
	}
	return g
}

// addLane gives each cause a group, as long as there is room; the others share one.
func (g *entryGroups) addLane(lane audit.Lane, causes []conclude.Cause) {
	own := min(len(causes), maxGroups-g.own)
	rest := len(g.list) + own
	g.own += own
	for i := range causes {
		x := &causes[i]
		if g.causes[x.Index] = min(len(g.list), rest); len(g.list) == rest {
			g.folded[x.ID] = rest
			continue
		}
		g.list = append(g.list, entryGroup{ID: x.ID, Lane: lane, Title: phrase(x.Title), Pattern: patternPieces(x.Pattern)})
	}
	g.addRest(lane)
}

// patternPieces is a pattern in a line.
func patternPieces(p conclude.Pattern) (out []page.Piece) {
	add := func(list []conclude.Piece) {
		for _, x := range list {
			out = append(out, page.Piece{Mark: map[bool]byte{false: '=', true: '+'}[x.Changes], Text: x.Text})
		}
	}
	add(p.From)
	if len(p.To) > 0 {
		out = append(out, page.Piece{Mark: '=', Text: " → "})
		add(p.To)
	}
	return out
}

// phrase is a sentence in each language; nil for one that says nothing.
func phrase(s conclude.Sentence) page.Phrase {
	if s.IsZero() {
		return nil
	}
	return page.Marked(s.In)
}

func (g *entryGroups) addRest(lane audit.Lane) {
	g.rest[lane] = len(g.list)
	title := say("rest-" + string(lane))
	if lane == laneClean && g.result.Counts.NeedScript() { // nobody knows that they are
		title = say("rest-script")
	}
	g.list = append(g.list, entryGroup{ID: "rest-" + string(lane), Lane: lane, Title: title})
}

// of is the number of a row's group.
func (g *entryGroups) of(r *audit.Row) int {
	if i := g.result.CauseOf(r); i >= 0 {
		return g.causes[i]
	}
	return g.rest[laneOf(r.Group())]
}

// A groupKey is what the script knows of a group.
type groupKey struct {
	ID      string            `json:"id"`
	Lane    audit.Lane        `json:"lane"`
	Title   map[string]string `json:"title"` // by language
	Pattern []string          `json:"pattern,omitempty"`
}

func (g *entryGroups) keys() []groupKey {
	out := make([]groupKey, len(g.list))
	for i, x := range g.list {
		out[i] = groupKey{ID: x.ID, Lane: x.Lane, Title: map[string]string{}}
		for _, text := range x.Title {
			out[i].Title[text.Lang] = text.String()
		}
		for _, p := range x.Pattern {
			out[i].Pattern = append(out[i].Pattern, string(p.Mark)+p.Text)
		}
	}
	return out
}
