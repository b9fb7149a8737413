package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"iter"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// linkedTo are links of pages to so many addresses, of each kind, with the texts wherever a site
// has a say.
func linkedTo(texts []string) *audit.Linked {
	l := &audit.Linked{Pages: 9, Fine: 100, Shells: 1, Old: map[audit.Verdict]audit.LinkCount{}}
	var all []audit.LinkRow
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.Unlinked} {
		for _, s := range texts {
			r := audit.LinkRow{Kind: kind, Target: s, Pages: 3, Nofollow: 1, Template: 2, Examples: []string{s, s}}
			r.Places[audit.InFooter] = 4
			switch kind {
			case audit.LinkedOld:
				r.Verdict, r.RedirectsTo, r.LinkTo, r.Listed = audit.Moved, s, s, audit.InSitemap
			case audit.Unlinked:
				r.Verdict, r.Sitemap, r.Line, r.Pages, r.Nofollow, r.Listed = audit.OK, s, 7, 0, 0, audit.InSitemap
			}
			all = append(all, r)
			l.First[kind] = append(l.First[kind], r)
			l.Kinds[kind].Targets++
		}
	}
	l.Old[audit.Moved] = l.Kinds[audit.LinkedOld]
	l.Rows = func(context.Context) iter.Seq2[audit.LinkRow, error] {
		return func(yield func(audit.LinkRow, error) bool) {
			for _, r := range all {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	return l
}

// links.csv says what each row does, and nothing that a site sent calculates in it.
func TestLinksCSV(t *testing.T) {
	var b bytes.Buffer
	if err := WriteLinksCSV(t.Context(), &b, linkedTo([]string{"https://shop.example/a"})); err != nil {
		t.Fatal(err)
	}
	want := "\uFEFF" + linksColumns + "\r\n" +
		"https://shop.example/a,moved,https://shop.example/a,yes,3,66%,https://shop.example/a https://shop.example/a,https://shop.example/a,1,footer 4,,\r\n" +
		"https://shop.example/a,,,no,3,66%,https://shop.example/a https://shop.example/a,,1,footer 4,,\r\n" +
		"https://shop.example/a,ok,,yes,0,,https://shop.example/a https://shop.example/a,,0,footer 4,https://shop.example/a,7\r\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := WriteLinksCSV(t.Context(), &b, linkedTo(hostileTexts)); err != nil {
		t.Fatal(err)
	}
	checkCSV(t, b.Bytes())
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 1+3*len(hostileTexts) {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// The summaries say how many addresses links are about, in each language.
func TestLinksAreSummedUp(t *testing.T) {
	result := shop()
	result.Linked = linkedTo([]string{"https://shop.example/a", "https://shop.example/b"})
	for lang, want := range map[string][]string{
		"en": {"Pages still link to 2 addresses that redirect or are gone: 2 ", "Pages link to 2 addresses that no sitemap lists", "No page that was read links to 2 of 100 entries", "the links of 9 pages", "1 of them has no text without scripts"},
		"ja": {"URL 2件に、まだリンクがあります", "どのサイトマップにもないURL 2件", "100件のうち2件", "取得した9ページのリンク", "うち1ページはスクリプトなし"},
	} {
		var terminal, md bytes.Buffer
		if err := WriteSummary(&terminal, result, Summary{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), &md, "md", result, Options{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"the terminal": terminal.String(), "summary.md": md.String()} {
			if i := slices.IndexFunc(want, func(s string) bool { return !strings.Contains(text, s) }); i >= 0 {
				t.Errorf("%s: %s does not say %q:\n%s", lang, name, want[i], text)
			}
		}
	}
}
