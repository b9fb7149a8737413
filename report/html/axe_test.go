//go:build axe

package html

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAxe looks for what keeps people with a screen reader, a keyboard or weak
// eyes out; CONTRIBUTING.md says how it is run.
func TestAxe(t *testing.T) {
	b := newBrowser(t)
	s := newStudy(3000)
	file := saved(t, "report.html", pageOf(t, s.told, Options{Written: writtenOf(s.told), Trend: trendOf()}))
	for _, lang := range []string{"en", "ja"} {
		for _, theme := range []string{"light", "dark"} {
			for name, size := range map[string][2]int64{"desk": {1280, 900}, "phone": {390, 844}} {
				b.Do(chromedp.EmulateViewport(size[0], size[1]))
				b.open(file, "#g=&lang="+lang)
				b.Eval(`(() => { document.documentElement.dataset.theme = '` + theme + `';
					document.querySelectorAll('details').forEach(d => { d.open = true; });
					[...document.querySelectorAll('.r .open')].slice(0, 20).forEach(open => open.click()); })()`)
				b.Until(`document.querySelectorAll('.drow .detail').length >= 20`)
				if said := b.Axe(); said != "" {
					t.Errorf("%s, %s, %s:\n%s", lang, theme, name, said)
				}
			}
		}
	}
	b.Eval(`document.querySelector('main').append(document.createElement('button'))`)
	if said := b.Axe(); !strings.Contains(said, "button-name") {
		t.Errorf("of a button without a name it says %q", said)
	}
}
