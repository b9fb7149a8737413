package report

import (
	"cmp"
	"fmt"
	"io"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/messages"
)

// shownSigns is how much of a text is shown at most.
const shownSigns = 300

// A DiffPart is what changed between two audits in one way, or, of Kind "", the sitemaps that are not as
// before: how many there are, and the first of them.
type DiffPart struct {
	Kind        diff.Kind
	Title, What messages.Sentence
	All         int
	Rows        []DiffRow
}

// A DiffRow is a URL, or a sitemap, with what was seen then and now.
type DiffRow struct {
	URL       string // as the site has it
	Then, Now messages.Sentence

	was, is audit.Verdict // "" where it was not listed, and of a sitemap
}

// A DiffLine is a DiffRow in one language. What a site sent is in it as the site sent it.
type DiffLine struct {
	Address string        `json:"address"`
	Was     audit.Verdict `json:"was"`
	Is      audit.Verdict `json:"is"`
	Then    string        `json:"then"`
	Now     string        `json:"now"`
}

// in puts a row into a language: a tag or a locale.
func (r DiffRow) in(lang string) DiffLine {
	w := messages.Of(lang)
	return DiffLine{r.URL, r.was, r.is, r.Then.Plain(w), r.Now.Plain(w)}
}

// DiffHeader says which audits are compared, and how many addresses are in both. Where the two began
// within one minute the times have seconds.
func DiffHeader(d *diff.Result) messages.Sentence {
	layout := "2006-01-02 15:04"
	if d.Old.Started.Format(layout) == d.New.Started.Format(layout) {
		layout = "2006-01-02 15:04:05"
	}
	times := messages.Verbatim(d.Old.Started.Format(layout) + " → " + d.New.Started.Format(layout))
	return messages.Join("between", times, messages.Say("diff-both", "n", d.Both))
}

// DiffParts are the sitemaps that are not as before, and the changes of each kind, the first of each.
func DiffParts(d *diff.Result, most int) []DiffPart {
	sitemaps := DiffPart{Title: messages.Say("diff-sitemaps"), What: messages.Say("diff-sitemaps")}
	for i := range d.Sitemaps {
		if c := &d.Sitemaps[i]; c.Changed() {
			if sitemaps.All++; sitemaps.All <= most {
				sitemaps.Rows = append(sitemaps.Rows, sitemapDiff(c))
			}
		}
	}
	parts := []DiffPart{sitemaps}
	for _, k := range diff.Kinds() {
		p := DiffPart{Kind: k, Title: messages.Say("diff-" + string(k)), What: messages.Say("urls"), All: d.Counts[k]}
		if first := d.First[k]; k != diff.Same {
			for i := range first[:min(most, len(first))] {
				p.Rows = append(p.Rows, urlDiff(&first[i]))
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// urlDiff is a change of a URL.
func urlDiff(c *diff.Change) DiffRow {
	side := func(o *diff.Observation) messages.Sentence {
		switch {
		case o == nil && c.Kind == diff.NotComparable:
			return messages.Say("diff-unseen")
		case o == nil:
			return messages.Say("diff-unlisted")
		}
		status := ""
		if o.Status != 0 && o.Status != 200 {
			status = fmt.Sprintf(" (%d)", o.Status)
		}
		said := []messages.Sentence{func(w *messages.Catalogue) string { return w.Few(string(o.Verdict), 1) + status }}
		if c.Kind == diff.Changed && c.Old.Target != c.New.Target && o.Target != "" {
			said = append(said, messages.Say("diff-to", "url", o.Target))
		}
		if c.Kind == diff.Changed && c.Old.Fix != c.New.Fix {
			said = append(said, func(w *messages.Catalogue) string { return w.Action(o.Fix) })
		}
		return messages.Join("between", said...)
	}
	none := &diff.Observation{} // where the audit does not list the URL
	return DiffRow{c.URL, side(c.Old), side(c.New), cmp.Or(c.Old, none).Verdict, cmp.Or(c.New, none).Verdict}
}

// sitemapDiff is a change of a sitemap: whether it was read then and now, with its faults by kind.
func sitemapDiff(c *diff.SitemapChange) DiffRow {
	side := func(s *diff.Sitemap) messages.Sentence {
		if s == nil {
			return messages.Say("diff-unlisted")
		}
		said := []messages.Sentence{messages.Say("diff-" + string(s.Read))}
		if s.Read == diff.Read && len(s.Faults) > 0 { // which says that it was read
			said = nil
		}
		for _, f := range s.Faults {
			said = append(said, messages.Say("line", "pattern", f.Places, "what", messages.Words(func(w *messages.Catalogue) string {
				name, _ := w.SitemapFault(audit.SitemapFault{Name: f.Name})
				return name
			})))
		}
		return messages.Join("between", said...)
	}
	return DiffRow{URL: c.URL, Then: side(c.Old), Now: side(c.New)}
}

// DiffLines are the first changes of a turn.
func DiffLines(t *diff.Turn, lang string) (list []DiffLine) {
	for i := range t.Files {
		list = append(list, sitemapDiff(&t.Files[i]).in(lang))
	}
	for i := range t.First {
		list = append(list, urlDiff(&t.First[i]).in(lang))
	}
	return list
}

// WriteDiff writes for a terminal what changed between two audits: how many addresses of each kind,
// the sitemaps that are not as before, and the first addresses. It is bounded however much changed.
// What a site sent cannot steer the terminal. It returns an error of w.
func WriteDiff(w io.Writer, d *diff.Result, lang string) error {
	out, words, wide, parts := labelled{}, messages.Of(lang), 0, DiffParts(d, 10)
	lines := []string{messages.Middle(visible(shownTargets(d.New.Targets)), shownSigns) + "    " + visible(DiffHeader(d).Plain(words)), ""}
	for _, p := range parts[1:] {
		wide = max(wide, len(messages.Number(p.All)))
	}
	for _, p := range parts[1:] {
		if p.All > 0 {
			lines = append(lines, fmt.Sprintf("  %*s  %s", wide, messages.Number(p.All), p.Title.Plain(words)))
		}
	}
	for _, p := range parts {
		for _, r := range p.Rows {
			line := r.in(lang)
			out.row(p.Title.Plain(words), messages.Middle(r.URL, shownSigns)+"    "+messages.Middle(line.Then, shownSigns)+" -> "+messages.Middle(line.Now, shownSigns))
		}
		if more := p.All - len(p.Rows); more > 0 && p.Kind != diff.Same {
			out.row(p.Title.Plain(words), words.Count("more", more))
		}
	}
	return out.print(w, lines...)
}
