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

	chromium "sitemend/report/internal/browser"
	"sitemend/report/internal/fixture"
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

// click clicks and waits until the table shows what that leads to.
func (b *browser) click(selector string) {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
	b.settled()
}

func (b *browser) settled() {
	b.T.Helper()
	b.Until(`!document.querySelector('#app').hasAttribute('aria-busy')`)
}

// seek searches the table.
func (b *browser) seek(text string) {
	b.T.Helper()
	b.Eval(`(document.querySelector('#q').value = '', document.querySelector('#q').focus(), '')`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#q"), text+"\r"))
	b.settled()
}

// all are what a selector finds, in text, one to a line.
func (b *browser) all(selector string) string {
	b.T.Helper()
	return b.Eval("[...document.querySelectorAll(`" + selector + "`)].map(e => e.innerText.replace(/\\s+/g, ' ').trim()).join('\\n')")
}

// fits fails where the page is wider than the screen.
func (b *browser) fits(width int) {
	b.T.Helper()
	if got := b.Eval(`document.documentElement.scrollWidth`); got != strconv.Itoa(width) {
		b.T.Errorf("at %d px the page is %s px wide: %s", width, got, b.Eval(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.vh, .sprite')).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join('\n')`))
	}
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

	t.Run("Japanese and dark", func(t *testing.T) { b.T = t; speaksJapanese(b, file) })
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

func speaksJapanese(b *browser, file string) {
	b.open(file, "")
	b.Do(chromedp.Click(chromedp.CSS("#lang")))
	b.Until(`document.documentElement.lang === 'ja' && document.querySelector('#app [role=status]').textContent.includes('件')`)
	if got := b.Eval(`document.querySelector('main').innerText.includes('リダイレクト ループ')`); got != "true" {
		b.T.Error("the page does not speak Japanese")
	}
	if got := b.Eval(`document.querySelector('main').innerText.includes('Fix first')`); got != "false" {
		b.T.Error("English headings are left in the Japanese page")
	}
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'dark'; s.dispatchEvent(new Event('change')); })()`)
	if got := b.Eval(`getComputedStyle(document.body).backgroundColor`); got != "rgb(16, 18, 22)" {
		b.T.Errorf("the dark background is %s", got)
	}
	b.Eval(`scrollTo(0, 0)`)
	b.Picture("dark-ja-1", false)
	b.Picture("dark-ja-full", true)
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'auto'; s.dispatchEvent(new Event('change')); })()`)
}

func fitsPhone(b *browser, file string) {
	b.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	for _, lang := range []string{"en", "ja"} {
		b.open(file, "#lang="+lang)
		b.Eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
		b.fits(390)
		b.Picture("phone-"+lang, false)
		b.Picture("phone-full-"+lang, true)
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
}

// A large report opens, filters and searches in a time that people accept; the
// time is told, not judged.
func TestLargeInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 rows are not for -short")
	}
	s := fixture.NewStudy(100_000)
	text := pageOf(t, s.Result, Options{Written: writtenOf(s.Result)})
	file := saved(t, "large.html", text)
	b := newBrowser(t)
	began := time.Now()
	b.open(file, "")
	t.Logf("%d rows: %d bytes, opened in %v", s.Result.Counts.Entries, len(text), time.Since(began))
	b.seek("kyoto-000")
	b.click("[data-id=s-url]")
	b.Until(`location.hash.includes('sort=url')`)
	if got := b.status(); !strings.HasSuffix(got, " of 100,010") {
		t.Errorf("the search says %q", got)
	}
	savesSorted(b, file)
	for _, said := range b.Said() {
		t.Errorf("the console says %s", said)
	}
}

// Chunks end with their bytes, too: each row is found where chunks have different sizes.
func TestChunksOfLongRowsInBrowser(t *testing.T) {
	b := newBrowser(t)
	s := fixture.NewLongStudy(400)
	text := pageOf(t, s.Result, Options{})
	if n := strings.Count(text, `class="texts"`); n < 5 {
		t.Errorf("there are %d chunks", n)
	}
	file := saved(t, "report.html", text)
	for f, rows := range s.Rows {
		for _, i := range []int{len(rows) / 6 * 3, (len(rows) - 1) / 3 * 3} {
			if f%2 == 0 || i == 0 {
				continue
			}
			at := fmt.Sprintf("/%d/%d/", f, i)
			b.open(file, "#entries&q=www.shop.example"+at)
			if got := b.status(); !strings.HasPrefix(got, "1 of 4") {
				t.Errorf("%s: %q", at, got)
			}
			if got, want := b.Eval(`document.querySelector('.listing .r .sm').textContent`), fmt.Sprintf(":%d", rows[i].Entry.Line); !strings.HasSuffix(got, want) {
				t.Errorf("%s is shown at %s, not at %s", at, got, want)
			}
			b.click(".listing .tog")
			if got := b.Eval(`document.querySelector('.det .trail').textContent`); !strings.Contains(got, "https://www.shop.example"+at+"1/&&") {
				t.Errorf("%s opens to %.200s", at, got)
			}
		}
	}
}

// savesSorted saves all rows in an order that goes to and fro between the chunks: the
// file has this order, and no chunk becomes text more often than once for each column.
func savesSorted(b *browser, file string) {
	b.open(file, "#entries&sort=answers&group=0")
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
	for _, want := range []string{"アップロード", "判断", "ファイル"} {
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
