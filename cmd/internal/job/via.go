package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
)

// The values of Spec.Politeness: what is asked at one pace.
const (
	PoliteSite = "site" // all hosts of a registrable domain
	PoliteHost = "host"
)

// An order is how the requests of an audit are sent, for the workers.
type order struct {
	Asking     Asking
	Targets    []string // addresses that may be in a private network
	RateGiven  bool
	Parallel   int
	Politeness string
	Backoff    []time.Duration
	Private    bool // a target is in a private network
}

// viaFlags refuses what cannot be together with workers.
func (f *Spec) viaFlags() error {
	switch {
	case f.Politeness != PoliteSite && f.Politeness != PoliteHost && f.Politeness != "":
		return cli.WithHint(fmt.Errorf("--politeness %q is unknown", f.Politeness), "--politeness takes site or host")
	case f.Servers.URL == "":
		return nil
	case f.User != "" || len(f.Headers) > 0:
		return cli.WithHint(errors.New("--via does not take --header or --user: secrets would go to every worker"),
			"leave out --via, or let the workers' addresses in")
	}
	return fleet.Check(f.Servers)
}

// via is the Via of an audit whose Run begins once its sitemaps are read.
type via struct {
	*fleet.Fleet
	*fleet.Run
}

// meet connects to the servers, where the Spec names some.
func (j *job) meet(ctx context.Context) error {
	at := j.f.Servers
	if at.URL == "" || j.f.NoFetch {
		return nil
	}
	at.Name, at.Warn = "sitemend audit", j.d.Warn
	f, err := fleet.Connect(ctx, at)
	if err != nil {
		return err
	}
	j.via = &via{Fleet: f}
	j.closers.Add(func() error { f.Close(); return nil })
	j.o.Via, j.o.Key = j.via, politely(j.f.Politeness)
	return nil
}

// politely is crawler.Options.Key for a value of Spec.Politeness.
func politely(politeness string) func(address.Address) string {
	if politeness == PoliteHost {
		return address.Address.Host
	}
	return address.Address.Site
}

// handOver has the requests of an audit sent by workers, from now on. end is called with
// what came of it.
func (j *job) handOver(ctx context.Context) (end func(error) error, err error) {
	if j.via == nil {
		return func(err error) error { return err }, nil
	}
	how, err := j.order()
	if err != nil {
		return nil, err
	}
	salt := sha256.Sum256(j.open.Salt())
	id := j.a.ID() + "-" + hex.EncodeToString(salt[:4])
	if j.via.Run, err = j.via.Begin(ctx, id, how, j.a, j.c.Take); err != nil {
		return nil, err
	}
	workers, _ := j.via.Workers(ctx) // that they cannot be counted stops nothing
	j.log.Info(fmt.Sprintf("requests are sent by %s; sitemend fleet knows this audit as %s", cli.Plural(len(workers), "worker", "workers"), id))
	return func(err error) error {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		leave := j.via.End
		if err != nil {
			leave = j.via.Stop
		}
		if left := leave(after); left != nil { // all answers are here
			j.d.Warn("something of the audit is left at the servers (%v); sitemend fleet cancel %s deletes it", left, id)
		}
		return err
	}, nil
}

// order writes down how requests are sent.
func (j *job) order() ([]byte, error) {
	f := j.f
	o := order{Asking: f.Asking, RateGiven: f.RateGiven, Parallel: f.Parallel, Politeness: f.Politeness, Backoff: f.Backoff,
		Private: j.o.Ask.Guard.Relaxed()}
	for _, t := range j.d.Targets {
		for _, a := range t.URLs {
			o.Targets = append(o.Targets, a.String())
		}
	}
	o.Asking.CA = "" // a name on this machine
	return json.Marshal(o)
}

// Work sends requests for audits elsewhere until ctx ends, which is no error, whether the servers
// have answered by then or not.
func Work(ctx context.Context, at fleet.Options, env Env) error {
	at.Name, at.Warn = "sitemend worker", func(format string, args ...any) { env.Log.Warn(fmt.Sprintf(format, args...)) }
	f, err := fleet.Connect(ctx, at)
	if err == nil {
		defer f.Close()
		env.Log.Info("working; Ctrl-C ends it, and what it holds goes to others")
		err = f.Work(ctx, fleet.Worker{
			Open: func(how []byte) (crawler.Options, error) {
				var o order
				if err := json.Unmarshal(how, &o); err != nil {
					return crawler.Options{}, err
				}
				opts, err := o.options()
				opts.Ask.NoProxy, opts.Warn = env.NoProxy, at.Warn
				return opts, err
			},
			Report: func(keys, requests int) {
				env.Log.Info(fmt.Sprintf("%s in the last minute, %s", cli.Plural(requests, "request", "requests"), cli.Plural(keys, "host", "hosts")))
			},
		})
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// options returns how a crawler sends requests as ordered.
func (o *order) options() (crawler.Options, error) {
	if o.Asking.CA != "" {
		return crawler.Options{}, errors.New("the order names a file of this machine")
	}
	var targets []address.Address
	for _, t := range o.Targets {
		targets = append(targets, address.Wire(t))
	}
	ask, err := o.Asking.Options(targets, &fetch.Audited{})
	if err != nil {
		return crawler.Options{}, err
	}
	if o.Private {
		ask.Guard.Relax()
	}
	return crawler.Options{Rules: audit.Rules{Robots: o.Asking.Robots, MaxHops: o.Asking.MaxHops}, Ask: ask, Rate: o.Asking.Rate, GivenRate: o.RateGiven,
		Parallel: o.Parallel, Backoff: o.Backoff, Key: politely(o.Politeness)}, nil
}
