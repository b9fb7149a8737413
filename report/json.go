package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// summary is summary.json. docs/outputs.md says what each key means, docs/summary.schema.json what
// type it has.
type summary struct {
	ID       string   `json:"id"`
	Tool     string   `json:"tool"`
	Targets  []string `json:"targets"`
	Start    string   `json:"start"`
	End      string   `json:"end,omitempty"`
	Requests int      `json:"requests"`
	Settings settings `json:"settings"`
	Sitemaps int      `json:"sitemaps"`
	Entries  entries  `json:"entries"`
	counts
	Faults map[string]int     `json:"faults"`
	Causes []cause            `json:"causes"`
	Upload upload             `json:"upload"`
	Hosts  hosts              `json:"hosts"`
	Since  *since             `json:"since,omitempty"`
	Tables map[string]members `json:"tables"`
	Files  []file             `json:"files"`
}

// settings are as whom and how the audit crawled.
type settings struct {
	Flags    []string `json:"flags"`
	As       string   `json:"as"`
	Agent    string   `json:"user_agent"`
	Spelling string   `json:"spelling"`
	Model    string   `json:"model"`
	Partial  bool     `json:"partial"`
	Proxy    bool     `json:"proxy"`
	Seconds  float64  `json:"seconds"`
	AtLeast  bool     `json:"requests_at_least"`
}

// entries are numbers that add up: clean + replaced + removed + decide + unknown = all.
type entries struct {
	All       int            `json:"all"`
	Clean     int            `json:"clean"`
	Replaced  int            `json:"replaced"`
	Removed   int            `json:"removed"`
	Decide    int            `json:"decide"`
	Unknown   int            `json:"unknown"`
	UnknownBy map[string]int `json:"unknown_by"`
}

type counts struct {
	Verdicts map[string]int `json:"verdicts"`
	Reasons  map[string]int `json:"reasons"`
	Notes    map[string]int `json:"notes"`
	Actions  map[string]int `json:"actions"`
}

type upload struct {
	Files  int            `json:"files"`
	Braked map[string]int `json:"braked"`
}

type hosts struct {
	Left      map[string]int     `json:"left"`
	RobotsBad []string           `json:"robots_unreachable"`
	Waits     map[string]float64 `json:"retry_after,omitempty"`
	Refused   map[string]float64 `json:"refused_rates,omitempty"`
	NeverGone []string           `json:"never_gone"`
}

// since is what changed since the last audit.
type since struct {
	At    string `json:"at"`
	Fixed int    `json:"fixed"`
	New   int    `json:"new"`
	Open  int    `json:"open"`
}

type file struct {
	URL        string          `json:"url"`
	AnsweredAt string          `json:"answered_at,omitempty"`
	Written    string          `json:"written,omitempty"`
	SHA256     string          `json:"written_sha256,omitempty"`
	BelongsAt  string          `json:"belongs_at,omitempty"`
	PartOf     string          `json:"part_of,omitempty"`
	Original   string          `json:"original,omitempty"`
	Moved      bool            `json:"moved"`
	Kind       string          `json:"kind,omitempty"`
	Gzip       bool            `json:"gzip"`
	Generator  string          `json:"generator,omitempty"`
	FetchedAt  string          `json:"fetched_at,omitempty"`
	Entries    int             `json:"entries"`
	Edits      int             `json:"edits"`
	Relinked   int             `json:"relinked"`
	Unlinked   int             `json:"unlinked"`
	Unwritten  audit.Unwritten `json:"unwritten,omitempty"`
	Braked     map[string]int  `json:"braked,omitempty"`
	Counts     *counts         `json:"counts,omitempty"`
	Faults     []sitemapFault  `json:"faults"`
}

