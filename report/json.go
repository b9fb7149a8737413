package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// writeSummaryJSON writes summary.json, one JSON object. docs/outputs.md says what each key means,
// docs/summary.schema.json what type it has. Where a URL holds bytes that are not UTF-8
// they are written as U+FFFD; controls and what turns the reading order are escaped. It returns an
// error of w.
func writeSummaryJSON(w io.Writer, result *audit.Result) error {
	info, n, c := &result.Info, &result.Counts, conclude.Of(result, "")
	files, brakes, faults, waits := []members(nil), map[string]int{}, map[string]int{"errors": 0, "warnings": 0}, map[string]float64{}
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
	for host, wait := range info.Waits {
		waits[host] = wait.Seconds()
	}
	// Who sends the requests changes nothing of what is written.
	flags := slices.DeleteFunc(slices.Clone(info.Given), func(f string) bool {
		return strings.HasPrefix(f, "--via=") || strings.HasPrefix(f, "--nats-")
	})
	s := members{"id", info.ID, "tool", info.Tool, "targets", info.Targets, "start", when(info.Started), "end?", when(info.Ended), "requests", info.Requests,
		"settings", members{"flags", flags, "as", info.Identity, "user_agent", info.Agent, "spelling", info.Rules.Spelling, "model", address.ModelDate,
			"partial", info.Partial, "seconds", info.Duration.Round(time.Millisecond).Seconds()},
		"sitemaps", result.Sitemaps(),
		// numbers that add up: clean + replaced + removed + decide + unknown = all
		"entries", members{"all", n.Entries, "clean", c.Clean, "replaced", c.Replaced, "removed", c.Removed.N, "decide", c.Decide, "unknown", c.Unseen + c.LeftOut, "unknown_by", byName(n.Unseen)}}
	s = append(append(s, countsOf(n)...), "faults", faults, "causes", causesOf(result, c), "upload", members{"files", c.Files, "braked", brakes},
		"hosts", members{"left", info.Abandoned, "robots_unreachable", info.RobotsBad, "retry_after?", waits})
	if last := result.Last; last != nil {
		s = append(s, "since", members{"at", when(last.At), "fixed", last.Fixed, "new", last.New, "open", last.Open})
	}
	var text bytes.Buffer
	if err := json.Indent(&text, append(s, "files", files).append(nil), "", "  "); err != nil {
		return err
	}
	_, err := w.Write(append(text.Bytes(), '\n'))
	return err
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
		"moved", f.Moved(), "kind?", s.Kind, "gzip", s.Gzip, "fetched_at?", when(s.FetchedAt), "entries", f.Counts.Entries, "edits", edits,
		"relinked", f.Relinked, "unlinked", f.Unlinked, "outdated?", f.Outdated, "braked?", byName(f.Braked), "counts", countsOf(&f.Counts), "faults", sitemapFaults(s.Faults)}}
	for _, p := range f.Parts {
		if p.Name != f.Name {
			all = append(all, members{"url", p.BelongsAt, "written", sitemapsDir + "/" + p.Name, "written_sha256?", p.TextSHA256, "belongs_at", p.BelongsAt, "part_of", s.URL,
				"original", originalsDir + "/" + f.Name, "moved", false, "kind?", s.Kind, "gzip", s.Gzip, "entries", p.Counts.Entries, "edits", 0, "relinked", 0, "unlinked", 0, "faults", []members{}})
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
	var out []members
	en := messages.Of("en")
	for _, lane := range concluded.Lanes {
		for i := range lane.Causes {
			x := &lane.Causes[i]
			c := &result.Causes[x.Index]
			listed, finals := c.Ends()
			out = append(out, members{"id", x.ID, "key", c.Key, "title", x.Title.Plain(en), "verdict", c.Verdict, "reasons", c.Reasons, "group", c.Group, "count", c.Count,
				"sitemaps", c.Sitemaps, "rule?", cmp.Or(c.Rule, x.Pattern.Text()), "stop?", c.Stop, "who", x.Who.Plain(en), "ask?", x.Ask.Plain(en), "do", []string{x.Do.Plain(en)},
				"examples", listed, "finals", finals})
		}
	}
	return out
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
