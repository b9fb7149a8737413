package html

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Where the reader's system sets the colours, what colour alone would say is still seen: what is a
// button, which section and filter are shown, and which part of a bar is which.
func TestForcedColours(t *testing.T) {
	b := newBrowser(t)
	active := []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}
	params := emulation.SetEmulatedMediaParams{Features: active}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, params); err != nil {
		t.Fatal(err)
	}
	b.open(states()[0].page(t, "en"), "")
	b.settled()
	const look = `(selector, ...names) => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
		.map(e => names.map(name => getComputedStyle(e)[name]).join(' '))`
	for what, script := range map[string]string{
		"buttons without an outline":                              `look('.btn', 'outlineStyle').filter(s => s !== 'solid').length`,
		"colours of sections, that which is shown and the others": `2 - new Set(look('.parts a', 'borderBottomColor')).size`,
		"colours of filters, that which is shown and the others":  `2 - new Set(look('.chip', 'backgroundColor')).size`,
		"fills of the parts of the bar of today":                  `3 - new Set(look('.bars rect:not(.gap)', 'fill')).size`,
	} {
		if got := b.Eval(`(() => { const look = ` + look + `; return String(` + script + `) })()`); got != "0" {
			t.Errorf("%s: %s too many or too few", what, got)
		}
	}
}
