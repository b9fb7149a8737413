package report

import (
	"cmp"
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/messages"
)

// LogsName is the file that WriteLogsCSV writes.
const LogsName = "googlebot.csv"

// linksTable is links.csv: the linked URLs that redirect or are gone, those that no sitemap lists,
// and the entries that no page links to; of each those of most pages first.
func linksTable(ctx context.Context, result *audit.Result) table {
	return tableOf("links.csv", result.Linked != nil, "target verdict redirects_to in_sitemap pages:number template_share examples link_to nofollow:number sitemap line:number",
		func() iter.Seq2[audit.LinkRow, error] { return result.Linked.Rows(ctx) },
		func(b []string, r audit.LinkRow) []string {
			share := "" // 100% only where that is all
			if r.Pages > 0 {
				share = strconv.Itoa(100*r.Template/r.Pages) + "%"
			}
			return append(b, r.Target, string(r.Verdict), r.RedirectsTo, r.Listed, strconv.Itoa(r.Pages), share,
				strings.Join(r.Examples, " "), r.LinkTo, strconv.Itoa(r.Nofollow), r.Sitemap, nonzero(r.Line))
		})
}

// reportedTable is search-console.csv: a line for each URL of --search-console, in its order.
func reportedTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("search-console.csv", result.SearchConsole != nil, "url google_reason last_crawled class verdict in_sitemaps what_to_do",
		func() iter.Seq2[audit.ReportedRow, error] { return result.SearchConsole.Rows(ctx) },
		func(b []string, r audit.ReportedRow) []string {
			return append(b, r.Entry.Loc, string(r.Entry.Reported.Reason), r.Entry.Reported.Crawled, string(r.Upshot), string(r.Verdict),
				messages.Spaced(r.Sitemaps), messages.Advice(&r).Plain(words))
		})
}

// expectedTable is expectations.csv: a line for each old URL of the map of --expect in its order,
// one for each URL of a sitemap that falls under a line with *, then what was forgotten.
func expectedTable(ctx context.Context, result *audit.Result) table {
	return tableOf("expectations.csv", result.Expected != nil, "line:number old expected met why end status:number redirects:number temporary suggestion similarity",
		func() iter.Seq2[audit.ExpectedRow, error] { return result.Expected.Rows(ctx) },
		func(b []string, r audit.ExpectedRow) []string {
			line, why, similarity := strconv.Itoa(r.Line), string(r.Why), ""
			switch {
			case r.Forgotten:
				line, why = "", "forgotten"
			case r.Why == audit.UnmetHops:
				why += "-" + redirects(&r.Row)
			}
			if !r.Suggestion.IsZero() {
				similarity = strconv.FormatFloat(r.Similarity, 'f', 2, 64)
			}
			return append(b, line, url(&r.Row), r.To.String(), yes(r.Met(), !r.Forgotten), why, final(&r.Row), nonzero(r.Status), redirects(&r.Row),
				yes(r.Trail.Temporary(), asked(&r.Row)), r.Suggestion.String(), similarity)
		})
}

// inspectedHead is the head of google.csv.
const inspectedHead = "url verdict google_state google_canonical last_crawl:time agrees property asked_at:time link failure"

// inspectedTable is google.csv: a line for each URL of which Google's index was asked, in sitemap
// order.
func inspectedTable(ctx context.Context, result *audit.Result) table {
	return tableOf("google.csv", result.Inspections != nil, inspectedHead, func() iter.Seq2[*audit.Row, error] { return inspectedRows(ctx, result) }, inspectedCells)
}

func inspectedCells(b []string, r *audit.Row) []string {
	in := r.Inspection
	return append(b, in.URL, string(r.Verdict), string(in.State), in.Canonical, when(in.LastCrawl), in.Agreement(r), in.Property, when(in.Asked), in.Link, in.Failure)
}

