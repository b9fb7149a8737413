package html

import (
	"cmp"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// The lanes of the table besides those of the causes, as they stand in #hash.
const (
	laneClean    audit.Lane = "clean"
	laneReported audit.Lane = "reported"
)

// maxGroups is how many causes have a group of their own in the table.
const maxGroups = 200

// An entryGroup is what the rows of one cause stand under in the table.
type entryGroup struct {
	ID      string            `json:"id"`
	Lane    audit.Lane        `json:"lane"`
	Title   messages.Sentence `json:"-"`
	Titles  map[string]string `json:"title"` // by language
	Pattern []conclude.Piece  `json:"pattern,omitempty"`
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
}

func newEntryGroups(result *audit.Result, c *conclude.Conclusion) *entryGroups {
	g := &entryGroups{result: result, causes: make([]int, len(result.Causes)), rest: map[audit.Lane]int{}, upshot: map[audit.Upshot]int{}, folded: map[string]int{}}
	lanes := map[audit.Lane][]conclude.Cause{}
	for _, l := range c.Lanes {
		lanes[l.Lane] = l.Causes
	}
	for _, lane := range audit.Lanes() {
		g.addLane(lane, lanes[lane])
	}
	g.addRest(laneClean)
	if r := conclude.ReportedOf(result); r != nil {
		for _, e := range r.Ends {
			g.upshot[audit.Upshot(e.ID)] = len(g.list)
			g.put("r-"+e.ID, laneReported, e.Title, nil)
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
		g.put(x.ID, lane, x.Title, x.Pattern.Line("→"))
	}
	g.addRest(lane)
}

// put adds a group.
func (g *entryGroups) put(id string, lane audit.Lane, title messages.Sentence, pattern []conclude.Piece) {
	x := entryGroup{id, lane, title, map[string]string{}, pattern}
	for _, lang := range messages.Langs() {
		x.Titles[lang] = title.Plain(messages.Of(lang))
	}
	g.list = append(g.list, x)
}

func (g *entryGroups) addRest(lane audit.Lane) {
	g.rest[lane] = len(g.list)
	title := messages.Say("rest-other")
	switch {
	case lane == laneClean && g.result.Counts.NeedScript(): // nobody knows that they are
		title = page.NoteText(audit.NeedsJavaScript)
	case lane == laneClean:
		title = messages.Say("chip-clean")
	}
	g.put("rest-"+string(lane), lane, title, nil)
}

// of is the number of a row's group.
func (g *entryGroups) of(r *audit.Row) int {
	if i := g.result.CauseOf(r); i >= 0 {
		return g.causes[i]
	}
	return g.rest[cmp.Or(r.Group().Lane(), laneClean)]
}
