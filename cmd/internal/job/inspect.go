package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/report"
	"sitemend/storage"
)

// An Inspected is what became of Inspect.
type Inspected struct {
	Result  *audit.Result
	Written report.Written
	lang    string
	close   func() error
}

// WriteSummary writes for a terminal what Google's index says.
func (i *Inspected) WriteSummary(ctx context.Context, w io.Writer) error {
	return report.WriteInspectionSummary(ctx, w, i.Result, report.Summary{Written: i.Written, Lang: i.lang})
}

// Close lets go of the store, from which the rows of Result are read.
func (i *Inspected) Close() error { return i.close() }

// Inspect asks Google's index about at most n addresses of audit id of the store (storage.Latest
// for the latest), in the property that covers each, or in the one that is named. What it gets is
// kept in the store, and written to google.csv in the folder of s. Of s it looks at the store, the
// folder and the language. The error may come beside an Inspected: then that has what was got
// before.
func Inspect(ctx context.Context, s Spec, id string, n int, property string, env Env) (*Inspected, error) {
	client, err := env.Google(google.ReadOnly)
	if err != nil {
		return nil, err
	}
	var c Closers
	i := &inspection{env: env, client: client, n: n, named: property}
	out, err := i.stored(ctx, &s, id, &c)
	if out == nil {
		return nil, errors.Join(err, c.Close())
	}
	out.close = c.Close
	return out, err
}

// inspection is the state of one inspecting.
type inspection struct {
	env      Env
	client   *google.Client
	n        int
	named    string // property
	store    *storage.Store
	keep     func(*audit.Inspections) error // with the audit
	sites    []google.Site
	ledger   *ledger
	archives map[string]*archive // by property
	result   *audit.Inspections
	first    map[string]audit.Hop // of the addresses of result and of those that are chosen
}

// stored inspects addresses of an audit of the store. Asking takes minutes, in which others may
// read the store: it is opened for writing only for the moments in which something is kept.
func (i *inspection) stored(ctx context.Context, s *Spec, id string, c *Closers) (*Inspected, error) {
	store, err := s.StoreFile().Read()
	if err != nil {
		return nil, err
	}
	c.Add(store.Close)
	a, err := OpenAudit(store, id)
	if err != nil {
		return nil, err
	}
	c.Add(a.Close)
	result, err := evaluateKept(ctx, a, a)
	if err != nil {
		return nil, err
	}
	i.keep = func(in *audit.Inspections) error { return keepBeside(store, a.ID(), in) }
	failed := i.run(ctx, store, a, result)
	if result.Inspections, err = keptInspections(a); err != nil || result.Inspections == nil {
		return nil, errors.Join(failed, err)
	}
	out := &Inspected{Result: result, lang: s.Lang}
	s.Place(result.Info.Targets)
	record, err := recordOf(store, s.Out)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	name, err := report.WriteInspections(context.WithoutCancel(ctx), result, report.Options{Dir: s.Out, Record: record}) // what was got is kept
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	out.Written = report.Written{Dir: s.Out, Result: result, Files: []string{name}}
	return out, failed
}

// run chooses addresses of an audit, asks about them, and keeps the answers with it. Where
// it ends early what was got is kept, and the error says why.
func (i *inspection) run(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) (err error) {
	i.store, i.archives, i.first = store, map[string]*archive{}, map[string]audit.Hop{}
	i.result = &audit.Inspections{By: map[string]audit.Inspection{}}
	if i.ledger, err = openLedger(store); err != nil {
		return err
	}
	if result.Logs == nil {
		if err := addLogs(ctx, a, result); err != nil {
			return err
		}
	}
	if i.sites, err = i.client.Sites(ctx); err != nil {
		return err
	}
	if err := i.checkProperty(); err != nil {
		return err
	}
	chosen, uncovered, err := i.choose(ctx, result)
	if err != nil {
		return err
	}
	if len(chosen) == 0 && len(i.result.By) == 0 && uncovered > 0 {
		return cli.WithHint(fmt.Errorf("no property of this account covers any of the %s", cli.Plural(uncovered, "URL", "URLs")),
			"sitemend google lists the properties; the site is to be one of them, or --property is to name another one")
	}
	failed := i.ask(ctx, chosen)
	if err := i.since(store, &result.Info); err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, i.keep(i.result))
}

// checkProperty refuses a property that Google does not list.
func (i *inspection) checkProperty() error {
	if i.named == "" {
		return nil
	}
	at := slices.IndexFunc(i.sites, func(s google.Site) bool { return s.URL == i.named })
	if at < 0 {
		return cli.WithHint(fmt.Errorf("--property %q is not one of this account", i.named), "sitemend google lists them, to the letter")
	}
	i.sites = i.sites[at : at+1]
	return nil
}

// choose chooses whom to ask, in which property. What is known of the last days is taken over.
// uncovered counts the addresses that no property covers.
func (i *inspection) choose(ctx context.Context, result *audit.Result) (chosen []audit.Chosen, uncovered int, err error) {
	var damaged error
	chosen, err = result.ChooseInspections(ctx, i.n, func(x audit.Chosen) bool {
		site, ok := google.Choose(i.sites, x.Address)
		if !ok {
			uncovered++
			return false
		}
		kept, err := i.archive(site.URL)
		if err != nil {
			damaged = err
			return false
		}
		in, known := kept.by[x.Address.String()]
		if known {
			i.result.By[in.URL], i.first[in.URL] = in, x.First
		}
		return !known
	})
	return chosen, uncovered, errors.Join(err, damaged)
}

