package main

import (
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
	"sitemend/crawler/rules/hosts"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// An option is one flag of a command: its name, with its letter behind a comma; the field that it sets;
// its default, nil for the zero value; and what it means, with the word for its value in backticks.
// A []string is a flag that may be repeated, a list one that takes words with commas between them.
type option struct {
	name      string
	to, usual any
	usage     string
}

// list is the type of a field that takes words with commas between them.
type list []string

// declare declares flags.
func declare(fs *pflag.FlagSet, groups ...[]option) {
	for _, f := range slices.Concat(groups...) {
		name, letter, _ := strings.Cut(f.name, ",")
		if f.usual != nil {
			reflect.ValueOf(f.to).Elem().Set(reflect.ValueOf(f.usual))
		}
		switch to := f.to.(type) {
		case *string:
			fs.StringVarP(to, name, letter, *to, f.usage)
		case *bool:
			fs.BoolVarP(to, name, letter, *to, f.usage)
		case *int:
			fs.IntVarP(to, name, letter, *to, f.usage)
		case *float64:
			fs.Float64VarP(to, name, letter, *to, f.usage)
		case *time.Duration:
			fs.DurationVarP(to, name, letter, *to, f.usage)
		case *[]string:
			fs.StringArrayVarP(to, name, letter, *to, f.usage)
		case *list:
			fs.StringSliceVarP((*[]string)(to), name, letter, *to, f.usage)
		}
	}
}

// common is what most commands take: what is audited and written, and how much is said of it.
type common struct {
	job.Spec
	logFlags
}

// begin returns the log, once the language is known.
func (f *common) begin(std stdio) (log *slog.Logger, err error) {
	if log, err = f.logger(std.err); err == nil {
		f.Lang, err = language(f.Lang)
	}
	return log, err
}

// apart are flags that do not go together.
var apart = []string{"site user", "site header", "site resolve", "site map", "site access-log", "site inspect", "via links", "via site",
	"no-fetch links", "no-fetch search-console", "no-fetch expect", "no-fetch inspect"}

// parts are flags that say nothing without the flag before them.
var parts = []string{"site served-by", "site rules", "site site-option", "site online", "access-log log-host", "access-log log-zone",
	"access-log since", "access-log until", "access-log bot-ranges", "access-log dns", "inspect property"}

// take takes the targets of an audit, and which flags were given.
func (f *common) take(fs *pflag.FlagSet, targets []string) error {
	f.Targets, f.RateGiven = targets, fs.Changed("rate")
	f.Repeat, f.Given = given(fs, "lang", "format"), given(fs)
	for _, pair := range apart {
		if one, other, _ := strings.Cut(pair, " "); fs.Changed(one) && fs.Changed(other) {
			return cli.WithHint(fmt.Errorf("--%s and --%s do not go together", one, other), "leave out one of them")
		}
	}
	for _, pair := range parts {
		if whole, part, _ := strings.Cut(pair, " "); fs.Changed(part) && !fs.Changed(whole) {
			return cli.WithHint(fmt.Errorf("--%s has no effect without --%s", part, whole), "sitemend help flags shows what belongs to --"+whole)
		}
	}
	for _, name := range []string{"sample", "inspect", "parallel", "keep-audits"} {
		if n, _ := fs.GetInt(name); n < 0 {
			return cli.WithHint(fmt.Errorf("--%s %d is negative", name, n), "--"+name+" takes 0 or more")
		}
	}
	return nil
}

// newFlagSet returns an empty set of flags.
func newFlagSet() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// add declares the flags of audit with the defaults of the contract.
func (f *common) add(fs *pflag.FlagSet) {
	declare(fs, outputFlags(&f.Spec), f.logFlags.flags(), asking(&f.Asking), logging(&f.Logs), serverFlags(&f.Servers), reporting(&f.Spec), []option{
		{"include", &f.Include, nil, "request only URLs that match this `RE`"},
		{"exclude", &f.Exclude, nil, "leave out URLs that match this `RE`"},
		{"sample", &f.Sample, nil, "request only `N` URLs of each sitemap; no sitemap is written"},
		{"no-fetch", &f.NoFetch, nil, "check the sitemap files alone; no sitemap is written"},
		{"also", (*list)(&f.Also), []string{"alternates"}, "also crawl what sitemaps name besides what they list: " + strings.Join(job.AlsoNames(), ", ")},
		{"links", &f.Links, nil, "read the links of the crawled pages: which lead to old URLs, which to URLs that no sitemap lists, and which URLs no page links to"},
		{"search-console", &f.SearchConsole, nil, "an export of Search Console or Bing, or a list of URLs, in `FILE`: request these, too, and say what to do about each; repeatable"},
		{"access-log", &f.Logs.Files, nil, "an access log of the site in `FILE`, or -: the encoding in which Googlebot requests a URL there is the other one to try; repeatable (sitemend help logs)"},
		{"expect", &f.Expect, nil, "a map of old and new URLs in `FILE`: does each old URL lead where it should?"},
		{"site", &f.Site.Dir, nil, "audit the static build in `DIR` before it is deployed: it answers as its host will, and nothing is requested"},
		{"served-by", (*string)(&f.Site.Host), nil, "`NAME` of the host of --site: " + hosts.List() + " (default: told by its files)"},
		{"rules", &f.Site.Rules, nil, "a rule `FILE` of --site, in place of those found: _redirects, _headers, vercel.json, netlify.toml, a bulk CSV; repeatable, in this order"},
		{"site-option", &f.Site.Settings, nil, "`NAME=VALUE` of how the host of --site is set up: pretty-urls=off, spa, path-prefix=/project; repeatable"},
		{"online", &f.Site.Online, nil, "with --site: request other hosts over the network"},
		{"property", &f.Property, nil, "with --inspect: ask in this `PROPERTY`, as sitemend google lists it"},
		{"inspect", &f.Inspect, nil, "at the end ask Google's index about `N` URLs (sitemend help inspect)"},
		{"spelling", &f.Spelling, "googlebot", "the other encoding to try: googlebot, rfc3986, whatwg, none"},
		{"rate", &f.Rate, 10.0, "requests a second for each host, at most; 0 = no ceiling; not given: starts at 2"},
		{"parallel", &f.Parallel, 4, "requests at once for each host; 0 = no ceiling"},
		{"politeness", &f.Politeness, job.PoliteSite, "with --via: what shares one pace and one worker: site (all hosts of a registrable domain) or host"},
		{"fresh", &f.Fresh, nil, "begin a new audit even where one could be continued"},
		{"new", &f.New, nil, "--fail-on counts only what the last audit of the same targets, robot and filters did not have; without one, everything"},
		{"keep-audits", &f.KeepAudits, nil, "at the end remove older audits of the same targets, robot and filters, so that `N` are left; 0 = keep all"},
	})
	optionalDNS(fs)
}

// outputFlags say where the outputs go, and which.
func outputFlags(f *job.Spec) []option {
	return append(storeFlags(f), langFlag(f), formatFlag(f))
}

// storeFlags name a store.
func storeFlags(f *job.Spec) []option {
	return []option{
		{"out", &f.Out, nil, "`DIR` of the outputs (default sitemend-out/HOST); for audit and report, - writes one format to standard output"},
		storeFlag(f),
	}
}

func storeFlag(f *job.Spec) option {
	return option{"store", &f.Store, nil, "the store `FILE` (default sitemend-out/audits.db; with --out DIR, DIR/audits.db)"}
}

func formatFlag(f *job.Spec) option {
	return option{"format", (*list)(&f.Formats), job.DefaultFormats, "outputs: any of " + strings.Join(report.Formats(), ", ")}
}

func langFlag(f *job.Spec) option {
	return option{"lang", &f.Lang, nil, "`LANG` of what is written: " + strings.Join(messages.Langs(), " or ") + " (default: the locale)"}
}

// reporting are the flags that affect outputs, not requests.
func reporting(f *job.Spec) []option {
	return []option{
		{"fix", (*list)(&f.Fix), nil, "change fixes: VERDICT=keep|drop|replace, NOTE=replace, all=keep (sitemend help fix lists them)"},
		{"max-drop", &f.MaxDrop, "10%", "share of a file's URLs that may be removed; ten always may"},
		{"split", &f.Split, nil, "write a corrected file over 50,000 URLs or 50 MB as several, with an index"},
		{"lastmod", &f.Lastmod, nil, "write the audit's date as lastmod of replaced URLs, and in an index of corrected sitemaps"},
		{"fail-on", (*list)(&f.FailOn), []string{"problem"}, "what makes the exit status 1: verdicts, problem, any, faults, unmet (--expect), none; with limits as moved:1%, not-found:20"},
	}
}

// asking are the flags of every command that sends requests.
func asking(f *job.Asking) []option {
	return []option{
		{"as", &f.As, "googlebot", "the robot to crawl as: " + strings.Join(fetch.Identities(), ", ")},
		{"max-hops", &f.MaxHops, 10, "redirects followed from one URL"},
		{"timeout", &f.Timeout, 30 * time.Second, "time for one page, body included"},
		{"robots", &f.Robots, "obey", "obey, note (request anyway, and say so) or ignore robots.txt"},
		{"header", &f.Headers, nil, "`'K: V'` to send to the audited hosts, over http only where TARGET begins with http://; User-Agent goes everywhere, in place of that of --as; repeatable"},
		{"user", &f.User, nil, "`NAME:PASS` to send to the audited hosts, as --header"},
		{"resolve", &f.Resolve, nil, "`HOST:PORT:ADDR`: connect to ADDR (or ADDR:PORT) instead; repeatable"},
		{"map", &f.Map, nil, "`FROM=TO`: fetch host TO in place of FROM; repeatable"},
		{"ca", &f.CA, nil, "trust the certificates in this PEM `FILE` too"},
		{"allow-private", &f.AllowPrivate, nil, "let any host lead to private and loopback addresses"},
	}
}

// logging are the flags for reading access logs.
func logging(l *logfiles.Spec) []option {
	return []option{
		{"log-host", &l.Host, nil, "`HOST` whose log it is, where lines have none (default: the one host of the URLs)"},
		{"log-zone", &l.Zone, "UTC", "time `ZONE` where times have none (HAProxy): Asia/Tokyo, +09:00"},
		{"since", &l.Since, nil, "leave out requests before this `DATE` (2026-11-01, UTC)"},
		{"until", &l.Until, nil, "leave out requests after this `DATE`, which is included"},
		{"bot-ranges", &l.Ranges, []string{"known"}, "which IPs are those of robots: known (all ranges ever published), web (today's lists, too), or a file in the publishers' form; repeatable"},
		{"dns", &l.DNS, nil, "look up in DNS, in reverse and forward, each IP that bears a robot's name and is in no range, at the system's name server or the one at `ADDR`; 1,000 at most"},
	}
}

// optionalDNS lets --dns stand without a value.
func optionalDNS(fs *pflag.FlagSet) { fs.Lookup("dns").NoOptDefVal = logfiles.SystemDNS }

// servers are the flags that name NATS servers.
func serverFlags(s *fleet.Options) []option {
	return []option{
		{"via", &s.URL, nil, "`URL` of the NATS servers at which workers take requests: nats://HOST:PORT, several with commas (docs/fleet.md)"},
		{"nats-creds", &s.Creds, nil, "credentials of a NATS user, or the seed of an nkey, in `FILE`"},
		{"nats-ca", &s.CA, nil, "trust the certificates in this PEM `FILE` for the NATS servers"},
	}
}

// auditNamed returns the audit that the argument AUDIT names, the latest where there is none.
func auditNamed(args []string) string { return append(args, storage.Latest)[0] }

// language returns the language of report and summary: that of --lang, else of the locale.
func language(given string) (string, error) {
	if slices.Contains(messages.Langs(), given) {
		return given, nil
	}
	if given != "" {
		return "", cli.WithHint(fmt.Errorf("--lang %q is unknown", given), "--lang takes "+strings.Join(messages.Langs(), " or "))
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if tag := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("_.@-", r) }); len(tag) > 0 && slices.Contains(messages.Langs(), tag[0]) {
				return tag[0], nil
			}
			break
		}
	}
	return "en", nil
}

// given returns the flags that were given, sorted by name, as words of a command line, with
// placeholders for secrets; with names only those.
func given(flags *pflag.FlagSet, names ...string) (words []string) {
	flags.Visit(func(x *pflag.Flag) {
		if len(names) > 0 && !slices.Contains(names, x.Name) {
			return
		}
		values := []string{x.Value.String()}
		if list, ok := x.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if x.Value.Type() == "stringSlice" { // as one, as it is read: "a,b"
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, v := range values {
			switch name, value, _ := strings.Cut(v, ":"); {
			case x.Name == "user":
				v = "NAME:PASS"
			case x.Name == "header" && strings.EqualFold(strings.TrimSpace(name), "User-Agent"):
				v = "User-Agent: " + strings.TrimSpace(value)
			case x.Name == "header":
				v = strings.TrimSpace(name) + ": VALUE"
			}
			word := "--" + x.Name
			if x.NoOptDefVal == "" || v != x.NoOptDefVal {
				word += "=" + v
			}
			words = append(words, word)
		}
	})
	return words
}
