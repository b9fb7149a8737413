package job

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
	"sitemend/report"
)

// A Spec says what to audit and how, and what to write: plain data, as the flags of the
// command line, a file or a message hold it. A text that is a list of choices or a share
// ("10%", "noindex=keep") is as the contract writes it. The zero value of a field is not its
// default: the commands have those.
type Spec struct {
	Order
	// Targets are sites, URLs of sitemaps, local files, or - for Env.Stdin. Without one the
	// site is that of SearchConsole, which names files of exports.
	Targets       []string
	SearchConsole []string
	Expect        string // a map that says where old addresses must lead, or -; "" for none
	Inspect       int    // about how many addresses Google's index is asked at the end
	Property      string // of Search Console, in which it is asked; "" for the longest that covers each address

	// Servers has workers send the requests, as Politeness says.
	Servers fleet.Options

	Site Site // the build that answers in place of the network; none without Dir

	// Logs are the access logs that say what robots asked for; none without Files.
	Logs logfiles.Spec

	// Out is the folder of the outputs, or - where the caller writes one of Formats itself; "" for
	// that of the first target in the usual folder. Store is the bbolt file; "" for audits.db in
	// Out, or in the usual folder where Out is "" or -.
	Out, Store string
	Formats    []string
	Lang       string // one of messages.Langs

	Spelling         string
	Include, Exclude string
	Sample           int
	NoFetch          bool
	Also             []string // what is crawled beside the entries: AlsoNames
	Links            bool     // the links of the crawled pages are read

	Fix     []string
	MaxDrop string // Report: "" for that of the audit
	Lastmod bool   // write the audit's date as the lastmod of what is edited
	Split   bool   // write a corrected file that lists too much as several
	FailOn  []string
	New     bool // FailOn counts only what the last audit of the same kind did not have

	Fresh      bool // begin a new audit even where one could be continued
	KeepAudits int  // how many audits of the same kind are left; 0 for all
	Named      bool // Report: the audit that is named is not just the latest

	// Repeat is what the commands that are offered add: flags that were given, and that the
	// store does not remember.
	Repeat []string
	// Given are the flags of an audit, as audit.Info has them.
	Given []string
}

// refuse is an error where something is: what cannot be, and what to do.
func refuse(is bool, what, hint string) error {
	if !is {
		return nil
	}
	return cli.WithHint(errors.New(what), hint)
}

// check refuses flags that cannot be.
func (f *Spec) check() error {
	return cmp.Or(f.checkOutputs(), f.Logs.Check(), cli.NoUserInURL("--search-console", f.SearchConsole...),
		cli.NoUserInURL("--expect", f.Expect), f.checkServers(), f.siteTarget())
}

// checkOutputs refuses formats that cannot be.
func (f *Spec) checkOutputs() error {
	return cmp.Or(words("--format", f.Formats, report.Formats()),
		refuse(f.Out == "-" && len(f.Formats) != 1, "--out - writes exactly one format", "name it, as in --out - --format jsonl"))
}

// words refuses a list of words that has one which the flag does not take, or none: a variable that is
// not set, most likely.
func words(flag string, list, takes []string) error {
	hint := flag + " takes " + strings.Join(takes, ", ")
	if len(list) == 0 {
		return cli.WithHint(errors.New(flag+" names nothing"), hint)
	}
	for _, word := range list {
		if !slices.Contains(takes, word) {
			return cli.WithHint(fmt.Errorf("%s %q is unknown", flag, word), cli.DidYouMean(word, takes)+hint)
		}
	}
	return nil
}

// names are words as texts.
func names[T ~string](words []T) (list []string) {
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// rules reads the flags that decide about judging.
func (f *Spec) rules() (r audit.Rules, err error) {
	r = audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, Lastmod: f.Lastmod, Split: f.Split, Spelling: address.Spelling(f.Spelling),
		Fix: map[audit.Verdict]audit.Action{}, Lift: map[audit.Note]bool{}}
	err = cmp.Or(words("--spelling", []string{f.Spelling}, names([]address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG, address.None})),
		f.Check(), f.fixes(&r))
	return r, err
}

// fixes adds --fix and --max-drop to rules, where they are given.
func (f *Spec) fixes(r *audit.Rules) error {
	for _, item := range f.Fix {
		name, value, _ := strings.Cut(item, "=")
		v, n, action := audit.Verdict(name), audit.Note(name), audit.Action(value)
		switch {
		case item == "all=keep":
			r.KeepAll = true
		case fixable(v, action):
			r.Fix[v] = action
		case n.Liftable() && action == audit.Replace:
			r.Lift[n] = true
		default:
			known := append(append(names(audit.Verdicts()), names(slices.DeleteFunc(audit.Stops(), func(n audit.Note) bool { return !n.Liftable() }))...), "all")
			return cli.WithHint(fmt.Errorf("--fix %q is not possible", item),
				cli.DidYouMean(name, known)+"--fix takes VERDICT=keep, VERDICT=drop, VERDICT=replace (where there is a URL to write), NOTE=replace (lifts a rule; sitemend help fix lists them) or all=keep")
		}
	}
	if f.MaxDrop == "" {
		return nil
	}
	var ok bool
	r.MaxDrop, ok = percent(f.MaxDrop)
	return refuse(!ok, fmt.Sprintf("--max-drop %q is no percentage", f.MaxDrop), "as in --max-drop 10%")
}

