package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// entriesTests are what readers do with the table of entries of a study of 5,010.
var entriesTests = map[string]func(b *browser, s *audit.Result, file string){
	"opens on all, by cause": opensByCause, "counts follow the search": countsFollow, "sorts": sortsEntries, "reads any hash": readsHash,
	"a cause and a file": narrowsFromElsewhere, "opens a row": opensRows, "saves what is shown": savesShown, "shows hostile URLs as text": showsHostile, "shows the edits": showsEdits,
}

// The table opens on all entries, cause by cause, in the order of the lanes; of each lane that is to be done
// the first cause stands open. One chip is chosen at a time.
func opensByCause(b *browser, s *audit.Result, _ string) {
	b.is("All5,010", `document.querySelector('.chip[aria-pressed=true]').textContent`)
	b.begins("Fixed ", b.all(".listing .lh th"))
	b.is("0", `[...document.querySelectorAll('.listing .lh th b')].filter(e => e.textContent === '0').length`)
	b.is("0", `document.querySelectorAll('.gr [aria-expanded=true]').length - document.querySelectorAll('.listing :is(.k-upload, .k-decide, .k-spelling, .k-unseen)').length`)
	b.is("5010", `[...document.querySelectorAll('.gr .n')].reduce((sum, n) => sum + Number(n.textContent.replace(',', '')), 0)`)
	b.begins("5,010 URLs", b.status())
	b.click("#by-cause")
	b.is("0,50,#entries&group=0", `[document.querySelectorAll('.gr').length, document.querySelectorAll('.listing .r').length, location.hash]`)
	b.click("[data-id=lane-decide]")
	b.begins(messages.Number(s.Counts.Total(audit.NeedsDecision))+" URLs", b.status())
	b.click("[data-id=lane-clean]")
	b.is("1,#entries&lane=clean&group=0,lane-clean", `[document.querySelectorAll('.chip[aria-pressed=true]').length, location.hash, document.activeElement.dataset.id]`)
}

// The counts of all chips are those of the search; where the chosen one hides what is
// searched for, the table says so and leads there.
func countsFollow(b *browser, s *audit.Result, _ string) {
	b.click("[data-id=lane-unseen]")
	b.seek("busy")
	of := s.Counts.Total(audit.NotChecked)
	b.says(fmt.Sprintf("%s of %d", b.all("[data-id=lane-unseen] b"), of), b.status())
	b.is("0", `[...document.querySelectorAll('.chip b')].reduce((sum, e, i) => (i ? sum - Number(e.textContent.replace(',', '')) : Number(e.textContent)), 0)`)
	b.seek("http://shop.example")
	all := b.all("[data-id=lane-] b")
	b.says(fmt.Sprintf("Unknown: none of %d match. All: %s", of, all), b.all("#app [role=status]"))
	b.click("#widen")
	b.says(all+" of 5,010", b.status())
	b.Do(chromedp.Focus(chromedp.CSS("#q")), chromedp.KeyEvent("\x1b"))
	b.settled()
	b.is("#entries", `document.querySelector('#q').value + location.hash`)
	b.seek("no such URL")
	b.says("All: none of 5,010 match.", b.all("#app [role=status]"))
	b.says("", b.all(".listing .gr"))
}

func sortsEntries(b *browser, _ *audit.Result, file string) {
	b.says("File and line ↑\nListed URL ↕\nAnswers ↕\nNew URL ↕", b.all(".listing thead button"))
	b.open(file, "#entries&group=0")
	b.turnsOver("url", ".r .c1", "#entries&sort=-url&group=0")
	b.turnsOver("answers", ".r .c2", "#entries&sort=-answers&group=0")
	b.click("[data-id=s-place]")
	b.is("#entries&group=0", `location.hash`)
	b.click("[data-id=s-place]")
	b.is("descending", `document.querySelector('.listing thead th').ariaSort`)
}

// turnsOver sorts by the head of key twice: what stands first then is another row, and the
// address names the order.
func (b *browser) turnsOver(key, cells, hash string) {
	b.T.Helper()
	b.click("[data-id=s-" + key + "]")
	up, _, _ := strings.Cut(b.all(cells), "\n")
	b.click("[data-id=s-" + key + "]")
	if strings.HasPrefix(b.all(cells), up+"\n") || b.Eval(`location.hash`) != hash {
		b.T.Errorf("by %s it begins with %q both ways (%s)", key, up, b.Eval(`location.hash`))
	}
}

// A hash that no page made is an ordinary page.
func readsHash(b *browser, _ *audit.Result, file string) {
	for _, hash := range []string{"#entries&cause=length", "#entries&sort=__proto__", "#entries&sort=toString&page=1.5&size=7", "#entries&lane=constructor&page=-1&open=x:1", "#entries&file=99&cause=__proto__", "#=&&%zz"} {
		b.open(file, hash)
		b.begins("5,010 URLs", b.status())
	}
}

