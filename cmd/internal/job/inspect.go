package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/report"
	"sitemend/storage"
)

// Time is that of Env, else the system's.
func (e *Env) Time() google.Clock { return cmp.Or[google.Clock](e.Clock, google.SystemClock{}) }

// Google is a client with the credentials of the environment for what a scope allows.
func (e *Env) Google(scope google.Scope) (*google.Client, error) {
	c, err := google.Find(os.Getenv)
	if err != nil {
		return nil, err
	}
	return google.New(c, e.GoogleOptions(scope))
}

// GoogleOptions are those of a client, and of logging in and out.
func (e *Env) GoogleOptions(scope google.Scope) google.Options {
	return google.Options{Scope: scope, Base: os.Getenv("SITEMEND_GOOGLE_API"), Clock: e.Time()}
}

// Inspect asks Google's index about at most n addresses of audit id of the store (storage.Latest
// for the latest), in the property that covers each, or in that of s. What it gets is
// kept with the audit, written to google.csv in the folder of s, and handed to say, also where an
// error ended it early. Of s it looks at the store, the folder and the property.
func Inspect(ctx context.Context, s Spec, id string, n int, env Env, say func(*audit.Result, report.Written) error) (err error) {
	var c Closers
	defer func() { err = errors.Join(err, c.Close()) }()
	store, a, err := OpenStore(s.ChangeStore, id, &c)
	if err != nil {
		return err
	}
	client, err := env.Google(google.ReadOnly)
	if err != nil {
		return err
	}
	t, err := evaluate(ctx, a, infoOf(a), nil)
	if err != nil {
		return err
	}
	i := &inspection{env: env, client: client, store: store, a: a}
	failed := i.run(ctx, t, n, s.Property)
	if t.Inspections == nil {
		return failed
	}
	dir := s.Folder(t.Info.Targets)
	record, err := recordOf(store, dir)
	var name string
	if err == nil { // what was got is kept
		name, err = report.WriteInspections(context.WithoutCancel(ctx), t, report.Options{Dir: dir, Record: record})
	}
	if err == nil {
		err = say(t, report.Written{Dir: dir, Result: t, Files: []string{name}})
	}
	return errors.Join(err, failed)
}

// inspect is the inspecting at the end of an audit. What goes wrong with it is reported, and costs
// the audit nothing; the error is ctx's.
func (j *job) inspect(ctx context.Context, result *audit.Result) error {
	if j.google == nil {
		return nil
	}
	err := (&inspection{env: j.env, client: j.google, store: j.store, a: j.a}).run(ctx, result, j.f.Inspect, j.f.Property)
	if err == nil || ctx.Err() != nil {
		return err
	}
	j.env.Log.Warn("not all chosen URLs were looked up in Google's index: " + err.Error())
	return nil
}

// inspectionsKey is the record of an audit of what Google's index says of its addresses.
const inspectionsKey = "google"

// inspection is the state of one inspecting.
type inspection struct {
	env    Env
	client *google.Client
	store  *storage.Store
	a      *storage.Audit
	ledger google.Ledger // of what audits of the store got
	result audit.Inspections
	kept   time.Time // when result was kept last
}

// run chooses about n addresses of an audit, asks about them in the property that is named, else in the
// one that covers each, and keeps the answers with it. Where it ends early what was got is kept, and the
// error says why.
func (i *inspection) run(ctx context.Context, t *audit.Result, n int, named string) error {
	sites, err := i.client.Sites(ctx)
	if err != nil {
		return err
	}
	if named != "" {
		sites = slices.DeleteFunc(sites, func(s google.Site) bool { return s.URL != named })
		if len(sites) == 0 {
			return cli.WithHint(fmt.Errorf("--property %q is not one of this account", named), "sitemend google lists them, to the letter")
		}
	}
	now := i.env.Time().Now()
	for a, err := range i.store.Each(all) {
		var got audit.Inspections
		if err == nil {
			_, err = a.Load(inspectionsKey, &got)
		}
		if err == nil {
			i.ledger.Learn(&got, now)
		} else if !errors.Is(err, storage.ErrDamaged) {
			return err
		}
	}
	i.result.By = map[string]audit.Inspection{}
	uncovered := 0
	chosen, err := google.ChooseURLs(ctx, t, n, func(a address.Address) bool {
		site, covered := google.Choose(sites, a)
		in, known := i.ledger.Known[a.String()]
		if known = known && in.Property == site.URL; known && covered {
			i.result.By[in.URL] = in
		}
		if !covered {
			uncovered++
		}
		return covered && !known
	})
	if err == nil && len(chosen)+len(i.result.By) == 0 && uncovered > 0 {
		err = cli.WithHint(fmt.Errorf("no property of this account covers any of the %s", cli.Plural(uncovered, "URL", "URLs")),
			"sitemend google lists the properties; the site is to be one of them, or --property is to name another one")
	}
	if err != nil {
		return err
	}
	urls := map[string][]string{}
	for _, a := range chosen {
		site, _ := google.Choose(sites, a) // it was chosen for that
		urls[site.URL] = append(urls[site.URL], a.String())
	}
	for _, site := range sites {
		if err == nil && len(urls[site.URL]) > 0 {
			err = i.ask(ctx, site.URL, urls[site.URL])
		}
	}
	t.Inspections = &i.result
	return errors.Join(err, i.since(t.Info), i.keep(), i.a.Flush())
}

// keep stores all that was got.
func (i *inspection) keep() error { return i.a.Save(inspectionsKey, i.result) }

// keepEvery is what a process that is killed may lose of the answers: storing all with each one would take
// ever longer.
const keepEvery = time.Second

// ask asks about addresses of one property.
func (i *inspection) ask(ctx context.Context, site string, urls []string) error {
	i.env.Log.Info(fmt.Sprintf("asking Google about %s of %s", cli.Plural(len(urls), "URL", "URLs"), site))
	in := google.Inspector{Client: i.client, Take: i.ledger.Take, Got: func(in audit.Inspection) error {
		i.result.By[in.URL] = in
		if time.Since(i.kept) < keepEvery {
			return nil
		}
		i.kept = time.Now()
		return i.keep()
	}}
	rest := in.Inspect(ctx, site, urls)
	if rest.Day {
		i.result.Left += len(rest.URLs)
		i.result.Again = google.NextDay(i.env.Time().Now()).UTC()
	}
	return rest.Err
}

// since finds out since when audits of the same targets see of each address what this one sees there.
func (i *inspection) since(of audit.Info) error {
	open := maps.Clone(i.result.By)
	look := func(a *storage.Audit) {
		for url, in := range open {
			now, _ := answerTo(i.a, address.Wire(url))
			switch then, ok := answerTo(a, address.Wire(url)); {
			case !ok:
			case then.Status != now.Status || then.Fault != now.Fault || then.Location != now.Location:
				delete(open, url)
			default:
				in.Since = then.At
				i.result.By[url] = in
			}
		}
	}
	look(i.a)
	for a, err := range i.store.Each(earlier(of)) {
		if err == nil {
			look(a)
		} else if !errors.Is(err, storage.ErrDamaged) {
			return err
		}
	}
	return nil
}

// answerTo is the first answer to an address.
func answerTo(mem answers.Memory, a address.Address) (h answers.Hop, ok bool) {
	for _, purpose := range []answers.Purpose{answers.AsRobot, answers.AsRobot | answers.WithoutSecrets} {
		if h, ok = mem.Hop(answers.Request{URL: a.String(), Purpose: purpose}); ok {
			break
		}
	}
	return h, ok
}
