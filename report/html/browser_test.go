package html

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"sitemend/crawler/audit"
	chromium "sitemend/report/internal/browser"
	"sitemend/report/messages"
)

// A browser shows pages from disk.
type browser struct{ *chromium.Browser }

func newBrowser(t *testing.T) *browser { return &browser{chromium.New(t)} }

// open opens a page from disk and waits until its table stands.
func (b *browser) open(file, hash string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+file+hash), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
}

func (b *browser) status() string {
	b.T.Helper()
	return b.Eval(`document.querySelector('#app [role=status]').textContent`)
}

func saved(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInBrowser(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", studyPage(t, 5000, "en"))
	b.Do(chromedp.EmulateViewport(1280, 900))
	b.open(file, "")

	t.Run("opens with what needs a person", func(t *testing.T) {
		b.T = t
		if got := b.Eval(`document.querySelector('[data-id=g-needs-you]').getAttribute('aria-pressed')`); got != "true" {
			t.Errorf("chip of needs-you is pressed: %s", got)
		}
		b.Picture("light-1", false)
		b.Picture("light-full", true)
	})
	t.Run("filters, searches, sorts, pages", func(t *testing.T) { b.T = t; usesTable(b) })
	t.Run("reads any hash", func(t *testing.T) { b.T = t; readsAnyHash(b, file) })
	t.Run("opens a trail", func(t *testing.T) { b.T = t; opensTrails(b, file) })
	t.Run("advises as decided", func(t *testing.T) { b.T = t; advisesAsDecided(b, file) })
	t.Run("shows hostile addresses as text", func(t *testing.T) { b.T = t; showsHostile(b, file) })
	t.Run("a cause filters the table", func(t *testing.T) { b.T = t; followsCause(b, file) })
	t.Run("by keyboard", func(t *testing.T) { b.T = t; byKeyboard(b, file) })
	t.Run("Japanese and dark", func(t *testing.T) { b.T = t; speaksJapanese(b, file) })
	t.Run("keeps to its width", func(t *testing.T) { b.T = t; keepsWidth(b, file) })
	t.Run("on a phone", func(t *testing.T) { b.T = t; fitsPhone(b, file) })
	b.T = t
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
	for _, u := range b.URLs() {
		if u, _, _ = strings.Cut(u, "#"); u != "file://"+file && u != "about:blank" && !strings.HasPrefix(u, "blob:") {
			t.Errorf("the page asks for %s", u)
		}
	}
}

func usesTable(b *browser) {
	b.Do(chromedp.Click(chromedp.CSS("[data-id=g-all]")))
	b.Until(`document.querySelector('#app [role=status]').textContent.includes('of 5,010')`)
	b.Do(chromedp.Click(chromedp.CSS("[data-id=v-loop]")))
	b.Until(`[...document.querySelectorAll('.c-verdict .v')].every(v => v.textContent === 'Redirect loop')`)
	b.Do(chromedp.Click(chromedp.CSS("#clear")), chromedp.SendKeys(chromedp.CSS("#q"), "カテゴリ"))
	b.Until(`location.hash.includes('q=')`)
	if wrong := b.Eval(`[...document.querySelectorAll('.r .c-url')].filter(c => !c.textContent.includes('カテゴリ')).length`); wrong != "0" {
		b.T.Errorf("%s rows found without the text that was searched", wrong)
	}
	b.Do(chromedp.Click(chromedp.CSS("#clear")), chromedp.Click(chromedp.CSS("[data-id=s-url]")))
	b.Until(`location.hash.includes('s=url') && document.querySelector('th.c-url').ariaSort === 'ascending'`)
	first := b.Eval(`document.querySelector('.r .c-url').textContent`)
	b.Do(chromedp.Click(chromedp.CSS("[data-nav=last]")))
	b.Until(`document.querySelector('[data-nav=next]').disabled`)
	if last := b.Eval(`[...document.querySelectorAll('.r .c-url')].at(-1).textContent`); last <= first {
		b.T.Errorf("sorted by URL, the last row %q is not after the first %q", last, first)
	}
	b.Eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = blob => { window.saved = blob; return real.call(URL, blob); }; document.querySelector('#csv').click(); return ''; })()`)
	b.Until(`window.saved`)
	b.Eval(`(window.saved.text().then(text => { window.savedText = text; }), '')`)
	b.Until(`window.savedText`)
	csv := b.Eval(`window.savedText`)
	if strings.Count(csv, "\r\n") != 5011 || !strings.Contains(csv, "\r\n") {
		b.T.Errorf("the CSV has %d lines, want 5011", strings.Count(csv, "\r\n"))
	}
	for _, cell := range []string{",'=cmd|", ",'＝1+1"} {
		if !strings.Contains(csv, cell) {
			b.T.Errorf("no cell of the CSV begins with %s", cell)
		}
	}
}

// A hash that no page made is an ordinary page.
func readsAnyHash(b *browser, file string) {
	for _, hash := range []string{"#c=length", "#f=length&g=x", "#s=__proto__", "#s=toString&p=1.5&z=7", "#v=constructor&r=__proto__&p=-1", "#=&&%zz"} {
		b.open(file, hash)
		if got := b.status(); !strings.HasPrefix(got, "1–50 of ") && got != "No entry matches." {
			b.T.Errorf("with %s: %q", hash, got)
		}
	}
}

func opensTrails(b *browser, file string) {
	b.open(file, "#v=moved&s=status")
	b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
	if got := b.Eval(`document.querySelectorAll('.drow .trail li').length`); got < "2" {
		b.T.Errorf("a moved entry has %s hops", got)
	}
	if got := b.Eval(`document.querySelector('.drow ins, .drow del') !== null`); got != "true" {
		b.T.Error("nothing is marked as different between the hops")
	}
	b.Eval(`document.querySelector('#table').scrollIntoView()`)
	b.Picture("trail-moved", false)
	b.open(file, "#v=respelled")
	b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail mark")))
	b.Eval(`document.querySelector('#table').scrollIntoView()`)
	b.Picture("trail-respelled", false)
	b.open(file, "#v=spelling-bounce")
	b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow pre")))
	if got := b.Eval(`document.querySelector('.drow pre').textContent`); !strings.Contains(got, "(4)'") || !strings.HasPrefix(got, "grep Googlebot access.log | grep -F '/") {
		b.T.Errorf("the line to look into the log is %q", got)
	}
	b.Eval(`document.querySelector('#table').scrollIntoView()`)
	b.Picture("trail-bounce", false)
}

// advisesAsDecided: what an opened row says to do follows from what was decided of it.
func advisesAsDecided(b *browser, file string) {
	b.open(file, "#v=noindex&g=needs-you")
	b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow dl")))
	of := func(term string) string {
		return b.Eval(`[...document.querySelectorAll('.drow dt')].filter(dt => dt.textContent === '` + term + `').map(dt => dt.nextElementSibling.textContent).join()`)
	}
	fix, do := of("In the sitemap"), of("What to do")
	if strings.Count(fix, "kept") != 1 {
		b.T.Errorf("a kept entry says %q", fix)
	}
	if want := strings.ReplaceAll(messages.Of("en").Remark(audit.Braked).Do, "`", ""); do != want {
		b.T.Errorf("an entry that the brake keeps is told to %q, want %q", do, want)
	}
	b.open(file, "#v=moved&g=corrected")
	b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow dl")))
	if got, want := of("What to do"), messages.Of("en").Do(messages.Decision{Verdict: audit.Moved, Action: audit.Replace}); got != want {
		b.T.Errorf("a replaced entry is told to %q, want %q", got, want)
	}
}

