package job

import (
	"context"
	"iter"
	"sitemend/cmd/internal/logfiles"
	"slices"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
)

// crawlDay is when a day begins, as an export of Search Console has it, and when it has ended, in
// seconds since 1970; ok is false where the text is no day that can be read one way only. The API's
// days are of UTC, those of the pages and of what they export of Pacific time: the day is all that
// may be meant.
func crawlDay(text string) (from, to int64, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day.Unix(), google.NextDay(day.Add(12 * time.Hour)).Unix(), err == nil
}

// reported yields the addresses of exports that say on which day they were last crawled.
func (l *listedEntries) reported(ctx context.Context) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, s := range l.sitemaps {
			if s.Kind != audit.KindSearchConsole {
				continue
			}
			for e, err := range l.audit.Entries(ctx, s.First, s.First+s.Entries) {
				if _, _, ok := crawlDay(e.Reported.Crawled); err == nil && !ok {
					continue
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// crawlDays is what is to be kept of the logs for the addresses of exports; nil where there are
// none.
func crawlDays(ctx context.Context, l *listedEntries) (*accesslog.Days, error) {
	var days *accesslog.Days
	for e, err := range l.reported(ctx) {
		if err != nil {
			return nil, err
		}
		at, err := e.Parse()
		if err != nil {
			continue // what is no address was never asked for
		}
		if days == nil {
			days = &accesslog.Days{}
		}
		from, to, _ := crawlDay(e.Reported.Crawled)
		days.Add(int64(e.N), at, from, to)
	}
	return days, nil
}

// reportedDays yields what Googlebot asked of the addresses of exports on the day of their last
// crawl; that it asked for none only where the logs have that day whole, and requests of it for
// that host: nameless says that they have some without a host.
func reportedDays(ctx context.Context, r *logfiles.Reader, l *listedEntries, nameless bool) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		hosts, span := r.Collector.Hosts(), r.Count().Span
		if nameless {
			hosts = append(hosts, r.Collector.Host)
		}
		for e, err := range l.reported(ctx) {
			if err != nil {
				yield(audit.LogRow{}, err)
				return
			}
			at, err := e.Parse()
			if err != nil {
				continue
			}
			found := r.Collector.Day(int64(e.N), at)
			from, to, _ := crawlDay(e.Reported.Crawled)
			if len(found) == 0 && span.First <= from && to <= span.Last && slices.Contains(hosts, logHost(at)) {
				found = []accesslog.Finding{{Class: accesslog.Never, Seq: int64(e.N), URL: at.String()}}
			}
			for _, f := range found {
				if !yield(audit.LogRow{Finding: f}, nil) {
					return
				}
			}
		}
	}
}
