package job

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
)

// Asking says as whom to ask, where to, and how fast: what every command that sends
// requests takes.
type Asking struct {
	As           string // one of fetch.Identities
	MaxHops      int    // redirects followed from one entry
	Rate         float64
	Timeout      time.Duration // for one page, body included
	Robots       string        // obey, note or ignore
	Headers      []string      // "K: V", for the audited hosts; User-Agent is for all hosts
	User         string        // NAME:PASS, likewise
	Resolve, Map []string      // HOST:PORT:ADDR, FROM=TO
	CA           string        // a PEM file
	PEM          []byte        // what is in it, once Options has read it
	AllowPrivate bool
}

// Check refuses values that cannot be.
func (f *Asking) Check() error {
	if !slices.Contains([]string{"obey", "note", "ignore"}, f.Robots) {
		return cli.WithHint(fmt.Errorf("--robots %q is unknown", f.Robots), "--robots takes obey, note or ignore")
	}
	switch {
	case f.MaxHops < 0:
		return cli.WithHint(fmt.Errorf("--max-hops %d is negative", f.MaxHops), "--max-hops takes 0 or more")
	case !(f.Rate >= 0 && f.Rate <= math.MaxFloat64): // not a number is neither
		return cli.WithHint(fmt.Errorf("--rate %g is no rate", f.Rate), "--rate takes requests a second; 0 = no ceiling")
	case f.Timeout <= 0:
		return cli.WithHint(fmt.Errorf("--timeout %s is not above 0", f.Timeout), "as in --timeout 30s")
	case f.User != "" && !strings.Contains(f.User, ":"):
		return cli.WithHint(errors.New("--user has no password"), "--user takes NAME:PASS")
	}
	return nil
}

// Options returns how to ask the targets, which with the hosts of --map
// are those that may see headers and credentials: audited has the targets
// already or gets them elsewhere, the hosts of --map are added.
func (f *Asking) Options(targets []address.Address, audited *fetch.Audited) (fetch.Options, error) {
	var none fetch.Options
	id, err := fetch.LookupIdentity(f.As)
	if err != nil {
		return none, cli.WithHint(err, "--as takes "+strings.Join(fetch.Identities(), ", "))
	}
	agent, headers, err1 := f.headers()
	resolve, mapping := map[string]string{}, map[string]string{}
	err2, err3 := f.elsewhere(resolve, mapping), error(nil)
	if f.CA != "" && f.PEM == nil {
		f.PEM, err3 = cli.ReadFile(context.Background(), f.CA, maxCA)
	}
	if err3 != nil {
		err3 = cli.WithHint(fmt.Errorf("--ca: %w", err3), "--ca names a PEM file")
	}
	pool, err4 := f.certificates()
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return none, err
	}
	user, pass, _ := strings.Cut(f.User, ":")
	var hosts, named []string
	for _, a := range targets {
		hosts = append(hosts, a.Host())
	}
	for k := range resolve {
		named = append(named, hostOf(k))
	}
	for from, to := range mapping {
		named = append(named, hostOf(to), from)
		audited.AddHost(to)
	}
	return fetch.Options{Identity: id.WithAgent(agent), Timeout: f.Timeout, Headers: headers, User: user, Pass: pass, Audited: audited.Has,
		Resolve: resolve, Map: mapping, RootCAs: pool, Guard: fetch.NewGuard(hosts, named, f.AllowPrivate)}, nil
}

// maxCA is how large a file of --ca may be. All certificates that systems trust have some 200 kB.
const maxCA = 16 << 20

// certificates returns those of --ca on top of the system's; nil for these alone.
func (f *Asking) certificates() (*x509.CertPool, error) {
	if f.PEM == nil {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(f.PEM) {
		return nil, cli.WithHint(fmt.Errorf("--ca %s holds no certificate", f.CA), "--ca names a PEM file (-----BEGIN CERTIFICATE-----)")
	}
	return pool, nil
}

// elsewhere reads --resolve HOST:PORT:ADDR, as curl's; ADDR may carry a port of
// its own, and an IPv6 address stands in brackets; and --map FROM=TO.
func (f *Asking) elsewhere(resolve, mapping map[string]string) error {
	if err := cmp.Or(cli.NoUser("--resolve", f.Resolve...), cli.NoUser("--map", f.Map...)); err != nil {
		return err
	}
	for _, r := range f.Resolve {
		host, rest, _ := strings.Cut(r, ":")
		port, addr, _ := strings.Cut(rest, ":")
		if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || addr == "" {
			return cli.WithHint(fmt.Errorf("--resolve %q is not HOST:PORT:ADDR", r), "as in --resolve www.example.com:443:127.0.0.1")
		}
		resolve[strings.ToLower(host)+":"+port] = addr
	}
	for _, item := range f.Map {
		from, to, _ := strings.Cut(item, "=")
		if from == "" || to == "" || strings.Contains(item, "/") {
			return cli.WithHint(fmt.Errorf("--map %q is not FROM=TO", item), "hosts only, as in --map www.example.com=staging.example.com")
		}
		mapping[strings.ToLower(from)] = strings.ToLower(to)
	}
	return nil
}

// headers reads --header: the User-Agent, "" for that of the identity, and those that are secret.
func (f *Asking) headers() (agent string, secret []fetch.Header, err error) {
	for _, h := range f.Headers {
		x, err := fetch.ParseHeader(h)
		isAgent := strings.EqualFold(x.Key, "User-Agent")
		if err == nil && isAgent && x.Value == "" {
			err = errors.New("User-Agent is empty")
		}
		switch {
		case err != nil:
			return "", nil, cli.WithHint(fmt.Errorf("--header: %w", err), "--header takes 'Name: value', as in --header 'X-Preview: 1'")
		case isAgent:
			agent = x.Value
		default:
			secret = append(secret, x)
		}
	}
	return agent, secret, nil
}

// hostOf returns the host of an authority, which may have a port.
func hostOf(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		return host
	}
	return s
}
