package report

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

const alsoColumns = "list,sitemap,line,of,entries,url,readable_url,verdict,reasons,status,redirects,statuses,redirect_type,temporary_in_chain,loop," +
	"final_url,final_status,indexable,indexability_reason,canonical,robots,title,content_type,robots_line,fix,written,why,notes,checked_at"

const alsoName = "also.csv"

// WriteAlsoCSV writes also.csv: a line for each address that sitemaps name beside what they list
// (--also), list by list in the order of the addresses; in the form of entries.csv, with its
// columns and these:
//
//	list           alternates, images or videos
//	sitemap, line  where the first entry that names the address is listed
//	of             how many entries name it
//	entries        the first five of them, as listed
//
// fix is replace where links to an alternate are to be changed to written; changes.csv has those
// that are. Of images and videos it is keep, and written is what to write. lang is a
// language tag or locale, of why alone. It returns the first error of w or of result's rows.
func WriteAlsoCSV(ctx context.Context, w io.Writer, result *audit.Result, lang string) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + alsoColumns + "\r\n") // its error comes back with Flush
	var b []byte
	in := messages.Of(lang)
	for r, err := range alsoRows(ctx, result) {
		if err != nil {
			return err
		}
		c := cells{b: b[:0]}
		alsoCells(&c, in, result, &r)
		b = c.end()
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// alsoRows yields the rows of all lists.
func alsoRows(ctx context.Context, result *audit.Result) iter.Seq2[audit.Row, error] {
	return func(yield func(audit.Row, error) bool) {
		for n := range result.Also {
			for r, err := range result.AlsoRows(ctx, n) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// alsoCells adds the cells of a row in the order of alsoColumns.
func alsoCells(c line, w *messages.Catalogue, result *audit.Result, r *audit.Row) {
	x := r.Entry.Also
	var first audit.Naming
	var entries []string
	for i, n := range x.By {
		if i == 0 {
			first = n
		}
		entries = append(entries, n.Loc)
	}
	c.text(string(x.List))
	c.text(result.SitemapURL(first.Sitemap))
	c.number(first.Line)
	c.number(x.Of)
	c.text(plain.Join(entries))
	judgedCells(c, w, r)
	c.text(plain.Join(r.Notes))
	c.time(r.CheckedAt)
}

// openJSONL begins entries.jsonl: behind the entries are the addresses that sitemaps name beside
// them, which no sitemap lists, and the old addresses of a map.
func openJSONL(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	out, err := jsonRows.open(ctx, w, result, e)
	if err != nil || len(result.Also) == 0 && result.Expected == nil {
		return out, err
	}
	out.end = func(whole bool) error {
		if !whole {
			return nil
		}
		return cmp.Or(writeAlsoJSON(ctx, w, result), writeExpectedJSON(ctx, w, result))
	}
	return out, nil
}

func writeAlsoJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	var b []byte
	for r, err := range alsoRows(ctx, result) {
		if err != nil {
			return err
		}
		o := listObject(b, &r, string(r.Entry.Also.List))
		jsonOf(&o, result, r.Entry.Also)
		jsonJudged(&o, &r)
		b = append(o, '}', '\n')
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// listObject begins the line of an address of a list that is no sitemap.
func listObject(b []byte, r *audit.Row, list string) object {
	o := object(append(b[:0], '{'))
	o.text("loc", r.Entry.Loc)
	if !utf8.ValidString(r.Entry.Loc) {
		o.base64("loc_raw", r.Entry.Loc)
	}
	o.text("list", list)
	return o
}

// jsonOf adds which entries name an address.
func jsonOf(o *object, result *audit.Result, x *audit.Also) {
	o.key("of")
	*o = append(*o, '{')
	o.number("entries", x.Of)
	o.key("first")
	*o = append(*o, '[')
	for i, n := range x.By {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		o.text("loc", n.Loc)
		o.text("sitemap", result.SitemapURL(n.Sitemap))
		o.number("line", n.Line)
		*o = append(*o, '}')
	}
	*o = append(*o, ']', '}')
}

// alsoOf is what summary.json says of the lists, by their names.
func alsoOf(result *audit.Result) map[string]counts {
	var out map[string]counts
	for i := range result.Also {
		if out == nil {
			out = map[string]counts{}
		}
		s := &result.Also[i]
		out[string(s.List)] = countsOf(&s.Counts)
	}
	return out
}

// also says what becomes of the addresses that sitemaps name beside what they list.
func (t *terminal) also() {
	x := conclude.AlsoOf(t.result)
	if x == nil {
		return
	}
	label := x.Label.Plain(t.words)
	for i := range x.Lists {
		t.below = append(t.below, labeled{label: label, text: t.say(x.Lists[i].Line())})
	}
	if slices.Contains(t.o.Written.Files, alsoName) {
		t.below = append(t.below, labeled{label: label, text: t.say(x.File(t.path(alsoName)))})
	}
}

// mdAlso is how many addresses summary.md lists.
const mdAlso = 50

// also adds what becomes of them: a line for each list, then the first addresses that are not fine.
func (m *summaryPage) also() {
	x := conclude.AlsoOf(m.result)
	if x == nil {
		return
	}
	text := func(s conclude.Sentence) string { return escapeMarkdown(s.Plain(m.words)) }
	m.paragraph("### " + text(x.Label))
	open := 0
	for i := range x.Lists {
		m.paragraph("**" + m.md(x.Lists[i].Headline) + ":** " + text(x.Lists[i].Parts))
		open += x.Lists[i].Open
	}
	head := []string{text(x.Heads.Address), text(x.Heads.What), text(x.Heads.To), text(x.Heads.Why), text(x.Heads.By)}
	m.table("", head, m.named, mdAlso, open)
}

// readAlso keeps the first addresses that are not fine, as rows of a table.
func (m *summaryPage) readAlso(ctx context.Context) error {
	for r, err := range alsoRows(ctx, m.result) {
		switch {
		case err != nil:
			return err
		case len(m.named) == mdAlso:
			return nil
		case !conclude.AlsoOpen(r.Group()):
			continue
		}
		to := ""
		if hasFinal(&r) && r.Final != r.Address {
			to = mdCode(r.Final.String())
		}
		m.named = append(m.named, row(mdCode(url(&r)), escapeMarkdown(conclude.AlsoWhat(&r).Plain(m.words)), to,
			escapeMarkdown(conclude.AlsoWhy(&r).Plain(m.words)), strconv.Itoa(r.Entry.Also.Of)))
	}
	return nil
}
