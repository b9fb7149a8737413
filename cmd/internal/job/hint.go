package job

import (
	"time"

	"sitemend/crawler"
	"sitemend/report/messages"
)

// A spent is where the time of an audit went, in this run of it.
type spent struct {
	all       time.Duration
	waited    time.Duration // for a turn at the host at which it was longest
	answering time.Duration // of all requests together
	slowed    bool          // a host wanted a slower pace
}

func spentOf(p *crawler.Progress, all time.Duration) spent {
	return spent{all, time.Duration(p.Waited.Load()), time.Duration(p.Answering.Load()), p.Slowed.Load()}
}

// worthwhile is how much time a hint has to save.
const worthwhile = 10 * time.Second

// unpaced is how long it would have taken with no ceiling of requests a second and parallel
// requests at once, by the answers that there were: no less than what is left without the waiting,
// nor than all answers take on the connections of a single host.
func (s spent) unpaced(parallel int) time.Duration {
	return max(s.all-s.waited, s.answering/time.Duration(max(parallel, 1)))
}

// hint says what would have helped: where the ceiling is what took the time, and no host minded,
// that the owner of the server may lift it.
func (j *job) hint() string {
	quick := j.spent.unpaced(j.f.Parallel)
	if j.f.Rate == 0 || j.spent.slowed || j.spent.all-quick < worthwhile || quick > j.spent.all/2 {
		return ""
	}
	c := j.words()
	return c.Text("hint-rate", "quick", span(c, quick), "took", span(c, j.spent.all))
}

// span says how long something takes, as the summary does.
func span(c *messages.Catalogue, d time.Duration) string {
	unit, n, m := messages.Span(d)
	return c.Text(unit, "n", messages.Number(n), "m", messages.Number(m))
}
