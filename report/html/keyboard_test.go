package html

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reachable are the places that Tab leads to, in the order of the page: of the two views the one
// that is shown. What is folded, hidden or off is none of them.
const reachable = `[...document.querySelectorAll('a[href], button, input, select, summary')].filter(e => e.checkVisibility() && !e.disabled &&
	(e.type !== 'radio' || e.checked) && (e.tagName !== 'SUMMARY' || e.parentElement.tagName === 'DETAILS'))`

// unseenFocus is the element that has the focus where nobody can see that: it has no ring, or
// stands outside of what is shown, or under the bar. "" where it is seen.
const unseenFocus = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect()
	const ring = getComputedStyle(e.type === 'radio' ? e.nextElementSibling : e)
	const bar = document.querySelector('.top').getBoundingClientRect()
	const under = !e.closest('.top, .skip') && box.bottom <= bar.bottom
	const out = box.width === 0 || box.right <= 0 || box.left >= innerWidth || box.bottom <= 0 || box.top >= innerHeight
	const none = ring.outlineStyle === 'none' || parseFloat(ring.outlineWidth) < 2
	return none || out || under ? e.outerHTML.slice(0, 160) : ''
})()`

// In each state that differs, on a phone, at a desk and between, Tab leads over all that can be
// pressed, in the order of the page, and is always seen; what is pressed by keyboard does what it
// does by mouse.
func TestKeyboardInEachState(t *testing.T) {
	differ := []string{"shop", "later", "clean", "wiki", "refused-in-part", "stopped", "unread",
		"reported-only", "expected-only", "links", "study"}
	for _, s := range states() {
		if !slices.Contains(differ, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			b := newBrowser(t) // each has the time of a browser
			file := s.page(t, "en")
			for _, width := range []int64{1440, 861, 390} {
				b.Do(chromedp.EmulateViewport(width, 900))
				b.open(file, "#view=client")
				b.tabs(width)
			}
			b.Do(chromedp.EmulateViewport(1440, 900))
			b.open(file, "#view=client")
			b.skips()
			b.switchesView()
			b.opensCause()
			b.worksTable()
		})
	}
}

// tabs presses Tab from the beginning of the page, farther at a desk.
func (b *browser) tabs(width int64) {
	b.T.Helper()
	steps, err := strconv.Atoi(b.Eval(`(document.activeElement.blur(), scrollTo(0, 0), window.way = ` + reachable + `, window.way.length)`))
	if err != nil {
		b.T.Fatal(err)
	}
	if most := map[bool]int{true: 60, false: 24}[width > 1000]; steps > most {
		steps = most
	}
	for i := range steps {
		b.Do(chromedp.KeyEvent(kb.Tab))
		at := strconv.Itoa(i)
		if got := b.Eval(`window.way[` + at + `] === document.activeElement ? '' : document.activeElement.outerHTML.slice(0, 160) + ', not ' + window.way[` + at + `].outerHTML.slice(0, 160)`); got != "" {
			b.T.Errorf("at %d px step %d of Tab leads to %s", width, i+1, got)
			return
		}
		if got := b.Eval(unseenFocus); got != "" {
			b.T.Errorf("at %d px nobody sees that step %d of Tab leads to %s", width, i+1, got)
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

func (b *browser) skips() {
	b.T.Helper()
	b.press(".skip", kb.Enter)
	b.Until(`document.activeElement.id === 'main'`)
}

// switchesView goes to the view of an expert and back.
func (b *browser) switchesView() {
	b.T.Helper()
	b.press("#v-client", kb.ArrowRight)
	b.Until(`document.querySelector('#v-expert').checked && document.activeElement.id === 'v-expert'`)
	b.press("#v-expert", kb.ArrowLeft)
	b.Until(`document.querySelector('#v-client').checked`)
}

// opensCause opens the first cause, and shuts it.
func (b *browser) opensCause() {
	b.T.Helper()
	if b.press(".cause > summary", kb.Enter) {
		b.Until(`document.querySelector('.cause').open`)
		b.press(".cause > summary", " ")
		b.Until(`!document.querySelector('.cause').open`)
	}
}

// worksTable sorts, groups, filters, opens and searches; the focus stays where it was.
func (b *browser) worksTable() {
	b.T.Helper()
	if !b.press("#entries [data-id=s-answers]", kb.Enter) {
		return
	}
	kept := func(id string) {
		b.T.Helper()
		b.Until(`(document.activeElement.dataset.id || document.activeElement.id) === '` + id + `'`)
	}
	b.Until(`document.querySelector('#entries [data-id=s-answers]').closest('th').ariaSort === 'ascending'`)
	kept("s-answers")
	b.press("#entries [data-id=s-answers]", kb.Enter)
	b.Until(`document.querySelector('#entries [data-id=s-answers]').closest('th').ariaSort === 'descending'`)
	last := b.Eval(`[...document.querySelectorAll('#entries .chip')].at(-1).dataset.id`)
	b.press("#entries [data-id="+last+"]", " ")
	b.Until(`document.querySelector('#entries [data-id=` + last + `]').ariaPressed === 'true'`)
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
	if said := strings.Join(b.Said(), "\n"); said != "" {
		b.T.Errorf("the console says %s", said)
	}
}