func (i *inspection) archive(property string) (*archive, error) {
	if a := i.archives[property]; a != nil {
		return a, nil
	}
	a, err := openArchive(i.store, property, i.env.Time().Now())
	i.archives[property] = a
	return a, err
}

// ask asks about the addresses, one property after the other.
func (i *inspection) ask(ctx context.Context, chosen []audit.Chosen) error {
	var order []string
	urls := map[string][]string{}
	for _, x := range chosen {
		i.first[x.Address.String()] = x.First
		site, _ := google.Choose(i.sites, x.Address) // it was chosen for that
		if urls[site.URL] == nil {
			order = append(order, site.URL)
		}
		urls[site.URL] = append(urls[site.URL], x.Address.String())
	}
	for _, property := range order {
		if err := i.property(ctx, property, urls[property]); err != nil {
			return err
		}
	}
	return nil
}

// property asks about addresses of one property.
func (i *inspection) property(ctx context.Context, property string, urls []string) error {
	if err := i.ledger.again(); err != nil {
		return err
	}
	if n := min(len(urls), i.ledger.left(property, google.Day(i.env.Time().Now()))); n == 0 {
		i.env.Log.Info(fmt.Sprintf("today's quota of %s is used up: Google is not asked", property))
	} else {
		i.env.Log.Info(fmt.Sprintf("asking Google about %s of %s", cli.Plural(n, "URL", "URLs"), property))
	}
	kept := i.archives[property]
	in := google.Inspector{Client: i.client, Ledger: i.ledger,
		Got: func(in audit.Inspection) error {
			i.result.By[in.URL] = in
			return kept.add(in)
		}}
	rest := in.Inspect(ctx, property, urls)
	if rest.Day {
		i.result.Left += len(rest.URLs)
		i.result.Again = google.NextDay(i.env.Time().Now()).UTC()
	}
	return errors.Join(rest.Err, kept.keep())
}

// sinceAudits is how many earlier audits are looked at for since when an address answers as it
// does.
const sinceAudits = 10

// since finds out, of each address that Google has crawled, since when audits of the same targets
// see what this one sees there.
func (i *inspection) since(store *storage.Store, of *audit.Info) error {
	open := map[string]bool{} // as far back as was looked
	for url, in := range i.result.By {
		in.Since = i.first[url].At
		i.result.By[url] = in
		open[url] = !in.LastCrawl.IsZero() && !in.Since.IsZero()
	}
	infos, err := store.Audits()
	if err != nil {
		return err
	}
	looked := 0
	for _, info := range slices.Backward(infos) {
		if !info.Before(of) || !sameScope(&info, of) || looked == sinceAudits {
			continue
		}
		looked++
		if err := i.before(store, info.ID, open); err != nil {
			return err
		}
	}
	return nil
}

// before looks at one earlier audit.
func (i *inspection) before(store *storage.Store, id string, open map[string]bool) error {
	a, err := store.Audit(id)
	if err != nil {
		return err
	}
	for url := range open {
		now := i.first[url]
		then, ok := a.Hop(now.Request)
		switch {
		case !open[url] || !ok:
		case then.Status != now.Status || then.Fault != now.Fault || then.Location != now.Location:
			open[url] = false
		default:
			in := i.result.By[url]
			in.Since = then.At
			i.result.By[url] = in
		}
	}
	return errors.Join(a.Err(), a.Close())
}

// inspecting reads --inspect, and whether there are credentials for it.
func (j *job) inspecting() (err error) {
	switch {
	case j.f.Inspect < 0:
		return cli.WithHint(fmt.Errorf("--inspect %d is negative", j.f.Inspect), "--inspect takes the number of URLs to ask Google about")
	case j.f.Inspect == 0:
		return nil
	case j.f.NoFetch:
		return cli.WithHint(errors.New("--inspect sets Google's index beside what was crawled, --no-fetch crawls nothing"), "leave one of them out")
	}
	j.google, err = j.env.Google(google.ReadOnly)
	return err
}

// inspect is the inspecting at the end of an audit. What goes wrong with it is reported, and costs
// the audit nothing; the error is ctx's or that of the store.
func (j *job) inspect(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) error {
	if j.google == nil {
		return nil
	}
	i := &inspection{env: j.env, client: j.google, n: j.f.Inspect,
		keep: func(in *audit.Inspections) error { return keepInspections(a, in) }}
	err := i.run(ctx, store, a, result)
	var file *storage.Error
	if ctx.Err() != nil || errors.As(err, &file) || errors.Is(err, storage.ErrDamaged) {
		return err
	}
	if err != nil {
		warn(j.log, "not all chosen URLs were looked up in Google's index", err)
	}
	return nil
}

// warn logs an error with what can be done about it.
func warn(log *slog.Logger, what string, err error) {
	var h interface{ Hint() string }
	hint := ""
	if errors.As(err, &h) && h.Hint() != "" {
		hint = " (" + h.Hint() + ")"
	}
	log.Warn(what + ": " + err.Error() + hint)
}
