package job

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/report"
	"sitemend/report/messages"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Spec says what to audit and how, and what to write: plain data, as the flags of the
// command line, a file or a message hold it. A text that is a list of choices or a share
// ("10%", "noindex=keep") is as the contract writes it. The zero value of a field is not its
// default: Default has those.
type Spec struct {
	Asking
	// Targets are sites, URLs of sitemaps, local files, or - for Env.Stdin. Without one the
	// site is that of SearchConsole, which names files of exports.
	Targets       []string
	SearchConsole []string
	Expect        string // a map that says where old addresses must lead, or -; "" for none
	Inspect       int    // about how many addresses Google's index is asked at the end

	// Servers has workers send the requests, at one pace for each site or host, as Politeness
	// says.
	Servers    Servers
	Politeness string

	Site Site // the build that answers in place of the network; none without Dir

	// Logs are the access logs that say what robots asked for; none without Files.
	Logs logfiles.Spec

	// Out is the folder of the outputs, or - where the caller writes one of Formats itself; "" for
	// that of the first target in the usual folder. Store is the bbolt file; "" for audits.db in
	// Out, or in the usual folder where Out is "" or -.
	Out, Store string
	usual      bool // Out was "" until Place
	Formats    []string
	Lang       string // one of messages.Langs

	Spelling         string
	RateGiven        bool // Rate was asked for: it is where the pace begins
	Parallel         int  // requests at once for each host; 0 for no ceiling
	Include, Exclude string
	Sample           int
	NoFetch          bool
	Also             []string // what is crawled beside the entries: names of audit.AlsoLists, or AlsoNone
	Links            bool     // the links of the crawled pages are read

	Fix     []string
	MaxDrop string // Report: "" for that of the audit
	Lastmod bool   // write the audit's date as the lastmod of what is edited
	Split   bool   // write a corrected file that lists too much as several
	// NoLastmod and NoSplit are of Report: not so, though the audit had it so.
	NoLastmod, NoSplit bool
	FailOn             []string
	New                bool // FailOn counts only what the last audit of the same kind did not have

	Fresh      bool // begin a new audit even where one could be continued
	KeepAudits int  // how many audits of the same kind are left; 0 for all
	Named      bool // Report: the audit that is named is not just the latest

	// Repeat is what the commands that are offered add: flags that were given, and that the
	// store does not remember.
	Repeat []string
	// Given are the flags of an audit, as audit.Info has them.
	Given []string
	// Backoff is how long to wait before each further try; nil for the usual times.
	Backoff []time.Duration
}

// checkOutputs refuses formats and places that cannot be.
func (f *Spec) checkOutputs() error {
	if len(f.Formats) == 0 { // a variable that is not set, most likely
		return cli.WithHint(errors.New("--format names nothing"), "--format takes any of "+strings.Join(report.Formats(), ", "))
	}
	for _, name := range f.Formats {
		if !slices.Contains(report.Formats(), name) {
			return cli.WithHint(fmt.Errorf("--format %q is unknown", name), cli.DidYouMean(name, report.Formats())+"--format takes any of "+strings.Join(report.Formats(), ", "))
		}
	}
	if f.Out == "-" && len(f.Formats) != 1 {
		return cli.WithHint(errors.New("--out - writes exactly one format"), "name it, as in --out - --format jsonl")
	}
	if !slices.Contains(messages.Langs(), f.Lang) {
		return cli.WithHint(fmt.Errorf("--lang %q is unknown", f.Lang), "--lang takes "+strings.Join(messages.Langs(), " or "))
	}
	return nil
}

// storeApart refuses a store in the place of an output, which would be written over it.
func (f *Spec) storeApart() error {
	if f.Store == "" || f.Out == "-" {
		return nil
	}
	dir, err := filepath.Abs(f.Out)
	if err != nil {
		return err
	}
	store, err := filepath.Abs(f.Store)
	if err != nil {
		return err
	}
	if name, err := filepath.Rel(dir, store); err == nil && filepath.IsLocal(name) && report.IsOutput(name) {
		return cli.WithHint(fmt.Errorf("--store %s is where an output of --out %s is written", f.Store, f.Out), "name another file: --store "+filepath.Join(f.Out, storeName))
	}
	return nil
}

