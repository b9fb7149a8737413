package serve

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sitemend/report/internal/browser"
)

// browse opens the list of the shops in a real browser.
func browse(t *testing.T) (b *browser.Browser, root string) {
	t.Helper()
	b = browser.New(t)
	server := httptest.NewServer(newSite(t, shops()).Handler())
	t.Cleanup(server.Close)
	b.Do(chromedp.EmulateViewport(1280, 900))
	return b, server.URL + "/" + token + "/"
}

func goTo(b *browser.Browser, url string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
}

func TestInBrowser(t *testing.T) {
	b, root := browse(t)
	t.Run("lists, opens a report, comes back", func(t *testing.T) { b.T = t; opensReport(b, root) })
	t.Run("finds an address in all audits", func(t *testing.T) { b.T = t; findsAddress(b, root) })
	t.Run("shows hostile addresses as text", func(t *testing.T) { b.T = t; showsHostile(b, root) })
	t.Run("compares two audits", func(t *testing.T) { b.T = t; compares(b, root) })
	t.Run("at every width", func(t *testing.T) { b.T = t; fits(b, root) })
	b.T = t
	for _, text := range b.Said() {
		if !strings.Contains(text, "status of 404") { // of the page that there is not, on the phone
			t.Errorf("the console says %s", text)
		}
	}
	for _, u := range b.URLs() {
		if !strings.HasPrefix(u, root) && u != "about:blank" && !strings.HasPrefix(u, "blob:") {
			t.Errorf("a page asks for %s", u)
		}
	}
}

func opensReport(b *browser.Browser, root string) {
	goTo(b, root)
	if got := b.Eval(`[...document.querySelectorAll('.audits tbody th a')].map(a => a.textContent).join()`); got != "2026-11-20 10:02 UTC,2026-11-15 10:02 UTC,2026-11-08 10:02 UTC,2026-11-01 10:02 UTC" {
		b.T.Errorf("the list is %s", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(".audits tr:nth-child(2) th a")), chromedp.WaitReady(chromedp.CSS("html[data-ready] #app .listing")))
	if got := b.Eval(`document.querySelector('#app [role=status]').textContent`); !strings.Contains(got, "9 URLs") {
		b.T.Errorf("the report's table says %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(".site a")), chromedp.WaitReady(chromedp.CSS("html[data-ready] .audits")))
}

func findsAddress(b *browser.Browser, root string) {
	goTo(b, root)
	b.Do(chromedp.SendKeys(chromedp.CSS("#q"), "https://shop.example/gone\r"), chromedp.WaitReady(chromedp.CSS("html[data-ready] .sights")))
	b.Do(chromedp.Click(chromedp.CSS(".sights tbody tr:nth-child(2) th a")), chromedp.WaitReady(chromedp.CSS("html[data-ready] #app .listing")))
	b.Until(`document.querySelectorAll('#app tr.r').length === 1`)
	if got := b.Eval(`document.querySelector('#app tr.r .c1').textContent`); !strings.HasPrefix(got, "/gone") {
		b.T.Errorf("the link from the search shows %q", got)
	}
}

func showsHostile(b *browser.Browser, root string) {
	goTo(b, root+"search?q=shop.example%2F")
	b.Eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
	if got := b.Eval(`document.querySelectorAll('main img, main script, main svg[onload], main a[href^="javascript"], main [onerror]').length`); got != "0" {
		b.T.Errorf("%s elements came from an address", got)
	}
	text := b.Eval(`document.querySelector('main').innerText`)
	for _, want := range []string{`onerror=alert(1)`, `gnp.exe`, `alert(3)`} {
		if !strings.Contains(text, want) {
			b.T.Errorf("%s is not shown as it is", want)
		}
	}
	goTo(b, root+"search?q=%3C%2Fscript%3E%3Cimg+src%3Dx+onerror%3Dalert(4)%3E")
	if got := b.Eval(`document.querySelector('#q').value`); got != `</script><img src=x onerror=alert(4)>` {
		b.T.Errorf("the search field holds %q", got)
	}
}

func compares(b *browser.Browser, root string) {
	goTo(b, root+"audits/20261115T100200Z/")
	b.Do(chromedp.Click(chromedp.CSS(".site a:last-child")), chromedp.WaitReady(chromedp.CSS("html[data-ready] .even")))
	text := b.Eval(`document.querySelector('main').innerText`)
	for _, want := range []string{"2026-11-01 10:02 → 2026-11-15 10:02", "New", "https://shop.example/gone", "clean", "not found (404)"} {
		if !strings.Contains(text, want) {
			b.T.Errorf("the comparison does not say %q:\n%s", want, text)
		}
	}
	// The form leads back to this page: what comes is told apart by its address.
	form := b.Eval(`(f => f.action + '?' + new URLSearchParams(new FormData(f)))(document.querySelector('form.find'))`)
	if want := root + "audits/20261115T100200Z/diff?with=20261101T100200Z"; form != want {
		b.T.Errorf("the form leads to %s, want %s", form, want)
	}
}

// fits opens each page in both languages at the widths of a desk, a tablet and a phone: nothing is wider
// than the screen, the page that is shown is the current one of its navigation, and all can be reached.
func fits(b *browser.Browser, root string) {
	for _, width := range []int64{1280, 800, 390} {
		b.Do(chromedp.EmulateViewport(width, 900))
		for _, lang := range []string{"ja", "en"} {
			for path, current := range map[string]string{"?": "Audits", "search?q=shop.example&": "", "audits/20261115T100200Z/files?": "Files to download", "audits/20261115T100200Z/diff?": "What changed", "nothing?": ""} {
				goTo(b, root+path+"lang="+lang)
				b.Eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
				if got := b.Eval(`document.documentElement.scrollWidth`); got != fmt.Sprint(width) {
					b.T.Errorf("at %d px %s is %s px wide in %s", width, path, got, lang)
				}
				if got := b.Eval(`document.querySelector('nav [aria-current=page]')?.innerText ?? ''`); lang == "en" && got != current {
					b.T.Errorf("%s: the current page is %q, want %q", path, got, current)
				}
				if got := b.Eval(`[...document.querySelectorAll('a, button, input, select, summary')].filter(e => e.tabIndex < 0 || !e.checkVisibility()).length`); got != "0" {
					b.T.Errorf("%s: %s controls cannot be reached by keys", path, got)
				}
			}
		}
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
}