// fixable reports whether an action can be chosen for a verdict. What we could not
// see, or did not ask, is never edited.
func fixable(v audit.Verdict, a audit.Action) bool {
	switch a {
	case audit.Keep:
		return slices.Contains(audit.Verdicts(), v)
	case audit.Drop:
		return slices.Contains(audit.Verdicts(), v) && v != audit.OK && v != audit.Skipped && v != audit.Unverified
	}
	return a == audit.Replace && v.Facts().Replaceable
}

// percent reads "10%" or "0.1" as a share; ok is false where it is none.
func percent(s string) (share float64, ok bool) {
	digits, isPercent := strings.CutSuffix(s, "%")
	share, err := strconv.ParseFloat(digits, 64)
	if isPercent {
		share /= 100
	}
	return share, err == nil && share >= 0 && share <= 1
}

// compiled compiles --include or --exclude; nil for none.
func compiled(flag, re string) (*regexp.Regexp, error) {
	if re == "" {
		return nil, nil
	}
	x, err := regexp.Compile(re)
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("%s: %w", flag, err), "patterns are RE2, as in Go's regexp")
	}
	return x, nil
}

// AlsoNames returns the values that --also takes, none last. The caller owns the slice.
func AlsoNames() []string { return append(names(audit.AlsoLists()), "none") }

// DefaultFormats are written where nobody names any.
var DefaultFormats = []string{"html", "csv"}

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
	return cmp.Or(words("--robots", []string{f.Robots}, []string{"obey", "note", "ignore"}), words("--as", []string{f.As}, fetch.Identities()),
		refuse(f.MaxHops < 0, fmt.Sprintf("--max-hops %d is negative", f.MaxHops), "--max-hops takes 0 or more"),
		refuse(!(f.Rate >= 0 && f.Rate <= math.MaxFloat64), fmt.Sprintf("--rate %g is not 0 or more", f.Rate), "--rate takes requests a second; 0 = no ceiling"), // not a number is neither
		refuse(f.Timeout <= 0, fmt.Sprintf("--timeout %s is not above 0", f.Timeout), "as in --timeout 30s"),
		refuse(f.User != "" && !strings.Contains(f.User, ":"), "--user has no password", "--user takes NAME:PASS"))
}

// Options returns how to ask the hosts of the targets, which with those of --map
// are those that may see headers and credentials: audited has the targets
// already or gets them elsewhere, the hosts of --map are added.
func (f *Asking) Options(hosts []string, audited *fetch.Audited) (o fetch.Options, err error) {
	id, err := fetch.LookupIdentity(f.As)
	o = fetch.Options{Timeout: f.Timeout, Audited: audited.Has, Resolve: map[string]string{}, Map: map[string]string{}}
	o.User, o.Pass, _ = strings.Cut(f.User, ":")
	var err1, err3 error
	o.Identity, o.Headers, err1 = f.headers(id)
	named, err2 := f.elsewhere(&o, audited)
	o.RootCAs, err3 = f.certificates()
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
// its own, and an IPv6 address stands in brackets; and --map FROM=TO. named are the hosts in them.
func (f *Asking) elsewhere(o *fetch.Options, audited *fetch.Audited) (named []string, err error) {
	if err := cmp.Or(cli.NoUser("--resolve", f.Resolve...), cli.NoUser("--map", f.Map...)); err != nil {
		return nil, err
	}
	for _, r := range f.Resolve {
		host, rest, _ := strings.Cut(strings.ToLower(r), ":")
		port, addr, _ := strings.Cut(rest, ":")
		if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || addr == "" {
			return nil, cli.WithHint(fmt.Errorf("--resolve %q is not HOST:PORT:ADDR", r), "as in --resolve www.example.com:443:127.0.0.1")
		}
		o.Resolve[host+":"+port], named = addr, append(named, host)
	}
	for _, item := range f.Map {
		from, to, _ := strings.Cut(strings.ToLower(item), "=")
		if from == "" || to == "" || strings.Contains(item, "/") {
			return nil, cli.WithHint(fmt.Errorf("--map %q is not FROM=TO", item), "hosts only, as in --map www.example.com=staging.example.com")
		}
		o.Map[from], named = to, append(named, (&url.URL{Host: to}).Hostname(), from)
		audited.AddHost(to)
	}
	return named, nil
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
