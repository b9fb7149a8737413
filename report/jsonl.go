package report

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// openJSONL begins entries.jsonl: one JSON object a line for each entry, in sitemap order. Behind
// the entries are the URLs that sitemaps name beside them, which no sitemap lists, and the old URLs
// of a map: these have list in place of sitemap and line. A key that is absent means not known or
// not applicable, save for the arrays, which are always there. docs/outputs.md has all keys.
func openJSONL(ctx context.Context, w io.Writer, result *audit.Result, _ Options) (Page, error) {
	var b []byte
	return rows{func(f *audit.File, r *audit.Row) error {
		b = jsonLine(b[:0], f, r)
		_, err := w.Write(b)
		return err
	}, func() error {
		bw := bufio.NewWriterSize(w, 64<<10)
		return cmp.Or(writeAlsoJSON(ctx, bw, result), writeExpectedJSON(ctx, bw, result), bw.Flush())
	}}, nil
}

func jsonLine(b []byte, f *audit.File, r *audit.Row) []byte {
	o := listed(b, r)
	o.text("sitemap", f.Sitemap.URL)
	o.number("line", r.Entry.Line)
	jsonJudged(&o, r)
	jsonInspection(&o, r)
	jsonCrawled(&o, r)
	return append(o, '}', '\n')
}

// listed begins the line of a URL.
func listed(b []byte, r *audit.Row) object {
	o := object(append(b, '{'))
	o.text("loc", r.Entry.Loc)
	if !utf8.ValidString(r.Entry.Loc) {
		o.base64("loc_raw", r.Entry.Loc)
	}
	return o
}

// jsonJudged adds what a URL is: the keys from verdict to checked_at.
func jsonJudged(o *object, r *audit.Row) {
	o.text("verdict", string(r.Verdict))
	list(o, "reasons", r.Reasons)
	jsonTrail(o, &r.Trail)
	if r.Other != nil && len(r.Other.Steps) > 0 {
		o.begin("other_spelling")
		o.text("url", r.Other.Steps[0].Hop.URL)
		jsonTrail(o, r.Other)
		o.end()
	}
	o.textIf("final", final(r))
	if r.Status != 0 {
		o.number("status", r.Status)
	}
	jsonPage(o, r)
	jsonFix(o, &r.Fix)
	list(o, "notes", r.Notes)
	o.textIf("search_console", SearchConsole(r))
	o.textIf("checked_at", when(r.CheckedAt))
}

func jsonTrail(o *object, t *audit.Trail) {
	array(o, "trail", t.Steps, jsonStep)
}

func jsonStep(o *object, s *audit.Step) {
	h := &s.Hop
	o.text("url", h.URL)
	if h.Status != 0 {
		o.number("status", h.Status)
	}
	if h.Location != "" {
		if utf8.ValidString(h.Location) {
			o.text("location", h.Location)
		} else {
			o.text("location", escapeHigh(h.Location))
			o.base64("location_raw", h.Location)
		}
	}
	if s.Kind != "" {
		o.text("kind", string(s.Kind))
		o.truth("permanent", s.Permanent)
	}
	if h.Status != 0 || h.MS > 0 {
		o.number("ms", h.MS)
	}
	if h.Fault != audit.FaultForbidden {
		o.textIf("fault", string(h.Fault))
	}
	o.textIf("challenge", h.Challenge)
	if h.Rule != (audit.RuleAt{}) {
		o.begin("rule")
		o.text("file", h.Rule.File)
		o.number("line", h.Rule.Line)
		o.end()
	}
}

func jsonPage(o *object, r *audit.Row) {
	p := ended(r)
	if p == nil {
		return
	}
	page := object{'{'}
	page.textIf("title", p.Title)
	page.textIf("canonical", canonical(r, p))
	page.textIf("robots", p.Robots)
	page.textIf("content_type", p.ContentType)
	if len(page) == 1 {
		return
	}
	o.key("page")
	*o = append(append(*o, page...), '}')
}

