package job

import (
	"context"
	"errors"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/discover"
	"sitemend/crawler/fleet"
	"sitemend/crawler/sitemap"
)

// linksRecord is there where the links of pages were to be read.
const linksRecord = "links"

// audit makes an audit: discover, crawl, decide and confirm, inspect, write, conclude. Where it is
// stopped the same Spec goes on from what is stored.
func (j *job) audit(ctx context.Context) (*Outcome, error) {
	j.c = crawler.New(j.a, j.o)
	defer j.c.Close()
	result, err := j.decided(ctx)
	var outage *crawler.OutageError
	stop := errors.As(err, &outage) || errors.Is(err, fleet.ErrCanceled) || ctx.Err() != nil
	if err != nil && !stop {
		return nil, j.letIn(err)
	}
	info, e := j.keep()
	switch {
	case e != nil:
		return nil, e
	case stop:
		if errors.Is(err, fleet.ErrCanceled) {
			j.env.Log.Warn("the audit was canceled by sitemend fleet cancel")
		}
		return &Outcome{Outage: outage}, nil
	}
	info.Ended = time.Now()
	result.Info = info
	var out *Outcome
	if err = j.inspect(ctx, result); err == nil {
		out, err = j.write(ctx, result)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // all is asked; the same Spec writes it
		return &Outcome{}, nil
	}
	if err != nil {
		return nil, err
	}
	return out, j.conclude(out)
}

// keep stores what is known of the audit by now: it can be judged from now on, wherever it is killed.
func (j *job) keep() (audit.Info, error) {
	info := j.before
	j.c.Learned(&info)
	info.Outdated = j.outdated
	info.Duration += time.Since(j.began)
	return info, j.a.SetInfo(info)
}

// decided reads the sitemaps, requests all that is needed, and decides.
func (j *job) decided(ctx context.Context) (*audit.Result, error) {
	if err := j.discover(ctx); err != nil {
		return nil, err
	}
	info, err := j.keep()
	if err == nil {
		err = j.readLogs(ctx)
	}
	if err == nil && j.f.Links {
		err = j.a.Put(linksRecord, nil)
	}
	if err != nil {
		return nil, err
	}
	j.d.Say("the sitemaps are read")
	if j.f.NoFetch {
		return evaluate(ctx, j.a, info, diff.Keep(j.seen))
	}
	return j.crawlVia(ctx)
}

// discover finds and reads the sitemaps.
func (j *job) discover(ctx context.Context) error {
	defer j.env.Progress.Show(&j.c.Progress, true)()
	return j.c.Discover(ctx, j.a, j.d)
}

// crawl requests all that is needed, decides, and confirms the decisions: answers may lead to more
// questions about these, as a redirect does.
func (j *job) crawl(ctx context.Context) (*audit.Result, error) {
	defer j.env.Progress.Show(&j.c.Progress, false)()
	if err := j.c.Run(ctx); err != nil {
		return nil, err
	}
	if err := j.c.Missing(ctx, j.a); err != nil {
		return nil, err
	}
	info, err := j.keep()
	if err != nil {
		return nil, err
	}
	plan, err := audit.NewPlan(ctx, j.a, info, j.c.Settled())
	if err == nil {
		err = j.lookAgain(ctx, plan)
	}
	for err == nil {
		needs, failed := plan.Needs(ctx)
		if failed == nil && len(needs) == 0 {
			return plan.Result(ctx, new(sitemap.Names).Name, diff.Keep(j.seen))
		}
		if err = failed; err == nil {
			err = j.c.Ask(ctx, needs, 0)
		}
	}
	return nil, err
}

// freshFor is how long what a sitemap lists is taken to be what it listed when this run read it.
const freshFor = time.Hour

// lookAgain requests once more the sitemaps that would be written, if they were read long ago or by a run
// that was stopped: if one lists something else by now, no copy of it is to be uploaded.
func (j *job) lookAgain(ctx context.Context, plan *audit.Plan) (err error) {
	before := time.Now().Add(-freshFor)
	if began := j.began.Truncate(time.Millisecond); began.After(before) { // to which the store keeps it
		before = began
	}
	if j.build == nil {
		j.outdated, err = j.c.Changed(ctx, j.a, plan.EditedSitemaps(), before)
	}
	if err == nil && j.outdated != nil {
		plan.Outdated(j.outdated)
	}
	return err
}

// letIn adds to the error of a site that refused us its sitemaps how to be let in.
func (j *job) letIn(err error) error {
	var none *discover.Error
	if !errors.As(err, &none) || none.Refused == "" {
		return err
	}
	info, e := j.keep()
	return errors.Join(cli.WithHint(err, letIn(&info, map[string]int{none.Refused: 1})), e)
}

// write writes the files and what later audits want to know of this one. Then it has
// ended.
func (j *job) write(ctx context.Context, t *audit.Result) (*Outcome, error) {
	if err := j.keepBuild(ctx, t); err != nil {
		return nil, err
	}
	out, err := newOutcome(ctx, j.f, j.store, j.a, t, j.closers)
	if err == nil {
		out.since, err = j.compareLast(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	if err := out.files(ctx, j.env.Log); err != nil {
		return nil, cli.Lossless(err, "nothing is lost: once that is mended, the same command writes them, and requests nothing again")
	}
	if err := errors.Join(j.keepNews(ctx, out), j.a.KeepSettled(j.c.Settled(), t.Info.Rules.Settle())); err != nil {
		return nil, err
	}
	return out, j.a.SetInfo(out.Result.Info)
}

// conclude says what the audit found, and removes the audits that it makes needless.
func (j *job) conclude(out *Outcome) error {
	if out.trouble == nil {
		counts := out.Result.Tally()
		if j.f.New {
			counts = j.onlyNew(out.since, counts)
		}
		out.fail(counts, j.failOn)
	}
	return errors.Join(out.trouble, prune(j.store, out.Result.Info, j.f.KeepAudits, out.trouble != nil))
}
