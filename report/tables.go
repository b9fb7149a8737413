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
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// LogsName is the file that WriteLogsCSV writes.
const LogsName = "googlebot.csv"

// linksTable is links.csv: the linked URLs that redirect or are gone, those that no sitemap lists,
// and the entries that no page links to; of each those of most pages first.
func linksTable(ctx context.Context, result *audit.Result) table {
	return tableOf("links.csv", result.Linked != nil, columns[audit.LinkRow]{
		text("target", func(r *audit.LinkRow) string { return r.Target }),
		text("verdict", func(r *audit.LinkRow) string { return string(r.Verdict) }),
		text("redirects_to", func(r *audit.LinkRow) string { return r.RedirectsTo }),
		text("in_sitemap", func(r *audit.LinkRow) string { return listings[r.Listed] }),
		number("pages", func(r *audit.LinkRow) int { return r.Pages }),
		text("template_share", func(r *audit.LinkRow) string { // 100% only where that is all
			if r.Pages == 0 {
				return ""
			}
			return strconv.Itoa(100*r.Template/r.Pages) + "%"
		}),
		text("examples", func(r *audit.LinkRow) string { return strings.Join(r.Examples, " ") }),
		text("link_to", func(r *audit.LinkRow) string { return r.LinkTo }),
		number("nofollow", func(r *audit.LinkRow) int { return r.Nofollow }),
		text("sitemap", func(r *audit.LinkRow) string { return r.Sitemap }),
		number("line", func(r *audit.LinkRow) int { return nonzero(r.Line) }),
	}, func() iter.Seq2[audit.LinkRow, error] { return result.Linked.Rows(ctx) })
}

// listings are the values of the column in_sitemap.
var listings = map[audit.LinkListing]string{audit.NotInSitemap: "no", audit.InSitemap: "yes", audit.OtherSpellingInSitemap: "other-spelling"}

// reportedTable is search-console.csv: a line for each URL of --search-console, in its order.
func reportedTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("search-console.csv", result.SearchConsole != nil, columns[audit.ReportedRow]{
		text("url", func(r *audit.ReportedRow) string { return r.Entry.Loc }),
		text("google_reason", func(r *audit.ReportedRow) string { return string(r.Entry.Reported.Reason) }),
		text("last_crawled", func(r *audit.ReportedRow) string { return r.Entry.Reported.Crawled }),
		text("class", func(r *audit.ReportedRow) string { return string(r.Upshot) }),
		text("verdict", func(r *audit.ReportedRow) string { return string(r.Verdict) }),
		text("in_sitemaps", func(r *audit.ReportedRow) string { return plain.Join(r.Sitemaps) }),
		text("what_to_do", func(r *audit.ReportedRow) string { return messages.Advice(r).Plain(words) }),
	}, func() iter.Seq2[audit.ReportedRow, error] { return result.SearchConsole.Rows(ctx) })
}

// expectedTable is expectations.csv: a line for each old URL of the map of --expect in its order,
// one for each URL of a sitemap that falls under a line with *, then what was forgotten.
func expectedTable(ctx context.Context, result *audit.Result) table {
	return tableOf("expectations.csv", result.Expected != nil, columns[audit.ExpectedRow]{
		number("line", func(r *audit.ExpectedRow) int {
			if r.Forgotten {
				return unknown
			}
			return r.Line
		}),
		text("old", func(r *audit.ExpectedRow) string { return url(&r.Row) }),
		text("expected", func(r *audit.ExpectedRow) string { return r.To.String() }),
		text("met", func(r *audit.ExpectedRow) string { return yes(r.Met(), !r.Forgotten) }),
		text("why", func(r *audit.ExpectedRow) string {
			if r.Forgotten {
				return "forgotten"
			}
			return r.Word()
		}),
		text("end", func(r *audit.ExpectedRow) string { return final(&r.Row) }),
		number("status", func(r *audit.ExpectedRow) int { return nonzero(r.Status) }),
		number("redirects", func(r *audit.ExpectedRow) int { return redirects(&r.Row) }),
		text("temporary", func(r *audit.ExpectedRow) string { return yes(temporaryInChain(&r.Row), asked(&r.Row)) }),
		text("suggestion", func(r *audit.ExpectedRow) string { return r.Suggestion.String() }),
		text("similarity", func(r *audit.ExpectedRow) string {
			if r.Suggestion.IsZero() {
				return ""
			}
			return strconv.FormatFloat(r.Similarity, 'f', 2, 64)
		}),
	}, func() iter.Seq2[audit.ExpectedRow, error] { return expectedRows(ctx, result) })
}

