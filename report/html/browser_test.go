package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is a real one with what it complained about and asked for.
type browser struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []string
	urls []string
}

// newBrowser starts Chromium, or skips the test where there is none; with
// SITEMEND_NO_SKIP set that is a failure.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal("chromium is not installed: apt-get install chromium")
		}
		t.Skip("chromium is not installed: apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	b.do()
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing the browser: %v", err)
		}
	})
	return b
}

// hear keeps what the page writes to the console and what it asks for.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.urls = append(b.urls, e.Request.URL)
	}
}

// do runs steps; what takes longer than half a minute does not happen any more.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx := b.ctx
	if len(steps) > 0 { // the first, empty call starts the browser, which lives longer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(b.ctx, 30*time.Second)
		defer cancel()
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of a script as text.
func (b *browser) eval(script string) string {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return got
}

// until waits until script is true.
func (b *browser) until(script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+script+")", chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		b.t.Fatalf("waited for %s: %v; status line %q", script, err, b.eval(`document.querySelector('#app [role=status]')?.textContent`))
	}
}

// open opens a page from disk and waits until its table stands.
func (b *browser) open(file, hash string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+file+hash), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
}

func (b *browser) status() string {
	b.t.Helper()
	return b.eval(`document.querySelector('#app [role=status]').textContent`)
}

