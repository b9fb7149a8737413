package job

import (
	"context"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// freshFor is how long what a sitemap lists is taken to be what it listed when it was read, in an
// audit that was not stopped.
const freshFor = time.Hour

// lookAgain requests the sitemaps that would be written once more, where they were read long ago or
// by a run that was stopped: over one that lists something else by now no copy is to be uploaded.
func (j *job) lookAgain(ctx context.Context, c *crawler.Crawler, a *storage.Audit, plan *audit.Plan) (err error) {
	if j.build != nil {
		return nil
	}
	var again []audit.Sitemap
	for s := range plan.Edited() {
		old := time.Since(s.FetchedAt) > freshFor || s.FetchedAt.Before(j.continued)
		if old && s.AnsweredAt != "" && s.Spool != "" {
			again = append(again, *s)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if j.outdated, err = c.Changed(ctx, a, again); err == nil {
		plan.Outdated(j.outdated)
	}
	return err
}
