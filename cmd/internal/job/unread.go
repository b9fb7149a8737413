package job

import (
	"context"
	"errors"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/storage"
)

// unread writes the outputs of an audit that found no sitemap to read, or none with an entry:
// what was seen in its place, and what to do. It ends with why, the error that said so.
// Of any other error there are no outputs, nor of filters that leave nothing: they are a slip of
// the command. In a folder that has the outputs of an audit which found entries nothing is
// written: those stay (report.Written.Spared).
func (j *job) unread(ctx context.Context, store *storage.Store, a *storage.Audit, info func() (audit.Info, error), why error) (*Outcome, error) {
	var nothing *discover.Error
	if !errors.As(why, &nothing) || a.EntryCount() > 0 {
		return nil, why
	}
	now, err := info()
	if err != nil {
		return nil, errors.Join(why, err)
	}
	now.Ended = time.Now()
	result, err := Evaluate(ctx, a, now)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	if len(result.Files) == 0 {
		x := *result
		for _, t := range now.Targets {
			fault := nothing.Fault(t)
			fault.Args[0] = cli.OneLine(why.Error())
			x.Files = append(x.Files, audit.File{Sitemap: audit.Sitemap{N: len(x.Files), Parent: -1, URL: t, Faults: []audit.SitemapFault{fault}}})
		}
		result = audit.MakeResult(x, nil, nil)
	}
	out, err := newOutcome(ctx, j.f, store, a, result)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	if err := out.files(ctx, j.f.Out); err != nil {
		return nil, errors.Join(why, err, out.links())
	}
	return out, why
}
