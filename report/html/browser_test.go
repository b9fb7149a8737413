package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	chromium "sitemend/report/internal/browser"
	"sitemend/report/internal/fixture"
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

func (b *browser) width(px int) { b.Do(chromedp.EmulateViewport(int64(px), 900)) }

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

// is fails where a script does not give a text.
func (b *browser) is(want, script string) {
	b.T.Helper()
	if got := b.Eval(script); got != want {
		b.T.Errorf("%s is %q, want %q", script, got, want)
	}
}

// none fails where a script finds an element, for each of the findings by name.
func (b *browser) none(where string, scripts map[string]string) {
	b.T.Helper()
	for what, script := range scripts {
		if got := b.Eval(script + `.slice(0, 3).map(e => e.outerHTML ? e.outerHTML.slice(0, 160) : e).join('\n')`); got != "" {
			b.T.Errorf("%s, this %s: %s", where, what, got)
		}
	}
}

// One browser looks at every state, and does with a page what readers do.
func TestInBrowser(t *testing.T) {
	b := newBrowser(t)
	study := fixture.Study(5000)
	file := saved(t, study, "en")
	for name, test := range entriesTests {
		t.Run(name, func(t *testing.T) {
			b.T = t
			b.width(1440)
			b.open(file, "")
			test(b, study, file)
		})
	}
	for name, test := range map[string]func(*browser){
		"reported": reportedEntries, "evidence": showsEvidence, "long chain": longChain, "large": largePage,
		"unfolds": linksUnfold, "copies": copiesCommand, "prints": prints, "forced colours": forcedColours, "speaks": speaksJapanese,
	} {
		t.Run(name, func(t *testing.T) {
			b.T = t
			b.width(1440)
			test(b)
		})
	}
	for _, s := range fixture.States() {
		t.Run("state "+s.Name, func(t *testing.T) { b.T = t; b.looksAt(&s) })
	}
	b.T = t
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
	for _, u := range b.URLs() {
		if !strings.HasPrefix(u, "file://") && u != "about:blank" && !strings.HasPrefix(u, "blob:") {
			t.Errorf("a page asks for %s", u)
		}
	}
	t.Run("without script", func(t *testing.T) { b.T = t; withoutScript(b) }) // the last: none runs any more
}

// tried are the states of which the page is tried by keyboard, too: the others have no part that none
// of these has.
var tried = []string{"shop", "clean", "wiki", "refused-in-part", "stopped", "unread", "reported-only", "links", "study"}

// looksAt opens the page of a state in the view of a client and, in Japanese, of an expert, all of it
// unfolded.
func (b *browser) looksAt(s *fixture.State) {
	b.T.Helper()
	b.width(1440)
	b.open(saved(b.T, s.Result, "en"), "#view=client")
	b.concludes()
	b.none("at a desk", map[string]string{
		"ID stands twice":                                `[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)`,
		"name is not there":                              `[...document.querySelectorAll('[aria-labelledby]')].filter(e => !document.getElementById(e.getAttribute('aria-labelledby')))`,
		"section has no name":                            `[...document.querySelectorAll('section:not([aria-labelledby])')]`,
		"link leads to nothing":                          `[...document.querySelectorAll('a[href^="#"]')].filter(a => !document.querySelector(a.getAttribute('href').split('&')[0] + ':not([hidden])'))`,
		"heading is left out":                            `[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].filter((h, i, all) => i && Number(h.tagName[1]) > Number(all[i - 1].tagName[1]) + 1)`,
		"picture is told to the blind":                   `[...document.querySelectorAll('svg:not([aria-hidden])')]`,
		"attribute is styled in place":                   `[...document.querySelectorAll('main [style]')]`,
		"part of Search Console is there without export": `[...document.querySelectorAll('#reported, .parts a[href="#reported"], [data-id=lane-reported], [data-id=s-label]')].filter(() => ` + fmt.Sprint(s.Result.SearchConsole == nil) + `)`,
		"row has not the cells of its head":              `[...document.querySelectorAll('.listing tr.r')].filter(row => row.children.length !== document.querySelectorAll('.listing thead th').length)`,
	})
	if slices.Contains(tried, s.Name) {
		b.tabs()
		b.worksTable()
	}
	b.fits("client", widths...)
	b.none("unfolded", map[string]string{"is a flag that a client reads": `(document.body.innerText.match(/.*(^|\s)--[a-z].*/gm) || [])`})
	b.open(saved(b.T, s.Result, "ja"), "#lang=ja&view=expert")
	b.fits("expert, in Japanese", widths[0])
}

