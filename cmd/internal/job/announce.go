package job

import (
	"cmp"
	"context"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
	"sitemend/storage"
)

// words are those of the log.
func (j *job) words() *messages.Catalogue { return messages.Of(cmp.Or(j.env.LogLang, j.f.Lang)) }

// announce says how many URLs are to be checked, before the first is requested.
func (j *job) announce(ctx context.Context, a *storage.Audit) error {
	n := 0
	for e, err := range a.Entries(ctx, 0, a.EntryCount()) {
		if err != nil {
			return err
		}
		if e.Skip == audit.SkipNone {
			n++
		}
	}
	j.log.Info(j.words().Count("checking", n))
	return nil
}
