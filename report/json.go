package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
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

// members is a JSON object: a key, its value and so on, in this order. A key with a ? at its end is left
// out where there is nothing to say.
type members []any

// MarshalJSON writes the object.
func (m members) MarshalJSON() ([]byte, error) {
	o := object{'{'}
	for i := 0; i < len(m); i += 2 {
		key, optional := strings.CutSuffix(m[i].(string), "?")
		if v := reflect.ValueOf(m[i+1]); optional && (v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0) {
			continue
		}
		text, err := plainJSON(m[i+1])
		if err != nil {
			return nil, err
		}
		o.key(key)
		o = append(o, text...)
	}
	return append(o, '}'), nil
}

// plainJSON is json.Marshal without escapes for HTML.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteSummaryJSON writes summary.json, one JSON object. docs/outputs.md says what each key means,
// docs/summary.schema.json what type it has. Where a URL holds bytes that are not UTF-8
// they are written as U+FFFD; controls and what turns the reading order are escaped. It returns an
// error of w, or of result's rows, which it reads until ctx ends where Google's index was asked.
func WriteSummaryJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	tables, err := tablesOf(ctx, result)
	if err != nil {
		return err
	}
	info, n, c := &result.Info, &result.Counts, conclude.Of(result, conclude.Options{})
	files, brakes, faults, waits := []members{}, map[string]int{}, map[string]int{"errors": 0, "warnings": 0}, map[string]float64{}
	for i := range result.Files {
		f := &result.Files[i]
		files = append(files, filesOf(f)...)
		for v, n := range byName(f.Braked) {
			brakes[v] += n
		}
		for _, x := range f.Sitemap.Faults {
			faults[x.Severity+"s"] += x.Places()
		}
	}
	left := info.Abandoned
	if left == nil {
		left = map[string]int{}
	}
	for host, wait := range info.Waits {
		waits[host] = wait.Seconds()
	}
	// Who sends the requests changes nothing of what is written.
	flags := slices.DeleteFunc(slices.Clone(info.Given), func(f string) bool {
		return strings.HasPrefix(f, "--via=") || strings.HasPrefix(f, "--nats-")
	})
	s := members{"id", info.ID, "tool", info.Tool, "targets", listOf(info.Targets), "start", when(info.Started), "end?", when(info.Ended), "requests", info.Requests,
		"settings", members{"flags", listOf(flags), "as", info.Identity, "user_agent", info.Agent, "spelling", info.Rules.Spelling, "model", address.ModelDate,
			"partial", info.Partial, "proxy", info.Proxy, "seconds", info.Duration.Round(time.Millisecond).Seconds(), "requests_at_least", info.Least},
		"sitemaps", result.Sitemaps(),
		// numbers that add up: clean + replaced + removed + decide + unknown = all
		"entries", members{"all", n.Entries, "clean", c.Clean, "replaced", c.Replaced, "removed", c.Removed.N, "decide", c.Decide, "unknown", c.Unseen + c.LeftOut, "unknown_by", byName(n.Unseen)}}
	s = append(append(s, countsOf(n)...), "faults", faults, "causes", causesOf(result, c), "upload", members{"files", c.Files, "braked", brakes},
		"hosts", members{"left", left, "robots_unreachable", listOf(info.RobotsBad), "retry_after?", waits, "refused_rates?", info.Refused, "never_gone", listOf(result.NeverGone())})
	if last := result.Last; last != nil && last.Since != nil {
		s = append(s, "since", members{"at", when(last.At), "fixed", last.Since.Fixed, "new", last.Since.New, "open", last.Since.Open})
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(append(s, "tables", tables, "files", files)); err != nil {
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

func countsOf(c *audit.Counts) members {
	verdicts, actions := map[string]int{}, map[string]int{}
	for _, v := range audit.Verdicts() {
		verdicts[string(v)] = c.Verdicts[v]
	}
	for _, a := range []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge} {
		actions[string(a)] = c.Actions[a]
	}
	return members{"verdicts", verdicts, "reasons", byName(c.Reasons), "notes", byName(c.Notes), "actions", actions}
}

// filesOf are a sitemap and, where it is written as several, its parts that have names of their own.
func filesOf(f *audit.File) []members {
	s, edits, written, digest := &f.Sitemap, 0, "", ""
	if f.Changed {
		edits, written, digest = f.Edits(), sitemapsDir+"/"+f.Name, f.TextSHA256
	}
	all := []members{{"url", s.URL, "answered_at?", s.AnsweredAt, "written?", written, "written_sha256?", digest, "belongs_at?", f.BelongsAt,
		"moved", f.Moved, "kind?", s.Kind, "gzip", s.Gzip, "generator?", s.Generator, "fetched_at?", when(s.FetchedAt), "entries", f.Counts.Entries, "edits", edits,
		"relinked", f.Relinked, "unlinked", f.Unlinked, "unwritten?", f.Unwritten, "braked?", byName(f.Braked), "counts", countsOf(&f.Counts), "faults", sitemapFaults(s.Faults)}}
	for _, p := range f.Parts {
		if p.Name != f.Name {
			all = append(all, members{"url", p.BelongsAt, "written", sitemapsDir + "/" + p.Name, "written_sha256?", p.TextSHA256, "belongs_at", p.BelongsAt, "part_of", s.URL,
				"original", originalsDir + "/" + f.Name, "moved", false, "kind?", s.Kind, "gzip", s.Gzip, "entries", p.Entries, "edits", 0, "relinked", 0, "unlinked", 0, "faults", []members{}})
		}
	}
	return all
}

// sitemapFaults are faults with their sentences in English.
func sitemapFaults(faults []audit.SitemapFault) []members {
	out := make([]members, len(faults))
	for i, f := range faults {
		out[i] = members{"sitemap", f.Sitemap, "line?", f.Line, "column?", f.Column, "name", f.Name, "severity", f.Severity, "text", messages.StableFault(f), "count?", f.Count, "mended?", f.Mended}
	}
	return out
}

// causesOf are the causes in the words and the order of the report.
func causesOf(result *audit.Result, concluded *conclude.Conclusion) []members {
	out, en := []members{}, messages.Of("en")
	for _, lane := range concluded.Lanes {
		for i := range lane.Causes {
			x := &lane.Causes[i]
			c := &result.Causes[x.Index]
			out = append(out, members{"id", x.ID, "key", c.Key, "title", x.Title.Plain(en), "verdict", c.Verdict, "reasons", listOf(c.Reasons), "group", c.Group, "count", c.Count,
				"sitemaps", c.Sitemaps, "rule?", cmp.Or(c.Rule, x.Pattern.Text()), "stop?", c.Stop, "who", x.Who.Plain(en), "ask?", x.Ask.Plain(en), "do", []string{x.Do.Plain(en)},
				"examples", listOf(c.Examples), "finals", listOf(c.Finals)})
		}
	}
	return out
}

// numbers are keys of a side table with their numbers.
type numbers map[string]any

// tablesOf is what the side tables of the audit come to, by their names without .csv.
func tablesOf(ctx context.Context, result *audit.Result) (map[string]numbers, error) {
	out := map[string]numbers{}
	if result.Inspections != nil {
		n, err := countInspections(ctx, result)
		if err != nil {
			return nil, err
		}
		out["google"] = numbers{"asked": n.all, "agrees": n.agree[audit.Agrees], "older": n.agree[audit.AgreesOlder], "other_spelling": n.agree[audit.AgreesOther],
			"differs": n.agree[audit.AgreesNot], "not_crawled": n.unknown, "failed": n.failed, "left": result.Inspections.Left}
	}
	for i := range result.Also {
		if out["also"] == nil {
			out["also"] = numbers{}
		}
		a := &result.Also[i]
		out["also"][string(a.List)] = numbers{"all": a.Counts.Entries, "verdicts": byName(a.Counts.Verdicts), "actions": byName(a.Counts.Actions)}
	}
	if x := result.SearchConsole; x != nil {
		exports := []numbers{}
		for _, e := range x.Exports {
			exports = append(exports, numbers{"name": e.Name, "addresses": e.Addresses, "faults": sitemapFaults(e.Faults)})
		}
		out["search-console"] = numbers{"addresses": x.Addresses, "classes": byName(x.Upshots), "unlisted": x.Unlisted,
			"need_nothing": x.Upshots[audit.UpshotNothing], "other_site": x.OtherSite, "exports": exports}
	}
	if x := result.Expected; x != nil {
		out["expectations"] = numbers{"map": x.Name, "addresses": x.Addresses, "met": x.Met, "why": byName(x.Why), "suggested": x.Suggested,
			"forgotten": x.Forgotten, "faults": sitemapFaults(x.Faults)}
	}
	if l := result.Linked; l != nil {
		old := map[string]int{}
		for v, c := range l.Old {
			old[string(v)] = c.Targets
		}
		out["links"] = numbers{"pages": l.Pages, "entries": l.Fine, "old": old, "unlisted": l.Kinds[audit.LinkedUnlisted].Targets,
			"unlinked_entries": l.Kinds[audit.Unlinked].Targets}
	}
	if result.Logs != nil {
		out["googlebot"] = logNumbers(result.Logs)
	}
	if b := result.Build; b != nil {
		files := []numbers{}
		for i := range b.Files {
			f := &b.Files[i]
			files = append(files, numbers{"name": f.Name, "path": f.Path, "rules": f.Rules, "errors": f.Errors, "faults": byName(f.Faults)})
		}
		out["rules"] = numbers{"dir": b.Dir, "origin": b.Origin, "served_by": b.Host, "recognized_by": b.RecognizedBy, "model": b.Date, "files": files}
	}
	return out, nil
}

func logNumbers(l *audit.Logs) numbers {
	y, s := &l.Tally, &l.Sum
	return numbers{"files": l.Files, "lines": l.Count.Lines, "unreadable": l.Count.Unreadable, "first": when(unix(l.Count.Span.First)), "last": when(unix(l.Count.Span.Last)),
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