// concludes looks at what the first screen promises of the rest.
func (b *browser) concludes() {
	b.T.Helper()
	b.is("true", `document.querySelectorAll('.acts h2').length <= 3 && document.querySelectorAll('.acts .go').length <= 1`)
	b.is("#summary", `document.querySelector('.parts [aria-current]').hash`)
	b.is("", `[...document.querySelectorAll('.lane')].filter(lane => Number(lane.querySelector('h3 b').textContent.replaceAll(',', '')) !==
		[...lane.querySelectorAll('.cause .n')].reduce((sum, n) => sum + parseInt(n.textContent.replaceAll(',', '')), 0)).map(lane => lane.id).join()`)
}

// widths are a small phone's, where tables become records, the least that has tables, and a
// desktop's.
var widths = []int{320, 861, 1440}

// fits unfolds all and looks at some widths: nothing reaches out, no letter is under 14
// pixels, and what is pressed is no smaller than 24 by 24.
func (b *browser) fits(view string, widths ...int) {
	b.T.Helper()
	b.Eval(`(document.querySelectorAll('main details, footer details').forEach(d => { d.open = true; }), [...document.querySelectorAll('.listing .tog')].slice(0, 3).forEach(open => open.click()), '')`)
	b.settled()
	for _, width := range widths {
		b.width(width)
		b.none(fmt.Sprintf("%s at %d px", view, width), map[string]string{
			"is wider than the screen": `(document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [])`,
			"reaches out":              `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, pre, svg') && e.getBoundingClientRect().right > innerWidth + 1)`,
			"is squeezed": `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg, pre') && getComputedStyle(e).display !== 'inline' &&
				[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim().length > 20) && e.clientWidth < 90 && e.clientHeight > 3 * e.clientWidth)`,
			"is under 14 px": `[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg, option') && parseFloat(getComputedStyle(e).fontSize) < 14 &&
				[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))`,
			"is hard to hit": `[...document.querySelectorAll('header a, header button, header select, .btn, summary, #entries button, #entries label, #edits a')].filter(e => e.checkVisibility() && !e.closest('.vh') &&
				(e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24))`,
		})
	}
	b.width(1440)
}

// reachable are the places that Tab leads to, in the order of the page: of the two views the one
// that is shown. What is folded, hidden or off is none of them.
const reachable = `[...document.querySelectorAll('a[href], button, input, select, summary')].filter(e => e.checkVisibility() && !e.disabled &&
	(e.type !== 'radio' || e.checked) && (e.tagName !== 'SUMMARY' || e.parentElement.tagName === 'DETAILS'))`

