package job

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fleet"
	"sitemend/report"
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
		"via user", "via header", "no-fetch links", "no-fetch search-console", "no-fetch expect", "no-fetch inspect"}
	parts = []string{"site served-by", "site rules", "site site-option", "site online", "access-log log-host", "access-log log-zone",
		"access-log since", "access-log until", "access-log bot-ranges", "access-log dns"}
)

// A refusal is why a value cannot be, and what to do.
type refusal struct {
	is         bool
	what, hint string
}

// refuse is the error of the first refusal that is one.
func refuse(list []refusal) error {
	for _, x := range list {
		if x.is {
			return cli.WithHint(errors.New(x.what), x.hint)
		}
	}
	return nil
}

// check refuses flags that cannot be, or not together.
func (f *Spec) check() error {
	given := map[string]bool{}
	for _, word := range f.Given {
		name, _, _ := strings.Cut(word, "=")
		given[strings.TrimPrefix(name, "--")] = true
	}
	var list []refusal
	for _, pair := range apart {
		one, other, _ := strings.Cut(pair, " ")
		list = append(list, refusal{given[one] && given[other], "--" + one + " and --" + other + " do not go together", "leave out one of them"})
	}
	for _, pair := range parts {
		whole, part, _ := strings.Cut(pair, " ")
		list = append(list, refusal{given[part] && !given[whole], "--" + part + " says nothing without --" + whole, "sitemend help flags shows what belongs to --" + whole})
	}
	return cmp.Or(f.checkOutputs(), refuse(list), f.checkLogs(), cli.NoUserInURL("--search-console", f.SearchConsole...),
		cli.NoUserInURL("--expect", f.Expect), f.checkServers(), f.siteTarget())
}

// checkLogs refuses logs that cannot be read.
func (f *Spec) checkLogs() error {
	return cmp.Or(refuse([]refusal{{slices.Contains(f.Logs.Files, "-") && slices.Contains(f.Targets, "-"),
		"standard input cannot be both the log and the target", "name a file for one of them"}}), f.Logs.Check())
}

// checkOutputs refuses formats that cannot be.
func (f *Spec) checkOutputs() error {
	return cmp.Or(words("--format", f.Formats, report.Formats()),
		refuse([]refusal{{f.Out == "-" && len(f.Formats) != 1, "--out - writes exactly one format", "name it, as in --out - --format jsonl"}}))
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
	r = audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, MaxDrop: defaultMaxDrop, Lastmod: f.Lastmod, Split: f.Split, Spelling: address.Spelling(f.Spelling),
		Fix: map[audit.Verdict]audit.Action{}, Lift: map[audit.Note]bool{}}
	var negative []refusal
	for name, n := range map[string]int{"sample": f.Sample, "inspect": f.Inspect, "parallel": f.Parallel, "keep-audits": f.KeepAudits} {
		negative = append(negative, refusal{n < 0, fmt.Sprintf("--%s %d is negative", name, n), "--" + name + " takes 0 or more"})
	}
	err = cmp.Or(words("--spelling", []string{f.Spelling}, names([]address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG, address.None})),
		f.Check(), refuse(negative), f.fixes(&r))
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
		case slices.Contains(audit.LiftableNotes(), n) && action == audit.Replace:
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
	r.MaxDrop, err = percent(f.MaxDrop)
	return refuse([]refusal{{err != nil, fmt.Sprintf("--max-drop %q is no percentage", f.MaxDrop), "as in --max-drop 10%"}})
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

// AlsoNames returns the values that --also takes, none last. The caller owns the slice.
func AlsoNames() []string { return append(names(audit.AlsoLists()), "none") }

// defaultMaxDrop is Spec.MaxDrop where it is not given (contract, the brake).
const defaultMaxDrop = 0.10

// DefaultFormats are written where nobody names any.
var DefaultFormats = []string{"html", "csv"}
