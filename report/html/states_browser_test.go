package html

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// widths are a small phone's, where tables become records, the least that has tables, and a
// desktop's.
var widths = []int{320, 861, 1440}

// page is the page of a state on disk, in a language.
func (s *state) page(t *testing.T, lang string) string {
	t.Helper()
	return saved(t, s.Name+"-"+lang+".html", pageOf(t, s.Result, Options{Lang: lang, Written: writtenOf(s.Result)}))
}

// Each state opens with its sentence, its actions and its lanes, and fits three widths, in
// the view of a client and of an expert.
func TestStatesInBrowser(t *testing.T) {
	b := newBrowser(t)
	for _, s := range states() {
		t.Run(s.Name, func(t *testing.T) {
			b.T = t
			file := s.page(t, "en")
			b.Do(chromedp.EmulateViewport(1440, 900))
			b.open(file, "")
			b.Eval("(document.querySelector('#v-client').click(), '')") // the browser may still remember the last state's
			s.concludes(b)
			if got := b.Eval(`/Answer 200(?!;)/.test(document.querySelector('#app').innerText)`); s.Is == conclude.Script && got != "false" {
				t.Error("of pages that scripts fill the table says that they are clean")
			}
			b.consoleOnlyWithExport(s.Result.SearchConsole != nil)
			b.sound()
			b.fitsAll()
			b.noCommands()
			b.Do(chromedp.Click(chromedp.CSS("#v-expert")))
			b.fitsAll()
			b.open(s.page(t, "ja"), "#lang=ja&view=expert")
			b.fitsAll()
			b.Until(`document.querySelector('#v-expert').checked`)
			b.Eval("(document.querySelector('#v-client').click(), '')") // wherever the last width left it
			b.noCommands()
		})
	}
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
	for _, u := range b.URLs() {
		if name, _, _ := strings.Cut(u, "#"); filepath.Dir(strings.TrimPrefix(name, "file://")) == "." && u != "about:blank" {
			t.Errorf("a page asks for %s", u)
		}
	}
}

// consoleOnlyWithExport looks for the section, the link and the column of Search Console, and its
// chip: they are there where an export is, and nowhere else.
func (b *browser) consoleOnlyWithExport(export bool) {
	b.T.Helper()
	// Where the other spelling is the finding, its columns stand in place of that one.
	want := map[bool]string{false: "0,0,0,0", true: "1,1,1,1"}[export]
	got := b.Eval(`(() => {
		const shown = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).length
		const spelt = document.querySelector('.listing.spellings') !== null
		return [shown('#reported'), shown('.parts a[href="#reported"]'), shown('[data-id=lane-reported]'), ` + fmt.Sprint(export) + ` && spelt ? 1 : shown('[data-id=s-label]')].join()
	})()`)
	if got != want {
		b.T.Errorf("section, link, chip and column of Search Console are there %s times, want %s", got, want)
	}
	if heads, cells := b.Eval(`document.querySelectorAll('.listing thead th').length`), b.Eval(`[...new Set([...document.querySelectorAll('.listing tr.r')].map(row => row.children.length))].join()`); cells != "" && heads != cells {
		b.T.Errorf("%s heads stand over rows of %s cells", heads, cells)
	}
}

// noCommands looks for flags of a command line in what a client reads, all of it unfolded.
func (b *browser) noCommands() {
	b.T.Helper()
	for _, group := range []string{".listing .tog", ".listing .gh button"} {
		b.Eval("(document.querySelector(`" + group + "`)?.click(), '')")
	}
	b.settled()
	if got := b.Eval(`(document.body.innerText.match(/.*(^|\s)--[a-z].*/gm) || []).slice(0, 3).join('\n')`); got != "" {
		b.T.Errorf("a client reads flags: %s", got)
	}
}