// unseenFocus is the element that has the focus where nobody can see that: it has no ring, or
// stands outside of what is shown, or under the bar. "" where it is seen.
const unseenFocus = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect()
	const ring = getComputedStyle(e.type === 'radio' ? e.nextElementSibling : e)
	const under = !e.closest('.top, .skip') && box.bottom <= document.querySelector('.top').getBoundingClientRect().bottom
	const out = box.width === 0 || box.right <= 0 || box.left >= innerWidth || box.bottom <= 0 || box.top >= innerHeight
	return ring.outlineStyle === 'none' || parseFloat(ring.outlineWidth) < 2 || out || under ? e.outerHTML.slice(0, 160) : ''
})()`

// tabs presses Tab from the beginning of the page: it leads over all that can be pressed, in order,
// and is always seen.
func (b *browser) tabs() {
	b.T.Helper()
	steps, _ := strconv.Atoi(b.Eval(`(document.activeElement.blur(), scrollTo(0, 0), window.way = ` + reachable + `, window.way.length)`))
	for i := range min(steps, 20) {
		b.Do(chromedp.KeyEvent(kb.Tab))
		if got := b.Eval(fmt.Sprintf(`(at => (window.way[at] === document.activeElement ? '' : document.activeElement.outerHTML.slice(0, 160) + ', not ' + window.way[at].outerHTML.slice(0, 160)) + %s)(%d)`, unseenFocus, i)); got != "" {
			b.T.Fatalf("step %d of Tab leads to, or is not seen at %s", i+1, got)
		}
	}
}

// press focuses the first element that a selector finds, and presses a key; it reports whether
// there is one.
func (b *browser) press(selector, key string) bool {
	b.T.Helper()
	if b.Eval("document.querySelector(`"+selector+"`)?.checkVisibility() === true") != "true" {
		return false
	}
	b.Eval("(document.querySelector(`" + selector + "`).focus(), '')")
	b.Do(chromedp.KeyEvent(key))
	b.settled()
	return true
}

// worksTable does by keyboard what the page is for; the focus stays where it was.
func (b *browser) worksTable() {
	b.T.Helper()
	kept := func(id string) {
		b.T.Helper()
		b.Until(`(document.activeElement.dataset.id || document.activeElement.id) === '` + id + `'`)
	}
	b.press(".skip", kb.Enter)
	kept("main")
	if b.press(".cause > summary", kb.Enter) {
		b.Until(`document.querySelector('.cause').open`)
		b.press(".cause > summary", " ")
	}
	if !b.press("#entries [data-id=s-answers]", kb.Enter) {
		return
	}
	kept("s-answers")
	b.Until(`document.querySelector('#entries [data-id=s-answers]').closest('th').ariaSort === 'ascending'`)
	last := b.Eval(`[...document.querySelectorAll('#entries .chip')].at(-1).dataset.id`)
	b.press("#entries [data-id="+last+"]", " ")
	kept(last)
	row := b.Eval(`document.querySelector('#entries .tog').dataset.id`)
	b.press("#entries .tog", kb.Enter)
	b.Until(`document.querySelector('#entries .det .detail') !== null`)
	kept(row)
	b.press("#by-cause", " ")
	b.Until(`!document.querySelector('#entries .gr')`)
	b.press("#q", "zzz"+kb.Enter)
	b.Until(`!document.querySelector('#entries .r')`)
	b.press("#q", kb.Escape)
	b.Until(`document.querySelector('#entries .r') && document.querySelector('#q').value === ''`)
}

// shop is the page of the first state.
func shop(b *browser, lang string) string { return saved(b.T, fixture.States()[0].Result, lang) }

// linksUnfold: a link into what is folded, or is for experts, shows it; the view that was chosen last
// is kept.
func linksUnfold(b *browser) {
	file := shop(b, "en")
	b.open(file, "#faults")
	b.is("true", `document.querySelector('#faults').checkVisibility()`)
	b.open(file, "#files&view=client")
	b.is("true", `scrollY > 900 && document.querySelector('#v-client').checked`)
	last := b.Eval(`[...document.querySelectorAll('.fold .cause')].at(-1).id`)
	b.open(file, "#"+last)
	b.Until(`document.getElementById('` + last + `').open && document.getElementById('` + last + `').querySelector('.more').checkVisibility()`)
	b.Do(chromedp.Click(chromedp.CSS("#" + last + " .more a")))
	b.Until(`location.hash.includes('cause=` + last + `') && document.querySelector('#app [role=status]').textContent.startsWith('` + b.Eval(`document.querySelector('#`+last+` .n').firstChild.data`) + ` ')`)
	b.Do(chromedp.Click(chromedp.CSS(".parts a[href='#files']")))
	b.Until(`document.querySelector('.parts [aria-current]').hash === '#files'`)
	b.press("#v-client", kb.ArrowRight)
	b.Until(`document.querySelector('#v-expert').checked`)
	b.open(file, "")
	b.is("true", `document.querySelector('#v-expert').checked`)
	b.Eval(`localStorage.removeItem('sitemend-view')`)
}

// copiesCommand: a command is copied, and its button says so in the language of the page.
func copiesCommand(b *browser) {
	for _, s := range fixture.States() {
		if s.Name != "refused-in-part" {
			continue
		}
		b.open(saved(b.T, s.Result, "ja"), "")
		b.Do(chromedp.Click(chromedp.CSS("[data-copy]")))
		b.Until(`document.querySelector('[data-copy]').innerText === '` + messages.Of("ja").Text("copied") + `'`)
		b.Until(`document.querySelector('[data-copy]').innerText === '` + messages.Of("ja").Text("a-copy") + `'`)
		b.is("sitemend audit --as=browser https://www.shop.example", `document.querySelector('[data-copy]').dataset.copy`)
	}
}

