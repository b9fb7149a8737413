package main

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/report"
)

// auditFlags are the flags of audit, as the user gave them.
type auditFlags struct {
	askFlags
	out, store       string
	formats          []string
	spelling         string
	spellingSample   int
	rateGiven        bool
	parallel         int
	parallelAll      int
	include, exclude string
	sample           int
	noFetch          bool
	fix              []string
	maxDrop          string
	failOn           []string
	onlyNew          bool
	keepAudits       int
	conditional      bool
	fresh            bool
	searchConsole    []string
	lang             string
	named            bool     // report: the AUDIT that was named is not just the latest
	retold           []string // report: the flags that shape this telling alone
	quiet, verbose   bool
	log              string
}

// newFlagSet returns an empty set of flags.
func newFlagSet() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// add declares the flags with the defaults of the contract.
func (f *auditFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.out, "out", "sitemend-out", "`DIR` for the outputs; - writes one format to standard output")
	fs.StringVar(&f.store, "store", "", "the bbolt `FILE` (default audits.db in DIR; with --out - in sitemend-out)")
	addFormat(fs, &f.formats)
	f.addAsking(fs)
	fs.StringVar(&f.spelling, "spelling", "googlebot", "the second spelling: googlebot, rfc3986, whatwg, none")
	fs.IntVar(&f.spellingSample, "spelling-sample", 20, "ask the second spelling for the first `N` entries of each host and kind of difference, and for all of a kind when one of those answers otherwise; 0 = always")
	fs.Float64Var(&f.rate, "rate", 10, "requests a second for each host, at most; 0 = no ceiling; not given: starts at 2")
	fs.IntVar(&f.parallel, "parallel", 4, "requests at once for each host; 0 = no ceiling")
	fs.IntVar(&f.parallelAll, "parallel-all", 512, "requests at once over all hosts; less where the system allows fewer open files (ulimit -n)")
	fs.Var(&pattern{&f.include}, "include", "ask only entries whose loc matches this `RE`")
	fs.Var(&pattern{&f.exclude}, "exclude", "leave out entries whose loc matches this `RE`")
	fs.IntVar(&f.sample, "sample", 0, "ask only `N` entries of each sitemap; no sitemap is written")
	fs.BoolVar(&f.noFetch, "no-fetch", false, "check the sitemap files alone; no sitemap is written")
	fs.StringArrayVar(&f.searchConsole, "search-console", nil, "an export of Search Console, of Bing, or a list of URLs in `FILE`: ask its addresses, too, and say which need anything; repeatable")
	fs.BoolVar(&f.fresh, "fresh", false, "begin a new audit even where one could be continued")
	fs.BoolVar(&f.conditional, "conditional", false, "ask for changes alone where the same command saw a 200 with an ETag or Last-Modified; 304 counts as that answer")
	fs.IntVar(&f.keepAudits, "keep-audits", 0, "at the end remove older audits of the same targets, robot and filters, so that `N` are left; 0 = keep all")
	f.addTelling(fs)
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "say less on standard error")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "say more on standard error")
	fs.StringVar(&f.log, "log", "text", "text or json log on standard error")
}

// addFormat declares --format.
func addFormat(fs *pflag.FlagSet, formats *[]string) {
	fs.StringSliceVar(formats, "format", defaultFormats, "outputs: any of "+strings.Join(report.Formats(), ", "))
}

// defaultFormats are written where --format names none.
var defaultFormats = []string{"html", "csv"}

// addTelling declares the flags that shape outputs, not requests.
func (f *auditFlags) addTelling(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.fix, "fix", nil, "change fixes: VERDICT=keep|drop|replace, NOTE=replace, all=keep (sitemend help verdicts lists them)")
	fs.StringVar(&f.maxDrop, "max-drop", "10%", "share of a file's entries that may be dropped")
	fs.StringSliceVar(&f.failOn, "fail-on", []string{"problem"}, "what makes the exit status 1: verdicts, problem, any, faults, none; with limits as moved:1%, not-found:20")
	fs.BoolVar(&f.onlyNew, "new", false, "count for --fail-on only what the last audit of the same targets, robot and filters did not have; where there is none, everything")
	addLang(fs, &f.lang)
}

func addLang(fs *pflag.FlagSet, lang *string) {
	fs.StringVar(lang, "lang", "", "`en` or ja: language of report and summary (default: the locale)")
}

// rules reads the flags that decide about judging.
func (f *auditFlags) rules() (audit.Rules, error) {
	r := audit.Rules{MaxHops: f.maxHops, Sample: f.spellingSample, Robots: f.robots, NoFetch: f.noFetch}
	var err error
	if r.Spelling, err = address.ParseSpelling(f.spelling); err != nil {
		return r, withHint(err, "--spelling takes googlebot, rfc3986, whatwg or none")
	}
	if err := f.checkAsking(); err != nil {
		return r, err
	}
	if f.parallelAll < 1 {
		return r, withHint(fmt.Errorf("--parallel-all %d asks nothing", f.parallelAll), "--parallel-all takes 1 or more")
	}
	for name, n := range map[string]int{"spelling-sample": f.spellingSample, "sample": f.sample, "parallel": f.parallel, "keep-audits": f.keepAudits} {
		if n < 0 {
			return r, withHint(fmt.Errorf("--%s %d is negative", name, n), "--"+name+" takes 0 or more")
		}
	}
	return r, f.telling(&r)
}

