package report

import (
	"context"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// The heads of tables of entries: where one stands, what it is and what becomes of it, in
// entries.csv and entries.xlsx, in changes.csv, and in also.csv. All but why is for programs, and the same
// in each language.
const (
	judgedHead  = "url readable_url verdict reasons status:number redirects:number statuses redirect_type temporary_in_chain loop final_url final_status:number indexable indexability_reason canonical robots title content_type robots_line fix written why"
	entriesHead = "sitemap line:number " + judgedHead + " search_console notes checked_at:time"
	changesHead = "sitemap line:number action listed written verdict why"
	alsoHead    = "list sitemap line:number of:number entries " + judgedHead + " notes checked_at:time"
)

// judged appends what a URL is, and what becomes of it.
func judged(b []string, r *audit.Row, words *messages.Catalogue) []string {
	first, loc, p := "", url(r), pageOf(r)
	if asked(r) {
		first = nonzero(r.Trail.Steps[0].Hop.Status)
	}
	answer, why := indexable(r)
	return append(b, loc, address.Readable(loc).Text, string(r.Verdict), messages.Spaced(r.Reasons), first, redirects(r), statuses(r), redirectType(r),
		yes(r.Trail.Temporary(), asked(r)), yes(r.Verdict == audit.Loop, asked(r)), final(r), nonzero(r.Status), answer, why, p.CanonicalAt(r.Final), p.Robots, p.Title,
		p.ContentType, robotsLine(r), string(r.Fix.Action), r.Fix.Loc, words.FixWhy(r.Fix.Why))
}

// entryCells appends the cells of an entry of a file.
func entryCells(b []string, f *audit.File, r *audit.Row, words *messages.Catalogue) []string {
	b = judged(append(b, f.Sitemap.URL, strconv.Itoa(r.Entry.Line)), r, words)
	return append(b, searchConsole(r), messages.Spaced(r.Notes), when(r.CheckedAt))
}

// changeCells appends the cells of an edit, a line of changes.csv, in the order of the file. For a merge
// written is the URL of the entry that stays. Of an xhtml:link (action relink, unlink) the line is that of
// its tag, and the verdict that of the entry it names. Of a lastmod (action lastmod) written is the date; of
// a part (add) listed is the sitemap that is divided.
func changeCells(b []string, f *audit.File, r *audit.Row, words *messages.Catalogue) []string {
	return append(b, f.Sitemap.URL, strconv.Itoa(r.Entry.Line), string(r.Fix.Action), r.Entry.Loc, r.Fix.Loc, string(r.Verdict), words.FixWhy(r.Fix.Why))
}

const changesName = "changes.csv"

// openCSV begins entries.csv: one line for each entry in sitemap order.
func openCSV(_ context.Context, w io.Writer, _ *audit.Result, o Options) (Page, error) {
	return openLines(w, entriesHead, o.Lang, entryCells)
}

// openLines begins a table of entries.
func openLines(w io.Writer, head, lang string, cells func([]string, *audit.File, *audit.Row, *messages.Catalogue) []string) (Page, error) {
	names, _ := headOf(head)
	c, words, b := newCSV(w, names), messages.Of(lang), []string(nil)
	return rows{func(f *audit.File, r *audit.Row) error {
		b = cells(b[:0], f, r, words)
		return c.row(b)
	}, c.Close}, nil
}

// alsoTable is also.csv: a line for each URL that sitemaps name beside what they list (--also).
func alsoTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("also.csv", len(result.Also) > 0, alsoHead, func() iter.Seq2[audit.Row, error] { return alsoRows(ctx, result) }, func(b []string, r audit.Row) []string {
		sitemap, line, entries := "", 0, []string(nil)
		for i, by := range r.Entry.Also.By {
			if entries = append(entries, by.Loc); i == 0 {
				sitemap, line = result.Files[by.Sitemap].Sitemap.URL, by.Line
			}
		}
		b = judged(append(b, string(r.Entry.Also.List), sitemap, strconv.Itoa(line), strconv.Itoa(r.Entry.Also.Of), strings.Join(entries, " ")), &r, words)
		return append(b, messages.Spaced(r.Notes), when(r.CheckedAt))
	})
}

// alsoRows yields the rows of all lists.
func alsoRows(ctx context.Context, result *audit.Result) iter.Seq2[audit.Row, error] {
	return func(yield func(audit.Row, error) bool) {
		for n := range result.Also {
			for r, err := range result.Also[n].Rows(ctx) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

func yes(is, known bool) string {
	switch {
	case !known:
		return ""
	case is:
		return "yes"
	}
	return "no"
}

// when writes a time as RFC 3339 in UTC, to the second; "" for none.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