// expectedRows yields the rows of a map, none where the audit has no map.
func expectedRows(ctx context.Context, result *audit.Result) iter.Seq2[audit.ExpectedRow, error] {
	if result.Expected == nil {
		return func(func(audit.ExpectedRow, error) bool) {}
	}
	return result.Expected.Rows(ctx)
}

// inspectedRow is what Google's index says of a row.
type inspectedRow struct {
	*audit.Inspection
	row *audit.Row // until the next
}

// inspectedTable is google.csv: a line for each URL of which Google's index was asked, in sitemap
// order.
func inspectedTable(ctx context.Context, result *audit.Result) table {
	return tableOf("google.csv", result.Inspections != nil, inspectedColumns, func() iter.Seq2[inspectedRow, error] { return inspectedRows(ctx, result) })
}

var inspectedColumns = columns[inspectedRow]{
	text("url", func(r *inspectedRow) string { return r.URL }),
	text("verdict", func(r *inspectedRow) string { return string(r.row.Verdict) }),
	text("google_state", func(r *inspectedRow) string { return string(r.State) }),
	text("google_canonical", func(r *inspectedRow) string { return r.Canonical }),
	moment("last_crawl", func(r *inspectedRow) time.Time { return r.LastCrawl }),
	text("agrees", func(r *inspectedRow) string { return string(r.Agreement(r.row)) }),
	text("page_fetch", func(r *inspectedRow) string { return r.Fetch }),
	text("robots_txt", func(r *inspectedRow) string { return r.Robots }),
	text("indexing", func(r *inspectedRow) string { return r.Indexing }),
	text("user_canonical", func(r *inspectedRow) string { return r.Declared }),
	text("crawled_as", func(r *inspectedRow) string { return r.CrawledAs }),
	text("property", func(r *inspectedRow) string { return r.Property }),
	moment("asked_at", func(r *inspectedRow) time.Time { return r.Asked }),
	text("link", func(r *inspectedRow) string { return r.Link }),
	text("failure", func(r *inspectedRow) string { return r.Failure }),
}

// inspectedRows yields each URL of which Google's index was asked once.
func inspectedRows(ctx context.Context, result *audit.Result) iter.Seq2[inspectedRow, error] {
	return func(yield func(inspectedRow, error) bool) {
		seen := map[string]bool{}
		for file := range result.Files {
			for r, err := range result.Rows(ctx, file) {
				if err != nil {
					yield(inspectedRow{}, err)
					return
				}
				if r.Inspection == nil || seen[r.Inspection.URL] {
					continue
				}
				seen[r.Inspection.URL] = true
				if !yield(inspectedRow{r.Inspection, r}, nil) {
					return
				}
			}
		}
	}
}

// rulesTable is rules.csv: a line for each rule of the rule files of a build, and for each line of
// them that the host ignores, in the order of the files.
func rulesTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("rules.csv", result.Build != nil, columns[audit.Rule]{
		text("file", func(r *audit.Rule) string { return r.File }),
		number("line", func(r *audit.Rule) int { return nonzero(r.Line) }),
		text("source", func(r *audit.Rule) string { return r.Source }),
		text("target", func(r *audit.Rule) string { return r.Target }),
		number("status", func(r *audit.Rule) int { return nonzero(r.Status) }),
		number("hits", func(r *audit.Rule) int { return r.Hits }),
		text("fault", func(r *audit.Rule) string {
			var faults []string
			for _, x := range r.Findings {
				faults = append(faults, x.Fault)
			}
			return strings.Join(faults, " ")
		}),
		text("why", func(r *audit.Rule) string {
			var whys []string
			for _, x := range r.Findings {
				whys = append(whys, words.RuleFinding(x))
			}
			return strings.Join(whys, "; ")
		}),
	}, func() iter.Seq2[audit.Rule, error] { return result.Build.Rules(ctx) })
}

