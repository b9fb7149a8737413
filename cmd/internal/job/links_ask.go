package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
	"sitemend/storage"
)

// linkedAtOnce is how many requests for linked addresses are handed to the crawler at once.
const linkedAtOnce = 1000

// askLinked crawls the addresses that pages link to and that no sitemap lists, where the Spec says
// so: what is remembered of them is what the outputs say. Their own links are not read.
func (j *job) askLinked(ctx context.Context, c *crawler.Crawler, a *storage.Audit, t *audit.Result) (err error) {
	if j.f.Links != LinksAsk {
		return nil
	}
	found := *t // the outputs join the links again, with what is crawled now
	done, err := addLinks(ctx, crawled{a}, &found)
	if err != nil {
		return err
	}
	targets := storage.NewSorter("")
	defer func() { err = errors.Join(err, targets.Close()) }()
	n, open := 0, unanswered(crawled{a}, c.Rules())
	for row, rowErr := range found.Linked.Rows(ctx) {
		if rowErr != nil {
			return errors.Join(rowErr, done())
		}
		if row.Kind != audit.Unlinked && row.Listed != audit.InSitemap && open(row.Target) {
			n++
			if err := targets.Add(row.Target, nil); err != nil {
				return errors.Join(err, done())
			}
		}
	}
	if err := done(); err != nil || n == 0 {
		return err
	}
	j.says(slog.LevelInfo)("%s: crawled, too, for --links=ask", howMany(n, "linked address that no sitemap lists", "linked addresses that no sitemap lists"))
	for more := true; more; {
		if more, err = askRound(ctx, c, a, targets); err != nil {
			return err
		}
	}
	return a.Flush()
}

// unanswered returns a function that reports whether there is something to ask of an address yet:
// where the audit was stopped, that may be the second look at one that was not found.
func unanswered(a crawled, rules audit.Rules) func(target string) bool {
	row := new(audit.Row)
	return func(target string) bool {
		row.Judge(a, audit.Entry{Loc: target, Line: 1}, &rules, audit.Want{Recheck: true})
		return len(row.Needs) > 0
	}
}

// askRound sends the next request that each address needs, and reports whether there were any.
func askRound(ctx context.Context, c *crawler.Crawler, a *storage.Audit, targets *storage.Sorter) (more bool, err error) {
	rules, row, mem := c.Rules(), new(audit.Row), audit.WithoutPending(a)
	var wanted []audit.Request
	ask := func() error {
		err := c.AskAll(ctx, wanted)
		wanted = wanted[:0]
		return err
	}
	for r, err := range targets.Records() {
		if err != nil {
			return false, err
		}
		row.Judge(mem, audit.Entry{Loc: string(r.Key), Line: 1}, &rules, audit.Want{Recheck: true})
		if err := a.Err(); err != nil {
			return false, err
		}
		if len(row.Needs) == 0 {
			continue
		}
		more = true
		if wanted = append(wanted, row.Needs...); len(wanted) >= linkedAtOnce {
			if err := ask(); err != nil {
				return false, err
			}
		}
	}
	return more, ask()
}

// howMany is a number with what it counts.
func howMany(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", messages.Number(n), many)
}
