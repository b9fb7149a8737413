//go:build axe

package serve

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAxe looks for what keeps people with a screen reader, a keyboard or weak
// eyes out; CONTRIBUTING.md says how it is run.
func TestAxe(t *testing.T) {
	b, root := browse(t)
	for _, lang := range []string{"en", "ja"} {
		for _, theme := range []string{"light", "dark"} {
			for name, size := range map[string][2]int64{"desk": {1280, 900}, "phone": {390, 844}} {
				b.Do(chromedp.EmulateViewport(size[0], size[1]))
				for _, path := range []string{"?", "search?q=shop.example&", "search?", "audits/" + latestID + "/files?", "audits/" + latestID + "/?", "audits/20261115T100200Z/diff?", "nothing?"} {
					goTo(b, root+path+"lang="+lang)
					b.Eval(`(() => { document.documentElement.dataset.theme = '` + theme + `';
						document.querySelectorAll('details').forEach(d => { d.open = true; }); })()`)
					if said := b.Axe(); said != "" {
						t.Errorf("%s, %s, %s, %s:\n%s", path, lang, theme, name, said)
					}
				}
			}
		}
	}
}