// telling reads the flags that decide what is written.
func (f *auditFlags) telling(r *audit.Rules) error {
	r.Fix, r.Lift, r.KeepAll = map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}, false
	for _, item := range f.fix {
		if err := fixItem(r, item); err != nil {
			return err
		}
	}
	share, err := percent(f.maxDrop)
	if err != nil {
		return withHint(fmt.Errorf("--max-drop %q is no percentage", f.maxDrop), "as in --max-drop 10%")
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
		like = meant(name, known, meantFor)
	}
	return withHint(fmt.Errorf("--fix %q is not possible", item),
		didYouMean(like)+"--fix takes VERDICT=keep, VERDICT=drop, VERDICT=replace (where there is an address to write), NOTE=replace (a rule of what may be written) or all=keep")
}

// fixable tells whether an action can be chosen for a verdict. What we could not
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

// A pattern is the value of a flag that is given once: of two the first would be
// forgotten without a word.
type pattern struct{ re *string }

func (p *pattern) String() string {
	if p.re == nil {
		return ""
	}
	return *p.re
}

// Type is how errors and the help know it.
func (p *pattern) Type() string { return "pattern" }

func (p *pattern) Set(s string) error {
	if *p.re != "" && *p.re != s {
		return fmt.Errorf("only one counts; join them as %q", *p.re+"|"+s)
	}
	*p.re = s
	return nil
}

// part says which flags leave entries out.
func (f *auditFlags) part() string {
	var said []string
	for _, re := range []struct{ flag, value string }{{"--include", f.include}, {"--exclude", f.exclude}} {
		if re.value != "" {
			said = append(said, re.flag, re.value)
		}
	}
	if f.sample > 0 {
		said = append(said, "--sample", strconv.Itoa(f.sample))
	}
	if f.noFetch {
		said = append(said, "--no-fetch")
	}
	return strings.Join(said, " ")
}

// filters compiles --include and --exclude.
func (f *auditFlags) filters() (include, exclude *regexp.Regexp, err error) {
	compile := func(flag, re string) *regexp.Regexp {
		if re == "" || err != nil {
			return nil
		}
		var out *regexp.Regexp
		if out, err = regexp.Compile(re); err != nil {
			err = withHint(fmt.Errorf("%s: %w", flag, err), "patterns are RE2, as in Go's regexp")
		}
		return out
	}
	include = compile("--include", f.include)
	exclude = compile("--exclude", f.exclude)
	return include, exclude, err
}

// resolves reads --resolve HOST:PORT:ADDR, as curl's; ADDR may carry a port of
// its own, and an IPv6 address stands in brackets.
func (f *askFlags) resolves() (map[string]string, error) {
	m := map[string]string{}
	for _, r := range f.resolve {
		parts := strings.SplitN(r, ":", 3)
		if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
			return nil, withHint(fmt.Errorf("--resolve %q is not HOST:PORT:ADDR", r), "as in --resolve www.example.com:443:127.0.0.1")
		}
		if _, err := strconv.ParseUint(parts[1], 10, 16); err != nil {
			return nil, withHint(fmt.Errorf("--resolve %q: %q is no port", r, parts[1]), "as in --resolve www.example.com:443:127.0.0.1")
		}
		m[strings.ToLower(parts[0])+":"+parts[1]] = parts[2]
	}
	return m, nil
}

// maps reads --map FROM=TO.
func (f *askFlags) maps() (map[string]string, error) {
	m := map[string]string{}
	for _, item := range f.mapping {
		from, to, ok := strings.Cut(item, "=")
		if !ok || from == "" || to == "" || strings.Contains(item, "/") {
			return nil, withHint(fmt.Errorf("--map %q is not FROM=TO", item), "hosts only, as in --map www.example.com=staging.example.com")
		}
		m[strings.ToLower(from)] = strings.ToLower(to)
	}
	return m, nil
}

// secretHeaders reads --header.
func (f *askFlags) secretHeaders() ([]fetch.Header, error) {
	var hs []fetch.Header
	for _, h := range f.headers {
		x, err := fetch.ParseHeader(h)
		if err != nil {
			return nil, withHint(fmt.Errorf("--header: %w", err), "--header takes 'Name: value', as in --header 'X-Preview: 1'")
		}
		hs = append(hs, x)
	}
	return hs, nil
}

// hostPort splits an authority; port is "" where there is none.
func hostPort(s string) (host, port string) {
	if h, p, err := net.SplitHostPort(s); err == nil {
		return h, p
	}
	return s, ""
}