// picture writes what the browser shows into the folder SITEMEND_SCREENSHOTS.
func (b *browser) picture(name string, full bool) {
	dir := os.Getenv("SITEMEND_SCREENSHOTS")
	if dir == "" {
		return
	}
	shot := chromedp.CaptureScreenshot()
	if full {
		shot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(b.ctx, shot)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
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
	b.do(chromedp.EmulateViewport(1280, 900))
	b.open(file, "")

	t.Run("opens with what needs a person", func(t *testing.T) {
		b.t = t
		if got := b.eval(`document.querySelector('[data-id=g-needs-you]').getAttribute('aria-pressed')`); got != "true" {
			t.Errorf("chip of needs-you is pressed: %s", got)
		}
		b.picture("light-1", false)
		b.picture("light-full", true)
	})
	t.Run("filters, searches, sorts, pages", func(t *testing.T) { b.t = t; usesTable(b) })
	t.Run("opens a trail", func(t *testing.T) { b.t = t; opensTrails(b, file) })
	t.Run("shows hostile addresses as text", func(t *testing.T) { b.t = t; showsHostile(b, file) })
	t.Run("a cause filters the table", func(t *testing.T) { b.t = t; followsCause(b, file) })
	t.Run("by keyboard", func(t *testing.T) { b.t = t; byKeyboard(b, file) })
	t.Run("Japanese and dark", func(t *testing.T) { b.t = t; speaksJapanese(b, file) })
	t.Run("on a phone", func(t *testing.T) { b.t = t; fitsPhone(b, file) })
	b.t = t
	for _, text := range b.said {
		t.Errorf("the console says %s", text)
	}
	for _, u := range b.urls {
		if u, _, _ = strings.Cut(u, "#"); u != "file://"+file && u != "about:blank" && !strings.HasPrefix(u, "blob:") {
			t.Errorf("the page asks for %s", u)
		}
	}
}

func usesTable(b *browser) {
	b.do(chromedp.Click(chromedp.CSS("[data-id=g-all]")))
	b.until(`document.querySelector('#app [role=status]').textContent.includes('of 5,009')`)
	b.do(chromedp.Click(chromedp.CSS("[data-id=v-loop]")))
	b.until(`[...document.querySelectorAll('.c-verdict .v')].every(v => v.textContent === 'Redirect loop')`)
	b.do(chromedp.Click(chromedp.CSS("#clear")), chromedp.SendKeys(chromedp.CSS("#q"), "カテゴリ"))
	b.until(`location.hash.includes('q=')`)
	if wrong := b.eval(`[...document.querySelectorAll('.r .c-url')].filter(c => !c.textContent.includes('カテゴリ')).length`); wrong != "0" {
		b.t.Errorf("%s rows found without the text that was searched", wrong)
	}
	b.do(chromedp.Click(chromedp.CSS("#clear")), chromedp.Click(chromedp.CSS("[data-id=s-url]")))
	b.until(`location.hash.includes('s=url') && document.querySelector('th.c-url').ariaSort === 'ascending'`)
	first := b.eval(`document.querySelector('.r .c-url').textContent`)
	b.do(chromedp.Click(chromedp.CSS("[data-nav=last]")))
	b.until(`document.querySelector('[data-nav=next]').disabled`)
	if last := b.eval(`[...document.querySelectorAll('.r .c-url')].at(-1).textContent`); last <= first {
		b.t.Errorf("sorted by URL, the last row %q is not after the first %q", last, first)
	}
	b.eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = blob => { window.saved = blob; return real.call(URL, blob); }; document.querySelector('#csv').click(); return ''; })()`)
	b.until(`window.saved`)
	b.eval(`(window.saved.text().then(text => { window.savedText = text; }), '')`)
	b.until(`window.savedText`)
	csv := b.eval(`window.savedText`)
	if strings.Count(csv, "\r\n") != 5010 || !strings.Contains(csv, "\r\n") {
		b.t.Errorf("the CSV has %d lines, want 5010", strings.Count(csv, "\r\n"))
	}
	if !strings.Contains(csv, ",'=cmd|") {
		b.t.Error("a cell that begins with = is not quoted in the CSV")
	}
}

func opensTrails(b *browser, file string) {
	b.open(file, "#v=moved&s=status")
	b.do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
	if got := b.eval(`document.querySelectorAll('.drow .trail li').length`); got < "2" {
		b.t.Errorf("a moved entry has %s hops", got)
	}
	if got := b.eval(`document.querySelector('.drow ins, .drow del') !== null`); got != "true" {
		b.t.Error("nothing is marked as different between the hops")
	}
	b.eval(`document.querySelector('#table').scrollIntoView()`)
	b.picture("trail-moved", false)
	b.open(file, "#v=respelled")
	b.do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail mark")))
	b.eval(`document.querySelector('#table').scrollIntoView()`)
	b.picture("trail-respelled", false)
	b.open(file, "#v=spelling-bounce")
	b.do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow pre")))
	if got := b.eval(`document.querySelector('.drow pre').textContent`); !strings.Contains(got, "(4)'") || !strings.HasPrefix(got, "grep Googlebot access.log | grep -F '/") {
		b.t.Errorf("the line to look into the log is %q", got)
	}
	b.eval(`document.querySelector('#table').scrollIntoView()`)
	b.picture("trail-bounce", false)
}

func showsHostile(b *browser, file string) {
	b.open(file, "#q=shop.example/%3C")
	b.until(`document.querySelectorAll('.r').length > 0`)
	b.eval(`document.querySelectorAll('.r .open').forEach(open => open.click())`)
	b.until(`document.querySelectorAll('.drow .detail').length === document.querySelectorAll('.r').length`)
	if got := b.eval(`document.querySelectorAll('main img, main script:not([type]), main a[href]:not([href^="#"])').length`); got != "0" {
		b.t.Errorf("%s elements came from an address", got)
	}
	if text := b.eval(`document.querySelector('.r .c-url').textContent`); !strings.Contains(text, "</script><img") {
		b.t.Errorf("the address is shown as %q", text)
	}
	b.open(file, "#v=invalid&g=")
	b.until(`document.querySelectorAll('.r').length >= 2`)
	b.eval(`document.querySelector('#table').scrollIntoView()`)
	b.picture("hostile", false)
}

func followsCause(b *browser, file string) {
	b.open(file, "")
	want := b.eval(`document.querySelector('.causes .count').textContent`)
	b.do(chromedp.Click(chromedp.CSS(".causes h3 a")))
	b.until(`document.activeElement.id === 'table'`)
	if got := b.status(); !strings.HasSuffix(got, "of "+want+" entries") {
		b.t.Errorf("after choosing a cause with %s entries the table says %q", want, got)
	}
}

// byKeyboard opens a row and closes it again with keys alone.
func byKeyboard(b *browser, file string) {
	b.open(file, "#v=loop")
	b.do(chromedp.Focus(chromedp.CSS(".r .open")), chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
	if got := b.eval(`document.activeElement.getAttribute('aria-expanded')`); got != "true" {
		b.t.Errorf("the opened row's button is expanded: %s", got)
	}
	b.do(chromedp.KeyEvent(" "), chromedp.WaitNotPresent(chromedp.CSS(".drow")))
	b.do(chromedp.Focus(chromedp.CSS("[data-id=v-loop]")), chromedp.KeyEvent(" "))
	b.until(`document.activeElement.dataset.id === 'v-loop' && document.activeElement.ariaPressed === 'false'`)
}

func speaksJapanese(b *browser, file string) {
	b.open(file, "")
	b.do(chromedp.Click(chromedp.CSS("#lang")))
	b.until(`document.documentElement.lang === 'ja' && document.querySelector('#app [role=status]').textContent.includes('件中')`)
	if got := b.eval(`document.querySelector('main').innerText.includes('リダイレクト ループ')`); got != "true" {
		b.t.Error("the page does not speak Japanese")
	}
	if got := b.eval(`document.querySelector('main').innerText.includes('Fix first')`); got != "false" {
		b.t.Error("English headings are left in the Japanese page")
	}
	b.eval(`(() => { const s = document.querySelector('#theme'); s.value = 'dark'; s.dispatchEvent(new Event('change')); })()`)
	if got := b.eval(`getComputedStyle(document.body).backgroundColor`); got != "rgb(16, 19, 23)" {
		b.t.Errorf("the dark background is %s", got)
	}
	b.eval(`scrollTo(0, 0)`)
	b.picture("dark-ja-1", false)
	b.picture("dark-ja-full", true)
	b.eval(`(() => { const s = document.querySelector('#theme'); s.value = 'auto'; s.dispatchEvent(new Event('change')); })()`)
}

func fitsPhone(b *browser, file string) {
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	for _, lang := range []string{"en", "ja"} {
		for _, hash := range []string{"#lang=" + lang, "#g=&q=shop&lang=" + lang} {
			b.open(file, hash)
			b.eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
			b.eval(`[...document.querySelectorAll('.r .open')].slice(0, 9).forEach(open => open.click())`)
			b.until(`document.querySelectorAll('.drow .detail').length >= 9`)
			if got := b.eval(`document.documentElement.scrollWidth`); got != "390" {
				b.t.Errorf("at 390 px %s is %s px wide: %s", hash, got, b.eval(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 391 && !e.closest('.vh, .sprite')).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join('\n')`))
			}
		}
		b.open(file, "#v=respelled&lang="+lang)
		b.picture("phone-"+lang, false)
		b.picture("phone-full-"+lang, true)
		b.do(chromedp.Click(chromedp.CSS(".r .open")), chromedp.WaitVisible(chromedp.CSS(".drow .trail")))
		b.eval(`document.querySelector('.rows').scrollIntoView()`)
		b.picture("phone-trail-"+lang, false)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// A large report opens, filters and searches in a time that people accept; the
