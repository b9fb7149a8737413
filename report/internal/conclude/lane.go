package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Lane is the causes for which the same has to be done.
type Lane struct {
	Lane        audit.Lane
	Count       int // entries
	Title, Lead Sentence
	Causes      []Cause
	// Open is how many causes stand unfolded: until 95 % of the entries are covered; of
	// decisions 12. The others are counted in More; one alone is not folded.
	Open int
	More Sentence // "4 more causes, 49 entries"; zero where all stand open
	// Bounces says of how many new addresses the server redirects another spelling, which is no
	// fault of the sitemap; zero for none, and in other lanes than the upload's.
	Bounces Sentence
	// Stops is set where Google does not reach the entries either, all or some of them: their
	// robots.txt answers with a server error, they redirect into a private network, or ask for a password.
	Stops bool
}

// stops reports whether all that could not be checked is of hosts whose robots.txt answers with a
// server error.
func (c *concluding) stops() bool {
	n := 0
	for why, k := range c.result.Counts.Unseen {
		if audit.RobotsStatus(why) >= 500 {
			n += k
		}
	}
	return n > 0 && n == c.now.Unseen
}

// inside is how many entries redirect to an address inside a private network.
func (c *concluding) inside() int { return c.result.Counts.Unseen[string(audit.FaultPrivate)] }

// barred is how many entries of those that could not be checked Google does not reach either: these,
// and what asks for a password, for it has none.
func (c *concluding) barred() int { return c.inside() + c.result.Counts.Unseen["401"] }

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
			l = &Lane{Lane: lane, Title: c.laneTitle(lane), Lead: c.lead(lane)}
			l.Stops = lane == audit.Unseen && (c.stops() || c.barred() > 0)
			if lane == audit.Upload && !c.unwritten() {
				l.Bounces = c.bounces()
			}
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

// tellApart has causes with one title and pattern show more of their addresses, as far as that differs:
// where they are, or the first of them.
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
				x := &c.result.Causes[causes[i].Index]
				causes[i].Pattern = patternOf(x, show)
				causes[i].line = lineOf(kindOf(x), x, &causes[i])
			}
		}
	}
}

func (c *concluding) laneTitle(l audit.Lane) Sentence {
	if l == audit.Upload && c.unwritten() {
		return say("lane-would")
	}
	if l == audit.Upload && c.copies() {
		return say("lane-copy")
	}
	if l == audit.Upload && c.noindex() > 0 { // which only its owner can call a fault that is fixed
		return say("lane-upload-noindex")
	}
	return say("lane-" + string(l))
}

// noindex is how many entries are removed for their noindex: whether that is meant only their owner
// knows, so that they are counted as removed, and never as fixed.
func (c *concluding) noindex() int { return c.result.Counts.Removed(audit.Noindex) }

// asksNoindex asks whether the noindex of so many entries that are removed is meant; of none it says
// nothing.
func asksNoindex(n int) Sentence {
	if n == 0 {
		return Sentence{}
	}
	return say("removed-noindex", "n", n)
}

func (c *concluding) lead(l audit.Lane) Sentence {
	switch {
	case l == audit.Unseen && c.stops():
		return say("lead-unseen-stops")
	case l == audit.Unseen && c.inside() > 0:
		return say("lead-unseen-private", "n", c.inside())
	case l == audit.Unseen && c.barred() > 0:
		return say("lead-unseen-401", "n", c.barred())
	case l != audit.Upload:
		return say("lead-" + string(l))
	case c.unwritten():
		return say("lead-would")
	case c.cutCopies() > 0:
		return say("lead-in-part")
	}
	merged := c.result.Counts.Actions[audit.Merge]
	if len(c.result.Info.Rules.Lift) > 0 {
		return join("", say("lead-lifted"), asksNoindex(c.noindex()), listedAlready(merged), c.bounces())
	}
	switch n := c.result.Counts.Total(audit.TakenOut); {
	case n > 0 && merged == c.result.Counts.Total(audit.Corrected): // nothing is replaced
		return join("", say("lead-upload-removed-only", "n", n), asksNoindex(c.noindex()), moreListedAlready(merged), c.bounces())
	case n > 0: // whether they are meant to go is a question
		return join("", say("lead-upload-removed", "n", n), asksNoindex(c.noindex()), moreListedAlready(merged), c.bounces())
	case merged > 0 && merged == c.result.Counts.Total(audit.Corrected):
		return join("", say("lead-upload-merged", "n", merged), c.bounces())
	}
	return join("", say("lead-upload"), listedAlready(merged), c.bounces())
}

// bounces says of how many new addresses the server redirects another spelling. No other address
// could be written for them.
func (c *concluding) bounces() Sentence {
	var said []Sentence
	if n := c.result.Counts.Notes[audit.Bounces]; n > 0 {
		said = append(said, say("new-bounces", "n", n))
	}
	return join("", said...)
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