// logsTable is googlebot.csv: a line for each listed URL and spelling that a verified robot asked
// for, one for each that Googlebot did not ask for, then what it was redirected from and no sitemap
// lists.
func logsTable(ctx context.Context, logs *audit.Logs, words *messages.Catalogue) table {
	return tableOf(LogsName, logs != nil, columns[audit.LogRow]{
		text("url", func(r *audit.LogRow) string { return plain.Printable(r.URL) }),
		text("class", func(r *audit.LogRow) string { return r.Class.String() }),
		text("asked", func(r *audit.LogRow) string { return plain.Printable(r.Asked) }),
		text("differs_in", func(r *audit.LogRow) string { return plain.Join(r.DiffersIn) }),
		text("robot", func(r *audit.LogRow) string { return r.Robot.String() }),
		number("requests", func(r *audit.LogRow) int {
			if r.Class == accesslog.Never {
				return unknown
			}
			return int(r.Seen.Requests)
		}),
		moment("first", func(r *audit.LogRow) time.Time { return unix(r.Seen.First) }),
		moment("last", func(r *audit.LogRow) time.Time { return unix(r.Seen.Last) }),
		text("statuses", func(r *audit.LogRow) string { return answersOf(r.Seen.Statuses) }),
		number("last_status", func(r *audit.LogRow) int { return nonzero(r.Seen.LastStatus) }),
		number("our_status", func(r *audit.LogRow) int { return nonzero(r.Ours.Status) }),
		text("answers_differ", func(r *audit.LogRow) string { return yes(true, r.Ours.Differs) }),
		text("octets", func(r *audit.LogRow) string {
			if r.Class == accesslog.Never {
				return ""
			}
			return r.Rawness.String()
		}),
		text("sitemap", func(r *audit.LogRow) string { return r.Sitemap }),
		text("what_to_do", func(r *audit.LogRow) string { return logAdvice(r, words) }),
	}, func() iter.Seq2[audit.LogRow, error] { return logs.Rows(ctx) })
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
		day := "–"
		if r.Seen.Last > 0 {
			day = unix(r.Seen.Last).UTC().Format(time.DateOnly)
		}
		return words.Text("logs-do-refused", append(status, "ours", strconv.Itoa(r.Ours.Status), "day", day)...)
	case r.Class == accesslog.OtherSpelling && (last >= 400 || redirected):
		return words.Text("logs-do-other", status...)
	case r.Class == accesslog.AsListed && redirected, last >= 400:
		return words.Text("logs-do-failed", status...)
	}
	return ""
}

// diffRow is a change between two audits: what was seen, nothing where the audit does not list the
// URL.
type diffRow struct {
	diff.Change
	then, now *diff.Observation
	sitemap   string
	line      int
}

// diffColumns are the columns of a comparison as csv. sitemap and line are the first place now, else
// then.
var diffColumns = columns[diffRow]{
	text("url", func(r *diffRow) string { return r.URL }),
	text("kind", func(r *diffRow) string { return string(r.Kind) }),
	text("verdict_then", func(r *diffRow) string { return string(r.then.Verdict) }),
	text("verdict_now", func(r *diffRow) string { return string(r.now.Verdict) }),
	number("status_then", func(r *diffRow) int { return nonzero(r.then.Status) }),
	number("status_now", func(r *diffRow) int { return nonzero(r.now.Status) }),
	text("target_then", func(r *diffRow) string { return r.then.Target }),
	text("target_now", func(r *diffRow) string { return r.now.Target }),
	text("fix_then", func(r *diffRow) string { return string(r.then.Fix) }),
	text("fix_now", func(r *diffRow) string { return string(r.now.Fix) }),
	text("sitemap", func(r *diffRow) string { return r.sitemap }),
	number("line", func(r *diffRow) int { return r.line }),
}

// WriteDiffCSV writes every URL that is not as before, in order. It returns the first error of w or
// of the changes.
func WriteDiffCSV(ctx context.Context, w io.Writer, d *diff.Result) error {
	t := tableOf("", true, diffColumns, func() iter.Seq2[diffRow, error] {
		return mapped(d.Changes(ctx), func(c *diff.Change) diffRow {
			sitemap, line := d.Place(c)
			return diffRow{*c, cmp.Or(c.Old, &diff.Observation{}), cmp.Or(c.New, &diff.Observation{}), sitemap, line}
		})
	})
	return t.write(w)
}