// time is told, not judged.
func TestLargeInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 rows are not for -short")
	}
	s := newStudy(100_000)
	text := page(t, s.told, Options{Written: writtenOf(s.told)})
	file := saved(t, "large.html", text)
	b := newBrowser(t)
	began := time.Now()
	b.open(file, "")
	t.Logf("%d rows: %d bytes, opened in %v", s.told.Counts.Entries, len(text), time.Since(began))
	b.do(chromedp.Click(chromedp.CSS("[data-id=g-all]")))
	b.until(`document.querySelector('#app [role=status]').textContent.endsWith('of 100,009 entries')`)
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "kyoto-0000"))
	b.until(`/q=/.test(location.hash)`)
	b.do(chromedp.Click(chromedp.CSS("[data-id=s-url]")))
	b.until(`location.hash.includes('s=url')`)
	if strings.Contains(b.status(), "100,009") {
		t.Errorf("the search changed nothing: %q", b.status())
	}
	for _, said := range b.said {
		t.Errorf("the console says %s", said)
	}
}

// Without its script the page says the same first things.
func TestInBrowserWithoutScript(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", studyPage(t, 500, "ja"))
	b.do(chromedp.EmulateViewport(1280, 900))
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#static details")))
	text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"まず対応すること", "次にすること", "サイトマップ ファイルの不備"} {
		if !strings.Contains(text, want) {
			t.Errorf("without script the page does not show %q", want)
		}
	}
	if strings.Contains(text, "Fix first") {
		t.Error("without script both languages are shown")
	}
	b.picture("no-script-ja-full", true)
}