func showsHostile(b *browser, file string) {
	b.open(file, "#q=shop.example/%3C")
	b.Until(`document.querySelectorAll('.r').length > 0`)
	b.Eval(`document.querySelectorAll('.r .open').forEach(open => open.click())`)
	b.Until(`document.querySelectorAll('.drow .detail').length === document.querySelectorAll('.r').length`)
	if got := b.Eval(`document.querySelectorAll('main img, main script:not([type]), main a[href]:not([href^="#"])').length`); got != "0" {
		b.T.Errorf("%s elements came from an address", got)
	}
	if text := b.Eval(`document.querySelector('.r .c-url').textContent`); !strings.Contains(text, "</script><img") {
		b.T.Errorf("the address is shown as %q", text)
	}
	b.open(file, "#v=invalid&g=")
	b.Until(`document.querySelectorAll('.r').length >= 2`)
	b.Eval(`document.querySelector('#table').scrollIntoView()`)
	b.Picture("hostile", false)
}

func followsCause(b *browser, file string) {
	b.open(file, "")
	want := b.Eval(`document.querySelector('.causes .count').textContent`)
	b.Do(chromedp.Click(chromedp.CSS(".causes h4 a")))
	b.Until(`document.activeElement.id === 'table'`)
	if got := b.status(); !strings.HasSuffix(got, "of "+want+" entries") {
		b.T.Errorf("after choosing a cause with %s entries the table says %q", want, got)
	}
}

