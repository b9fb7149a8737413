package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/report"
	"sitemend/storage"
)

// Inspect asks Google's index about at most n addresses of audit id of the store (storage.Latest
// for the latest), in the property that covers each, or in the one that is named. What it gets is
// kept with the audit, written to google.csv in the folder of s, and handed to say, also where an
// error ended it early. Of s it looks at the store and the folder.
func Inspect(ctx context.Context, s Spec, id string, n int, property string, env Env, say func(*audit.Result, report.Written) error) (err error) {
	var c Closers
	defer func() { err = errors.Join(err, c.Close()) }()
	i := &inspection{env: env, n: n, named: property}
	if i.client, err = env.Google(google.ReadOnly); err != nil {
		return err
	}
	if i.store, err = s.StoreFile().Write(); err != nil {
		return err
	}
	c.Add(i.store.Close)
	if i.a, err = OpenAudit(i.store, id); err != nil {
		return err
	}
	c.Add(i.a.Close)
	t, err := evaluateKept(ctx, i.a)
	if err != nil {
		return err
	}
	failed := i.run(ctx, t)
	if t.Inspections == nil {
		return failed
	}
	s.Place(t.Info.Targets)
	record, err := recordOf(i.store, s.Out)
	if err != nil {
		return errors.Join(failed, err)
	}
	name, err := report.WriteInspections(context.WithoutCancel(ctx), t, report.Options{Dir: s.Out, Record: record}) // what was got is kept
	if err == nil {
		err = say(t, report.Written{Dir: s.Out, Result: t, Files: []string{name}})
	}
	return errors.Join(err, failed)
}

// inspecting looks for the credentials of --inspect.
func (j *job) inspecting() (err error) {
	if j.f.Inspect > 0 {
		j.google, err = j.env.Google(google.ReadOnly)
	}
	return err
}

// inspect is the inspecting at the end of an audit. What goes wrong with it is reported, and costs
// the audit nothing; the error is ctx's or that of the store.
func (j *job) inspect(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) error {
	if j.google == nil {
		return nil
	}
	err := (&inspection{env: j.env, client: j.google, n: j.f.Inspect, store: store, a: a}).run(ctx, result)
	var file *storage.Error
	if ctx.Err() != nil || errors.As(err, &file) || errors.Is(err, storage.ErrDamaged) {
		return err
	}
	if err != nil {
		j.log.Warn("not all chosen URLs were looked up in Google's index: " + err.Error())
	}
	return nil
}

const (
	// inspectionsKey is the record of an audit of what Google's index says of its addresses.
	inspectionsKey = "google"
	// inspectedFor is how long an address is not asked again (contract, section 8).
	inspectedFor = 7 * 24 * time.Hour
	// keptEvery is after how many answers they are stored.
	keptEvery = 25
)

// inspection is the state of one inspecting.
type inspection struct {
	env    Env
	client *google.Client
	n      int
	named  string // property
	store  *storage.Store
	a      *storage.Audit
	sites  []google.Site
	known  map[string]audit.Inspection // what audits of the store got in the last days, by address
	used   map[string]int              // how many of them, by property and Pacific day
	result *audit.Inspections
}

// run chooses addresses of an audit, asks about them, and keeps the answers with it. Where
// it ends early what was got is kept, and the error says why.
func (i *inspection) run(ctx context.Context, t *audit.Result) (err error) {
	if i.sites, err = i.client.Sites(ctx); err != nil {
		return err
	}
	if i.named != "" {
		at := slices.IndexFunc(i.sites, func(s google.Site) bool { return s.URL == i.named })
		if at < 0 {
			return cli.WithHint(fmt.Errorf("--property %q is not one of this account", i.named), "sitemend google lists them, to the letter")
		}
		i.sites = i.sites[at : at+1]
	}
	if err := i.learn(); err != nil {
		return err
	}
	i.result = &audit.Inspections{By: map[string]audit.Inspection{}}
	uncovered := 0
	chosen, err := t.ChooseInspections(ctx, i.n, func(a address.Address) bool {
		site, ok := google.Choose(i.sites, a)
		in, known := i.known[a.String()]
		switch {
		case !ok:
			uncovered++
		case known && in.Property == site.URL:
			i.result.By[in.URL] = in
		default:
			return true
		}
		return false
	})
	if err != nil {
		return err
	}
	if len(chosen) == 0 && len(i.result.By) == 0 && uncovered > 0 {
		return cli.WithHint(fmt.Errorf("no property of this account covers any of the %s", cli.Plural(uncovered, "URL", "URLs")),
			"sitemend google lists the properties; the site is to be one of them, or --property is to name another one")
	}
	failed := i.ask(ctx, chosen)
	t.Inspections = i.result
	return errors.Join(failed, i.since(&t.Info), i.keep())
}

