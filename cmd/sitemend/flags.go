package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// newFlagSet returns an empty set of flags.
func newFlagSet() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// add declares the flags with the defaults of the contract, in its groups.
func (f *auditFlags) add(fs *pflag.FlagSet) {
	// Output.
	addOutputs(fs, &f.Spec)
	f.addLog(fs)

	// What is crawled.
	fs.Var(&pattern{&f.Include}, "include", "ask only URLs whose loc matches this `RE`")
	fs.Var(&pattern{&f.Exclude}, "exclude", "leave out URLs whose loc matches this `RE`")
	fs.IntVar(&f.Sample, "sample", 0, "ask only `N` URLs of each sitemap; no sitemap is written")
	fs.BoolVar(&f.NoFetch, "no-fetch", false,
		"check the sitemap files alone; no sitemap is written")
	fs.StringSliceVar(&f.Also, "also", []string{"alternates"},
		"crawl, too, what sitemaps name and do not list: "+strings.Join(job.AlsoNames(), ", "))
	fs.BoolVar(&f.Links, "links", false, "read the links of the pages that are fetched anyway: which still lead to old URLs, which URLs no sitemap lists, which URLs no page links to")
	fs.StringArrayVar(&f.SearchConsole, "search-console", nil, "an export of Search Console, of Bing, or a list of URLs in `FILE`: ask its URLs, too, and say which need anything; repeatable")
	fs.StringArrayVar(&f.Logs.Files, "access-log", nil, "an access log of the site in `FILE`, or -: the spelling in which Googlebot requests a URL there is the second one; repeatable (sitemend help logs)")
	addLogging(fs, &f.Logs)
	fs.StringVar(&f.Expect, "expect", "", "a map of old and new URLs in `FILE`: does each old URL lead where it should?")
	addSite(fs, &f.Site)
	fs.IntVar(&f.Inspect, "inspect", 0,
		"at the end ask Google's index about `N` URLs (sitemend help inspect)")

	// How.
	addAsking(fs, &f.Asking)
	fs.StringVar(&f.Spelling, "spelling", "googlebot",
		"the second spelling: googlebot, rfc3986, whatwg, none")
	fs.Float64Var(&f.Rate, "rate", 10,
		"requests a second for each host, at most; 0 = no ceiling; not given: starts at 2")
	fs.IntVar(&f.Parallel, "parallel", 4, "requests at once for each host; 0 = no ceiling")
	addServers(fs, &f.Servers)
	fs.StringVar(&f.Politeness, "politeness", job.PoliteSite, "with --via: what is asked at one pace, by one worker at a time: site (all hosts of a registrable domain) or host")
	fs.BoolVar(&f.Fresh, "fresh", false, "begin a new audit even where one could be continued")

	// What is corrected, and for scripts.
	addReporting(fs, &f.Spec)
	fs.BoolVar(&f.New, "new", false, "count for --fail-on only what the last audit of the same targets, robot and filters did not have; where there is none, everything")
	fs.IntVar(&f.KeepAudits, "keep-audits", 0, "at the end remove older audits of the same targets, robot and filters, so that `N` are left; 0 = keep all")
}

// addOutputs declares where the outputs go, and which.
func addOutputs(fs *pflag.FlagSet, f *job.Spec) {
	fs.StringVar(&f.Out, "out", "",
		"`DIR` for the outputs (default sitemend-out/HOST); - writes one format to standard output")
	addStore(fs, &f.Store)
	addFormat(fs, &f.Formats)
}

func addStore(fs *pflag.FlagSet, file *string) {
	fs.StringVar(file, "store", "",
		"the bbolt `FILE` (default sitemend-out/audits.db; with --out DIR, DIR/audits.db)")
}

// addFormat declares --format.
func addFormat(fs *pflag.FlagSet, formats *[]string) {
	fs.StringSliceVar(formats, "format", job.DefaultFormats,
		"outputs: any of "+strings.Join(report.Formats(), ", "))
}

// addReporting declares the flags that affect outputs, not requests.
func addReporting(fs *pflag.FlagSet, f *job.Spec) {
	fs.StringSliceVar(&f.Fix, "fix", nil, "change fixes: VERDICT=keep|drop|replace, NOTE=replace, all=keep (sitemend help fix lists them)")
	fs.StringVar(&f.MaxDrop, "max-drop", "10%", "share of a file's URLs that may be dropped; ten may always be")
	fs.BoolVar(&f.Split, "split", false,
		"write a corrected file over 50,000 URLs or 50 MB as several, with an index")
	fs.BoolVar(&f.Lastmod, "lastmod", false, "write the audit's date as lastmod into replaced URLs, and into an index for sitemaps that are written anew")
	fs.StringSliceVar(&f.FailOn, "fail-on", []string{"problem"}, "what makes the exit status 1: verdicts, problem, any, faults, unmet (--expect), none; with limits as moved:1%, not-found:20")
	addLang(fs, &f.Lang)
}