// Other parts of the page lead to the entries of a cause and of a file; each choice can
// be taken off.
func narrowsFromElsewhere(b *browser, s *audit.Result, file string) {
	first := conclude.Of(s, "").Lanes[0].Causes[0]
	b.open(file, "#entries&cause="+first.ID)
	b.says(messages.Number(first.Count)+" URLs", b.status())
	b.is("entries", `document.activeElement.id`)
	b.click(".only .chip")
	b.is("0", `document.querySelectorAll('.only .chip').length`)
	b.Eval(`(location.hash = '#entries&file=3&lane=decide', '')`)
	b.Until(`document.querySelector('.only .chip')`)
	b.settled()
	b.begins(fmt.Sprintf("%d of ", s.Files[3].Counts.Total(audit.NeedsDecision)), b.status())
}

func opensRows(b *browser, _ *audit.Result, _ string) {
	b.seek("http://shop.example")
	b.click(".r .tog")
	b.is("4", `document.querySelectorAll('.det .trail li').length`)
	b.says("https", b.all(".det .trail li:nth-child(2) ins"))
	b.is("http https,www.,/", `[...document.querySelectorAll('.r.on del')].map(d => d.textContent) + ' ' + [...document.querySelectorAll('.r.on ins')].map(d => d.textContent)`)
	b.is("true", `location.hash.includes('&open=product-sitemap') && document.activeElement.ariaExpanded`)
	b.click(".r.on .tog")
	b.is("0#entries&q=http%3A%2F%2Fshop.example", `document.querySelectorAll('.det').length + location.hash`)
	b.click("[data-id=lane-spelling]")
	b.seek("/x%28")
	b.click(".r .tog")
	b.is("%28,%29 (,)", `[...document.querySelectorAll('.r.on .c1 mark')].map(m => m.textContent) + ' ' + [...document.querySelectorAll('.r.on .c3 mark')].map(m => m.textContent)`)
}

// savesTo has the page keep what it saves and copies.
const savesTo = `(() => { const real = URL.createObjectURL; URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return real.call(URL, blob); };
	navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; return ''; })()`

// The file and the copy have the rows that are found, on all pages, in the order shown; what could
// calculate in a spreadsheet does not.
func savesShown(b *browser, s *audit.Result, _ string) {
	b.Eval(savesTo)
	b.click("[data-id=lane-upload]")
	b.click("[data-id=s-url]")
	b.Eval(`(document.querySelector('#csv').click(), '')`)
	b.Until(`window.saved`)
	b.Eval(`(document.querySelector('#copy').click(), '')`)
	b.Until(`window.copied`)
	want := s.Counts.Total(audit.Corrected) + s.Counts.Total(audit.TakenOut)
	lines, copied := strings.Split(strings.TrimSuffix(b.Eval(`window.saved`), "\r\n"), "\r\n"), strings.Split(b.Eval(`window.copied`), "\n")
	if len(lines) != 1+want || len(copied) != want || !strings.Contains(lines[1], copied[0]) || !strings.Contains(lines[want], copied[want-1]) {
		b.T.Errorf("the file has %d rows, %d URLs are copied, want %d; the first is %q", len(lines)-1, len(copied), want, copied[0])
	}
	b.Eval(`(window.saved = '', document.querySelector('[data-id=lane-]').click(), '')`)
	b.settled()
	b.Eval(`(document.querySelector('#csv').click(), '')`)
	b.Until(`window.saved`)
	b.is("true", `window.saved.includes(",'=cmd|") && window.saved.includes(",'＝1+1")`)
}

func showsHostile(b *browser, _ *audit.Result, file string) {
	for _, query := range []string{"very-long-", "gnp.exe", "separator", "cmd|", "javascript:", "shop.example/%3C"} {
		b.open(file, "#entries&q="+strings.ReplaceAll(query, "%", "%25"))
		b.click(".r .tog")
		b.is("0,1440,0", `[document.querySelectorAll('main img, main script:not([type]), #app img, #app script, #app a[href]:not([href^="#"])').length,
			document.documentElement.scrollWidth, [...document.querySelectorAll('.listing td')].filter(c => c.scrollWidth > c.clientWidth + 1).length]`)
	}
	if text := b.all(".r .c1"); !strings.Contains(text, "</script><img") {
		b.T.Errorf("the URL is shown as %q", text)
	}
}

// The edits are told file by file, cause by cause, and lead to those that are not shown.
func showsEdits(b *browser, s *audit.Result, _ string) {
	replaced := s.Counts.Actions[audit.Replace]
	b.begins(messages.Say("n-fixed", "n", edited(&s.Counts), "a", replaced, "b", edited(&s.Counts)-replaced).In(messages.Of("en")), b.all("#edits .lead"))
	left, _, _ := strings.Cut(b.all("#edits .file[open] [data-go]"), " ")
	b.click("#edits .file[open] [data-go]")
	b.Until(`document.querySelectorAll('.only .chip').length === 2`)
	b.settled()
	n, _ := strconv.Atoi(strings.ReplaceAll(left, ",", ""))
	b.begins(fmt.Sprint(n+shownEdits, " "), b.status())
}

