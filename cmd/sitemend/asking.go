package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
)

// askFlags are the flags of every command that asks: as whom, where to, and how
// fast. Each command declares --rate itself, for the defaults differ.
type askFlags struct {
	as, agent        string
	maxHops          int
	rate             float64
	timeout          time.Duration
	robots           string
	headers          []string
	user             string
	resolve, mapping []string
	ca               string
	allowPrivate     bool
}

// addAsking declares the flags with the defaults of the contract.
func (f *askFlags) addAsking(fs *pflag.FlagSet) {
	fs.StringVar(&f.as, "as", "googlebot", "who asks: "+strings.Join(fetch.Identities(), ", "))
	fs.StringVar(&f.agent, "user-agent", "", "override the User-Agent header only")
	fs.IntVar(&f.maxHops, "max-hops", 10, "redirects followed from one entry")
	fs.DurationVar(&f.timeout, "timeout", 30*time.Second, "time for one page, body included")
	fs.StringVar(&f.robots, "robots", "obey", "obey, note (fetch anyway, say so) or ignore robots.txt")
	fs.StringArrayVar(&f.headers, "header", nil, "`'K: V'` to send to the audited hosts, over http only where TARGET begins with http://; repeatable")
	fs.StringVar(&f.user, "user", "", "`NAME:PASS` to send to the audited hosts, as --header")
	fs.StringArrayVar(&f.resolve, "resolve", nil, "`HOST:PORT:ADDR`: connect to ADDR (or ADDR:PORT) instead; repeatable")
	fs.StringArrayVar(&f.mapping, "map", nil, "`FROM=TO`: fetch host TO in place of FROM; repeatable")
	fs.StringVar(&f.ca, "ca", "", "trust the certificates in this PEM `FILE` too")
	fs.BoolVar(&f.allowPrivate, "allow-private", false, "let any host lead to private and loopback addresses")
}

// checkAsking refuses values that cannot be.
func (f *askFlags) checkAsking() error {
	if !slices.Contains([]string{"obey", "note", "ignore"}, f.robots) {
		return withHint(fmt.Errorf("--robots %q is unknown", f.robots), "--robots takes obey, note or ignore")
	}
	switch {
	case f.maxHops < 0:
		return withHint(fmt.Errorf("--max-hops %d is negative", f.maxHops), "--max-hops takes 0 or more")
	case !(f.rate >= 0 && f.rate <= math.MaxFloat64): // not a number is neither
		return withHint(fmt.Errorf("--rate %g is no rate", f.rate), "--rate takes requests a second; 0 = no ceiling")
	case f.timeout <= 0:
		return withHint(fmt.Errorf("--timeout %s is not above 0", f.timeout), "as in --timeout 30s")
	case !fetch.ValidAgent(f.agent):
		return withHint(errors.New("--user-agent has a control character"), "a header is one line of text")
	case f.user != "" && !strings.Contains(f.user, ":"):
		return withHint(errors.New("--user has no password"), "--user takes NAME:PASS")
	}
	return nil
}

// options reads the flags for asking the targets, which with the hosts of --map
// are those that may see headers and credentials: audited has the targets
// already or gets them elsewhere, the hosts of --map are added.
func (f *askFlags) options(targets []address.Address, audited *fetch.Audited) (fetch.Options, error) {
	var none fetch.Options
	id, err := fetch.LookupIdentity(f.as)
	if err != nil {
		return none, withHint(err, "--as takes "+strings.Join(fetch.Identities(), ", "))
	}
	headers, err1 := f.secretHeaders()
	resolve, err2 := f.resolves()
	mapping, err3 := f.maps()
	pool, err4 := certificates(f.ca)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return none, err
	}
	user, pass, _ := strings.Cut(f.user, ":")
	var hosts, named []string
	for _, a := range targets {
		hosts = append(hosts, a.Host())
	}
	for k := range resolve {
		host, _ := hostPort(k)
		named = append(named, host)
	}
	for from, to := range mapping {
		host, _ := hostPort(to)
		named = append(named, host, from)
		audited.AddHost(to)
	}
	return fetch.Options{Identity: id.WithAgent(f.agent), Timeout: f.timeout, Headers: headers, User: user, Pass: pass, Audited: audited.Has,
		Resolve: resolve, Map: mapping, RootCAs: pool, Guard: fetch.NewGuard(hosts, named, f.allowPrivate)}, nil
}
