//go:build axe

package html

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"sitemend/report/internal/fixture"
)

// TestPictures leaves pictures of every state in the folder SITEMEND_SCREENSHOTS, to be looked at
// one beside the other: at a desk, on a phone, in the dark, in Japanese, and as a PDF of what
// prints; CONTRIBUTING.md says how it is run.
func TestPictures(t *testing.T) {
	dir := os.Getenv("SITEMEND_SCREENSHOTS")
	if dir == "" {
		t.Fatal("SITEMEND_SCREENSHOTS names no folder")
	}
	for _, s := range fixture.States() {
		t.Run(s.Name, func(t *testing.T) {
			b := newBrowser(t) // each has the time of a browser
			for _, look := range []struct {
				name, lang, theme, view string
				width                   int64
			}{
				{"desk", "en", "light", "client", 1440}, {"expert-dark", "en", "dark", "expert", 1440},
				{"ja", "ja", "light", "client", 1440}, {"phone", "en", "light", "client", 390}, {"phone-ja-dark", "ja", "dark", "expert", 390},
			} {
				b.Do(chromedp.EmulateViewport(look.width, 900))
				b.open(saved(t, s.Result, look.lang), "#lang="+look.lang+"&view="+look.view)
				b.Eval(`(document.documentElement.dataset.theme = '` + look.theme + `', scrollTo(0, 0), '')`)
				b.settled()
				b.Picture(s.Name+"-"+look.name, false)
				b.Picture(s.Name+"-"+look.name+"-full", true)
			}
			for _, lang := range []string{"en", "ja"} {
				b.prints(t, &s, lang, filepath.Join(dir, s.Name+"-print-"+lang+".pdf"))
			}
		})
	}
}

// prints writes what prints of the page of a state into a file.
func (b *browser) prints(t *testing.T, s *fixture.State, lang, file string) {
	b.open(saved(t, s.Result, lang), "#lang="+lang+"&view=client")
	background, own := true, true
	printed, err := chromedp.Call(b.Ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &own, PrintBackground: &background})
	if err == nil {
		err = os.WriteFile(file, printed.Data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