// says fails where a text is not as wanted, begins where it does not begin so.
func (b *browser) says(want, got string) {
	b.T.Helper()
	if got != want {
		b.T.Errorf("it says %q, want %q", got, want)
	}
}

func (b *browser) begins(want, got string) {
	b.T.Helper()
	if !strings.HasPrefix(got, want) {
		b.T.Errorf("it says %q, want %q at its beginning", got, want)
	}
}

// reportedEntries: the addresses that Google reports are a choice of their own, by what they come to;
// those that no sitemap lists say so.
func reportedEntries(b *browser) {
	result := fixture.Reported()
	file := saved(b.T, result, "en")
	b.open(file, "#reported")
	b.click("#reported .btn")
	b.Until(`document.querySelector('[data-id=lane-reported]')?.ariaPressed === 'true'`)
	b.open(file, "#entries&lane=reported&view=expert")
	b.says(fmt.Sprintf("%d URLs", result.SearchConsole.Addresses), b.status())
	var want []string
	for _, e := range conclude.ReportedOf(result).Ends {
		want = append(want, fmt.Sprintf("%d %s", e.Count, e.Title.In(messages.Of("en"))))
	}
	b.is(strings.Join(want, "\n"), `[...document.querySelectorAll('.gr')].map(g => g.querySelector('.n').textContent + ' ' + g.querySelector('.t').textContent).join('\n')`)
	b.open(file, "#entries&lane=reported&group=0")
	b.turnsOver("label", ".r .c4", "#entries&lane=reported&sort=-label&group=0")
	b.open(file, "#entries&cause=r-nothing&view=client")
	b.is("not in a sitemap", `[...new Set([...document.querySelectorAll('.r .sm')].map(e => e.textContent))].join()`)
	b.click(".r .tog")
	if got := b.all(".det dt"); !strings.Contains(got, "What to do") || strings.Contains(got, "Corrected") {
		b.T.Errorf("an opened address tells %q", got)
	}
	b.is("false", `location.hash.includes('open=')`) // of no sitemap
}

// showsEvidence: the opened row of an entry says what Google keeps of it.
func showsEvidence(b *browser) {
	result := fixture.Witnessed()
	rows := fixture.Rows(result)[0]
	moved := &rows[slices.IndexFunc(rows, func(r audit.Row) bool { return r.Verdict == audit.Moved })]
	b.open(saved(b.T, result, "en"), "#entries&lane=upload&view=expert&lang=ja&q="+strings.ReplaceAll(moved.Address.String(), "%", "%25"))
	b.settled()
	if b.Eval(`document.querySelectorAll('.det').length`) == "0" {
		b.click(".r .tog")
	}
	b.is("Googleのインデックス | ページにリダイレクトがあります · 2026-11-04 · この監査と一致 | Googleが選択したcanonical | "+moved.Final.String(),
		`(list => list.filter((e, i) => /^Google/.test((e.tagName === 'DT' ? e : list[i - 1]).innerText) && e.getClientRects().length)
		.map(e => e.innerText.replace(/\s+/g, ' ').trim()).join(' | '))([...document.querySelectorAll('.det .kv > *')])`)
}

// longChain: a chain of ten redirects stands on one line in its row, and hop by hop in the open.
func longChain(b *browser) {
	a, hops := fixture.New(), "1 /0"
	for i := 1; i <= 10; i++ {
		hops += fmt.Sprintf(" 301 /%d/%s", i, strings.Repeat("カ", i*20))
	}
	a.List(site+"/sitemap.xml", "urlset", hops+" 200")
	b.width(390)
	b.open(saved(b.T, a.Result(), "en"), "#entries&open=sitemap.xml:3")
	b.says("301 → … 9 … → 200", b.all(".r .c2"))
	b.is("11,390", `[document.querySelectorAll('.det .trail li').length, document.documentElement.scrollWidth]`)
}

// largePage saves all rows of a large page in an order that goes to and fro between the chunks: the
// file has this order, and no chunk becomes text more often than once for each column.
func largePage(b *browser) {
	b.open(saved(b.T, fixture.Study(3*chunkRows), "en"), "#entries&sort=answers&group=0")
	b.Eval(savesTo)
	b.Eval(`(() => { const decode = TextDecoder.prototype.decode; window.decoded = 0;
		TextDecoder.prototype.decode = function (...args) { window.decoded++; return decode.apply(this, args); };
		document.querySelector('#csv').click(); })()`)
	b.Until(`window.saved`)
	b.is("true", fmt.Sprint(`window.decoded <= `, 4*len(texts)))
	b.Eval(`(window.lines = window.saved.split('\r\n').slice(1, -1).map(line => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)[8]), '')`)
	b.is("true", `window.lines.length > `+fmt.Sprint(3*chunkRows-100)+` && window.lines.every((x, i) => !i || window.lines[i - 1].slice(0, -1) <= x.slice(0, -1))`)
}