// concludes compares the first screen with what the state is to say.
func (s *state) concludes(b *browser) {
	b.T.Helper()
	titles := strings.Split(b.all(".acts h2"), "\n")
	if len(titles) > 3 || b.Eval(`document.querySelectorAll('.acts .go').length <= 1`) != "true" {
		b.T.Errorf("%d actions, and more than one filled button", len(titles))
	}
	if got := b.Eval(`[...document.querySelectorAll('.lane')].filter(lane => Number(lane.querySelector('h3 b').textContent.replaceAll(',', '')) !==
		[...lane.querySelectorAll('.cause .n')].reduce((sum, n) => sum + parseInt(n.textContent.replaceAll(',', '')), 0)).map(lane => lane.id).join()`); got != "" {
		b.T.Errorf("the causes of %s do not add up", got)
	}
	if got := b.Eval(`[...document.querySelectorAll('.parts a')].filter(link => !document.querySelector(link.hash + ':not([hidden])')).length`); got != "0" {
		b.T.Errorf("%s links of the bar lead nowhere", got)
	}
	if got := b.Eval(`document.querySelector('.parts [aria-current]').hash`); got != "#summary" {
		b.T.Errorf("the reader is said to be at %s", got)
	}
}

// sound looks at names, IDs and what they refer to.
func (b *browser) sound() {
	b.T.Helper()
	for what, script := range map[string]string{
		"an ID stands twice":              `[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)`,
		"a name is not there":             `[...document.querySelectorAll('[aria-labelledby], [aria-controls]')].map(e => e.getAttribute('aria-labelledby')).filter(id => id && !document.getElementById(id))`,
		"a section has no name":           `[...document.querySelectorAll('section')].filter(s => !s.getAttribute('aria-labelledby')).map(s => s.id)`,
		"a link leads to nothing":         `[...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href').split('&')[0]).filter(h => h !== '#' && !document.querySelector(h))`,
		"a heading is left out":           `[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map(h => Number(h.tagName[1])).filter((n, i, all) => i && n > all[i - 1] + 1)`,
		"a picture is told to the blind":  `[...document.querySelectorAll('svg:not([aria-hidden])')].map(e => e.outerHTML)`,
		"an attribute is styled in place": `[...document.querySelectorAll('main [style]')].map(e => e.outerHTML)`,
	} {
		if got := b.Eval(script + `.slice(0, 3).join('\n')`); got != "" {
			b.T.Errorf("%s: %s", what, got)
		}
	}
}

// squeezed are texts of which hardly a word stands on a line.
const squeezed = `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg, pre') && getComputedStyle(e).display !== 'inline' &&
	[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim().length > 20) && e.clientWidth < 90 && e.clientHeight > 3 * e.clientWidth)`

// torn are addresses of which a line ends within a word, though the whole word has room on a line:
// of each the part up to there. A line may end after / ? & = - > and a space, and between
// encoded characters.
const torn = `[...document.querySelectorAll('main :is(.u, .pat)')].filter(e => e.checkVisibility() && e.getClientRects().length > 1).flatMap(e => {
	const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), all = [], sign = document.createRange()
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		for (let i = 0; i < node.length; i++) {
			sign.setStart(node, i)
			sign.setEnd(node, i + 1)
			const box = sign.getClientRects()[0]
			if (box && box.width) all.push([node.data[i], Math.round(box.bottom), box.width])
		}
	}
	const text = all.map(c => c[0]).join(''), block = 'td, th, li, p, dd, div'
	const room = e.closest(block + ', .tt, span:not(.u, .pat)').clientWidth || e.parentElement.closest(block).clientWidth
	const may = i => /[\s\/?&=,>-]$/.test(text.slice(0, i)) || /^[\s→]/.test(text.slice(i)) || /%..$/.test(text.slice(0, i)) && text[i] === '%'
	return all.map((c, i) => i).filter(i => i && all[i][1] > all[i - 1][1] + 8 && !may(i)).filter(i => {
		const from = text.slice(0, i).search(/(https?:\/\/)?[^\s\/?&=-]*$/), to = i + text.slice(i).search(/$|[\s\/?&=-]/)
		return all.slice(from, to + 1).reduce((sum, c) => sum + c[2], 0) < 0.8 * room && !/[^\x20-\x7e]/.test(text.slice(from, to))
	}).map(i => text.slice(0, i) + '|' + text.slice(i))
})`

