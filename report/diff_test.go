package report

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/fixture"
)

// seenOf is an audit that saw what is listed, in one sitemap of that URL.
func seenOf(url string, sights ...audit.Observation) audit.Snapshot {
	info := shop().Info
	tally := audit.Tally{Sitemap: audit.Sitemap{URL: url, Kind: "urlset"}, Entries: len(sights)}
	for i := range sights {
		sights[i].Listed, sights[i].Line = 1, i+1
		if sights[i].Verdict == audit.OK {
			tally.OK++
		}
	}
	slices.SortFunc(sights, func(a, b audit.Observation) int { return strings.Compare(a.Address, b.Address) })
	return audit.Snapshot{Info: info, Tallies: []audit.Tally{tally}, Sights: func() iter.Seq2[audit.Observation, error] {
		return func(yield func(audit.Observation, error) bool) {
			for _, s := range sights {
				if !yield(s, nil) {
					return
				}
			}
		}
	}}
}

func compareSeen(t testing.TB, old, new audit.Snapshot) *audit.Diff {
	t.Helper()
	d, err := audit.Compare(t.Context(), old, new, fixture.Shelf)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Whatever a site sends, what tells of two audits does not break, calculate,
// become markup or steer a terminal.
func TestHostileDiff(t *testing.T) {
	var then, now []audit.Observation
	for _, s := range slices.Compact(slices.Sorted(slices.Values(hostileTexts))) {
		then = append(then, audit.Observation{Address: s, Verdict: audit.Moved, Status: 200, Target: s, Hops: 1, Cause: len(then) + 1})
		now = append(now, audit.Observation{Address: s, Verdict: audit.Moved, Status: 200, Target: "http://shop.example/" + s, Hops: 2, Cause: len(now) + 1})
	}
	old, new := seenOf(hostileTexts[8], then...), seenOf(hostileTexts[9], now...)
	for i, s := range []*audit.Snapshot{&old, &new} {
		for n := range then {
			x := then[n].Address
			s.Causes = append(s.Causes, audit.Cause{Key: fmt.Sprint(i, x), Verdict: audit.Moved, Group: audit.NeedsDecision, Count: 1, Rule: x, Examples: []string{x}, Finals: []string{x}})
		}
		s.Also = []audit.AlsoSights{{List: audit.AlsoAlternates, Addresses: len(then), Sights: s.Sights}}
	}
	d := compareSeen(t, old, new)
	d.New.Targets = hostileTexts
	for _, lang := range []string{"en", "ja"} {
		var text, md, table, js bytes.Buffer
		for _, err := range []error{WriteDiff(&text, d, Summary{Lang: lang}), WriteDiffMarkdown(&md, d, lang), WriteDiffCSV(t.Context(), &table, d), WriteDiffJSON(t.Context(), &js, d)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		tame(t, "the terminal", strings.ReplaceAll(text.String(), "\n", ""))
		if n := strings.Count(text.String(), "\n"); n > 75 {
			t.Errorf("%d lines for a terminal", n)
		}
		checkMarkdown(t, md.Bytes())
		checkCSV(t, table.Bytes())
		checkJSONL(t, bytes.ReplaceAll(js.Bytes(), []byte("\n"), nil))
		if strings.ContainsFunc(strings.ReplaceAll(js.String(), "\n", ""), func(r rune) bool { return hidden(r) && r != utf8.RuneError }) {
			t.Error("the JSON could steer a terminal")
		}
	}
}

// However much changed, the terminal and the Markdown stay short, and say how
// much is left out.
func TestDiffIsBounded(t *testing.T) {
	var then, now []audit.Observation
	var causes []audit.Cause
	for i := range 5000 {
		at := "http://shop.example/" + strings.Repeat("x", i%300) + "/" + strings.Repeat("y", i/300)
		then = append(then, audit.Observation{Address: at, Verdict: audit.OK, Status: 200})
		now = append(now, audit.Observation{Address: at, Verdict: audit.NotFound, Status: 404, Cause: i + 1})
		causes = append(causes, audit.Cause{Key: at, Verdict: audit.NotFound, Group: audit.TakenOut, Count: 1, Rule: at, Examples: []string{at}})
	}
	new := seenOf("http://shop.example/sitemap.xml", now...)
	new.Causes = causes
	d := compareSeen(t, seenOf("http://shop.example/sitemap.xml", then...), new)
	var text, md bytes.Buffer
	if err := WriteDiff(&text, d, Summary{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteDiffMarkdown(&md, d, "en"); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(text.String(), "\n"); lines > 40 || !strings.Contains(text.String(), "and 4,990 more") {
		t.Errorf("%d lines:\n%s", lines, text.String())
	}
	if md.Len() > maxMarkdown+2000 || !strings.Contains(md.String(), "and 4,950 more") {
		t.Errorf("%d bytes of Markdown:\n%.3000s", md.Len(), md.String())
	}
}

// A cause says how it turned, in both languages.
func TestCausesOfDiff(t *testing.T) {
	at := func(n int) string { return "http://shop.example/" + strings.Repeat("x", n+1) }
	var then, now []audit.Observation
	for n := range 7 {
		then = append(then, audit.Observation{Address: at(n), Verdict: audit.OK, Status: 200})
		now = append(now, audit.Observation{Address: at(n), Verdict: audit.Error, Status: 503, Label: "503", Cause: 1})
	}
	new := seenOf("http://shop.example/sitemap.xml", now...)
	new.Causes = []audit.Cause{{Verdict: audit.Error, Group: audit.NeedsDecision, Count: 7, Terms: []pattern.Term{{Name: "status", From: "503"}}}}
	d := compareSeen(t, seenOf("http://shop.example/sitemap.xml", then...), new)
	for lang, want := range map[string][2]string{
		"en": {"new: Server error (503)    0 -> 7 addresses", "Server error (503) (new)"},
		"ja": {"新規: サーバー エラー(503)    URL 0 -> 7 件", "サーバー エラー(503) (新規)"},
	} {
		var text, md bytes.Buffer
		for _, err := range []error{WriteDiff(&text, d, Summary{Lang: lang}), WriteDiffMarkdown(&md, d, lang)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(text.String(), want[0]) || !strings.Contains(md.String(), want[1]) {
			t.Errorf("want %q in\n%s\n%s", want, text.String(), md.String())
		}
	}
}

// What one audit could not know of links is not called new or gone.
func TestDiffOfLinksSaysWhatIsNotCompared(t *testing.T) {
	d := compareSeen(t, seenOf(""), seenOf(""))
	d.Linked = &audit.LinkedDiff{InOld: true, InNew: true, OldPages: 298, NewPages: 293}
	d.Linked.Kinds[audit.LinkedOld] = audit.LinkChange{Then: audit.LinkCount{Targets: 35, Links: 120}, NotCompared: 35}
	for _, c := range []struct {
		lang  string
		asked bool // by the newer audit alone
		want  []string
	}{
		{"en", false, []string{"35 (120 links) -> 0 (0 links): 35 not compared: one audit did not crawl them, does not list them, or did not crawl all pages that link to them\n",
			"links were read of 298 pages then, of 293 now\n"}},
		{"en", true, []string{"35 (120 links) -> 0 (0 links): not compared: the audit of 2026-11-21 10:02:11 did not crawl addresses that no sitemap lists\n"}},
		{"ja", false, []string{"片方の監査でURLの取得や記載がないか、リンク元のページを取得していないため比較できない35件\n", "リンクを読み取ったページ数: 前回298、今回293\n"}},
		{"ja", true, []string{"2026-11-21 10:02:11の監査ではサイトマップにないURLを取得していないため、比較していません\n"}},
	} {
		d.Linked.NewAsked = c.asked
		var text, json bytes.Buffer
		if err := WriteDiff(&text, d, Summary{Lang: c.lang}); err != nil {
			t.Fatal(err)
		}
		if err := WriteDiffJSON(t.Context(), &json, d); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("want %q in\n%s", want, text.String())
			}
		}
		if want := fmt.Sprintf(`"old":{"compared":%t,"old":35,"new":0,"old_links":120,"new_links":0,"gone":0,"added":0,"remain":0,"not_compared":35}`, !c.asked); !strings.Contains(json.String(), want) {
			t.Errorf("want %s in %s", want, json.String())
		}
	}
}

// A comparison says what changed beside the entries, and what only one audit looked at.
func TestWhatChangedBeside(t *testing.T) {
	const at = "http://shop.example/fr"
	page := audit.Observation{Address: "http://shop.example/", Verdict: audit.OK, Status: 200}
	old, new := seenOf("http://shop.example/sitemap.xml", page), seenOf("http://shop.example/sitemap.xml", page)
	list := func(l audit.AlsoList, v audit.Verdict, status int) audit.AlsoSights {
		of := seenOf("", audit.Observation{Address: at, Verdict: v, Status: status})
		return audit.AlsoSights{List: l, Addresses: 1, Sights: of.Sights}
	}
	old.Also = []audit.AlsoSights{list(audit.AlsoAlternates, audit.OK, 200)}
	new.Also = []audit.AlsoSights{list(audit.AlsoAlternates, audit.NotFound, 404), list(audit.AlsoImages, audit.OK, 200)}
	for _, s := range []*audit.Snapshot{&old, &new} { // it could name images
		s.Tallies[0].Sitemap.Spool = "0"
	}
	new.Tallies = append(new.Tallies, audit.Tally{Sitemap: audit.Sitemap{Kind: string(audit.AlsoImages)}})
	new.Info.Started = new.Info.Started.AddDate(0, 0, 1)
	d := compareSeen(t, old, new)
	d.Faults = []audit.FaultChange{{Name: "No return tags", Severity: "warning", Then: 5, Now: 3, Mended: 3, New: 1, Remain: 2,
		Places: []audit.NewFault{{Sitemap: "http://shop.example/sitemap.xml", Line: 7, N: 1}}},
		{Name: "Invalid URL", Severity: "error", Then: 3, Now: 15, New: 13, Mended: 1, Remain: 2, Unlisted: true, Places: []audit.NewFault{{Sitemap: "http://shop.example/b.xml", N: 9}, {Sitemap: "http://shop.example/c.xml", Line: 2, N: 3}}}}
	d.Linked = &audit.LinkedDiff{InOld: true}
	for lang, want := range map[string][]string{
		"en": {"Alternates  1 worse (1 new problem)\n            " + at + "    fine -> not found (404)\n", "Images      not compared: the audit of 2026-11-21 10:02 did not crawl them\n",
			"Faults      No return tags    5 -> 3: 3 mended · 1 new\n            new: http://shop.example/sitemap.xml, line 7\n",
			"            Invalid URL    3 -> 15: at least 1 mended · 13 new\n            new: 9 in http://shop.example/b.xml\n            new: 3 in http://shop.example/c.xml, the first in line 2\n            new: 1 more\n", "Links       not compared: the audit of 2026-11-22 10:02 did not read the links of its pages\n", "Note        no entry changed, but what is said above did\n"},
		"ja": {"代替ページ      悪化1件(新しい問題: 1件)\n", "リターンリンクなし    5 -> 3: 解消3件 · 新規1件\n                新規: http://shop.example/sitemap.xml 7行目\n",
			"    3 -> 15: 少なくとも解消1件 · 新規13件\n                新規: http://shop.example/b.xml 9件\n                新規: http://shop.example/c.xml 2行目ほか、計3件\n                新規: ほか1件\n"},
	} {
		var text bytes.Buffer
		if err := WriteDiff(&text, d, Summary{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line) {
				t.Errorf("want %q in\n%s", line, text.String())
			}
		}
	}
	for lang, want := range map[string][]string{
		"en": {"\n### Alternates\n\n1 worse (1 new problem)\n\n#### Worse\n\n| Address |", "\n\nno entry changed, but what is said above did\n"},
		"ja": {"\n#### 悪化\n"},
	} {
		var md bytes.Buffer
		if err := WriteDiffMarkdown(&md, d, lang); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(md.String(), line) {
				t.Errorf("want %q in\n%s", line, md.String())
			}
		}
	}
}

// Two audits of one minute are told apart by their seconds.
func TestTimesOfDiff(t *testing.T) {
	at := time.Date(2026, 11, 23, 8, 20, 7, 0, time.UTC)
	for later, want := range map[time.Duration]string{
		40 * time.Second: "2026-11-23 08:20:07 -> 2026-11-23 08:20:47, ",
		time.Minute:      "2026-11-23 08:20 -> 2026-11-23 08:21, ",
	} {
		d := compareSeen(t, seenOf("x"), seenOf("x"))
		d.Old.Started, d.New.Started = at, at.Add(later)
		if got := NewDiffWords(d, "en").Header(); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What a sitemap held is said by what is known of it: that nothing names it, that it is not there,
// that it could not be read, or only in part.
func TestWhatASitemapHeld(t *testing.T) {
	const url = "http://shop.example/a.xml"
	in := func(n int, change func(*audit.Tally)) *audit.Tally {
		x := &audit.Tally{Sitemap: audit.Sitemap{URL: url, Kind: "urlset"}, Entries: n, OK: n}
		change(x)
		return x
	}
	whole := in(4, func(*audit.Tally) {})
	answers := func(status int) *audit.Tally {
		return in(0, func(x *audit.Tally) {
			x.Unread, x.Sitemap.Kind, x.Sitemap.Status = true, "", status
			x.Sitemap.Faults = []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}
		})
	}
	cut := in(4, func(x *audit.Tally) { x.Sitemap.Faults = []audit.SitemapFault{{Severity: "error", Key: "cut-off"}} })
	for _, c := range []struct {
		old, new *audit.Tally
		en, ja   string
	}{
		{whole, nil, "error rate 0.0 % of 4 entries -> no longer named", "4件のエラー率 0.0% -> 記載から外れた"},
		{nil, whole, "not named yet -> error rate 0.0 % of 4 entries", "まだ記載なし -> 4件のエラー率 0.0%"},
		{whole, answers(404), "error rate 0.0 % of 4 entries -> not there (404)", "4件のエラー率 0.0% -> 存在しない(404)"},
		{answers(410), answers(503), "not there (410) -> could not be read", "存在しない(410) -> 読み取れず"},
		{&audit.Tally{Unread: true}, answers(404), "not known -> not there (404)", "不明 -> 存在しない(404)"},
		{in(0, func(x *audit.Tally) { x.Sitemap.Kind = "" }), answers(404), "read under another address -> not there (404)", "別のURLで読み取り済み -> 存在しない(404)"},
		{whole, cut, "error rate 0.0 % of 4 entries -> error rate 0.0 % of 4 entries, read only in part", "4件のエラー率 0.0% -> 4件のエラー率 0.0%、一部のみ読み取り"},
	} {
		f := audit.FileChange{URL: url, Old: c.old, New: c.new}
		for lang, want := range map[string]string{"en": c.en, "ja": c.ja} {
			then, now := NewDiffWords(&audit.Diff{}, lang).Tallies(&f)
			if got := then + " -> " + now; got != want {
				t.Errorf("%s: %s, want %s", lang, got, want)
			}
		}
		changed := len(ChangedFiles([]audit.FileChange{f})) == 1
		if both := c.old != nil && c.new != nil && c.old.Unread && c.new.Unread && !c.old.Unknown(); changed == both {
			t.Errorf("%s: changed %t", c.en, changed)
		}
	}
}

// A sitemap that cannot be read is said to be lost only where it was read before.
func TestSitemapThatCannotBeRead(t *testing.T) {
	const index, child = "http://shop.example/index.xml", "http://shop.example/child.xml"
	missing := audit.Sitemap{URL: child, Status: 404, Faults: []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}}
	whole, cut := audit.Sitemap{URL: child, Kind: "urlset"}, audit.Sitemap{URL: child, Kind: "urlset", Cut: true}
	seen := func(named ...audit.Sitemap) audit.Snapshot {
		s := seenOf(index)
		s.Info.Ended, s.Tallies[0].Sitemap.Kind = s.Info.Started, "index"
		for _, f := range named {
			s.Tallies = append(s.Tallies, audit.Tally{Sitemap: f})
		}
		return s
	}
	for _, c := range []struct {
		old, new audit.Snapshot
		en, ja   string
	}{
		{seen(whole), seen(missing), "1 sitemap that can no longer be read", "読み込めなくなったサイトマップ1件"},
		{seen(whole), seen(cut), "1 sitemap of which only a part can be read now", "一部しか読み込めなくなったサイトマップ1件"},
		{seen(), seen(missing), "1 newly named sitemap that cannot be read in full", "新たに記載されたが完全には読み込めないサイトマップ1件"},
		{seen(missing), seen(missing), "", ""},
	} {
		d := compareSeen(t, c.old, c.new)
		for lang, want := range map[string]string{"en": c.en, "ja": c.ja} {
			if got := NewDiffWords(d, lang).Since(); got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
	}
}

// Many addresses that are listed now and are no problem are one row; a few are a row each.
func TestJoinedAddressesAreGrouped(t *testing.T) {
	for n, want := range map[int][2]string{
		3: {"http://shop.example/0    not listed -> fine\n", "| `http://shop.example/0` | not listed | fine |\n"},
		4: {"4 addresses    not listed -> listed\n", "| 4 addresses | not listed | listed |\n"},
	} {
		var now []audit.Observation
		for i := range n {
			now = append(now, audit.Observation{Address: fmt.Sprintf("http://shop.example/%d", i), Verdict: audit.OK, Status: 200})
		}
		at := "http://shop.example/sitemap.xml"
		gone := audit.Observation{Address: "http://shop.example/left", Verdict: audit.OK, Status: 200}
		d := compareSeen(t, seenOf(at, gone), seenOf(at, now...))
		d.Faults = []audit.FaultChange{{Name: "Parsing error", Severity: "error", Now: 2, New: 2, NewErrors: 2}}
		var text, md bytes.Buffer
		if err := errors.Join(WriteDiff(&text, d, Summary{Lang: "en"}), WriteDiffMarkdown(&md, d, "en")); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{want[0], "http://shop.example/left    fine -> not listed\n", "\n2 new errors in the sitemaps\n"} {
			if !strings.Contains(text.String(), line) {
				t.Errorf("%d: want %q in\n%s", n, line, text.String())
			}
		}
		if !strings.Contains(md.String(), want[1]) || !d.Worse() {
			t.Errorf("%d: want %q in\n%s", n, want[1], md.String())
		}
	}
}