// A sitemapFault is an audit.SitemapFault with its sentence in English.
type sitemapFault struct {
	Sitemap  string `json:"sitemap"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Count    int    `json:"count,omitempty"`
	Mended   int    `json:"mended,omitempty"`
}

func sitemapFaults(faults []audit.SitemapFault) []sitemapFault {
	out := make([]sitemapFault, len(faults))
	for i, f := range faults {
		out[i] = sitemapFault{f.Sitemap, f.Line, f.Column, f.Name, f.Severity, messages.StableFault(f), f.Count, f.Mended}
	}
	return out
}

type cause struct {
	ID       string           `json:"id"`
	Key      string           `json:"key"`
	Title    string           `json:"title"`
	Verdict  audit.Verdict    `json:"verdict"`
	Reasons  []address.Reason `json:"reasons"`
	Group    audit.Group      `json:"group"`
	Count    int              `json:"count"`
	Sitemaps int              `json:"sitemaps"`
	Rule     string           `json:"rule,omitempty"`
	Stop     audit.Note       `json:"stop,omitempty"`
	Who      string           `json:"who"`
	Ask      string           `json:"ask,omitempty"`
	Do       []string         `json:"do"`
	Examples []string         `json:"examples"`
	Finals   []string         `json:"finals"`
}

// WriteSummaryJSON writes summary.json, one JSON object. Where a URL holds bytes that are not UTF-8
// they are written as U+FFFD; controls and what turns the reading order are escaped. It returns an
// error of w, or of result's rows, which it reads until ctx ends where Google's index was asked.
func WriteSummaryJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	tables, err := tablesOf(ctx, result)
	if err != nil {
		return err
	}
	info := &result.Info
	s := summary{ID: info.ID, Tool: info.Tool, Targets: listOf(info.Targets), Start: when(info.Started), End: when(info.Ended), Requests: info.Requests,
		Settings: settingsOf(info), Sitemaps: result.Sitemaps(), counts: countsOf(&result.Counts), Faults: faultsOf(result), Causes: causesOf(result),
		Upload: upload{Braked: map[string]int{}}, Hosts: hostsOf(result), Tables: tables, Files: []file{}}
	b := conclude.BriefOf(result, conclude.Options{})
	s.Entries = entries{result.Counts.Entries, b.Clean, b.Replaced, b.Removed.N, b.Decide.N, b.Unknown(), byName(result.Counts.Unseen)}
	s.Upload.Files = b.Files
	if last := result.Last; last != nil && last.Since != nil {
		s.Since = &since{when(last.At), last.Since.Fixed, last.Since.New, last.Since.Open}
	}
	for i := range result.Files {
		s.Files = append(s.Files, filesOf(&result.Files[i])...)
		for v, n := range byName(result.Files[i].Braked) {
			s.Upload.Braked[v] += n
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err = w.Write(escapeHidden(text.Bytes()))
	return err
}

// escapeHidden writes what could steer a terminal or turn the reading order, and
// encoding/json lets stand in a string, as \u202e.
func escapeHidden(b []byte) []byte {
	stands := func(r rune) bool { return r == '\n' || r == utf8.RuneError || !hidden(r) }
	if bytes.IndexFunc(b, func(r rune) bool { return !stands(r) }) < 0 {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if stands(r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

func settingsOf(info *audit.Info) settings {
	// Who sends the requests changes nothing of what is written.
	flags := slices.DeleteFunc(slices.Clone(info.Given), func(f string) bool {
		return strings.HasPrefix(f, "--via=") || strings.HasPrefix(f, "--nats-")
	})
	return settings{Flags: listOf(flags), As: info.Identity, Agent: info.Agent, Spelling: string(info.Rules.Spelling), Model: address.ModelDate,
		Partial: info.Partial, Proxy: info.Proxy, Seconds: info.Duration.Round(time.Millisecond).Seconds(), AtLeast: info.Least}
}

func hostsOf(result *audit.Result) hosts {
	info := &result.Info
	h := hosts{Left: info.Abandoned, RobotsBad: listOf(info.RobotsBad), Refused: info.Refused, NeverGone: listOf(result.NeverGone()), Waits: map[string]float64{}}
	if h.Left == nil {
		h.Left = map[string]int{}
	}
	for host, wait := range info.Waits {
		h.Waits[host] = wait.Seconds()
	}
	return h
}

func countsOf(c *audit.Counts) counts {
	out := counts{Verdicts: map[string]int{}, Reasons: byName(c.Reasons), Notes: byName(c.Notes), Actions: map[string]int{}}
	for _, v := range audit.Verdicts() {
		out.Verdicts[string(v)] = c.Verdicts[v]
	}
	for _, a := range []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge} {
		out.Actions[string(a)] = c.Actions[a]
	}
	return out
}

// filesOf are a sitemap and, where it is written as several, its parts that have names of their own.
func filesOf(f *audit.File) []file {
	s, c := &f.Sitemap, countsOf(&f.Counts)
	out := file{URL: s.URL, AnsweredAt: s.AnsweredAt, BelongsAt: f.BelongsAt, Moved: f.Moved, Kind: s.Kind, Gzip: s.Gzip, Generator: s.Generator,
		FetchedAt: when(s.FetchedAt), Entries: f.Counts.Entries, Counts: &c, Braked: byName(f.Braked), Faults: sitemapFaults(s.Faults),
		Relinked: f.Relinked, Unlinked: f.Unlinked, Unwritten: f.Unwritten}
	if f.Changed {
		out.Edits = f.Edits()
		out.Written, out.SHA256 = sitemapsDir+"/"+f.Name, f.TextSHA256
	}
	all := []file{out}
	for _, p := range f.Parts {
		if p.Name != f.Name {
			all = append(all, file{URL: p.BelongsAt, Written: sitemapsDir + "/" + p.Name, SHA256: p.TextSHA256, BelongsAt: p.BelongsAt, PartOf: s.URL,
				Original: originalsDir + "/" + f.Name, Kind: s.Kind, Gzip: s.Gzip, Entries: p.Entries, Faults: []sitemapFault{}})
		}
	}
	return all
}

// causesOf are the causes in the words and the order of the report.
func causesOf(result *audit.Result) []cause {
	out, en := []cause{}, messages.Of("en")
	for _, lane := range conclude.Of(result, conclude.Options{}).Lanes {
		for i := range lane.Causes {
			x := &lane.Causes[i]
			c, pattern := &result.Causes[x.Index], x.Pattern.Text()
			out = append(out, cause{ID: x.ID, Key: c.Key, Title: x.Title.Plain(en), Verdict: c.Verdict, Reasons: listOf(c.Reasons),
				Group: c.Group, Count: c.Count, Sitemaps: c.Sitemaps, Rule: cmp.Or(c.Rule, pattern), Stop: c.Stop, Who: x.Who.Plain(en), Ask: x.Ask.Plain(en), Do: inEnglish(x.Do),
				Examples: listOf(c.Examples), Finals: listOf(c.Finals)})
		}
	}
	return out
}

// inEnglish are sentences in English.
func inEnglish(all []conclude.Sentence) []string {
	out := []string{}
	for _, s := range all {
		out = append(out, s.Plain(messages.Of("en")))
	}
	return out
}

func faultsOf(result *audit.Result) map[string]int {
	out := map[string]int{"errors": 0, "warnings": 0}
	for i := range result.Files {
		for _, f := range result.Files[i].Sitemap.Faults {
			out[f.Severity+"s"] += f.Places()
		}
	}
	return out
}

// members are keys of a side table with their numbers.
type members map[string]any

// tablesOf is what the side tables of the audit come to, by their names without .csv.
func tablesOf(ctx context.Context, result *audit.Result) (map[string]members, error) {
	out := map[string]members{}
	if result.Inspections != nil {
		n, err := countInspections(ctx, result)
		if err != nil {
			return nil, err
		}
		out["google"] = members{"asked": n.all, "agrees": n.agree[audit.Agrees], "older": n.agree[audit.AgreesOlder], "other_spelling": n.agree[audit.AgreesOther],
			"differs": n.agree[audit.AgreesNot], "not_crawled": n.unknown, "failed": n.failed, "left": result.Inspections.Left}
	}
	for i := range result.Also {
		if out["also"] == nil {
			out["also"] = members{}
		}
		a := &result.Also[i]
		out["also"][string(a.List)] = members{"all": a.Counts.Entries, "verdicts": byName(a.Counts.Verdicts), "actions": byName(a.Counts.Actions)}
	}
	if x := result.SearchConsole; x != nil {
		exports := []members{}
		for _, e := range x.Exports {
			exports = append(exports, members{"name": e.Name, "addresses": e.Addresses, "faults": sitemapFaults(e.Faults)})
		}
		out["search-console"] = members{"addresses": x.Addresses, "classes": byName(x.Upshots), "unlisted": x.Unlisted,
			"need_nothing": x.Upshots[audit.UpshotNothing], "other_site": x.OtherSite, "exports": exports}
	}
	if x := result.Expected; x != nil {
		out["expectations"] = members{"map": x.Name, "addresses": x.Addresses, "met": x.Met, "why": byName(x.Why), "suggested": x.Suggested,
			"forgotten": x.Forgotten, "faults": sitemapFaults(x.Faults)}
	}
	if l := result.Linked; l != nil {
		old := map[string]int{}
		for v, c := range l.Old {
			old[string(v)] = c.Targets
		}
		out["links"] = members{"pages": l.Pages, "entries": l.Fine, "old": old, "unlisted": l.Kinds[audit.LinkedUnlisted].Targets,
			"unlinked_entries": l.Kinds[audit.Unlinked].Targets}
	}
	if result.Logs != nil {
		out["googlebot"] = logMembers(result.Logs)
	}
	if b := result.Build; b != nil {
		files := []members{}
		for i := range b.Files {
			f := &b.Files[i]
			files = append(files, members{"name": f.Name, "path": f.Path, "rules": f.Rules, "errors": f.Errors, "faults": byName(f.Faults)})
		}
		out["rules"] = members{"dir": b.Dir, "origin": b.Origin, "served_by": b.Host, "recognized_by": b.RecognizedBy, "model": b.Date, "files": files}
	}
	return out, nil
}

func logMembers(l *audit.Logs) members {
	y, s := &l.Tally, &l.Sum
	return members{"files": l.Files, "lines": l.Count.Lines, "unreadable": l.Count.Unreadable, "first": when(unix(l.Count.Span.First)), "last": when(unix(l.Count.Span.Last)),
		"googlebot_requests": y.Verified[accesslog.Googlebot], "bingbot_requests": y.Verified[accesslog.Bingbot], "other_robots": y.Apart,
		"only_named": y.Claimed[accesslog.Googlebot] + y.Claimed[accesslog.Bingbot], "other_hosts": l.Foreign,
		"entries": s.Entries, "as_listed": s.AsListed, "other_spelling": s.Otherwise, "never": s.Never, "spelling_unknown": s.Unspelt,
		"answers_differ": s.Differ, "redirected_unlisted": s.Unlisted}
}

// byName returns counts with plain keys, without zeros.
func byName[K ~string](m map[K]int) map[string]int {
	out := map[string]int{}
	for k, n := range m {
		if n != 0 {
			out[string(k)] = n
		}
	}
	return out
}

// listOf returns list as it is written to JSON: [] for none.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