// inspectedRows yields each URL of which Google's index was asked once.
func inspectedRows(ctx context.Context, result *audit.Result) iter.Seq2[*audit.Row, error] {
	return func(yield func(*audit.Row, error) bool) {
		seen := map[string]bool{}
		for file := range result.Files {
			for r, err := range result.Rows(ctx, file) {
				if err == nil && (r.Inspection == nil || seen[r.Inspection.URL]) {
					continue
				}
				if err == nil {
					seen[r.Inspection.URL] = true
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// rulesTable is rules.csv: a line for each rule of the rule files of a build, and for each line of
// them that the host ignores, in the order of the files.
func rulesTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("rules.csv", result.Build != nil, "file line:number source target status:number hits:number fault why",
		func() iter.Seq2[answers.Rule, error] { return result.Build.Rules(ctx) },
		func(b []string, r answers.Rule) []string {
			var faults, whys []string
			for _, x := range r.Findings {
				faults, whys = append(faults, x.Fault), append(whys, words.RuleFinding(x))
			}
			return append(b, r.File, nonzero(r.Line), r.Source, r.Target, nonzero(r.Status), strconv.Itoa(r.Hits), strings.Join(faults, " "), strings.Join(whys, "; "))
		})
}

// logsTable is googlebot.csv: a line for each listed URL and spelling that a verified robot asked
// for, one for each that Googlebot did not ask for, then what it was redirected from and no sitemap
// lists.
func logsTable(ctx context.Context, logs *audit.Logs, words *messages.Catalogue) table {
	const head = "url class asked differs_in robot requests:number first:time last:time statuses last_status:number our_status:number answers_differ octets sitemap what_to_do"
	return tableOf(LogsName, logs != nil, head, func() iter.Seq2[audit.LogRow, error] { return logs.Rows(ctx) },
		func(b []string, r audit.LogRow) []string {
			requests, octets := strconv.FormatInt(r.Seen.Requests, 10), r.Rawness.String()
			if r.Class == accesslog.Never {
				requests, octets = "", ""
			}
			return append(b, messages.Printable(r.URL), r.Class.String(), messages.Printable(r.Asked), messages.Spaced(r.DiffersIn), r.Robot.String(), requests,
				when(unix(r.Seen.First)), when(unix(r.Seen.Last)), answersOf(r.Seen.Statuses), nonzero(r.Seen.LastStatus), nonzero(r.Ours.Status),
				yes(true, r.Ours.Differs), octets, r.Sitemap, logAdvice(&r, words))
		})
}

// WriteLogsCSV writes googlebot.csv in the language lang. It returns the first error of w or of the
// rows.
func WriteLogsCSV(ctx context.Context, w io.Writer, l *audit.Logs, lang string) error {
	t := logsTable(ctx, l, messages.Of(lang))
	return t.write(w)
}

// unix is seconds since 1970 as a time; the zero time for 0.
func unix(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0)
}

// answersOf are counts of answers, as "200x31 301x6"; requests without one are 0.
func answersOf(m map[int]int64) string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(m)) {
		out = append(out, strconv.Itoa(status)+"x"+strconv.FormatInt(m[status], 10))
	}
	return strings.Join(out, " ")
}

// logAdvice says what is to be done about a row; "" where nothing is.
func logAdvice(r *audit.LogRow, words *messages.Catalogue) string {
	last := r.Seen.LastStatus
	status := []any{"status", strconv.Itoa(last), "kinds", strings.Join(r.DiffersIn, " ")}
	redirected := last/100 == 3 && last != 304
	switch {
	case r.Class == accesslog.Never, r.Class == accesslog.Unspelt, r.Class == accesslog.RedirectedUnlisted && !r.Seen.Redirected():
		return "" // nothing, or the redirect is told in the row of another kind of log
	case r.Class == accesslog.RedirectedUnlisted:
		return words.Text("logs-do-unlisted")
	case r.Ours.Differs && last >= 400:
		day, _, _ := strings.Cut(cmp.Or(when(unix(r.Seen.Last)), "–"), "T")
		return words.Text("logs-do-refused", append(status, "ours", strconv.Itoa(r.Ours.Status), "day", day)...)
	case r.Class == accesslog.OtherSpelling && (last >= 400 || redirected):
		return words.Text("logs-do-other", status...)
	case r.Class == accesslog.AsListed && redirected, last >= 400:
		return words.Text("logs-do-failed", status...)
	}
	return ""
}

// WriteDiffCSV writes every URL that is not as before, in order; sitemap and line are the first place
// now, else then. It returns the first error of w or of the changes.
func WriteDiffCSV(ctx context.Context, w io.Writer, d *diff.Result) error {
	const head = "url kind verdict_then verdict_now final_status_then:number final_status_now:number target_then target_now fix_then fix_now sitemap line:number"
	t := tableOf("", true, head, func() iter.Seq2[diff.Change, error] { return d.Changes(ctx) }, func(b []string, c diff.Change) []string {
		then, now := cmp.Or(c.Old, &diff.Observation{}), cmp.Or(c.New, &diff.Observation{}) // nothing where the audit does not list the URL
		sitemap, line := d.Place(&c)
		return append(b, c.URL, string(c.Kind), string(then.Verdict), string(now.Verdict), nonzero(then.Status), nonzero(now.Status), then.Target, now.Target,
			string(then.Fix), string(now.Fix), sitemap, strconv.Itoa(line))
	})
	return t.write(w)
}
