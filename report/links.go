package report

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
)

// linksName is the file that WriteLinksCSV writes.
const linksName = "links.csv"

const linksColumns = "target,verdict,redirects_to,in_sitemap,pages,template_share,examples,link_to,nofollow,places,sitemap,line"

// WriteLinksCSV writes links.csv: a line for each address that pages link to and that redirects or
// is gone, then one for each that no sitemap lists, then one for each entry that no page links to;
// of each kind those of most pages first. The columns:
//
//	target          the address, of an entry as listed
//	verdict         what was seen of it, as in entries.csv; empty where it was not crawled
//	redirects_to    where it leads at last; empty where nowhere
//	in_sitemap      yes, no, other-spelling (one lists another spelling of it)
//	pages           pages with a link that may be followed; 0 for an entry that no page links to
//	template_share  of these, how many have it as a part of their template: it
//	                is on at least half of the pages of their folder, or of the site
//	examples        up to 5 pages that link to it, with a space between
//	link_to         the address to link to in its place; empty where a person must decide
//	nofollow        pages of which no link to it is to be followed (rel, or robots directives)
//	places          where on the pages: head, nav, header, main, aside, footer, body (elsewhere),
//	                each with how many pages
//	sitemap, line   where an entry is listed that no page links to
//
// It returns the first error of w or of the rows.
func WriteLinksCSV(ctx context.Context, w io.Writer, l *audit.Linked) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + linksColumns + "\r\n") // its error comes back with Flush
	var b []byte
	for r, err := range l.Rows(ctx) {
		if err != nil {
			return err
		}
		c := cells{b: b[:0]}
		linkCells(&c, &r)
		b = c.end()
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// listings are the values of the column in_sitemap.
var listings = map[audit.LinkListing]string{audit.NotInSitemap: "no", audit.InSitemap: "yes", audit.OtherSpellingInSitemap: "other-spelling"}

// linkCells adds the cells of a row of links.csv.
func linkCells(c line, r *audit.LinkRow) {
	c.text(r.Target)
	c.text(string(r.Verdict))
	c.text(r.RedirectsTo)
	c.text(listings[r.Listed])
	c.number(r.Pages)
	c.text(conclude.TemplateShare(r))
	c.text(strings.Join(r.Examples, " "))
	c.text(r.LinkTo)
	c.number(r.Nofollow)
	c.text(placesOf(r))
	c.text(r.Sitemap)
	c.numberOr(r.Line, r.Line > 0)
}

// placesOf is where on the pages an address is linked: "nav 412 main 3".
func placesOf(r *audit.LinkRow) string {
	var parts []string
	for i, n := range r.Places {
		if n > 0 {
			parts = append(parts, audit.LinkPlaceNames[i]+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, " ")
}

// links adds what the links of pages come to.
func (t *terminal) links() {
	if t.result.Linked == nil {
		return
	}
	for _, text := range conclude.LinkLines(t.words, t.result) {
		t.row("label-links", text)
	}
	if slices.Contains(t.o.Written.Files, linksName) {
		t.row("label-links", t.words.Text("links-table", "path", t.path(linksName)))
	}
}

// mdLinks is how many addresses of each kind are listed in Markdown.
const mdLinks = 20

// links is the addresses that links are about, as tables.
func (m *summaryPage) links() {
	l := m.result.Linked
	if l == nil {
		return
	}
	m.paragraph("### " + m.text("md-links"))
	for _, text := range conclude.LinkLines(m.words, m.result) {
		m.buf.WriteString("- " + escapeMarkdown(visible(text)) + "\n")
	}
	m.buf.WriteString("\n")
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.Unlinked} {
		var lines []string
		for i := range l.First[kind] {
			lines = append(lines, m.linkRow(&l.First[kind][i]))
		}
		m.table("", []string{m.text(linkHeads[kind]), "", m.text("md-links-pages"), m.text("md-links-to")}, lines, mdLinks, l.Kinds[kind].Targets)
	}
}

// linkHeads are the headings of what is said of each kind.
var linkHeads = map[audit.LinkKind]string{audit.LinkedOld: "links-head-old", audit.LinkedUnlisted: "links-head-unlisted", audit.Unlinked: "links-head-unlinked"}

func (m *summaryPage) linkRow(r *audit.LinkRow) string {
	to, verdict := "", ""
	switch {
	case r.LinkTo != "":
		to = mdCode(r.LinkTo)
	case r.Kind == audit.Unlinked:
		to = mdCode(r.Sitemap) + ":" + strconv.Itoa(r.Line)
	}
	if r.Verdict != "" && r.Kind != audit.Unlinked {
		verdict = escapeMarkdown(m.words.Verdict(r.Verdict).Name)
	}
	return row(mdCode(r.Target), verdict, escapeMarkdown(conclude.LinkPages(m.words, r)), to)
}

// links writes a sheet, where the links of pages were read.
func (b *workbook) links() error {
	l := b.result.Linked
	if l == nil {
		return nil
	}
	s, err := b.newSheet(b.words.Text("sheet-links"), "Links", strings.Split(linksColumns, ","))
	if err != nil {
		return err
	}
	for r, err := range l.Rows(b.ctx) {
		if err != nil {
			return err
		}
		if s.rows > b.maxListed {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		linkCells(&c, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	all := 0
	for _, k := range l.Kinds {
		all += k.Targets
	}
	return b.finishPart(s, "sheet-first", all, linksName)
}

// linksSummary is what summary.json says of the links of pages.
type linksSummary struct {
	Pages    int            `json:"pages"`
	Nofollow int            `json:"nofollow_pages"`
	Shells   int            `json:"pages_without_text"`
	Cut      int            `json:"pages_cut"`
	Old      map[string]int `json:"old"`
	Unlisted int            `json:"unlisted"`
	Unlinked int            `json:"unlinked_entries"`
	Entries  int            `json:"entries"`
}

func linksOf(l *audit.Linked) *linksSummary {
	if l == nil {
		return nil
	}
	out := &linksSummary{Pages: l.Pages, Nofollow: l.Nofollow, Shells: l.Shells, Cut: l.Cut, Old: map[string]int{},
		Unlisted: l.Kinds[audit.LinkedUnlisted].Targets, Unlinked: l.Kinds[audit.Unlinked].Targets, Entries: l.Fine}
	for v, c := range l.Old {
		out.Old[string(v)] = c.Targets
	}
	return out
}
