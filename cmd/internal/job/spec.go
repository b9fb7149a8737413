package job

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fleet"
	"sitemend/report"
	"sitemend/storage"
)

// A Spec says what to audit and how, and what to write: plain data, as the flags of the
// command line, a file or a message hold it. A text that is a list of choices or a share
// ("10%", "noindex=keep") is as the contract writes it. The zero value of a field is not its
// default: the commands have those.
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
	Servers    fleet.Options
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
	// Backoff is how long to wait before each further try; nil for the usual times.
	Backoff []time.Duration
}

// apart are flags that do not go together; parts are those that say nothing without the flag before
// them.
var (
	apart = []string{"site user", "site header", "site resolve", "site map", "site access-log", "site inspect", "via links", "via site",
		"no-fetch links", "no-fetch search-console", "no-fetch expect", "no-fetch inspect"}
	parts = []string{"site served-by", "site rules", "site site-option", "site online", "access-log log-host", "access-log log-zone",
		"access-log since", "access-log until", "access-log bot-ranges", "access-log dns"}
)

// check refuses flags that cannot be, or not together.
func (f *Spec) check() error {
	if err := f.checkOutputs(); err != nil {
		return err
	}
	given := func(flag string) bool {
		return slices.ContainsFunc(f.Given, func(word string) bool {
			name, _, _ := strings.Cut(word, "=")
			return name == "--"+flag
		})
	}
	for _, pair := range apart {
		if one, other, _ := strings.Cut(pair, " "); given(one) && given(other) {
			return cli.WithHint(fmt.Errorf("--%s and --%s do not go together", one, other), "leave out one of them")
		}
	}
	for _, pair := range parts {
		if whole, part, _ := strings.Cut(pair, " "); given(part) && !given(whole) {
			return cli.WithHint(fmt.Errorf("--%s says nothing without --%s", part, whole), "sitemend help flags shows what belongs to --"+whole)
		}
	}
	if len(f.Logs.Files) > 0 {
		if slices.Contains(f.Logs.Files, "-") && slices.Contains(f.Targets, "-") {
			return cli.WithHint(errors.New("standard input cannot be both the log and the target"), "name a file for one of them")
		}
		if err := f.Logs.Check(); err != nil {
			return err
		}
	}
	return cmp.Or(cli.NoUserInURL("--bot-ranges", f.Logs.Ranges...), cli.NoUserInURL("--search-console", f.SearchConsole...),
		cli.NoUserInURL("--expect", f.Expect), f.viaFlags(), f.siteTarget())
}

// checkOutputs refuses formats that cannot be.
func (f *Spec) checkOutputs() error {
	if err := words("--format", f.Formats, report.Formats()); err != nil {
		return err
	}
	if f.Out == "-" && len(f.Formats) != 1 {
		return cli.WithHint(errors.New("--out - writes exactly one format"), "name it, as in --out - --format jsonl")
	}
	return nil
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

// rules reads the flags that decide about judging.
func (f *Spec) rules() (r audit.Rules, err error) {
	r = audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, MaxDrop: defaultMaxDrop, Lastmod: f.Lastmod, Split: f.Split,
		Fix: map[audit.Verdict]audit.Action{}, Lift: map[audit.Note]bool{}}
	if r.Spelling, err = address.ParseSpelling(f.Spelling); err != nil {
		return r, cli.WithHint(err, "--spelling takes googlebot, rfc3986, whatwg or none")
	}
	if err := f.Check(); err != nil {
		return r, err
	}
	for name, n := range map[string]int{"sample": f.Sample, "inspect": f.Inspect, "parallel": f.Parallel, "keep-audits": f.KeepAudits} {
		if n < 0 {
			return r, cli.WithHint(fmt.Errorf("--%s %d is negative", name, n), "--"+name+" takes 0 or more")
		}
	}
	return r, f.fixes(&r)
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
		case audit.CanLift(n) && action == audit.Replace:
			r.Lift[n] = true
		default:
			known := append(append(names(audit.Verdicts()), names(audit.LiftableNotes())...), "all")
			return cli.WithHint(fmt.Errorf("--fix %q is not possible", item),
				cli.DidYouMean(name, known)+"--fix takes VERDICT=keep, VERDICT=drop, VERDICT=replace (where there is a URL to write), NOTE=replace (a rule of what may be written) or all=keep")
		}
	}
	if f.MaxDrop == "" {
		return nil
	}
	var err error
	if r.MaxDrop, err = percent(f.MaxDrop); err != nil {
		return cli.WithHint(fmt.Errorf("--max-drop %q is no percentage", f.MaxDrop), "as in --max-drop 10%")
	}
	return nil
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

// pattern compiles --include or --exclude; nil for none.
func pattern(flag, re string) (*regexp.Regexp, error) {
	if re == "" {
		return nil, nil
	}
	x, err := regexp.Compile(re)
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("%s: %w", flag, err), "patterns are RE2, as in Go's regexp")
	}
	return x, nil
}

// also reads --also.
func (f *Spec) also() (discover.Also, error) {
	also := discover.Also{Shelf: func() (audit.Shelf, io.Closer) {
		s := storage.NewSorter("")
		return s, s
	}}
	for _, l := range audit.AlsoLists() { // in this order, whatever that of the flag
		if slices.Contains(f.Also, string(l)) {
			also.Lists = append(also.Lists, l)
		}
	}
	if f.Also == nil {
		return also, nil
	}
	return also, words("--also", f.Also, AlsoNames())
}

// AlsoNames returns the values that --also takes, none last. The caller owns the slice.
func AlsoNames() []string { return append(names(audit.AlsoLists()), "none") }

// defaultMaxDrop is Spec.MaxDrop where it is not given (contract, the brake).
const defaultMaxDrop = 0.10

// DefaultFormats are written where nobody names any.
var DefaultFormats = []string{"html", "csv"}