func addLang(fs *pflag.FlagSet, lang *string) {
	fs.StringVar(lang, "lang", "", languages()+
		": language of report and summary (default: the locale)")
}

// A pattern is the value of a flag that may be given only once: of two the first would be lost
// silently.
type pattern struct{ re *string }

func (p *pattern) String() string {
	if p.re == nil {
		return ""
	}
	return *p.re
}

// Type implements pflag.Value: the type's name in errors and the help.
func (p *pattern) Type() string { return "pattern" }

func (p *pattern) Set(s string) error {
	if *p.re != "" && *p.re != s {
		return fmt.Errorf("only one counts; join them as %q", *p.re+"|"+s)
	}
	*p.re = s
	return nil
}

// storeFlags are the flags that name a store, for the commands that read it.
type storeFlags struct{ out, store string }

func (f *storeFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.out, "out", "", "`DIR` of the outputs (default sitemend-out/HOST)")
	addStore(fs, &f.store)
}

func (f *storeFlags) file() job.StoreFile { return f.spec().StoreFile() }

// spec returns a Spec with this store.
func (f *storeFlags) spec() *job.Spec { return &job.Spec{Out: f.out, Store: f.store} }

// auditNamed returns the audit that the argument AUDIT names, the latest where there is none.
func auditNamed(args []string) string {
	if len(args) == 0 {
		return storage.Latest
	}
	return args[0]
}

// languages returns the values of --lang, for the help.
func languages() string {
	return strings.Replace(strings.Join(messages.Langs(), " or "), "en", "`en`", 1)
}

// language returns the language of report and summary: that of --lang, else of the locale.
func language(given string) (string, error) {
	if slices.Contains(messages.Langs(), given) {
		return given, nil
	}
	if given != "" {
		return "", cli.WithHint(fmt.Errorf("--lang %q is unknown", given),
			"--lang takes "+strings.Join(messages.Langs(), " or "))
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if tag, _, _ := strings.Cut(strings.NewReplacer(".", "_", "@", "_", "-", "_").Replace(v), "_"); slices.Contains(messages.Langs(), tag) {
				return tag, nil
			}
			break
		}
	}
	return "en", nil
}

// allGiven returns every given flag, sorted by name, as audit.Info stores them, with placeholders
// for secrets.
func allGiven(flags *pflag.FlagSet) (given []string) {
	flags.Visit(func(x *pflag.Flag) {
		values := []string{x.Value.String()}
		switch list, ok := x.Value.(pflag.SliceValue); {
		case ok && x.Value.Type() == "stringSlice": // as one, as it is read: "a,b"
			values[0] = strings.TrimSuffix(strings.TrimPrefix(values[0], "["), "]")
		case ok:
			values = list.GetSlice()
		}
		for _, v := range values {
			switch x.Name {
			case "user":
				v = "NAME:PASS"
			case "header":
				v = headerGiven(v)
			}
			word := "--" + x.Name
			if x.NoOptDefVal == "" || v != x.NoOptDefVal {
				word += "=" + v
			}
			given = append(given, word)
		}
	})
	return given
}

// headerGiven returns a value of --header as it may be shown: the User-Agent as it is.
func headerGiven(header string) string {
	name, value, _ := strings.Cut(header, ":")
	if name = strings.TrimSpace(name); strings.EqualFold(name, "User-Agent") {
		return "User-Agent: " + strings.TrimSpace(value)
	}
	return name + ": VALUE"
}

// givenFlags returns those given flags that affect the outputs and are not stored with the audit.
// report has more of them than audit.
func givenFlags(flags *pflag.FlagSet, names ...string) (words []string) {
	for _, name := range names {
		x := flags.Lookup(name)
		if x == nil || !x.Changed {
			continue
		}
		switch list, ok := x.Value.(pflag.SliceValue); {
		case ok:
			words = append(words, "--"+name, strings.Join(list.GetSlice(), ","))
		case x.Value.Type() == "bool" && x.Value.String() == "true":
			words = append(words, "--"+name)
		case x.Value.Type() == "bool": // its value is not a separate word
			words = append(words, "--"+name+"=false")
		default:
			words = append(words, "--"+name, x.Value.String())
		}
	}
	return words
}
