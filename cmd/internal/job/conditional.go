package job

import (
	"context"
	"errors"

	"sitemend/crawler"
	"sitemend/storage"
)

// runWith asks for the entries; with --conditional it lends the crawler what the
// last audit by the same command remembers. Other flags (--map, --header,
// --resolve, ...) lead to other servers and pages, whose validators may look the
// same.
func (j *job) runWith(ctx context.Context, c *crawler.Crawler, a *storage.Audit) error {
	if !j.f.Conditional {
		return c.Run(ctx)
	}
	id, ok, err := j.open.Earlier(a.ID())
	if err != nil {
		return err
	}
	if !ok {
		j.log.Info("--conditional: there is no finished audit by the same command yet; this one remembers what the next can ask with")
		return c.Run(ctx)
	}
	earlier, err := j.open.Audit(id)
	if err != nil {
		return err
	}
	c.Remember(earlier)
	err = c.Run(ctx)
	if err == nil {
		err = j.copyLinks(ctx, earlier, a)
	}
	return errors.Join(err, earlier.Close())
}
