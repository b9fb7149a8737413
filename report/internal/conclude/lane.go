package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Lane is the causes for which the same has to be done.
type Lane struct {
	Lane        audit.Lane
	Count       int // URLs
	Title, Lead Sentence
	Causes      []Cause
	// Open is how many causes stand unfolded: until 95 % of the URLs are covered; of decisions 12. The
	// others are counted in More; one alone is not folded.
	Open int
	More Sentence // "4 more causes, 49 URLs"; zero where all stand open
}

// mostDecisions is how many decisions are never folded.
const mostDecisions = 12

// lanes are the causes lane by lane, in the order of the audit.
func (c *concluding) lanes() (out []Lane) {
	at := map[audit.Lane]*Lane{}
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		lane := x.Group.Lane()
		l := at[lane]
		if l == nil {
			key := string(lane)
			if lane == audit.Upload && (c.unwritten() || c.copies()) {
				key = "would"
			}
			l = &Lane{Lane: lane, Title: say("lane-" + key), Lead: say("lead-" + key)}
			at[lane] = l
		}
		l.Count += x.Count
		l.Causes = append(l.Causes, c.cause(i))
	}
	for _, lane := range audit.Lanes() {
		if at[lane] != nil {
			out = append(out, *at[lane])
		}
	}
	for i := range out {
		c.tellApart(out[i].Causes)
		out[i].fold()
	}
	return out
}

// tellApart has causes with one title and pattern show more of their URLs, as far as that differs: where
// they are, or the first of them.
func (c *concluding) tellApart(causes []Cause) {
	en := messages.Of("en")
	for _, show := range []detail{withOrigin, firstOnes} {
		alike := map[string][]int{}
		for i := range causes {
			if c.result.Causes[causes[i].Index].By != (audit.RuleAt{}) { // which the title names
				continue
			}
			text := causes[i].Title.In(en) + " " + causes[i].Pattern.Text()
			alike[text] = append(alike[text], i)
		}
		for _, same := range alike {
			shown := map[string]bool{}
			for _, i := range same {
				shown[patternOf(&c.result.Causes[causes[i].Index], show).Text()] = true
			}
			if len(shown) < 2 {
				continue
			}
			for _, i := range same {
				causes[i].Pattern = patternOf(&c.result.Causes[causes[i].Index], show)
			}
		}
	}
}

// fold decides how many causes stand open.
func (l *Lane) fold() {
	covered := 0
	for l.Open = 0; l.Open < len(l.Causes); l.Open++ {
		if l.Lane == audit.Upload && covered*100 >= l.Count*95 ||
			l.Lane != audit.Upload && l.Open >= mostDecisions {
			break
		}
		covered += l.Causes[l.Open].Count
	}
	if len(l.Causes)-l.Open == 1 {
		l.Open++
	}
	if more := len(l.Causes) - l.Open; more > 0 {
		l.More = say("lane-more", "n", more, "k", l.Count-covered)
	}
}