// fitsAll unfolds all and looks at each width: nothing reaches out, no letter is under 14
// pixels, and what is pressed is no smaller than 24 by 24.
func (b *browser) fitsAll() {
	b.T.Helper()
	b.Eval(`(document.querySelectorAll('main details, footer details').forEach(d => { d.open = true; }), '')`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(int64(width), 900))
		b.fits(width)
		for what, script := range map[string]string{
			"reaches out": `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, pre, svg') && e.getBoundingClientRect().right > innerWidth + 1)`,
			"is squeezed": squeezed,
			"is under 14 px": `[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg, option') && parseFloat(getComputedStyle(e).fontSize) < 14 &&
				[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))`,
			"is hard to hit": `[...document.querySelectorAll('header a, header button, header select, .btn, main summary')].filter(e => e.checkVisibility() && !e.closest('.vh') &&
				(e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24))`,
		} {
			if got := b.Eval(script + `.slice(0, 3).map(e => e.outerHTML.slice(0, 160)).join('\n')`); got != "" {
				b.T.Errorf("at %d px this %s: %s", width, what, got)
			}
		}
		if got := b.Eval(torn + `.slice(0, 3).join('\n')`); got != "" {
			b.T.Errorf("at %d px lines end within words: %s", width, got)
		}
	}
	b.Do(chromedp.EmulateViewport(1440, 900))
}

// The way of the keyboard leads from the bar over the actions into the causes, and opens them.
func TestKeyboardWay(t *testing.T) {
	b := newBrowser(t)
	all := states()
	file := all[0].page(t, "en")
	b.Do(chromedp.EmulateViewport(1440, 900))
	b.open(file, "")
	b.Eval(`(document.body.focus(), '')`)
	var way []string
	for range 17 {
		b.Do(chromedp.KeyEvent("\t"))
		way = append(way, b.Eval(`document.activeElement.id || document.activeElement.getAttribute('href') || document.activeElement.className`))
	}
	want := "#main #summary #summary #causes #files #entries #edits v-client theme print lang sitemaps/www.shop.example/ #decide https://search.google.com/search-console/sitemaps #entries&lane=upload"
	if got := strings.Join(way[:15], " "); got != want {
		t.Errorf("Tab leads to\n%s, want\n%s", got, want)
	}
	if got := b.Eval(`document.activeElement.tagName + document.activeElement.parentNode.className`); got != "SUMMARYcause" {
		t.Errorf("after the lane comes %s", got)
	}
	b.Do(chromedp.KeyEvent("\r"))
	b.Until(`document.activeElement.parentNode.open && document.activeElement.parentNode.querySelector('.more a').checkVisibility()`)
	b.Do(chromedp.Focus(chromedp.CSS("#v-client")), chromedp.KeyEvent(kb.ArrowRight))
	b.Until(`document.querySelector('#v-expert').checked && document.querySelector('#lead').checkVisibility()`)
	if got := b.Eval(`localStorage.getItem('sitemend-view')`); got != "expert" {
		t.Errorf("the view is kept as %q", got)
	}
	b.open(file, "")
	if got := b.Eval(`document.querySelector('#v-expert').checked`); got != "true" {
		t.Error("the view that was chosen last is not shown")
	}
	b.open(file, "#view=client")
	if got := b.Eval(`document.querySelector('#v-client').checked + String(document.querySelector('#lead').checkVisibility())`); got != "truefalse" {
		t.Errorf("the view of the address is not shown: %s", got)
	}
	b.Eval(`localStorage.removeItem('sitemend-view')`)
}

// A link into what is folded, or is for experts, shows it.
func TestLinksUnfold(t *testing.T) {
	b := newBrowser(t)
	all := states()
	file := all[0].page(t, "en")
	b.Do(chromedp.EmulateViewport(1440, 900))
	b.open(file, "#faults")
	if got := b.Eval(`document.querySelector('#faults').checkVisibility()`); got != "true" {
		t.Error("the faults of the files stay hidden")
	}
	b.open(file, "#files&view=client")
	if got := b.Eval(`scrollY > 900 && document.querySelector('#v-client').checked`); got != "true" {
		t.Error("an address with a part and a view does not lead there")
	}
	last := b.Eval(`[...document.querySelectorAll('.fold .cause')].at(-1).id`)
	b.open(file, "#"+last)
	b.Until(`document.getElementById('` + last + `').open && document.getElementById('` + last + `').querySelector('.more').checkVisibility()`)
	b.Do(chromedp.Click(chromedp.CSS("#" + last + " .more a")))
	b.Until(`location.hash.includes('cause=` + last + `') && document.querySelector('#app [role=status]').textContent.startsWith('` + b.Eval(`document.querySelector('#`+last+` .n').firstChild.data`) + ` ')`)
	b.Do(chromedp.Click(chromedp.CSS(".parts a[href='#files']")))
	b.Until(`document.querySelector('.parts [aria-current]').hash === '#files'`)
}

