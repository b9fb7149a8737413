package audit

import (
	"context"

	"sitemend/crawler/accesslog"
)

// A CrawlDay is what access logs say of a reported address on the day on which it was last crawled.
type CrawlDay string

// What logs may say; "" is nothing, for they do not have the day, or the export does not say which
// it is.
const (
	DayAsNow         CrawlDay = "as-now"         // the last answer to Googlebot was of the kind of ours now
	DayOtherwise     CrawlDay = "otherwise"      // it was of another kind
	DayOtherSpelling CrawlDay = "other-spelling" // Googlebot requested it in another spelling alone
	DayNotCompared   CrawlDay = "not-compared"   // it requested it, and one of the two answers is not known
	DayNone          CrawlDay = "not-requested"  // it did not request it
)

// CrawlDays returns what logs may say of a day, in the order in which it is reported.
func CrawlDays() []CrawlDay {
	return []CrawlDay{DayAsNow, DayOtherwise, DayOtherSpelling, DayNotCompared, DayNone}
}

// Day returns what access logs say of the day of the address's last crawl. Crawled has the requests
// of that day.
func (r *ReportedRow) Day() CrawlDay {
	var as *accesslog.Asked
	for i := range r.Crawled {
		switch f := &r.Crawled[i]; {
		case f.Class == accesslog.Never:
			return DayNone
		case f.Class == accesslog.OtherSpelling:
		case as == nil || f.Seen.Last > as.Last:
			as = &f.Seen
		}
	}
	switch {
	case len(r.Crawled) == 0:
		return ""
	case as == nil:
		return DayOtherSpelling
	case len(r.Trail.Steps) == 0 || as.LastStatus == 0 || r.Trail.Steps[0].Hop.Status == 0:
		return DayNotCompared
	case accesslog.SameAnswer(as.LastStatus, r.Trail.Steps[0].Hop.Status):
		return DayAsNow
	}
	return DayOtherwise
}

// AddLogs sets Logs, and counts what they say of the addresses of exports. It returns an error of
// the rows of either, or ctx's.
func (t *Result) AddLogs(ctx context.Context, logs *Logs) error {
	t.Logs = logs
	if t.SearchConsole == nil || logs.Reported == nil {
		return nil
	}
	t.SearchConsole.Days = map[CrawlDay]int{}
	for r, err := range t.Reported(ctx) {
		if err != nil {
			return err
		}
		if day := r.Day(); day != "" {
			t.SearchConsole.Days[day]++
		}
	}
	return nil
}
