package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
)

// The values of Order.Politeness: what is asked at one pace.
const (
	PoliteSite = "site" // all hosts of a registrable domain
	PoliteHost = "host"
)

// An Order is how the requests of an audit are sent, here or by workers.
type Order struct {
	Asking     `json:"Asking"`
	RateGiven  bool            // Rate was asked for: it is where the pace begins
	Parallel   int             // requests at once for each host; 0 for no ceiling
	Politeness string          // what workers ask at one pace
	Backoff    []time.Duration // how long to wait before each further try; nil for the usual times
	// Hosts may be in a private network, and Private says that a target is. Run sets both.
	Hosts   []string
	Private bool
}

// options returns how a crawler sends requests as ordered.
func (o *Order) options(audited *fetch.Audited, rules audit.Rules) (crawler.Options, error) {
	ask, err := o.Options(o.Hosts, audited)
	return crawler.Options{Rules: rules, Ask: ask, Rate: o.Rate, GivenRate: o.RateGiven, Parallel: max(o.Parallel, 0), Backoff: o.Backoff}, err
}

// politely is crawler.Options.Key of an order.
func (o *Order) politely() func(address.Address) string {
	if o.Politeness == PoliteHost {
		return address.Address.Host
	}
	return address.Address.Site
}

// checkServers refuses what cannot be with workers.
func (f *Spec) checkServers() error {
	if f.Servers.URL == "" {
		return nil
	}
	return cmp.Or(words("--politeness", []string{f.Politeness}, []string{PoliteSite, PoliteHost}), fleet.Check(f.Servers),
		refuse(f.User != "" || len(f.Headers) > 0, "--via goes neither with --user nor with --header", "an order lies on the disks of the NATS servers, where no secret may be"))
}

// via is the Via of an audit whose Run begins once its sitemaps are read.
type via struct {
	*fleet.Fleet
	*fleet.Run
}

// connect connects to the servers, where the Spec names some.
func (j *job) connect(ctx context.Context) error {
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
	j.o.Via, j.o.Key = j.via, j.f.politely()
	return nil
}

// crawlVia is crawl with requests that workers send, where there are some.
func (j *job) crawlVia(ctx context.Context) (*audit.Result, error) {
	if j.via == nil {
		return j.crawl(ctx)
	}
	how := j.f.Order
	how.Private, how.CA = j.o.Ask.Guard.Relaxed(), "" // that is a name on this machine
	text, err := json.Marshal(how)
	if err != nil {
		return nil, err
	}
	salt := sha256.Sum256(j.store.Salt())
	id := j.a.ID() + "-" + hex.EncodeToString(salt[:4])
	if j.via.Run, err = j.via.Begin(ctx, id, text, j.a, j.c.Take); err != nil {
		return nil, err
	}
	j.env.Log.Info("workers send the requests; sitemend fleet knows this audit as " + id)
	result, err := j.crawl(ctx)
	if left := j.via.Leave(ctx, err == nil); left != nil { // all answers are here
		j.d.Warn("something of the audit is left at the servers (%v); sitemend fleet cancel %s deletes it", left, id)
	}
	return result, err
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
			Open: func(how []byte) (opts crawler.Options, err error) {
				var o Order
				if err := json.Unmarshal(how, &o); err != nil {
					return opts, err
				}
				if o.CA != "" {
					return opts, errors.New("the order names a file of this machine")
				}
				if opts, err = o.options(&fetch.Audited{}, audit.Rules{Robots: o.Robots, MaxHops: o.MaxHops}); err == nil && o.Private {
					opts.Ask.Guard.Relax()
				}
				opts.Ask.NoProxy, opts.Warn, opts.Key = env.NoProxy, at.Warn, o.politely()
				return opts, err
			},
		})
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