// A command is copied, and its button says so in the language of the page.
func TestCopiesACommand(t *testing.T) {
	b := newBrowser(t)
	for _, s := range states() {
		if s.Name != "refused" {
			continue
		}
		b.open(s.page(t, "ja"), "")
		b.Do(chromedp.Click(chromedp.CSS("[data-copy]")))
		b.Until(`document.querySelector('[data-copy]').innerText === '` + messages.Page().Of("ja", "copied") + `'`)
		b.Until(`document.querySelector('[data-copy]').innerText === '` + messages.Conclude().Of("ja", "a-copy") + `'`)
		if got := b.Eval(`document.querySelector('[data-copy]').dataset.copy`); got != "sitemend audit --as browser https://www.shop.example" {
			t.Errorf("the command is %q", got)
		}
	}
}

// What prints is the document: no controls, no table of entries, every cause, and a box
// before each answer of a decision.
func TestPrints(t *testing.T) {
	b := newBrowser(t)
	all := states()
	b.open(all[0].page(t, "en"), "#lang=en&view=client")
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.EmulateViewport(672, 950)) // A4 without its margins
	for what, script := range map[string]string{
		"is shown":        `[...document.querySelectorAll('.top, .btn, .chev, #entries, #edits, #faults, #lead, .more')].filter(e => e.checkVisibility())`,
		"is not shown":    `[...document.querySelectorAll('#summary, .fold .cause > summary, #files, .eg, footer .pr')].filter(e => !e.checkVisibility())`,
		"has no box":      `[...document.querySelectorAll('#decide .answer')].filter(e => !getComputedStyle(e, '::before').content.includes('☐'))`,
		"is under 9 pt":   `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg') && parseFloat(getComputedStyle(e).fontSize) < 11.9 && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))`,
		"is not on paper": `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.vh, svg') && e.getBoundingClientRect().right > innerWidth + 1)`,
	} {
		if got := b.Eval(script + `.slice(0, 3).map(e => e.outerHTML.slice(0, 160)).join('\n')`); got != "" {
			t.Errorf("printed, this %s: %s", what, got)
		}
	}
	if got := b.Eval(`getComputedStyle(document.documentElement).getPropertyValue('--foot')`); got != `"Sitemap audit of www.shop.example · 22 November 2026"` {
		t.Errorf("the foot of each page is %s", got)
	}
}

// Without its script the page folds and switches all the same.
func TestWithoutScriptInBrowser(t *testing.T) {
	b := newBrowser(t)
	all := states()
	file := all[0].page(t, "en")
	if _, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#decide .cause > summary")))
	b.Do(chromedp.Click(chromedp.CSS("#decide .cause > summary")), chromedp.WaitVisible(chromedp.CSS("#decide .cause .more a")))
	b.Do(chromedp.Click(chromedp.CSS("#v-expert")), chromedp.WaitVisible(chromedp.CSS("#faults")))
	b.Do(chromedp.Click(chromedp.CSS("#v-client")), chromedp.WaitNotVisible(chromedp.CSS("#faults")))
	if got := b.Eval(`[...document.querySelectorAll('.js')].filter(e => e.checkVisibility()).length`); got != "0" {
		t.Errorf("%s controls are shown that need the script", got)
	}
}

// Each lane has its place and its colour.
func TestLanesHaveLooks(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range audit.Lanes() {
		look := laneLooks[l]
		if look[0] == "" || look[1] == "" || seen[look[0]] {
			t.Errorf("lane %s looks like %q", l, look)
		}
		seen[look[0]] = true
	}
}
