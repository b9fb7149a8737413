package report

import (
	"context"
	"io"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// columns is the first line of entries.csv and of the rows in entries.xlsx. The names are never
// changed and new ones come last.
const columns = "sitemap,line,url,readable_url,verdict,reasons,status,redirects,statuses,redirect_type,temporary_in_chain,loop," +
	"final_url,final_status,indexable,indexability_reason,canonical,robots,title,content_type,robots_line,fix,written,why," +
	"search_console,notes,checked_at"

// csvRows write entries.csv: UTF-8 with a byte order mark, RFC 4180 with
// CRLF, one line for each entry in sitemap order. Where several values stand in
// a cell, a space is between them; an empty cell means not known or not
// applicable. A cell that a spreadsheet could take for a formula begins with ',
// and control characters are written as \x1b or \u202e. The columns:
//
//	sitemap              URL, path or - of the sitemap, as it was named
//	line                 of the <loc> tag, from 1
//	url                  wire form of the listed address; as listed where invalid
//	readable_url         the same with its escapes decoded, for people
//	verdict, reasons     as in entries.jsonl
//	status               the first answer
//	redirects            how many steps led on; 0 for a direct answer
//	statuses             all answers on the way: 301 301 200
//	redirect_type        permanent, temporary or mixed; then meta-refresh,
//	                     refresh-header or script where one of these led on
//	temporary_in_chain   yes where a step was temporary, else no
//	loop                 yes or no
//	final_url            the end of the trail
//	final_status         its status
//	indexable            yes, no; empty where that is not known
//	indexability_reason  redirect, temporary-redirect, redirect-error,
//	                     not-found, error, noindex, canonical, soft-404,
//	                     robots-txt, invalid-url, unverified
//	canonical            wire form, as written where it is no http(s) address
//	robots               directives of meta tags and X-Robots-Tag
//	title, content_type  of the page at the end, where it answers 200
//	robots_line          the robots.txt line that forbids the address or a hop
//	fix                  keep, replace, drop or merge
//	written              the address that stands for the entry in the corrected
//	                     sitemap, with replace and merge
//	why                  of the fix, one sentence in the language lang
//	search_console       what Search Console would call it
//	notes                as in entries.jsonl
//	checked_at           RFC 3339, UTC
//
// lang is a language tag or locale; all but why is for programs and the same in each.
var csvRows = rowWriter{head: bom + columns + "\r\n", line: csvLine}

// openCSV begins entries.csv. Where a build answered there is one column more:
//
//	rules                the rules that answered on the way: _redirects:12
func openCSV(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	if result.Build == nil {
		return csvRows.open(ctx, w, result, e)
	}
	return rowWriter{head: bom + columns + ",rules\r\n", line: func(b []byte, c *messages.Catalogue, f *audit.File, r *audit.Row) []byte {
		x := cells{b: b}
		entryCells(&x, c, f, r)
		x.text(rulesOf(r))
		return x.end()
	}}.open(ctx, w, result, e)
}

func csvLine(b []byte, w *messages.Catalogue, f *audit.File, r *audit.Row) []byte {
	c := cells{b: b}
	entryCells(&c, w, f, r)
	return c.end()
}

// entryCells adds the cells of a row in the order of columns.
func entryCells(c line, w *messages.Catalogue, f *audit.File, r *audit.Row) {
	c.text(f.Sitemap.URL)
	c.number(r.Entry.Line)
	judgedCells(c, w, r)
	c.text(SearchConsole(r))
	c.text(plain.Join(r.Notes))
	c.time(r.CheckedAt)
}

// judgedCells adds the columns from url to why.
func judgedCells(c line, w *messages.Catalogue, r *audit.Row) {
	listed := url(r)
	c.text(listed)
	c.text(address.Readable(listed).Text)
	c.text(string(r.Verdict))
	c.text(plain.Join(r.Reasons))
	trailCells(c, r)
	pageCells(c, r)
	c.text(robotsLine(r))
	c.text(string(r.Fix.Action))
	c.text(r.Fix.Loc)
	c.text(w.FixWhy(r.Fix.Why))
}

// trailCells adds the columns from status to indexability_reason.
func trailCells(c line, r *audit.Row) {
	asked := len(r.Trail.Steps) > 0
	first := 0
	if asked {
		first = r.Trail.Steps[0].Hop.Status
	}
	c.numberOr(first, first != 0)
	c.numberOr(r.Trail.Redirects(), asked)
	c.text(statuses(r))
	c.text(redirectType(r))
	c.text(yes(temporaryInChain(r), asked))
	c.text(yes(r.Verdict == audit.Loop, asked))
	final := ""
	if hasFinal(r) {
		final = r.Final.String()
	}
	c.text(final)
	c.numberOr(r.Status, r.Status != 0)
	answer, why := indexable(r)
	c.text(answer)
	c.text(why)
}

// pageCells adds the columns from canonical to content_type.
func pageCells(c line, r *audit.Row) {
	p := ended(r)
	if p == nil {
		p = &audit.Page{}
	}
	c.text(canonical(r, p))
	c.text(p.Robots)
	c.text(p.Title)
	c.text(p.ContentType)
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
