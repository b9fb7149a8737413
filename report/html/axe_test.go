//go:build axe

package html

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sitemend/report/internal/fixture"
)

// TestAxe looks for what keeps people with a screen reader, a keyboard or weak
// eyes out; CONTRIBUTING.md says how it is run.
func TestAxe(t *testing.T) {
	list := fixture.States()
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) { axe(t, newBrowser(t), &s) }) // each has the time of a browser
	}
	b := newBrowser(t)
	b.open(saved(t, list[0].Result, "en"), "")
	b.Eval(`document.querySelector('main').append(document.createElement('button'))`)
	if said := b.Axe(); !strings.Contains(said, "button-name") {
		t.Errorf("of a button without a name it says %q", said)
	}
}

// axe looks at the page of a state in both languages, views and themes, at two widths, all of it
// unfolded.
func axe(t *testing.T, b *browser, s *fixture.State) {
	for i, look := range [][3]string{{"en", "light", "client"}, {"ja", "dark", "expert"}, {"en", "dark", "expert"}, {"ja", "light", "client"}} {
		width := []int64{1280, 390}[i/2]
		b.Do(chromedp.EmulateViewport(width, 900))
		b.open(saved(t, s.Result, look[0]), "#lang="+look[0]+"&view="+look[2])
		b.Eval(`(() => { document.documentElement.dataset.theme = '` + look[1] + `';
			document.querySelectorAll('details').forEach(d => { d.open = true; });
			[...document.querySelectorAll('.r .tog')].slice(0, 9).forEach(open => open.click()); })()`)
		b.settled()
		if said := b.Axe(); said != "" {
			t.Errorf("%s, %s, %d px:\n%s", s.Name, look, width, said)
		}
	}
}
