package job

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
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
	return cmp.Or(words("--robots", []string{f.Robots}, []string{"obey", "note", "ignore"}), words("--as", []string{f.As}, fetch.Identities()), refuse([]refusal{
		{f.MaxHops < 0, fmt.Sprintf("--max-hops %d is negative", f.MaxHops), "--max-hops takes 0 or more"},
		{!(f.Rate >= 0 && f.Rate <= math.MaxFloat64), fmt.Sprintf("--rate %g is no rate", f.Rate), "--rate takes requests a second; 0 = no ceiling"}, // not a number is neither
		{f.Timeout <= 0, fmt.Sprintf("--timeout %s is not above 0", f.Timeout), "as in --timeout 30s"},
		{f.User != "" && !strings.Contains(f.User, ":"), "--user has no password", "--user takes NAME:PASS"},
	}))
}

// Options returns how to ask the targets, which with the hosts of --map
// are those that may see headers and credentials: audited has the targets
// already or gets them elsewhere, the hosts of --map are added.
func (f *Asking) Options(targets []address.Address, audited *fetch.Audited) (o fetch.Options, err error) {
	id, err := fetch.LookupIdentity(f.As)
	o = fetch.Options{Timeout: f.Timeout, Audited: audited.Has, Resolve: map[string]string{}, Map: map[string]string{}}
	o.User, o.Pass, _ = strings.Cut(f.User, ":")
	var err1, err3 error
	o.Identity, o.Headers, err1 = f.headers(id)
	err2 := f.elsewhere(o.Resolve, o.Map)
	o.RootCAs, err3 = f.certificates()
	var hosts, named []string
	for _, a := range targets {
		hosts = append(hosts, a.Host())
	}
	for k := range o.Resolve {
		named = append(named, hostOf(k))
	}
	for from, to := range o.Map {
		named = append(named, hostOf(to), from)
		audited.AddHost(to)
	}
	o.Guard = fetch.NewGuard(hosts, named, f.AllowPrivate)
	return o, cmp.Or(err, err1, err2, err3)
}

// maxCA is how large a file of --ca may be. All certificates that systems trust have some 200 kB.
const maxCA = 16 << 20

// certificates returns those of --ca on top of the system's; nil for these alone.
func (f *Asking) certificates() (pool *x509.CertPool, err error) {
	if f.CA != "" && f.PEM == nil {
		f.PEM, err = cli.ReadFile(context.Background(), f.CA, maxCA)
	}
	if err == nil && f.PEM == nil {
		return nil, nil
	}
	if pool, _ = x509.SystemCertPool(); pool == nil {
		pool = x509.NewCertPool()
	}
	if err == nil && !pool.AppendCertsFromPEM(f.PEM) {
		err = fmt.Errorf("%s holds no certificate", f.CA)
	}
	if err != nil {
		err = cli.WithHint(fmt.Errorf("--ca: %w", err), "--ca names a PEM file (-----BEGIN CERTIFICATE-----)")
	}
	return pool, err
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

// headers reads --header: the User-Agent, in place of that of an identity, and those that are secret.
func (f *Asking) headers(id fetch.Identity) (_ fetch.Identity, secret []fetch.Header, err error) {
	for _, h := range f.Headers {
		x, err := fetch.ParseHeader(h)
		agent := strings.EqualFold(x.Key, "User-Agent")
		if err == nil && agent && x.Value == "" {
			err = errors.New("User-Agent is empty")
		}
		if err != nil {
			return id, nil, cli.WithHint(fmt.Errorf("--header: %w", err), "--header takes 'Name: value', as in --header 'X-Preview: 1'")
		}
		if agent {
			id = id.WithAgent(x.Value)
		} else {
			secret = append(secret, x)
		}
	}
	return id, secret, nil
}

// hostOf returns the host of an authority, which may have a port.
func hostOf(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		return host
	}
	return s
}