// byKeyboard opens a row and closes it again with keys alone.
func byKeyboard(b *browser, file string) {
	b.open(file, "#v=loop")
	b.Do(chromedp.Focus(chromedp.CSS(".r .open")), chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
	if got := b.Eval(`document.activeElement.getAttribute('aria-expanded')`); got != "true" {
		b.T.Errorf("the opened row's button is expanded: %s", got)
	}
	b.Do(chromedp.KeyEvent(" "), chromedp.WaitNotPresent(chromedp.CSS(".drow")))
	b.Do(chromedp.Focus(chromedp.CSS("[data-id=v-loop]")), chromedp.KeyEvent(" "))
	b.Until(`document.activeElement.dataset.id === 'v-loop' && document.activeElement.ariaPressed === 'false'`)
}

func speaksJapanese(b *browser, file string) {
	b.open(file, "")
	b.Do(chromedp.Click(chromedp.CSS("#lang")))
	b.Until(`document.documentElement.lang === 'ja' && document.querySelector('#app [role=status]').textContent.includes('件中')`)
	if got := b.Eval(`document.querySelector('main').innerText.includes('リダイレクト ループ')`); got != "true" {
		b.T.Error("the page does not speak Japanese")
	}
	if got := b.Eval(`document.querySelector('main').innerText.includes('Fix first')`); got != "false" {
		b.T.Error("English headings are left in the Japanese page")
	}
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'dark'; s.dispatchEvent(new Event('change')); })()`)
	if got := b.Eval(`getComputedStyle(document.body).backgroundColor`); got != "rgb(16, 19, 23)" {
		b.T.Errorf("the dark background is %s", got)
	}
	b.Eval(`scrollTo(0, 0)`)
	b.Picture("dark-ja-1", false)
	b.Picture("dark-ja-full", true)
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'auto'; s.dispatchEvent(new Event('change')); })()`)
}

