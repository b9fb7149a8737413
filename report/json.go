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

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// summary is summary.json. Maps are written with sorted keys.
type summary struct {
	ID          string             `json:"id"`
	Tool        string             `json:"tool"`
	Model       string             `json:"model"`
	SecondModel string             `json:"second_spelling,omitempty"`
	Targets     []string           `json:"targets"`
	As          string             `json:"as"`
	Agent       string             `json:"user_agent"`
	With        []string           `json:"credentials,omitempty"`
	Start       string             `json:"start"`
	End         string             `json:"end,omitempty"`
	Duration    float64            `json:"duration"`
	Requests    int                `json:"requests"`
	Least       bool               `json:"requests_at_least,omitempty"`
	Second      int                `json:"second_spelling_requests"`
	Partial     bool               `json:"partial"`
	Proxy       bool               `json:"proxy"`
	Sitemaps    int                `json:"sitemaps"`
	Brake       brake              `json:"brake"`
	counts                         // of all files
	Faults      map[string]int     `json:"faults"`
	Since       *since             `json:"since,omitempty"`
	Causes      []cause            `json:"causes"`
	Left        []left             `json:"left"`
	RobotsBad   []string           `json:"robots_unreachable"`
	RetryAfter  map[string]float64 `json:"retry_after,omitempty"`   // in seconds, by host
	Refused     map[string]float64 `json:"refused_rates,omitempty"` // in requests a second, by host
	NeverGone   []string           `json:"never_gone"`
	CameBack    cameBack           `json:"came_back"`
	Reported    *reported          `json:"search_console,omitempty"`
	Expected    *expected          `json:"expect,omitempty"`
	Also        map[string]counts  `json:"also,omitempty"`
	Logs        *logsSummary       `json:"logs,omitempty"`
	Links       *linksSummary      `json:"links,omitempty"`
	Google      *googleSummary     `json:"google,omitempty"`
	Build       *buildSummary      `json:"build,omitempty"`
	Files       []file             `json:"files"`
	Parts       []filePart         `json:"parts,omitempty"`
	Upload      int                `json:"upload"`
}

// since is what changed since the last audit.
type since struct {
	At    string `json:"at"`
	Fixed int    `json:"fixed"`
	New   int    `json:"new"`
	Open  int    `json:"open"`
}

func sinceOf(last *audit.Last) *since {
	if last == nil || last.Since == nil {
		return nil
	}
	x := last.Since
	return &since{last.At.UTC().Format(time.RFC3339), x.Fixed, x.New, x.Open}
}

// A filePart is one of the files in place of one that listed too much.
type filePart struct {
	URL       string `json:"url"` // where it belongs, as belongs_at
	PartOf    string `json:"part_of"`
	Written   string `json:"written"`
	Original  string `json:"original"` // of the whole file, as it was fetched
	BelongsAt string `json:"belongs_at"`
	Kind      string `json:"kind"`
	Entries   int    `json:"entries"`
	SHA256    string `json:"sha256,omitempty"`
}

// partsOf are the parts of a file that have names of their own.
func partsOf(f *audit.File) (parts []filePart) {
	for _, p := range f.Parts {
		if p.Name != f.Name {
			parts = append(parts, filePart{p.BelongsAt, f.Sitemap.URL, sitemapsDir + "/" + p.Name, originalsDir + "/" + f.Name, p.BelongsAt, f.Sitemap.Kind, p.Entries, p.TextSHA256})
		}
	}
	return parts
}

type counts struct {
	Entries  int                       `json:"entries"`
	Dirt     float64                   `json:"dirt"`
	Groups   map[string]int            `json:"groups"`
	Parts    map[string]map[string]int `json:"group_parts"`
	Verdicts map[string]int            `json:"verdicts"`
	Reasons  map[string]int            `json:"reasons"`
	Notes    map[string]int            `json:"notes"`
	Actions  map[string]int            `json:"actions"`
	Unseen   map[string]int            `json:"unverified_by"`
}