func (i *inspection) keep() error {
	return errors.Join(put(i.a, inspectionsKey, i.result), i.a.Flush())
}

// learn reads what audits of the store got in the last days.
func (i *inspection) learn() error {
	i.known, i.used = map[string]audit.Inspection{}, map[string]int{}
	now := i.env.Time().Now()
	return i.audits(func(_ *audit.Info, a *storage.Audit) error {
		got, ok, err := get[audit.Inspections](a, inspectionsKey)
		if err != nil || !ok {
			return err
		}
		for url, in := range got.By {
			before := i.known[url].Asked
			if before.Equal(in.Asked) {
				continue // it was taken over
			}
			i.used[in.Property+" "+google.Day(in.Asked)]++
			if now.Before(got.Again) { // Google ended the day
				i.used[in.Property+" "+google.Day(now)] = google.DayLimit
			}
			if now.Sub(in.Asked) < inspectedFor && in.Failure == "" && in.Asked.After(before) {
				i.known[url] = in
			}
		}
		return nil
	})
}

// audits calls see with each audit of the store, the last first.
func (i *inspection) audits(see func(*audit.Info, *storage.Audit) error) error {
	infos, err := i.store.Audits()
	for _, info := range slices.Backward(infos) {
		a, err := i.store.Audit(info.ID)
		if err == nil {
			err = errors.Join(see(&info, a), a.Err(), a.Close())
		}
		if err != nil {
			return err
		}
	}
	return err
}

// ask asks about the addresses, one property after the other.
func (i *inspection) ask(ctx context.Context, chosen []address.Address) error {
	urls := map[string][]string{}
	for _, a := range chosen {
		site, _ := google.Choose(i.sites, a) // it was chosen for that
		urls[site.URL] = append(urls[site.URL], a.String())
	}
	n := 0
	in := google.Inspector{Client: i.client, Take: i.take, Got: func(in audit.Inspection) error {
		i.result.By[in.URL] = in
		if n++; n%keptEvery == 0 {
			return i.keep()
		}
		return nil
	}}
	for _, site := range i.sites {
		list := urls[site.URL]
		if len(list) == 0 {
			continue
		}
		i.env.Log.Info(fmt.Sprintf("asking Google about %s of %s", cli.Plural(len(list), "URL", "URLs"), site.URL))
		rest := in.Inspect(ctx, site.URL, list)
		if rest.Day {
			i.result.Left += len(rest.URLs)
			i.result.Again = google.NextDay(i.env.Time().Now()).UTC()
		}
		if rest.Err != nil {
			return rest.Err
		}
	}
	return nil
}

// since finds out, of each address that Google has crawled, since when audits of the same targets
// see what this one sees there.
func (i *inspection) since(of *audit.Info) error {
	open := map[string]audit.Hop{}
	set := func(url string, at time.Time) {
		in := i.result.By[url]
		in.Since = at
		i.result.By[url] = in
	}
	for url, in := range i.result.By {
		now, ok := answerTo(i.a, address.Wire(url))
		if set(url, now.At); ok && !in.LastCrawl.IsZero() {
			open[url] = now
		}
	}
	return i.audits(func(info *audit.Info, a *storage.Audit) error {
		if !info.Before(of) || !sameScope(info, of) {
			return nil
		}
		for url, now := range open {
			then, ok := answerTo(a, address.Wire(url))
			switch {
			case !ok:
			case then.Status != now.Status || then.Fault != now.Fault || then.Location != now.Location:
				delete(open, url)
			default:
				set(url, then.At)
			}
		}
		return nil
	})
}

// take counts an inspection, with those of audits of the store that day.
func (i *inspection) take(property, day string) bool {
	i.used[property+" "+day]++
	return i.used[property+" "+day] <= google.DayLimit
}