// rules reads the flags that decide about judging.
func (f *Spec) rules() (audit.Rules, error) {
	r := audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots}
	var err error
	if r.Spelling, err = address.ParseSpelling(f.Spelling); err != nil {
		return r, cli.WithHint(err, "--spelling takes googlebot, rfc3986, whatwg or none")
	}
	if err := f.Check(); err != nil {
		return r, err
	}
	for name, n := range map[string]int{"sample": f.Sample, "parallel": f.Parallel, "keep-audits": f.KeepAudits} {
		if n < 0 {
			return r, cli.WithHint(fmt.Errorf("--%s %d is negative", name, n), "--"+name+" takes 0 or more")
		}
	}
	return r, f.written(&r, defaultMaxDrop)
}

// written reads what decides what is written. maxDrop counts where MaxDrop is not given.
func (f *Spec) written(r *audit.Rules, maxDrop float64) error {
	r.Fix, r.Lift, r.KeepAll, r.MaxDrop = map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}, false, maxDrop
	r.Lastmod, r.Split = f.Lastmod, f.Split
	for _, item := range f.Fix {
		if err := fixItem(r, item); err != nil {
			return err
		}
	}
	if f.MaxDrop == "" {
		return nil
	}
	share, err := percent(f.MaxDrop)
	if err != nil {
		return cli.WithHint(fmt.Errorf("--max-drop %q is no percentage", f.MaxDrop), "as in --max-drop 10%")
	}
	r.MaxDrop = share
	return nil
}

// fixItem reads one item of --fix.
func fixItem(r *audit.Rules, item string) error {
	name, value, _ := strings.Cut(item, "=")
	v, action := audit.Verdict(name), audit.Action(value)
	switch {
	case item == "all=keep":
		r.KeepAll = true
		return nil
	case slices.Contains(audit.Verdicts(), v) && fixable(v, action):
		r.Fix[v] = action
		return nil
	case audit.CanLift(audit.Note(name)) && action == audit.Replace:
		r.Lift[audit.Note(name)] = true
		return nil
	}
	known := []string{"all"}
	for _, v := range audit.Verdicts() {
		known = append(known, string(v))
	}
	for _, n := range audit.LiftableNotes() {
		known = append(known, string(n))
	}
	like := ""
	if !slices.Contains(known, name) {
		like = cli.DidYouMean(name, known)
	}
	return cli.WithHint(fmt.Errorf("--fix %q is not possible", item),
		like+"--fix takes VERDICT=keep, VERDICT=drop, VERDICT=replace (where there is a URL to write), NOTE=replace (a rule of what may be written) or all=keep")
}

// fixable reports whether an action can be chosen for a verdict. What we could not
// see, or did not ask, is never edited.
func fixable(v audit.Verdict, a audit.Action) bool {
	switch a {
	case audit.Keep:
		return true
	case audit.Drop:
		return v != audit.OK && v != audit.Skipped && v != audit.Unverified
	case audit.Replace:
		return v.Facts().Replaceable
	}
	return false
}

// percent reads "10%" or "0.1" as a share.
func percent(s string) (float64, error) {
	digits, isPercent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(digits, 64)
	if isPercent {
		x /= 100
	}
	if err == nil && !(x >= 0 && x <= 1) {
		err = fmt.Errorf("%q is not between 0%% and 100%%", s)
	}
	return x, err
}

// part says which flags leave entries out.
func (f *Spec) part() string {
	var said []string
	for _, re := range []struct{ flag, value string }{{"--include", f.Include}, {"--exclude", f.Exclude}} {
		if re.value != "" {
			said = append(said, re.flag, re.value)
		}
	}
	if f.Sample > 0 {
		said = append(said, "--sample", strconv.Itoa(f.Sample))
	}
	if f.NoFetch {
		said = append(said, "--no-fetch")
	}
	return strings.Join(said, " ")
}