type file struct {
	URL        string          `json:"url"`
	AnsweredAt string          `json:"answered_at,omitempty"`
	Written    string          `json:"written,omitempty"`
	SHA256     string          `json:"written_sha256,omitempty"`
	BelongsAt  string          `json:"belongs_at,omitempty"`
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
	Dirt       float64         `json:"dirt"`
	Counts     counts          `json:"counts"`
	Braked     map[string]int  `json:"braked,omitempty"`
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

type cameBack struct {
	Unlisted  int                `json:"unlisted"`
	Listed    int                `json:"listed"`
	Addresses []audit.CameBackAt `json:"addresses"`
}

type brake struct {
	Held  bool           `json:"held"`
	Drops map[string]int `json:"drops"`
}

type cause struct {
	ID       string           `json:"id"`
	Key      string           `json:"key"`
	Title    string           `json:"title"`
	Pattern  string           `json:"pattern,omitempty"`
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

type left struct {
	Host   string `json:"host"`
	Status int    `json:"status"`
}

// WriteSummaryJSON writes summary.json, one JSON object:
//
//	id, tool, targets     the audit's id, the tool's version, what was audited
//	model                 year of the Googlebot spelling model
//	second_spelling       --spelling, absent for none
//	as, user_agent        the identity and the header that was sent
//	credentials           the flags that sent what Google does not send (--header, --user); absent for none
//	start, end, duration  RFC 3339, UTC; seconds. No end: the audit was stopped
//	requests              all that were sent; second_spelling_requests of them
//	                      in the second spelling. requests_at_least: more were sent, in the last
//	                      moment of a run that was killed
//	partial, proxy        only a part was asked; requests went through a proxy
//	sitemaps              files read, sitemap indexes not counted
//	brake                 held, and the drops it held back by verdict
//	entries, dirt         how many; the error rate: the share of asked ones in the
//	                      group problem, 0 to 1
//	groups, group_parts   entries by group of the summary, and each by verdict
//	verdicts, reasons, notes, actions, unverified_by
//	                      how many entries have each; every verdict and action
//	                      is there, the others where they occur
//	faults                errors and warnings of the sitemap files
//	since                 the last audit like it, absent where none was compared: at (its start), and of
//	                      its addresses corrected (applied: as it corrected them), new (problems), worse and better in another way, left (fine ones that no
//	                      sitemap lists any more; left_many: those of sitemaps that many left), and
//	                      beside_worse (alternates, images and videos)
//	causes                what is behind many findings, as the report lists them, in its order: id (in
//	                      report.html#ID), title, pattern and who (acts, by their role) in its English words, verdict, reasons,
//	                      group, count, sitemaps, rule (the pattern where no rule is known), ask (the question
//	                      to decide, absent for none) and do (its answers, else what to do), in English,
//	                      examples with their finals
//	came_back             what the last audit removed and is clean again: listed
//	                      (entries), unlisted (in no sitemap), the first 100 of
//	                      these (loc, and sitemap and line it was taken out of)
//	left                  hosts left alone: host, last status (0: no answer)
//	robots_unreachable    origins whose robots.txt did not answer
//	retry_after           hosts that asked in an answer that stands to be left alone (Retry-After), with
//	                      the longest time in seconds; absent for none
//	refused_rates         hosts that answered 429 or 503, or not at all, with the slowest rate at which
//	                      each did, in requests a second; absent for none
//	never_gone            origins, or paths of theirs, that answer 200 for an
//	                      address that cannot exist
//	search_console        of --search-console, absent without it: addresses, by
//	                      class, unlisted (in no sitemap), need_nothing (listed or
//	                      not, as the summary counts them), other_spelling (listed in another one),
//	                      other_site (not asked), no_sitemap, unread_sitemaps,
//	                      exports with their addresses and faults
//	expect                of --expect, absent without it: map, addresses, met, why (by reason; hops
//	                      is any number of them), suggested (of not-found), forgotten
//	                      (addresses, lead_to_a_page, suggested), patterns (lines with *),
//	                      idle_patterns (that no address falls under), faults of the map
//	upload                how many corrected files are to be uploaded: of one that was divided the
//	                      index and each of its parts
//	files                 by sitemap: url -> answered_at -> written (relative to
//	                      this file; written_sha256 of it, unpacked) -> belongs_at, moved (to another origin);
//	                      kind, gzip, generator, fetched_at; entries, edits (of
//	                      entries, in the written file; of an index of its
//	                      children), relinked and unlinked (xhtml:links that were
//	                      changed and taken out), dirt, counts (as above),
//	                      braked, unwritten (why no corrected copy was written
//	                      though entries could be corrected: charset, fault, checksum, outdated), faults (sitemap, line, column, name, severity,
//	                      text)
//
//	logs                  what access logs say, absent where none was read: files, lines, unreadable,
//	                      first, last, requests of each robot, and how many entries Googlebot requested
//	                      as_listed, in an other_spelling, never, in a spelling_unknown; answers_differ,
//	                      redirected_unlisted, spelling (of each character)
//	links                 what the links of pages say, absent without --links: pages that were read, of
//	                      them nofollow_pages, pages_without_text (without scripts), pages_cut (longer, or
//	                      with more links, than is read); old (linked addresses that redirect or
//	                      are gone, by verdict), unlisted, unlinked_entries of so many entries
//	google                what Google's index says, absent where it was not asked: asked (addresses),
//	                      agrees, older, other_spelling, differs (as in google.csv), not_crawled (by
//	                      Google), not_compared (not seen by the audit), failed (without an answer), states
//	                      (addresses by coverageState); left and again, where the day's quota was used up:
//	                      how many were not asked, and from when on they can be
//
// Where an address holds bytes that are not UTF-8 they are written as U+FFFD; controls and what
// turns the reading order are escaped. It returns an error of w, or of result's rows, which it
// reads until ctx ends where Google's index was asked.
func WriteSummaryJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	inspected, err := countInspections(ctx, result)
	if err != nil {
		return err
	}
	info, concluded := &result.Info, conclude.Of(result, conclude.Options{})
	s := summary{ID: info.ID, Tool: info.Tool, Model: address.ModelDate, Targets: listOf(info.Targets), As: info.Identity, Agent: info.Agent, With: info.Credentials(),
		Start: when(info.Started), End: when(info.Ended), Duration: info.Duration.Round(time.Millisecond).Seconds(),
		Requests: info.Requests, Least: info.Least, Second: info.AltSpellingRequests, Partial: info.Partial, Proxy: info.Proxy, Sitemaps: result.Sitemaps(),
		Reported: reportedOf(result.SearchConsole), Expected: expectedOf(result.Expected), Also: alsoOf(result), Logs: logsOf(result.Logs), Links: linksOf(result.Linked), Google: googleOf(result.Inspections, inspected), Build: buildOf(result.Build), counts: countsOf(&result.Counts), Since: sinceOf(result.Last), Causes: causesOf(result, concluded.Lanes), Upload: concluded.Uploads, Left: leftOf(info.Abandoned), RetryAfter: seconds(info.Waits), Refused: info.Refused,
		RobotsBad: listOf(info.RobotsBad), NeverGone: listOf(result.NeverGone()), Faults: faultsOf(result), Brake: brakeOf(result),
		CameBack: cameBack{result.Back.Unlisted, result.Back.Listed, listOf(result.Back.Addresses)}, Files: []file{}}
	if info.Rules.Spelling != address.None {
		s.SecondModel = string(info.Rules.Spelling)
	}
	for i := range result.Files {
		s.Files = append(s.Files, fileOf(&result.Files[i]))
		s.Parts = append(s.Parts, partsOf(&result.Files[i])...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err = w.Write(escapeHidden(b.Bytes()))
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

func countsOf(c *audit.Counts) counts {
	out := counts{Entries: c.Entries, Dirt: c.ErrorRate(), Groups: map[string]int{}, Parts: map[string]map[string]int{}, Verdicts: map[string]int{},
		Reasons: byName(c.Reasons), Notes: byName(c.Notes), Actions: map[string]int{}, Unseen: byName(c.Unseen)}
	for _, g := range audit.Groups() {
		total := 0
		for _, n := range c.Groups[g] {
			total += n
		}
		out.Groups[string(g)] = total
		if total > 0 {
			out.Parts[string(g)] = c.Groups[g]
		}
	}
	for _, v := range audit.Verdicts() {
		out.Verdicts[string(v)] = c.Verdicts[v]
	}
	for _, a := range []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge} {
		out.Actions[string(a)] = c.Actions[a]
	}
	return out
}

func fileOf(f *audit.File) file {
	s := &f.Sitemap
	out := file{URL: s.URL, AnsweredAt: s.AnsweredAt, BelongsAt: f.BelongsAt, Moved: f.Moved, Kind: s.Kind, Gzip: s.Gzip, Generator: s.Generator,
		FetchedAt: when(s.FetchedAt), Entries: f.Counts.Entries, Dirt: f.Counts.ErrorRate(), Counts: countsOf(&f.Counts),
		Braked: byName(f.Braked), Faults: sitemapFaults(s.Faults), Relinked: f.Relinked, Unlinked: f.Unlinked, Unwritten: f.Unwritten}
	if f.Changed {
		out.Edits = f.Edits()
		out.Written, out.SHA256 = sitemapsDir+"/"+f.Name, f.TextSHA256
	}
	return out
}

// causesOf are the causes in the words and the order of the report.
func causesOf(result *audit.Result, lanes []conclude.Lane) []cause {
	out, en := []cause{}, messages.Of("en")
	for _, lane := range lanes {
		for i := range lane.Causes {
			x := &lane.Causes[i]
			c, pattern := &result.Causes[x.Index], x.Pattern.Text()
			out = append(out, cause{ID: x.ID, Key: c.Key, Title: x.Title.Plain(en), Pattern: pattern, Verdict: c.Verdict, Reasons: listOf(c.Reasons),
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

func leftOf(hosts map[string]int) []left {
	out := []left{}
	for host, status := range hosts {
		out = append(out, left{host, status})
	}
	slices.SortFunc(out, func(a, b left) int { return strings.Compare(a.Host, b.Host) })
	return out
}

// seconds writes waits in seconds.
func seconds(waits map[string]time.Duration) map[string]float64 {
	out := map[string]float64{}
	for host, wait := range waits {
		out[host] = wait.Seconds()
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

func brakeOf(result *audit.Result) brake {
	b := brake{Drops: map[string]int{}}
	for i := range result.Files {
		for v, n := range result.Files[i].Braked {
			b.Drops[string(v)] += n
			b.Held = b.Held || n > 0
		}
	}
	return b
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