func jsonFix(o *object, f *audit.Fix) {
	o.begin("fix")
	o.text("action", string(f.Action))
	o.textIf("loc", f.Loc)
	o.text("policy", f.Policy)
	o.text("why", messages.StableWhy(f.Why))
	o.end()
}

// escapeHigh writes each byte from 0x80 as %XX in upper case, as Chromium does
// with a Location that is not UTF-8.
func escapeHigh(s string) string {
	const upper = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 {
			b = append(b, s[i])
			continue
		}
		b = append(b, '%', upper[s[i]>>4], upper[s[i]&15])
	}
	return string(b)
}

// writeAlsoJSON writes the URLs that sitemaps name beside what they list.
func writeAlsoJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	var b []byte
	for r, err := range alsoRows(ctx, result) {
		if err != nil {
			return err
		}
		x := r.Entry.Also
		o := listed(b[:0], &r)
		o.text("list", string(x.List))
		o.begin("of")
		o.number("entries", x.Of)
		array(&o, "first", x.By, func(o *object, n *audit.Naming) {
			o.text("loc", n.Loc)
			o.text("sitemap", result.SitemapURL(n.Sitemap))
			o.number("line", n.Line)
		})
		o.end()
		jsonJudged(&o, &r)
		b = append(o, '}', '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// writeExpectedJSON writes the old URLs of a map; one that a sitemap lists has the line of its
// entry besides.
func writeExpectedJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	if result.Expected == nil {
		return nil
	}
	var b []byte
	for r, err := range result.Expected.Rows(ctx) {
		if err != nil {
			return err
		}
		if !r.Entry.Expected.Is { // an entry of a sitemap, which has its line
			continue
		}
		o := listed(b[:0], &r.Row)
		o.text("list", audit.KindExpect)
		jsonJudged(&o, &r.Row)
		jsonExpectation(&o, &r)
		b = append(o, '}', '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func jsonExpectation(o *object, x *audit.ExpectedRow) {
	o.begin("expect")
	o.number("line", x.Line)
	o.text("to", x.To.String())
	o.truth("met", x.Met())
	o.textIf("why", x.Word())
	o.end()
}

// jsonInspection adds what Google's index says of a row.
func jsonInspection(o *object, r *audit.Row) {
	if r.Inspection == nil {
		return
	}
	in := inspectedRow{r.Inspection, r}
	o.begin("google")
	for _, c := range inspectedTable.columns[2:] { // behind url and verdict
		o.textIf(c.name, c.of(&in))
	}
	o.end()
}

// jsonCrawled adds what robots asked for.
func jsonCrawled(o *object, r *audit.Row) {
	for _, robot := range []accesslog.Robot{accesslog.Googlebot, accesslog.Bingbot} {
		found := r.CrawledBy(robot)
		if len(found) == 0 {
			continue
		}
		o.begin(robot.String())
		var other []accesslog.Finding
		for i := range found {
			switch found[i].Class {
			case accesslog.OtherSpelling:
				other = append(other, found[i])
				continue
			case accesslog.Unspelt:
				o.begin("decoded")
			default:
				o.begin("as_listed")
			}
			jsonAsked(o, &found[i])
			o.end()
		}
		array(o, "other", other, func(o *object, f *accesslog.Finding) {
			o.text("url", r.Address.Origin()+plain.Printable(f.Asked))
			list(o, "differs_in", f.DiffersIn)
			jsonAsked(o, f)
		})
		o.end()
	}
}

// jsonAsked adds how often, when and with which answers.
func jsonAsked(o *object, f *accesslog.Finding) {
	o.number("requests", int(f.Seen.Requests))
	o.textIf("first", when(unix(f.Seen.First)))
	o.textIf("last", when(unix(f.Seen.Last)))
	o.begin("statuses")
	for _, status := range slices.Sorted(maps.Keys(f.Seen.Statuses)) {
		o.number(strconv.Itoa(status), int(f.Seen.Statuses[status]))
	}
	o.end()
	if f.Rawness != accesslog.Raw {
		o.text("octets", f.Rawness.String())
	}
}
