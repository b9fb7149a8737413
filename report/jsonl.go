package report

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"iter"
	"slices"
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
	bw := bufio.NewWriterSize(w, 64<<10)
	var b []byte
	write := func(parts ...members) error {
		b = append(slices.Concat(parts...).append(b[:0]), '\n')
		_, err := bw.Write(b)
		return err
	}
	return rows{func(f *audit.File, r *audit.Row) error {
		return write(listedAs(r), members{"sitemap", f.Sitemap.URL, "line", r.Entry.Line}, judgedAs(r), inspectedAs(r), crawledAs(r))
	}, func() error {
		for r, err := range alsoRows(ctx, result) {
			if err != nil {
				return err
			}
			x, first := r.Entry.Also, []members{}
			for _, n := range x.By {
				first = append(first, members{"loc", n.Loc, "sitemap", result.SitemapURL(n.Sitemap), "line", n.Line})
			}
			of := members{"entries", x.Of, "first", first}
			if err := write(listedAs(&r), members{"list", x.List, "of", of}, judgedAs(&r)); err != nil {
				return err
			}
		}
		for r, err := range expectedRows(ctx, result) {
			if err != nil {
				return err
			}
			if !r.Entry.Expected.Is { // an entry of a sitemap, which has its line
				continue
			}
			x := members{"line", r.Line, "to", r.To.String(), "met", r.Met(), "why?", r.Word()}
			if err := write(listedAs(&r.Row), members{"list", audit.KindExpect}, judgedAs(&r.Row), members{"expect", x}); err != nil {
				return err
			}
		}
		return bw.Flush()
	}}, nil
}

// expectedRows yields the rows of a map, none where the audit has no map.
func expectedRows(ctx context.Context, result *audit.Result) iter.Seq2[audit.ExpectedRow, error] {
	if result.Expected == nil {
		return func(func(audit.ExpectedRow, error) bool) {}
	}
	return result.Expected.Rows(ctx)
}

// listedAs begins the line of a URL.
func listedAs(r *audit.Row) members {
	return members{"loc", r.Entry.Loc, "loc_raw?", rawOf(r.Entry.Loc)}
}

// rawOf is the bytes of a text that is not UTF-8, in base64; else "".
func rawOf(s string) string {
	if utf8.ValidString(s) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

// judgedAs is what a URL is: the keys from verdict to checked_at.
func judgedAs(r *audit.Row) members {
	p := pageOf(r)
	m := members{"verdict", r.Verdict, "reasons", r.Reasons, "trail", trailAs(&r.Trail)}
	if r.Other != nil && len(r.Other.Steps) > 0 {
		m = append(m, "other_spelling", members{"url", r.Other.Steps[0].Hop.URL, "trail", trailAs(r.Other)})
	}
	return append(m, "final?", final(r), "status?", r.Status,
		"page?", members{"title?", p.Title, "canonical?", canonical(r, p), "robots?", p.Robots, "content_type?", p.ContentType},
		"fix", members{"action", r.Fix.Action, "loc?", r.Fix.Loc, "policy", r.Fix.Policy, "why", messages.StableWhy(r.Fix.Why)},
		"notes", r.Notes, "search_console?", SearchConsole(r), "checked_at?", when(r.CheckedAt))
}

func trailAs(t *audit.Trail) []members {
	steps := make([]members, len(t.Steps))
	for i := range t.Steps {
		s := &t.Steps[i]
		h := &s.Hop
		m := members{"url", h.URL, "status?", h.Status, "location?", escapeHigh(h.Location), "location_raw?", rawOf(h.Location)}
		if s.Kind != "" {
			m = append(m, "kind", s.Kind, "permanent", s.Permanent)
		}
		if h.Status != 0 || h.MS > 0 {
			m = append(m, "ms", h.MS)
		}
		if h.Fault != audit.FaultForbidden {
			m = append(m, "fault?", h.Fault)
		}
		if m = append(m, "challenge?", h.Challenge); h.Rule != (audit.RuleAt{}) {
			m = append(m, "rule", members{"file", h.Rule.File, "line", h.Rule.Line})
		}
		steps[i] = m
	}
	return steps
}

// escapeHigh writes each byte from 0x80 of a text that is not UTF-8 as %XX in upper case, as
// Chromium does with a Location.
func escapeHigh(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return percent(s, func(c byte) bool { return c < utf8.RuneSelf })
}

// inspectedAs is what Google's index says of a row.
func inspectedAs(r *audit.Row) members {
	if r.Inspection == nil {
		return nil
	}
	m := members{}
	for _, c := range inspectedColumns[2:] { // behind url and verdict
		m = append(m, c.name+"?", c.of(&inspectedRow{r.Inspection, r}))
	}
	return members{"google", m}
}

// crawledAs is what robots asked for.
func crawledAs(r *audit.Row) (m members) {
	for _, robot := range []accesslog.Robot{accesslog.Googlebot, accesslog.Bingbot} {
		found, of, other := r.CrawledBy(robot), members{}, []members{}
		for _, x := range found {
			asked := members{"requests", x.Seen.Requests, "first?", when(unix(x.Seen.First)), "last?", when(unix(x.Seen.Last)), "statuses", x.Seen.Statuses}
			if x.Rawness != accesslog.Raw {
				asked = append(asked, "octets", x.Rawness.String())
			}
			switch x.Class {
			case accesslog.OtherSpelling:
				other = append(other, append(members{"url", r.Address.Origin() + plain.Printable(x.Asked), "differs_in", x.DiffersIn}, asked...))
			case accesslog.Unspelt:
				of = append(of, "decoded", asked)
			default:
				of = append(of, "as_listed", asked)
			}
		}
		if len(found) > 0 {
			m = append(m, robot.String(), append(of, "other", other))
		}
	}
	return m
}
