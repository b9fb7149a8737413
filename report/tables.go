package report

import (
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
var linksTable = &table[audit.LinkRow]{
	name: "links.csv",
	columns: columns[audit.LinkRow]{
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
		text("places", placesOf),
		text("sitemap", func(r *audit.LinkRow) string { return r.Sitemap }),
		number("line", func(r *audit.LinkRow) int { return nonzero(r.Line) }),
	},
	has: func(result *audit.Result) bool { return result.Linked != nil },
	rows: func(ctx context.Context, result *audit.Result, _ *messages.Catalogue) iter.Seq2[audit.LinkRow, error] {
		return result.Linked.Rows(ctx)
	},
}

// listings are the values of the column in_sitemap.
var listings = map[audit.LinkListing]string{audit.NotInSitemap: "no", audit.InSitemap: "yes", audit.OtherSpellingInSitemap: "other-spelling"}

// placesOf is where on the pages a URL is linked: "nav 412 main 3".
func placesOf(r *audit.LinkRow) string {
	var parts []string
	for i, n := range r.Places {
		if n > 0 {
			parts = append(parts, audit.LinkPlaceNames[i]+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, " ")
}

// worded is a row with the words of a language.
type worded[R any] struct {
	row   *R
	words *messages.Catalogue
}

// saying yields rows with words.
func saying[R any](rows iter.Seq2[R, error], words *messages.Catalogue) iter.Seq2[worded[R], error] {
	return mapped(rows, func(r *R) worded[R] { return worded[R]{r, words} })
}

type reportedRow = worded[audit.ReportedRow]

// reportedTable is search-console.csv: a line for each URL of --search-console, in its order.
var reportedTable = &table[reportedRow]{
	name: "search-console.csv",
	columns: columns[reportedRow]{
		text("url", func(r *reportedRow) string { return r.row.Entry.Loc }),
		text("google_reason", func(r *reportedRow) string { return string(r.row.Entry.Reported.Reason) }),
		text("last_crawled", func(r *reportedRow) string { return r.row.Entry.Reported.Crawled }),
		text("class", func(r *reportedRow) string { return string(r.row.Upshot()) }),
		text("verdict", func(r *reportedRow) string { return string(r.row.Verdict) }),
		text("in_sitemaps", func(r *reportedRow) string { return plain.Join(r.row.Sitemaps) }),
		text("what_to_do", func(r *reportedRow) string { return r.words.Advice(r.row) }),
	},
	has: func(result *audit.Result) bool { return result.SearchConsole != nil },
	rows: func(ctx context.Context, result *audit.Result, words *messages.Catalogue) iter.Seq2[reportedRow, error] {
		return saying(result.SearchConsole.Rows(ctx), words)
	},
}

// expectedTable is expectations.csv: a line for each old URL of the map of --expect in its order,
// one for each URL of a sitemap that falls under a line with *, then what was forgotten.
var expectedTable = &table[audit.ExpectedRow]{
	name: "expectations.csv",
	columns: columns[audit.ExpectedRow]{
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
	},
	has: func(result *audit.Result) bool { return result.Expected != nil },
	rows: func(ctx context.Context, result *audit.Result, _ *messages.Catalogue) iter.Seq2[audit.ExpectedRow, error] {
		return result.Expected.Rows(ctx)
	},
}

// inspectedRow is what Google's index says of a row.
type inspectedRow struct {
	*audit.Inspection
	row *audit.Row // until the next
}

// inspectedTable is google.csv: a line for each URL of which Google's index was asked, in sitemap
// order.
var inspectedTable = &table[inspectedRow]{
	name: "google.csv",
	columns: columns[inspectedRow]{
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
	},
	has: func(result *audit.Result) bool { return result.Inspections != nil },
	rows: func(ctx context.Context, result *audit.Result, _ *messages.Catalogue) iter.Seq2[inspectedRow, error] {
		return inspectedRows(ctx, result)
	},
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

type ruleRow = worded[audit.Rule]

// rulesTable is rules.csv: a line for each rule of the rule files of a build, and for each line of
// them that the host ignores, in the order of the files.
var rulesTable = &table[ruleRow]{
	name: "rules.csv",
	columns: columns[ruleRow]{
		text("file", func(r *ruleRow) string { return r.row.File }),
		number("line", func(r *ruleRow) int { return nonzero(r.row.Line) }),
		text("source", func(r *ruleRow) string { return r.row.Source }),
		text("target", func(r *ruleRow) string { return r.row.Target }),
		number("status", func(r *ruleRow) int { return nonzero(r.row.Status) }),
		number("hits", func(r *ruleRow) int { return r.row.Hits }),
		text("fault", func(r *ruleRow) string {
			var faults []string
			for _, x := range r.row.Findings {
				faults = append(faults, x.Fault)
			}
			return strings.Join(faults, " ")
		}),
		text("why", func(r *ruleRow) string {
			var whys []string
			for _, x := range r.row.Findings {
				whys = append(whys, r.words.RuleFinding(x))
			}
			return strings.Join(whys, "; ")
		}),
	},
	has: func(result *audit.Result) bool { return result.Build != nil },
	rows: func(ctx context.Context, result *audit.Result, words *messages.Catalogue) iter.Seq2[ruleRow, error] {
		return saying(result.Build.Rules(ctx), words)
	},
}

type logRow = worded[audit.LogRow]

// logsTable is googlebot.csv: a line for each listed URL and spelling that a verified robot asked
// for, one for each that Googlebot did not ask for, then what it was redirected from and no sitemap
// lists.
var logsTable = &table[logRow]{
	name: LogsName,
	columns: columns[logRow]{
		text("url", func(r *logRow) string { return plain.Printable(r.row.URL) }),
		text("class", func(r *logRow) string { return r.row.Class.String() }),
		text("asked", func(r *logRow) string { return plain.Printable(r.row.Asked) }),
		text("differs_in", func(r *logRow) string { return plain.Join(r.row.DiffersIn) }),
		text("robot", func(r *logRow) string { return r.row.Robot.String() }),
		number("requests", func(r *logRow) int {
			if r.row.Class == accesslog.Never {
				return unknown
			}
			return int(r.row.Seen.Requests)
		}),
		moment("first", func(r *logRow) time.Time { return unix(r.row.Seen.First) }),
		moment("last", func(r *logRow) time.Time { return unix(r.row.Seen.Last) }),
		text("statuses", func(r *logRow) string { return answersOf(r.row.Seen.Statuses) }),
		number("last_status", func(r *logRow) int { return nonzero(r.row.Seen.LastStatus) }),
		number("our_status", func(r *logRow) int { return nonzero(r.row.Ours.Status) }),
		text("answers_differ", func(r *logRow) string { return yes(true, r.row.Ours.Differs) }),
		text("octets", func(r *logRow) string {
			if r.row.Class == accesslog.Never {
				return ""
			}
			return r.row.Rawness.String()
		}),
		text("sitemap", func(r *logRow) string { return r.row.Sitemap }),
		text("what_to_do", func(r *logRow) string { return logAdvice(r.row, r.words) }),
	},
	has: func(result *audit.Result) bool { return result.Logs != nil },
	rows: func(ctx context.Context, result *audit.Result, words *messages.Catalogue) iter.Seq2[logRow, error] {
		return saying(result.Logs.Rows(ctx), words)
	},
}

// WriteLogsCSV writes googlebot.csv in the language lang. It returns the first error of w or of the
// rows.
func WriteLogsCSV(ctx context.Context, w io.Writer, l *audit.Logs, lang string) error {
	return writeCSV(w, logsTable.names(), logsTable.of(ctx, &audit.Result{Logs: l}, messages.Of(lang)))
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
	status := []string{"status", strconv.Itoa(last), "kinds", strings.Join(r.DiffersIn, " ")}
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

// diffRow is a change between two audits.
type diffRow struct {
	diff.Change
	sitemap string
	line    int
}

// then and now are what was seen; nothing where the audit does not list the URL.
func (r *diffRow) then() diff.Observation { return observed(r.Old) }

func (r *diffRow) now() diff.Observation { return observed(r.New) }

func observed(o *diff.Observation) diff.Observation {
	if o == nil {
		return diff.Observation{}
	}
	return *o
}

// diffColumns are the columns of a comparison as csv. sitemap and line are the first place now, else
// then.
var diffColumns = columns[diffRow]{
	text("url", func(r *diffRow) string { return r.URL }),
	text("kind", func(r *diffRow) string { return string(r.Kind) }),
	text("verdict_then", func(r *diffRow) string { return string(r.then().Verdict) }),
	text("verdict_now", func(r *diffRow) string { return string(r.now().Verdict) }),
	number("status_then", func(r *diffRow) int { return nonzero(r.then().Status) }),
	number("status_now", func(r *diffRow) int { return nonzero(r.now().Status) }),
	text("target_then", func(r *diffRow) string { return r.then().Target }),
	text("target_now", func(r *diffRow) string { return r.now().Target }),
	text("fix_then", func(r *diffRow) string { return string(r.then().Fix) }),
	text("fix_now", func(r *diffRow) string { return string(r.now().Fix) }),
	text("sitemap", func(r *diffRow) string { return r.sitemap }),
	number("line", func(r *diffRow) int { return r.line }),
}

// WriteDiffCSV writes every URL that is not as before, in order. It returns the first error of w or
// of the changes.
func WriteDiffCSV(ctx context.Context, w io.Writer, d *diff.Result) error {
	return writeCSV(w, diffColumns.names(), diffColumns.lines(mapped(d.Changes(ctx), func(c *diff.Change) diffRow {
		sitemap, line := d.Place(c)
		return diffRow{*c, sitemap, line}
	})))
}