// prints: what prints is the document: no controls, no table of entries, every cause, and a box
// before each answer of a decision.
func prints(b *browser) {
	b.open(shop(b, "en"), "#lang=en&view=client")
	b.media(emulation.SetEmulatedMediaParams{Media: "print"})
	defer b.media(emulation.SetEmulatedMediaParams{})
	b.Do(chromedp.EmulateViewport(672, 950)) // A4 without its margins
	b.none("printed", map[string]string{
		"is shown":        `[...document.querySelectorAll('.top, .btn, .chev, #entries, #edits, .more')].filter(e => e.checkVisibility())`,
		"is not shown":    `[...document.querySelectorAll('#summary, .fold .cause > summary, #files, .eg, footer .pr')].filter(e => !e.checkVisibility())`,
		"has no box":      `[...document.querySelectorAll('#decide .answer')].filter(e => !getComputedStyle(e, '::before').content.includes('☐'))`,
		"is under 9 pt":   `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg') && parseFloat(getComputedStyle(e).fontSize) < 11.9 && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))`,
		"is not on paper": `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg') && e.getBoundingClientRect().right > innerWidth + 1)`,
	})
	b.is(`"www.shop.example · 22 November 2026"`, `getComputedStyle(document.documentElement).getPropertyValue('--foot')`)
}

func (b *browser) media(p emulation.SetEmulatedMediaParams) {
	b.T.Helper()
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, p); err != nil {
		b.T.Fatal(err)
	}
}

// forcedColours: where the reader's system sets the colours, what colour alone would say is still
// seen: what is a button, which section and filter are shown, and which part of a bar is which.
func forcedColours(b *browser) {
	b.media(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	defer b.media(emulation.SetEmulatedMediaParams{})
	b.open(shop(b, "en"), "")
	b.settled()
	const look = `((selector, name) => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).map(e => getComputedStyle(e)[name]))`
	b.is("solid", `[...new Set(`+look+`('.btn', 'outlineStyle'))].join()`)
	b.is("2,2,3", `[['.parts a', 'borderBottomColor'], ['.chip', 'backgroundColor'], ['.bars rect:not(.gap)', 'fill']].map(of => new Set(`+look+`(...of)).size).join()`)
}

// speaksJapanese: language and colours are chosen on the page.
func speaksJapanese(b *browser) {
	b.open(shop(b, "en"), "")
	b.Do(chromedp.Click(chromedp.CSS("#lang")))
	b.Until(`document.documentElement.lang === 'ja' && document.querySelector('#app [role=status]').textContent.includes('件')`)
	b.is("false", `document.querySelector('main').innerText.includes('Causes')`)
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'dark'; s.dispatchEvent(new Event('change')); })()`)
	b.is("rgb(16, 18, 22)", `getComputedStyle(document.body).backgroundColor`)
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'auto'; s.dispatchEvent(new Event('change')); })()`)
}

// withoutScript: without its script the page says the same first things, in one language, folds and
// switches, and shows nothing that needs the script.
func withoutScript(b *browser) {
	if _, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.T.Fatal(err)
	}
	b.width(1440)
	b.Do(chromedp.Navigate("file://"+shop(b, "ja")), chromedp.WaitVisible(chromedp.CSS("#decide .cause > summary")))
	b.Do(chromedp.Click(chromedp.CSS("#decide .cause > summary")), chromedp.WaitVisible(chromedp.CSS("#decide .cause .more a")))
	b.Do(chromedp.Click(chromedp.CSS("#v-expert")), chromedp.WaitVisible(chromedp.CSS("footer .x")))
	b.Do(chromedp.Click(chromedp.CSS("#v-client")), chromedp.WaitNotVisible(chromedp.CSS("footer .x")), chromedp.WaitVisible(chromedp.CSS("#static table")))
	b.is("0,0,false", `[[...document.querySelectorAll('.js')].filter(e => e.checkVisibility()).length, [...document.scripts].filter(s => s.getClientRects().length > 0).length, document.querySelector('main').innerText.includes('Causes')].join()`)
	b.width(390)
	b.is("390", `document.documentElement.scrollWidth`)
}
