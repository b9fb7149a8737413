//go:build axe

package html

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"sitemend/report/internal/fixture"
)

// looks are the languages, themes, views and widths of a page. Each state has the first two, which
// differ in all of these; the study, which has most parts, has all.
var looks = []struct {
	name, lang, theme, view string
	width                   int64
}{
	{"desk", "en", "light", "client", 1440}, {"phone-ja-dark", "ja", "dark", "expert", 390},
	{"expert-dark", "en", "dark", "expert", 1440}, {"ja", "ja", "light", "client", 1440}, {"phone", "en", "light", "client", 390},
}

// TestAxe looks at every state, all of it unfolded, for what keeps people with a screen reader, a
// keyboard or weak eyes out. Where SITEMEND_SCREENSHOTS names a folder it leaves pictures there, and
// what prints; CONTRIBUTING.md says how it is run.
func TestAxe(t *testing.T) {
	dir := os.Getenv("SITEMEND_SCREENSHOTS")
	b := newBrowser(t)
	for _, s := range fixture.States() {
		t.Run(s.Name, func(t *testing.T) {
			b.T = t
			for i, look := range looks {
				if i > 1 && s.Name != "study" {
					break
				}
				b.Do(chromedp.EmulateViewport(look.width, 900))
				b.open(saved(t, s.Result, look.lang), "#lang="+look.lang+"&view="+look.view)
				b.Eval(`(document.documentElement.dataset.theme = '` + look.theme + `', scrollTo(0, 0), '')`)
				b.settled()
				b.Picture(s.Name+"-"+look.name, true)
				b.Eval(`(document.querySelectorAll('details').forEach(d => { d.open = true; }), [...document.querySelectorAll('.r .tog')].slice(0, 9).forEach(open => open.click()), '')`)
				b.settled()
				if said := b.Axe(); said != "" {
					t.Errorf("%s, %s:\n%s", s.Name, look.name, said)
				}
			}
			if dir != "" {
				b.prints(saved(t, s.Result, "en"), filepath.Join(dir, s.Name+"-print.pdf"))
			}
		})
	}
	b.T = t
	b.Eval(`document.querySelector('main').append(document.createElement('button'))`)
	if said := b.Axe(); !strings.Contains(said, "button-name") {
		t.Errorf("of a button without a name it says %q", said)
	}
}

// prints writes what prints of a page into a file.
func (b *browser) prints(of, file string) {
	b.open(of, "#view=client")
	printed, err := chromedp.Call(b.Ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
	if err == nil {
		err = os.WriteFile(file, printed.Data, 0o666)
	}
	if err != nil {
		b.T.Fatal(err)
	}
}
