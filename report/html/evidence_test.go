package html

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
)

// The opened row of an entry says what robots requested and what Google keeps of it: for a client
// what concerns Googlebot and the index, for an expert all.
func TestEvidenceInBrowser(t *testing.T) {
	b := newBrowser(t)
	s, bounce, fine, moved := fixture.Witnessed()
	s.Result.Logs = fixture.NoLogs()
	file := saved(t, "report.html", pageOf(t, s.Result, Options{Lang: "en", Written: writtenOf(s.Result)}))
	for _, x := range []struct {
		row              *audit.Row
		lang, view, want string
	}{
		{bounce, "en", "expert", `Googlebot | Requested in another spelling 37 times · 2026-11-03 to 2026-11-18 · answered 200 × 1, 301 × 36 · last answer 301 /(4)\xE9<b> | ` +
			"Bingbot | Requested as listed 1 time · 2026-11-03 · answered 200 As a CDN recorded it."},
		{bounce, "ja", "client", `Googlebot | 別表記でのリクエスト37回 · 2026-11-03〜2026-11-18 · 応答 200 × 1, 301 × 36 · 最後の応答 301 /(4)\xE9<b>`},
		{fine, "en", "client", "Googlebot | Not requested in the access logs · 2026-11-03 to 2026-11-18"},
		{fine, "ja", "expert", "Googlebot | アクセスログにリクエストなし · 2026-11-03〜2026-11-18"},
		{moved, "en", "client", "Google's index | Not in the index · Page with redirect · last crawled 2026-11-04 · as this audit saw it | Canonical that Google chose | " + moved.Final.String()},
		{moved, "ja", "expert", "Googleのインデックス | インデックス未登録 · ページにリダイレクトがあります · 最終クロール 2026-11-04 · 今回の結果と一致 | Googleが選択したcanonical | " + moved.Final.String() +
			` | Googleの回答 | SUCCESSFUL · sc-domain:shop.example · canonical: https://x.example/"<img src=x> · 2026-11-21 12:00:00 UTC`},
	} {
		b.open(file, "#entries&view="+x.view+"&lang="+x.lang+"&q="+strings.ReplaceAll(x.row.Address.String(), "%", "%25"))
		b.settled()
		if b.Eval(`document.querySelectorAll('.det').length`) == "0" {
			b.click(".r .tog")
		}
		got := b.Eval(`(list => list.filter((e, i) => /^(Google|Bingbot|Canonical that)/.test((e.tagName === 'DT' ? e : list[i - 1]).innerText) && e.getClientRects().length)
			.map(e => e.innerText.replace(/\s+/g, ' ').trim()).join(' | '))([...document.querySelectorAll('.det .kv > *')])`)
		if got != x.want {
			t.Errorf("%s, %s view, %s: it says\n%s\nwant\n%s", x.row.Verdict, x.view, x.lang, got, x.want)
		}
		if got := b.Eval(`document.querySelectorAll('.det .trail li').length`); got == "0" {
			t.Errorf("%s: there is no trail", x.row.Verdict)
		}
		b.Do(chromedp.EmulateViewport(390, 844))
		b.fits(390)
		b.Do(chromedp.EmulateViewport(1280, 900))
		b.Eval(`document.querySelector('.det').scrollIntoView({ block: 'center' })`)
		b.Picture("evidence-"+string(x.row.Verdict)+"-"+x.lang, false)
	}
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}

// Without a script the page says the same of the rows that it holds.
func TestEvidenceInBrowserWithoutScript(t *testing.T) {
	b := newBrowser(t)
	s, _, _, moved := fixture.Witnessed()
	file := saved(t, "report.html", pageOf(t, s.Result, Options{Lang: "en", Written: writtenOf(s.Result)}))
	if _, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#static details")))
	text := b.Eval(`document.querySelector('#static').textContent.replace(/\s+/g, ' ')`)
	for _, want := range []string{"Requested in another spelling 37 times · 2026-11-03 to 2026-11-18 · answered 200 × 1, 301 × 36 · last answer 301", `/(4)\xE9<b>`,
		"Not in the index · Page with redirect · last crawled 2026-11-04 · as this audit saw it", moved.Final.String()} {
		if !strings.Contains(text, want) {
			t.Errorf("without script the page does not say %q", want)
		}
	}
}

// A row of which neither says anything takes no byte for it, and a fine one no line at all.
func TestEvidenceCostsNothing(t *testing.T) {
	s, _, fine, _ := fixture.Witnessed()
	c := newColumns(new(strings.Builder), s.Result, newEntryGroups(s.Result, conclude.Of(s.Result, conclude.Options{})))
	fine.Crawled = nil
	if err := c.add(1, fine); err != nil || c.details.String() != "\n" {
		t.Errorf("a fine row opens to %q, %v", c.details.String(), err)
	}
	fine.Crawled = []accesslog.Finding{{Class: accesslog.Never}}
	if err := c.add(1, fine); err != nil || c.details.String() != "\n{\"cn\":true}\n" {
		t.Errorf("a row that Googlebot does not request opens to %q, %v", c.details.String(), err)
	}
}