// keepsWidth looks at every width with rows that answer in a sentence.
func keepsWidth(b *browser, file string) {
	for _, width := range []int64{1280, 961, 960, 820, 721, 390} {
		b.Do(chromedp.EmulateViewport(width, 900))
		b.open(file, "#g=not-checked&s=status&d=desc")
		if got := b.Eval(`document.documentElement.scrollWidth - innerWidth`); got != "0" {
			b.T.Errorf("at %d px the page is %s px too wide", width, got)
		}
		if got := b.Eval(`[...document.querySelectorAll('.c-status')].filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.textContent)[0]`); got != "undefined" {
			b.T.Errorf("at %d px %q does not fit in its column", width, got)
		}
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
}

func fitsPhone(b *browser, file string) {
	b.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	for _, lang := range []string{"en", "ja"} {
		for _, hash := range []string{"#lang=" + lang, "#g=&q=shop&lang=" + lang} {
			b.open(file, hash)
			b.Eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
			b.Eval(`[...document.querySelectorAll('.r .open')].slice(0, 9).forEach(open => open.click())`)
			b.Until(`document.querySelectorAll('.drow .detail').length >= 9`)
			if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
				b.T.Errorf("at 390 px %s is %s px wide: %s", hash, got, b.Eval(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 391 && !e.closest('.vh, .sprite')).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join('\n')`))
			}
		}
		b.open(file, "#v=respelled&lang="+lang)
		b.Picture("phone-"+lang, false)
		b.Picture("phone-full-"+lang, true)
		b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
		b.Eval(`document.querySelector('.rows').scrollIntoView()`)
		b.Picture("phone-trail-"+lang, false)
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
}

// A large report opens, filters and searches in a time that people accept; the
// time is told, not judged.
func TestLargeInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 rows are not for -short")
	}
	s := newStudy(100_000)
	text := pageOf(t, s.told, Options{Written: writtenOf(s.told)})
	file := saved(t, "large.html", text)
	b := newBrowser(t)
	began := time.Now()
	b.open(file, "")
	t.Logf("%d rows: %d bytes, opened in %v", s.told.Counts.Entries, len(text), time.Since(began))
	b.Do(chromedp.Click(chromedp.CSS("[data-id=g-all]")))
	b.Until(`document.querySelector('#app [role=status]').textContent.endsWith('of 100,010 entries')`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#q"), "kyoto-0000"))
	b.Until(`/q=/.test(location.hash)`)
	b.Do(chromedp.Click(chromedp.CSS("[data-id=s-url]")))
	b.Until(`location.hash.includes('s=url')`)
	if strings.Contains(b.status(), "100,010") {
		t.Errorf("the search changed nothing: %q", b.status())
	}
	savesSorted(b)
	for _, said := range b.Said() {
		t.Errorf("the console says %s", said)
	}
}

// Chunks end with their bytes, too: each row is found where chunks have different sizes.
func TestChunksOfLongRowsInBrowser(t *testing.T) {
	b := newBrowser(t)
	s := newLongStudy(400)
	text := pageOf(t, s.told, Options{})
	if n := strings.Count(text, `class="texts"`); n < 5 {
		t.Errorf("there are %d chunks", n)
	}
	file := saved(t, "report.html", text)
	for f, rows := range s.rows {
		for _, i := range []int{len(rows) / 6 * 3, (len(rows) - 1) / 3 * 3} {
			if f%2 == 0 || i == 0 {
				continue
			}
			at := fmt.Sprintf("/%d/%d/", f, i)
			b.open(file, "#q=www.shop.example"+at)
			if got := b.status(); !strings.HasPrefix(got, "1–1 of 1 ") {
				t.Errorf("%s: %q", at, got)
			}
			if got, want := b.Eval(`document.querySelector('.c-url .sm:last-child').textContent`), fmt.Sprintf(":%d", rows[i].Entry.Line); !strings.HasSuffix(got, want) {
				t.Errorf("%s is shown at %s, not at %s", at, got, want)
			}
			b.Do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
			if got := b.Eval(`document.querySelector('.drow .trail').textContent`); !strings.Contains(got, "https://www.shop.example"+at+"1/&&") {
				t.Errorf("%s opens to %.200s", at, got)
			}
		}
	}
}

// savesSorted saves all rows in an order that goes to and fro between the chunks: the
// file has this order, and no chunk becomes text more often than once for each column.
func savesSorted(b *browser) {
	b.Do(chromedp.Click(chromedp.CSS("#clear")))
	b.Until(`document.querySelector('#app [role=status]').textContent.endsWith('of 100,010 entries')`)
	b.Do(chromedp.Click(chromedp.CSS("[data-id=s-status]")))
	b.Until(`location.hash.includes('s=status')`)
	b.Eval(`(() => {
		const decode = TextDecoder.prototype.decode, url = URL.createObjectURL;
		window.decoded = 0;
		TextDecoder.prototype.decode = function (...args) { window.decoded++; return decode.apply(this, args); };
		URL.createObjectURL = blob => { blob.text().then(text => { window.savedText = text; }); return url.call(URL, blob); };
		document.querySelector('#csv').click();
	})()`)
	b.Until(`window.savedText`)
	chunks := (100_010 + chunkRows - 1) / chunkRows
	if n, err := strconv.Atoi(b.Eval(`window.decoded`)); err != nil || n > chunks*len(texts) {
		b.T.Errorf("%d chunks of %d columns became text %d times, %v", chunks, len(texts), n, err)
	}
	b.Eval(`(window.lines = window.savedText.split('\r\n').slice(1, -1).map(line => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)[8]), '')`)
	if got := b.Eval(`[window.lines.length, window.lines.every((x, i) => !i || window.lines[i - 1].slice(0, -1) <= x.slice(0, -1))]`); got != "100010,true" {
		b.T.Errorf("rows of the file, and whether they are in order: %s", got)
	}
}

// Without its script the page says the same first things.
func TestInBrowserWithoutScript(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", studyPage(t, 500, "ja"))
	b.Do(chromedp.EmulateViewport(1280, 900))
	if _, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#static details")))
	text, err := chromedp.Run(b.Ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"すること", "次にすること", "サイトマップ ファイルの不備"} {
		if !strings.Contains(text, want) {
			t.Errorf("without script the page does not show %q", want)
		}
	}
	if strings.Contains(text, "Fix first") {
		t.Error("without script both languages are shown")
	}
	b.Picture("no-script-ja-full", true)
	b.Do(chromedp.EmulateViewport(390, 844), chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#static details")))
	if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
		t.Errorf("at 390 px, without script, the page is %s px wide", got)
	}
	if got := b.Eval(`[...document.scripts].filter(s => s.getClientRects().length > 0).length`); got != "0" {
		t.Errorf("%s of the page's data elements are shown as text", got)
	}
}
