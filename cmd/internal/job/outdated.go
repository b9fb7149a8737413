package job

import (
	"context"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/storage"
)

// freshFor is how long what a sitemap lists is taken to be what it listed when it was read, in an
// audit that was not stopped.
const freshFor = time.Hour

// lookAgain requests the sitemaps that would be written once more, where they were read long ago or
// by a run that was stopped: over one that lists something else by now no copy is to be uploaded. The
// audit is then evaluated and proved again without it.
func (j *job) lookAgain(ctx context.Context, c *crawler.Crawler, a *storage.Audit, result *audit.Result) (*audit.Result, error) {
	if result.Info.Partial || j.build != nil {
		return result, nil
	}
	var again []audit.Sitemap
	for i := range result.Files {
		f := &result.Files[i]
		s := f.Sitemap
		old := time.Since(s.FetchedAt) > freshFor || s.FetchedAt.Before(j.continued)
		if old && s.AnsweredAt != "" && s.Spool != "" && mayWrite(result, f) {
			again = append(again, s)
		}
	}
	if len(again) == 0 {
		return result, nil
	}
	var err error
	if j.outdated, err = c.Changed(ctx, a, again); err != nil || len(j.outdated) == 0 {
		return result, err
	}
	info := result.Info
	info.Outdated = j.outdated
	if result, err = Evaluate(ctx, crawled{a}, info); err != nil {
		return nil, err
	}
	return prove(ctx, c, crawled{a}, result)
}

// mayWrite reports whether a corrected copy of a file may be written: where only links are edited,
// or dates in an index, that turns out when it is made.
func mayWrite(result *audit.Result, f *audit.File) bool {
	s, rules := &f.Sitemap, &result.Info.Rules
	other := result.EditsBeside(f) || (rules.Lastmod || rules.Split) && (s.Kind == string(sitemap.Index) || s.TooLarge())
	return f.Changed || other && result.MayChange(f)
}
