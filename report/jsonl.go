package report

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// openJSONL begins entries.jsonl: one JSON object a line for each entry, in sitemap order. A key that
// is absent means not known or not applicable, save for the arrays, which are always there.
// docs/outputs.md has all keys.
func openJSONL(_ context.Context, w io.Writer, _ *audit.Result, _ Options) (Page, error) {
	bw := bufio.NewWriterSize(w, 64<<10)
	var b []byte
	return rows{func(f *audit.File, r *audit.Row) error {
		b = append(entryAs(f, r).append(b[:0]), '\n')
		_, err := bw.Write(b)
		return err
	}, bw.Flush}, nil
}

// rawOf is the bytes of a text that is not UTF-8, in base64; else "".
func rawOf(s string) string {
	if utf8.ValidString(s) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

// entryAs is the object of an entry.
func entryAs(f *audit.File, r *audit.Row) members {
	p := pageOf(r)
	m := members{"loc", r.Entry.Loc, "loc_raw?", rawOf(r.Entry.Loc), "sitemap", f.Sitemap.URL, "line", r.Entry.Line,
		"verdict", r.Verdict, "reasons", r.Reasons, "trail", trailAs(&r.Trail)}
	if r.Other != nil && len(r.Other.Steps) > 0 {
		m = append(m, "other_spelling", members{"url", r.Other.Steps[0].Hop.URL, "trail", trailAs(r.Other)})
	}
	m = append(m, "final?", final(r), "status?", r.Status,
		"page?", members{"title?", p.Title, "canonical?", p.CanonicalAt(r.Final), "robots?", p.Robots, "content_type?", p.ContentType},
		"fix", members{"action", r.Fix.Action, "loc?", r.Fix.Loc, "policy", r.Fix.Policy, "why", messages.StableWhy(r.Fix.Why)},
		"notes", r.Notes, "search_console?", searchConsole(r), "checked_at?", when(r.CheckedAt))
	if r.Inspection != nil {
		google := members{}
		names, _ := headOf(inspectedHead)
		for i, cell := range inspectedCells(nil, r) {
			if i > 1 { // behind url and verdict
				google = append(google, names[i]+"?", cell)
			}
		}
		m = append(m, "google", google)
	}
	return m
}

func trailAs(t *answers.Trail) []members {
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
		if h.Fault != answers.FaultForbidden {
			m = append(m, "fault?", h.Fault)
		}
		if m = append(m, "challenge?", h.Challenge); h.Rule != (answers.RuleAt{}) {
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
	var b []byte
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return string(b)
}
