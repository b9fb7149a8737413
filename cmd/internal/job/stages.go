package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
	"sitemend/crawler/sitemap"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A crawl is the part of an audit that sends requests: discover, crawl, confirm.
type crawl struct {
	*job
	c      *crawler.Crawler
	a      *storage.Audit
	before audit.Info // of the runs before
	began  time.Time
}

// audit makes an audit: discover, crawl, decide and confirm, inspect, write, conclude. Where it is
// stopped the same Spec goes on from what is stored.
func (j *job) audit(ctx context.Context, a *storage.Audit) (*Outcome, error) {
	j.rules.MissingPath = a.Info().Rules.MissingPath
	j.o.Rules = j.rules
	r := &crawl{job: j, c: crawler.New(a, j.o), a: a, before: a.Info(), began: time.Now()}
	defer r.c.Close()
	sent, _, err := requests(a)
	if err != nil {
		return nil, err
	}
	r.c.Progress.Requests.Store(int64(sent))
	j.d.Now = r.began
	result, err := r.result(ctx)
	var outage *crawler.OutageError
	stop := errors.As(err, &outage) || errors.Is(err, fleet.ErrCanceled) || ctx.Err() != nil
	if err != nil && !stop {
		return nil, r.letIn(err)
	}
	info, e := r.keep()
	switch {
	case e != nil:
		return nil, e
	case stop:
		return j.stopped(r.c, err, outage), nil
	}
	info.Ended = time.Now()
	result.Info = info
	err = j.inspect(ctx, j.open, a, result)
	var out *Outcome
	if err == nil {
		out, err = j.write(ctx, a, result)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // all is asked; the same Spec writes it
		return j.stopped(r.c, nil, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return out, j.conclude(out)
}

// info is what is known of the audit by now.
func (r *crawl) info() (info audit.Info, err error) {
	info, c := r.before, r.c
	info.Rules, info.Continued, info.Outdated = c.Rules(), r.continued, r.outdated
	info.Duration += time.Since(r.began)
	c.Noted(&info)
	info.Requests, info.AltSpellingRequests, err = requests(r.a)
	return info, err
}

// keep stores what is known of the audit: it can be judged from now on, wherever it is killed.
func (r *crawl) keep() (audit.Info, error) {
	info, err := r.info()
	if err == nil {
		err = r.a.SetInfo(info)
	}
	return info, err
}

// requests counts what was sent for an audit, also before it was stopped or killed: it follows from
// what is remembered.
func requests(a *storage.Audit) (all, second int, err error) {
	other, err := crawler.OtherRequests(a.Get)
	if err != nil {
		return 0, 0, err
	}
	all, second = a.Sent()
	all += other
	sitemaps, err := a.Sitemaps()
	for _, sm := range sitemaps {
		all += sm.Requests
	}
	return all, second, err
}

// result reads the sitemaps, requests all that is needed, and decides.
func (r *crawl) result(ctx context.Context) (*audit.Result, error) {
	if err := r.discover(ctx); err != nil {
		return nil, err
	}
	info, err := r.keep()
	if err == nil {
		err = r.readLogs(ctx, r.c, r.a)
	}
	if err != nil {
		return nil, err
	}
	r.d.Say("the sitemaps are read")
	if r.f.NoFetch {
		return Evaluate(ctx, r.a, info)
	}
	if r.f.Links {
		if err := r.a.Put(linksRecord, nil); err != nil {
			return nil, err
		}
	}
	end, err := r.handOver(ctx, r.c, r.a)
	if err != nil {
		return nil, err
	}
	result, err := r.crawl(ctx)
	return result, end(err)
}

// discover finds and reads the sitemaps.
func (r *crawl) discover(ctx context.Context) error {
	defer r.show(r.c, true)()
	return r.c.Discover(ctx, r.a, r.d)
}

// crawled is an audit that is crawled: what it is evaluated for is what is still to be requested,
// and an answer after which another try is due is none. An audit that was stopped in between goes
// on there.
type crawled struct{ *storage.Audit }

// Hop implements audit.Answers.
func (c crawled) Hop(r audit.Request) (audit.Hop, bool) { return audit.WithoutPending(c.Audit).Hop(r) }

// crawl requests all that is needed, decides, and confirms that: some answers lead to more
// questions, as a redirect does; what is asked for stays the same.
func (r *crawl) crawl(ctx context.Context) (*audit.Result, error) {
	defer r.show(r.c, false)()
	if err := r.c.Run(ctx); err != nil {
		return nil, err
	}
	info, err := r.info()
	if err == nil {
		err = withEvidence(ctx, r.a, &info)
	}
	if err != nil {
		return nil, err
	}
	plan, err := audit.NewPlan(ctx, crawled{r.a}, info, r.c.Settled())
	if err != nil {
		return nil, err
	}
	if err := r.lookAgain(ctx, plan); err != nil {
		return nil, err
	}
	for {
		needs, err := plan.Needs(ctx)
		if err != nil {
			return nil, err
		}
		if len(needs) == 0 {
			return plan.Result(ctx, new(sitemap.Names).Name)
		}
		if err := r.c.AskAll(ctx, needs); err != nil {
			return nil, err
		}
	}
}

// freshFor is how long what a sitemap lists is taken to be what it listed when it was read, in an
// audit that was not stopped.
const freshFor = time.Hour

// lookAgain requests the sitemaps that would be written once more, where they were read long ago or
// by a run that was stopped: over one that lists something else by now no copy is to be uploaded.
func (r *crawl) lookAgain(ctx context.Context, plan *audit.Plan) (err error) {
	var again []audit.Sitemap
	for s := range plan.Edited() {
		old := time.Since(s.FetchedAt) > freshFor || s.FetchedAt.Before(r.continued)
		if old && s.AnsweredAt != "" && s.Spool != "" {
			again = append(again, *s)
		}
	}
	if len(again) == 0 || r.build != nil {
		return nil
	}
	if r.outdated, err = r.c.Changed(ctx, r.a, again); err == nil {
		plan.Outdated(r.outdated)
	}
	return err
}

// letIn adds to the error of a site that refused us its sitemaps how to be let in.
func (r *crawl) letIn(err error) error {
	var none *discover.Error
	if !errors.As(err, &none) || len(none.Refused) == 0 {
		return err
	}
	info, e := r.info()
	hint := letIn(&info, none.Refused)
	if none.Fix != "" {
		hint += "; or " + none.Fix
	}
	return errors.Join(cli.WithHint(err, hint), e)
}

// write writes the files and what later audits want to know of this one. Then it has
// ended.
func (j *job) write(ctx context.Context, a *storage.Audit, t *audit.Result) (*Outcome, error) {
	if err := j.keepBuild(ctx, a, t); err != nil {
		return nil, err
	}
	out, err := newOutcome(ctx, j.f, j.open, a, t, &j.closers)
	if err != nil {
		return nil, err
	}
	if err := j.compareLast(ctx, a, t); err != nil {
		return nil, err
	}
	if err := out.files(ctx); err != nil {
		return nil, cli.Lossless(err, "nothing is lost: the same command continues and writes them, and requests nothing again")
	}
	out.warn(j.log)
	for _, keep := range []func() error{
		func() error { return keepDropped(ctx, a, out.Result) },
		func() error { return put(a, countsKey, countsOf(out.Result)) },
		func() error { return j.keepNews(a, out) },
	} {
		if err := keep(); err != nil {
			return nil, err
		}
	}
	return out, a.Finish(out.Result.Info)
}

// conclude says what the audit found, and removes the audits that it makes needless. One that
// could not be made, as where the site did not answer, makes none needless.
func (j *job) conclude(out *Outcome) error {
	if err := out.trouble; err != nil {
		return err
	}
	counts := tallyOf(out.Result)
	if j.f.New {
		counts = j.onlyNew(counts)
	}
	out.Failed, out.FailedOn = fails(counts, j.failOn)
	return prune(j.open, out.Result.Info, j.f.KeepAudits)
}

// Stopped says how far an audit is that was stopped. The same Spec continues it.
type Stopped struct {
	Says   string               // in a sentence, in the language of the log
	Outage *crawler.OutageError // what failed on this machine; nil where ctx ended
}

// stopped is the Outcome of an audit that was stopped.
func (j *job) stopped(c *crawler.Crawler, why error, outage *crawler.OutageError) *Outcome {
	w, p := j.words(), &c.Progress
	filtered := p.Filtered.Load()
	what := w.Text("stop-unread")
	if all := int(p.Entries.Load() - filtered); all > 0 {
		what = w.Text("stop-done", "done", int(p.Done.Load()-filtered), "all", all)
	}
	key := map[bool]string{true: "stop-why", false: "stop"}[outage != nil]
	if errors.Is(why, fleet.ErrCanceled) {
		j.log.Warn("the audit was canceled by sitemend fleet cancel")
	}
	return &Outcome{Stopped: &Stopped{Outage: outage, Says: w.Text(key, "why", lacks(w, outage), "what", what)}}
}

// lacks says what failed on this machine, in the language of w where it has words for it.
func lacks(w *messages.Catalogue, outage *crawler.OutageError) string {
	if outage == nil {
		return ""
	}
	keys := map[string]string{fetch.NoFiles: "stop-no-files", fetch.NoPorts: "stop-no-ports", fetch.NoRoute: "stop-no-route", fetch.NoServer: "stop-no-server"}
	if key, ok := keys[outage.Why]; ok {
		return w.Text(key)
	}
	return fmt.Sprint(outage)
}