// filters compiles --include and --exclude.
func (f *Spec) filters() (include, exclude *regexp.Regexp, err error) {
	compile := func(flag, re string) *regexp.Regexp {
		if re == "" || err != nil {
			return nil
		}
		var out *regexp.Regexp
		if out, err = regexp.Compile(re); err != nil {
			err = cli.WithHint(fmt.Errorf("%s: %w", flag, err), "patterns are RE2, as in Go's regexp")
		}
		return out
	}
	include = compile("--include", f.Include)
	exclude = compile("--exclude", f.Exclude)
	return include, exclude, err
}

// resolves reads --resolve HOST:PORT:ADDR, as curl's; ADDR may carry a port of
// its own, and an IPv6 address stands in brackets.
func (f *Asking) resolves() (map[string]string, error) {
	m := map[string]string{}
	if err := cli.NoUser("--resolve", f.Resolve...); err != nil {
		return nil, err
	}
	for _, r := range f.Resolve {
		parts := strings.SplitN(r, ":", 3)
		if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
			return nil, cli.WithHint(fmt.Errorf("--resolve %q is not HOST:PORT:ADDR", r), "as in --resolve www.example.com:443:127.0.0.1")
		}
		if _, err := strconv.ParseUint(parts[1], 10, 16); err != nil {
			return nil, cli.WithHint(fmt.Errorf("--resolve %q: %q is no port", r, parts[1]), "as in --resolve www.example.com:443:127.0.0.1")
		}
		m[strings.ToLower(parts[0])+":"+parts[1]] = parts[2]
	}
	return m, nil
}

// withoutUsers refuses a name or password in what the flags of an audit name.
func (f *Spec) withoutUsers() error {
	return cmp.Or(cli.NoUser("--resolve", f.Resolve...), cli.NoUser("--map", f.Map...), cli.NoUserInURL("--bot-ranges", f.Logs.Ranges...),
		cli.NoUserInURL("--search-console", f.SearchConsole...), cli.NoUserInURL("--expect", f.Expect), cli.NoUserInURL("--access-log", f.Logs.Files...))
}

// maps reads --map FROM=TO.
func (f *Asking) maps() (map[string]string, error) {
	m := map[string]string{}
	if err := cli.NoUser("--map", f.Map...); err != nil {
		return nil, err
	}
	for _, item := range f.Map {
		from, to, ok := strings.Cut(item, "=")
		if !ok || from == "" || to == "" || strings.Contains(item, "/") {
			return nil, cli.WithHint(fmt.Errorf("--map %q is not FROM=TO", item), "hosts only, as in --map www.example.com=staging.example.com")
		}
		m[strings.ToLower(from)] = strings.ToLower(to)
	}
	return m, nil
}

// headers reads --header: the User-Agent, "" for that of the identity, and those that are secret.
func (f *Asking) headers() (agent string, secret []fetch.Header, err error) {
	for _, h := range f.Headers {
		x, err := fetch.ParseHeader(h)
		if err != nil {
			return "", nil, cli.WithHint(fmt.Errorf("--header: %w", err), "--header takes 'Name: value', as in --header 'X-Preview: 1'")
		}
		switch {
		case !strings.EqualFold(x.Key, "User-Agent"):
			secret = append(secret, x)
		case x.Value == "":
			return "", nil, cli.WithHint(errors.New("--header: User-Agent is empty"), "as in --header 'User-Agent: Mine/1.0'")
		default:
			agent = x.Value
		}
	}
	return agent, secret, nil
}

// secrets reports whether there are headers or credentials for the audited hosts alone.
func (f *Asking) secrets() bool {
	_, headers, err := f.headers()
	return err != nil || len(headers) > 0 || f.User != ""
}

// hostOf returns the host of an authority, which may have a port.
func hostOf(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		return host
	}
	return s
}

// defaultMaxDrop is Spec.MaxDrop where it is not given (contract, the brake).
const defaultMaxDrop = 0.10

// DefaultFormats are written where nobody names any.
var DefaultFormats = []string{"html", "csv"}
