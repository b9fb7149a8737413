package report

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// entryRow is a row with what its cells need besides.
type entryRow struct {
	*audit.Row
	sitemap string
	line    int
	words   *messages.Catalogue
}

// entryColumns are the columns of entries.csv and entries.xlsx. All but why is for programs, and the same in each language.
var (
	entryColumns = slices.Concat(place1, judged, columns[entryRow]{
		text("search_console", func(r *entryRow) string { return SearchConsole(r.Row) }), notesColumn, checkedColumn})

	place1 = columns[entryRow]{
		text("sitemap", func(r *entryRow) string { return r.sitemap }),
		number("line", func(r *entryRow) int { return r.line })}
	notesColumn   = text("notes", func(r *entryRow) string { return plain.Join(r.Notes) })
	checkedColumn = moment("checked_at", func(r *entryRow) time.Time { return r.CheckedAt })

	// judged are the columns of what a URL is, and what becomes of it.
	judged = columns[entryRow]{
		text("url", func(r *entryRow) string { return url(r.Row) }),
		text("readable_url", func(r *entryRow) string { return address.Readable(url(r.Row)).Text }),
		text("verdict", func(r *entryRow) string { return string(r.Verdict) }),
		text("reasons", func(r *entryRow) string { return plain.Join(r.Reasons) }),
		number("status", func(r *entryRow) int {
			if !asked(r.Row) {
				return unknown
			}
			return nonzero(r.Trail.Steps[0].Hop.Status)
		}),
		number("redirects", func(r *entryRow) int { return redirects(r.Row) }),
		text("statuses", func(r *entryRow) string { return statuses(r.Row) }),
		text("redirect_type", func(r *entryRow) string { return redirectType(r.Row) }),
		text("temporary_in_chain", func(r *entryRow) string { return yes(temporaryInChain(r.Row), asked(r.Row)) }),
		text("loop", func(r *entryRow) string { return yes(r.Verdict == audit.Loop, asked(r.Row)) }),
		text("final_url", func(r *entryRow) string { return final(r.Row) }),
		number("final_status", func(r *entryRow) int { return nonzero(r.Status) }),
		text("indexable", func(r *entryRow) string { answer, _ := indexable(r.Row); return answer }),
		text("indexability_reason", func(r *entryRow) string { _, why := indexable(r.Row); return why }),
		text("canonical", func(r *entryRow) string { return canonical(r.Row, pageOf(r.Row)) }),
		text("robots", func(r *entryRow) string { return pageOf(r.Row).Robots }),
		text("title", func(r *entryRow) string { return pageOf(r.Row).Title }),
		text("content_type", func(r *entryRow) string { return pageOf(r.Row).ContentType }),
		text("robots_line", func(r *entryRow) string { return robotsLine(r.Row) }),
		text("fix", func(r *entryRow) string { return string(r.Fix.Action) }),
		text("written", func(r *entryRow) string { return r.Fix.Loc }),
		text("why", func(r *entryRow) string { return r.words.FixWhy(r.Fix.Why) }),
	}
)

// openCSV begins entries.csv: one line for each entry in sitemap order.
func openCSV(_ context.Context, w io.Writer, _ *audit.Result, o Options) (Page, error) {
	return openLines(w, entryColumns, messages.Of(o.Lang))
}

// openLines begins a table of entries.
func openLines(w io.Writer, t columns[entryRow], words *messages.Catalogue) (Page, error) {
	c, err := newCSV(w, t.names())
	var b []string
	return rows{func(f *audit.File, r *audit.Row) error {
		b = t.cells(b, &entryRow{r, f.Sitemap.URL, r.Entry.Line, words})
		return c.row(b)
	}, c.Close}, err
}

const changesName = "changes.csv"

// changeColumns are the columns of changes.csv: a line for each edit of a corrected sitemap, in the
// order of the file. For a merge written is the URL of the entry that stays. Of an xhtml:link
// (action relink, unlink) the line is that of its tag, and the verdict that of the entry it names.
// Of a lastmod (action lastmod) written is the date; of a part (add) listed is the sitemap that is
// divided.
var changeColumns = slices.Concat(place1, columns[entryRow]{
	text("action", func(r *entryRow) string { return string(r.Fix.Action) }),
	text("listed", func(r *entryRow) string { return r.Entry.Loc }),
	text("written", func(r *entryRow) string { return r.Fix.Loc }),
	text("verdict", func(r *entryRow) string { return string(r.Verdict) }),
	text("why", func(r *entryRow) string { return r.words.FixWhy(r.Fix.Why) }),
})

// alsoTable is also.csv: a line for each URL that sitemaps name beside what they list (--also).
func alsoTable(ctx context.Context, result *audit.Result, words *messages.Catalogue) table {
	return tableOf("also.csv", len(result.Also) > 0, alsoColumns, func() iter.Seq2[entryRow, error] {
		return mapped(alsoRows(ctx, result), func(r *audit.Row) entryRow {
			row := entryRow{Row: r, words: words}
			if len(r.Entry.Also.By) > 0 {
				first := r.Entry.Also.By[0]
				row.sitemap, row.line = result.SitemapURL(first.Sitemap), first.Line
			}
			return row
		})
	})
}

var alsoColumns = slices.Concat(
	columns[entryRow]{text("list", func(r *entryRow) string { return string(r.Entry.Also.List) })}, place1,
	columns[entryRow]{
		number("of", func(r *entryRow) int { return r.Entry.Also.Of }),
		text("entries", func(r *entryRow) string {
			var all []string
			for _, n := range r.Entry.Also.By {
				all = append(all, n.Loc)
			}
			return strings.Join(all, " ")
		})},
	judged, columns[entryRow]{notesColumn, checkedColumn})

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
