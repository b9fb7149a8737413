package job

import (
	"encoding/json"

	"sitemend/crawler/audit"
	"sitemend/report/html"
	"sitemend/storage"
)

// countsKey is the record of a finished audit that holds what it counted.
const countsKey = "counts"

// counted is what an audit leaves for the trend of later ones.
type counted struct {
	Entries  int                 `json:"entries"`
	Problems *int                `json:"problems"` // nil where an older version counted
	Groups   map[audit.Group]int `json:"groups"`
}

// problems is how many entries are in the group `problem`; of an older version what
// comes nearest.
func (c *counted) problems() int {
	if c.Problems != nil {
		return *c.Problems
	}
	return c.Groups[audit.Corrected] + c.Groups[audit.TakenOut] + c.Groups[audit.NeedsDecision]
}

// keepCounts remembers what an audit counted.
func keepCounts(a *storage.Audit, t *audit.Result) error {
	problems := t.Counts.Problems()
	c := counted{Entries: t.Counts.Entries, Problems: &problems, Groups: map[audit.Group]int{}}
	for group := range t.Counts.Groups {
		c.Groups[group] = t.Counts.Total(group)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return a.Put(countsKey, text)
}

// Trend returns what earlier finished audits like this one counted, the oldest
// first. The one with which this one was compared at its end says what became of it.
func Trend(store *storage.Store, of audit.Info) ([]html.TrendPoint, error) {
	infos, err := store.Audits()
	if err != nil {
		return nil, err
	}
	since, err := sinceOf(store, of.ID)
	if err != nil {
		return nil, err
	}
	var points []html.TrendPoint
	for _, info := range infos {
		if info.Ended.IsZero() || !info.Before(&of) || !sameScope(&info, &of) {
			continue
		}
		p, ok, err := Counted(store, info)
		if err != nil {
			return nil, err
		}
		if ok {
			if since != nil && since.Of == info.ID {
				p.Since = &since.Since
			}
			points = append(points, p)
		}
	}
	return points, nil
}

// Counted returns what a finished audit counted; ok is false where it was stopped before it did.
func Counted(store *storage.Store, info audit.Info) (p html.TrendPoint, ok bool, err error) {
	a, err := store.Audit(info.ID)
	if err != nil {
		return p, false, err
	}
	defer a.Close()
	c, ok, err := keptCounts(a)
	return html.TrendPoint{At: info.Started, Entries: c.Entries, Problems: c.problems(), Groups: c.Groups}, ok, err
}

// keptCounts returns what an audit counted at its end; ok is false where it was
// stopped before.
func keptCounts(a *storage.Audit) (c counted, ok bool, err error) {
	text, ok, err := a.Get(countsKey)
	if err == nil && ok {
		err = audit.Damaged("what audit "+a.ID()+" counted", json.Unmarshal(text, &c))
	}
	return c, ok && err == nil, err
}
