package html

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

func TestEntriesInBrowser(t *testing.T) {
	b := newBrowser(t)
	s := fixture.NewStudy(5000)
	file := saved(t, "report.html", pageOf(t, s.Result, Options{Written: writtenOf(s.Result)}))
	b.Do(chromedp.EmulateViewport(1440, 900))
	for _, x := range []struct {
		name string
		test func(*browser, *fixture.Study, string)
	}{
		{"opens on all, by cause", opensByCause}, {"one chip at a time", choosesLane}, {"counts follow the search", countsFollow},
		{"sorts", sortsEntries}, {"one group after the other, page by page", pagesGroups}, {"reads any hash", readsHash},
		{"goes to a row", goesToRow}, {"a cause and a file", narrowsFromElsewhere}, {"opens a row", opensRows}, {"advises as decided", advisesAsDecided},
		{"saves what is shown", savesShown}, {"shows hostile URLs as text", showsHostile}, {"by keyboard", byKeyboard},
		{"keeps to its width", keepsWidth}, {"shows the edits", showsEdits},
	} {
		t.Run(x.name, func(t *testing.T) { b.T = t; b.open(file, ""); x.test(b, s, file) })
	}
	b.T = t
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}

// The table opens on all entries, cause by cause, in the order of the lanes; of each lane
// that is to be done the first cause stands open.
func opensByCause(b *browser, s *fixture.Study, _ string) {
	if got := b.Eval(`document.querySelector('.chip[aria-pressed=true]').textContent`); got != "All5,010" {
		b.T.Errorf("the chip %q is pressed", got)
	}
	if got, want := b.all(".listing .lh th"), "Changed by the upload "; !strings.HasPrefix(got, want) {
		b.T.Errorf("the lanes are %q", got)
	}
	for _, lane := range strings.Split(b.all(".listing .lh th b"), "\n") {
		if lane == "0" {
			b.T.Error("a lane without a URL is shown")
		}
	}
	if open, lanes := b.Eval(`document.querySelectorAll('.gr [aria-expanded=true]').length`), b.Eval(`document.querySelectorAll('.listing :is(.k-upload, .k-decide, .k-spelling, .k-unseen)').length`); open != lanes {
		b.T.Errorf("%s groups stand open in %s lanes", open, lanes)
	}
	sum := b.Eval(`[...document.querySelectorAll('.gr .n')].reduce((sum, n) => sum + Number(n.textContent.replace(',', '')), 0)`)
	if sum != "5010" {
		b.T.Errorf("the groups have %s URLs", sum)
	}
	if got := b.status(); !strings.HasPrefix(got, "5,010 URLs in ") {
		b.T.Errorf("it says %q", got)
	}
	b.Eval(`document.querySelector('#entries').scrollIntoView()`)
	b.Picture("entries-light", false)
	b.click("#by-cause")
	if got := b.Eval(`[document.querySelectorAll('.gr').length, document.querySelectorAll('.listing .r').length]`); got != "0,50" {
		b.T.Errorf("without groups there are %s heads and rows", got)
	}
	if got := b.Eval(`location.hash`); got != "#entries&group=0" {
		b.T.Errorf("the URL is %s", got)
	}
	b.Picture("entries-flat", false)
}

func choosesLane(b *browser, s *fixture.Study, _ string) {
	b.click("[data-id=lane-decide]")
	n := messages.Number(s.Result.Counts.Total(audit.NeedsDecision))
	if got := b.status(); !strings.HasPrefix(got, n+" URLs in ") {
		b.T.Errorf("it says %q, want %s URLs", got, n)
	}
	b.click("[data-id=lane-clean]")
	if got := b.Eval(`document.querySelectorAll('.chip[aria-pressed=true]').length`); got != "1" {
		b.T.Errorf("%s chips are pressed", got)
	}
	if got := b.Eval(`location.hash`); got != "#entries&lane=clean" {
		b.T.Errorf("the URL is %s", got)
	}
	if got := b.Eval(`document.activeElement.dataset.id`); got != "lane-clean" {
		b.T.Errorf("the focus is on %s", got)
	}
}

// The counts of all chips are those of the search; where the chosen one hides what is
// searched for, the table says so and leads there.
func countsFollow(b *browser, s *fixture.Study, _ string) {
	b.click("[data-id=lane-unseen]")
	b.seek("カテゴリ")
	total := 0
	for _, text := range strings.Split(b.all(".chip:not([data-id=lane-]) b"), "\n") {
		var n int
		fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
		total += n
	}
	if got := b.all("[data-id=lane-] b"); got != messages.Number(total) || total == 0 {
		b.T.Errorf("all are %s, the parts %d", got, total)
	}
	of, n := s.Result.Counts.Total(audit.NotChecked), b.all("[data-id=lane-unseen] b")
	if got, want := b.status(), fmt.Sprintf("%s of %d · %s in all 5,010", n, of, messages.Number(total)); got != want {
		b.T.Errorf("it says %q, want %q", got, want)
	}
	b.seek("tripod-kyoto-")
	b.click("[data-id=lane-left]")
	b.seek("http://shop.example")
	left := s.Result.Counts.Total(audit.LeftOut)
	all := b.all("[data-id=lane-] b")
	want := fmt.Sprintf("None of the %d URLs that were not crawled match. %s in all 5,010 do. Show the %s", left, all, all)
	if got := b.all("#app [role=status]"); got != want {
		b.T.Errorf("it says %q, want %q", got, want)
	}
	if got := b.all("[data-id=lane-left] b"); got != "0" {
		b.T.Errorf("the chip says %s", got)
	}
	b.Picture("entries-hidden", false)
	b.click("#widen")
	if got := b.status(); got != all+" of 5,010" {
		b.T.Errorf("widened it says %q", got)
	}
	b.Do(chromedp.Focus(chromedp.CSS("#q")), chromedp.KeyEvent("\x1b"))
	b.settled()
	if got := b.Eval(`document.querySelector('#q').value + location.hash`); got != "#entries" {
		b.T.Errorf("after Esc there is %q", got)
	}
	b.seek("no such URL")
	if got := b.all("#app [role=status]"); got != "None of the 5,010 URLs match." {
		b.T.Errorf("it says %q", got)
	}
	if got := b.all(".listing .gr"); got != "" {
		b.T.Errorf("groups without a URL: %q", got)
	}
}

func sortsEntries(b *browser, _ *fixture.Study, file string) {
	if got := b.Eval(`[...document.querySelectorAll('.listing thead th')].map(th => th.ariaSort)`); got != "ascending,none,none" {
		b.T.Errorf("at first it is sorted %s", got)
	}
	if got := b.all(".listing thead button"); got != "File and line ↑\nListed URL ↕\nAnswers ↕\nWritten URL ↕" {
		b.T.Errorf("the heads are %q", got)
	}
	b.open(file, "#entries&group=0")
	b.turnsOver("url", ".r .c1", "#entries&sort=-url&group=0")
	b.turnsOver("answers", ".r .c2", "#entries&sort=-answers&group=0")
	b.click("[data-id=s-place]")
	if got := b.Eval(`location.hash`); got != "#entries&group=0" {
		b.T.Errorf("by file and line the URL is %s", got)
	}
	b.click("[data-id=s-place]")
	if got := b.Eval(`document.querySelector('.listing thead th').ariaSort`); got != "descending" {
		b.T.Errorf("by file and line, turned over, it is sorted %s", got)
	}
}

// turnsOver sorts by the head of key twice: what stands first then is another row, and the
// address names the order.
func (b *browser) turnsOver(key, cells, hash string) {
	b.T.Helper()
	b.click("[data-id=s-" + key + "]")
	up := strings.Split(b.all(cells), "\n")
	b.click("[data-id=s-" + key + "]")
	down := strings.Split(b.all(cells), "\n")
	if up[0] == down[0] || b.Eval(`location.hash`) != hash {
		b.T.Errorf("by %s it begins with %q both ways (%s)", key, up[0], b.Eval(`location.hash`))
	}
}

// Of an open group all rows can be reached, and no head is on another page.
func pagesGroups(b *browser, _ *fixture.Study, _ string) {
	heads := b.all(".gr .t")
	b.click(".k-clean + tbody .gr button")
	if got := b.Eval(`document.querySelectorAll('.k-clean + tbody .r').length`); got != "50" {
		b.T.Errorf("an opened group shows %s rows", got)
	}
	first := b.all(".k-clean + tbody .r .c1")
	b.click(".k-clean + tbody [data-nav=next]")
	if second := b.all(".k-clean + tbody .r .c1"); second == first {
		b.T.Error("the second page is the first")
	}
	b.click(".k-clean + tbody [data-nav=last]")
	if got := b.Eval(`document.querySelector('.k-clean + tbody [data-nav=next]').disabled`); got != "true" {
		b.T.Error("there is a page behind the last")
	}
	if got := b.all(".gr .t"); got != heads {
		b.T.Errorf("the heads are %q, and were %q", got, heads)
	}
	n := b.all(".k-upload + tbody .gr .n")
	more := b.all(".k-upload + tbody .link")
	if !strings.HasSuffix(more, " more in this group") {
		b.T.Fatalf("of %s URLs the page leads on with %q", n, more)
	}
	b.click(".k-upload + tbody .link")
	if got := b.Eval(`document.querySelectorAll('.k-upload + tbody .r').length`); got != "50" {
		b.T.Errorf("after %q there are %s rows", more, got)
	}
	b.click(".k-upload + tbody .gr button")
	if got := b.Eval(`document.querySelectorAll('.k-upload + tbody .r').length + document.activeElement.ariaExpanded`); got != "0false" {
		b.T.Errorf("a closed group, and its button: %s", got)
	}
}

// A hash that no page made is an ordinary page.
func readsHash(b *browser, _ *fixture.Study, file string) {
	for _, hash := range []string{"#entries&cause=length", "#entries&file=length&lane=x", "#entries&sort=__proto__", "#entries&sort=toString&page=1.5&size=7", "#entries&lane=constructor&page=-1", "#entries&open=x:1", "#entries&file=99&cause=__proto__", "#=&&%zz", "#entries&q="} {
		b.open(file, hash)
		if got := b.status(); !strings.HasPrefix(got, "5,010 URLs in ") {
			b.T.Errorf("with %s: %q", hash, got)
		}
	}
}

// An address names a row: its group is opened, at the page where it is, and it too,
// whatever else the address says.
func goesToRow(b *browser, s *fixture.Study, file string) {
	row := s.Rows[3][len(s.Rows[3])-1]
	for _, hash := range []string{fmt.Sprintf("#entries&open=sitemap.xml.gz:%d", row.Entry.Line), fmt.Sprintf("#entries&open=https://www.shop.example/blog/sitemap.xml.gz:%d&group=0&q=nowhere", row.Entry.Line)} {
		b.open(file, hash)
		got := b.all(".r.on .c1")
		if !strings.HasSuffix(got, fmt.Sprintf("sitemap.xml.gz:%d", row.Entry.Line)) && !strings.Contains(got, fmt.Sprintf("sitemap.xml.gz:%d ", row.Entry.Line)) {
			b.T.Errorf("%s opens %q", hash, got)
		}
		if got := b.Eval(`document.querySelector('.r.on').getBoundingClientRect().top < innerHeight && document.querySelectorAll('.det').length`); got != "1" {
			b.T.Errorf("%s: the row is on the screen with its trail: %s", hash, got)
		}
	}
}

// Other parts of the page lead to the entries of a cause and of a file; each choice can
// be taken off.
func narrowsFromElsewhere(b *browser, s *fixture.Study, file string) {
	groups := newEntryGroups(s.Result, conclude.Of(s.Result, conclude.Options{}))
	id := groups.list[0].ID
	b.open(file, "#entries&cause="+id)
	if got, want := b.status(), messages.Number(s.Result.Causes[causeAt(s.Result, audit.Upload)].Count)+" URLs"; got != want {
		b.T.Errorf("it says %q, want %q", got, want)
	}
	if got := b.Eval(`document.activeElement.id`); got != "entries" {
		b.T.Errorf("the focus is on %q", got)
	}
	b.click(".only .chip")
	if got := b.Eval(`document.querySelectorAll('.only .chip').length`); got != "0" {
		b.T.Errorf("%s choices are left", got)
	}
	b.Eval(`(location.hash = '#entries&file=3&lane=decide', '')`)
	b.Until(`document.querySelector('.only .chip')`)
	b.settled()
	n := s.Result.Files[3].Counts.Total(audit.NeedsDecision)
	if got := b.status(); !strings.HasPrefix(got, fmt.Sprintf("%d of ", n)) {
		b.T.Errorf("of the file it says %q, want %d", got, n)
	}
}

// causeAt is the index of the first cause of a lane.
func causeAt(result *audit.Result, l audit.Lane) int {
	for i := range result.Causes {
		if result.Causes[i].Group.Lane() == l {
			return i
		}
	}
	return -1
}

func opensRows(b *browser, _ *fixture.Study, _ string) {
	b.seek("http://shop.example")
	b.click(".r .tog")
	if got := b.Eval(`document.querySelectorAll('.det .trail li').length`); got != "4" {
		b.T.Errorf("a chain of 3 redirects has %s URLs", got)
	}
	if got := b.all(".det .trail li:nth-child(2) ins"); got != "https" {
		b.T.Errorf("of the second URL %q is marked", got)
	}
	if got := b.Eval(`[...document.querySelectorAll('.r.on del')].map(d => d.textContent) + ' ' + [...document.querySelectorAll('.r.on ins')].map(d => d.textContent)`); got != "http https,www.,/" {
		b.T.Errorf("in the row %q is marked", got)
	}
	if got := b.Eval(`location.hash.includes('&open=product-sitemap') && document.activeElement.ariaExpanded`); got != "true" {
		b.T.Errorf("the URL is %s", b.Eval(`location.hash`))
	}
	b.Eval(`document.querySelector('.r.on').scrollIntoView({ block: 'center' })`)
	b.Picture("entries-open", false)
	b.click(".r.on .tog")
	if got := b.Eval(`document.querySelectorAll('.det').length + location.hash`); got != "0#entries&q=http%3A%2F%2Fshop.example" {
		b.T.Errorf("closed again there is %s", got)
	}
	b.click("[data-id=lane-spelling]")
	b.seek("%28")
	b.click(".r .tog")
	if got := b.all(".det pre"); !strings.Contains(got, "(4)'") || !strings.HasPrefix(got, "grep Googlebot access.log | grep -F '/") {
		b.T.Errorf("the line to look into the log is %q", got)
	}
	if got := b.Eval(`[...document.querySelectorAll('.r.on .c1 mark')].map(m => m.textContent) + ' ' + [...document.querySelectorAll('.r.on .c3 mark')].map(m => m.textContent)`); got != "%28,%29 (,)" {
		b.T.Errorf("in the row %q is marked", got)
	}
	b.Picture("entries-spelling", false)
}

// advisesAsDecided: what an opened row says to do follows from what was decided of it, and
// it says one thing.
func advisesAsDecided(b *browser, s *fixture.Study, file string) {
	of := func(term string) string {
		return b.Eval(`[...document.querySelectorAll('.det dt')].filter(dt => dt.textContent === '` + term + `').map(dt => dt.nextElementSibling.textContent).join()`)
	}
	open := func(notes audit.Note, v audit.Verdict, action audit.Action) {
		for f, rows := range s.Rows {
			for i := range rows {
				if r := &rows[i]; r.Verdict == v && r.Fix.Action == action && (notes == "" || r.Has(notes)) {
					b.open(file, fmt.Sprintf("#entries&open=%s:%d", s.Result.Files[f].Sitemap.URL, r.Entry.Line))
					return
				}
			}
		}
		b.T.Fatalf("no row is %s, %s", v, action)
	}
	open(audit.Braked, audit.Noindex, audit.Keep)
	if want := strings.ReplaceAll(messages.Of("en").Remark(audit.Braked).Do, "`", ""); of("What to do") != want {
		b.T.Errorf("a URL that the brake keeps is told to %q, want %q", of("What to do"), want)
	}
	if got := of("Written"); got != "unchanged" {
		b.T.Errorf("of a URL that is kept %q is written", got)
	}
	open("", audit.Moved, audit.Replace)
	if got := of("What to do"); got != "" {
		b.T.Errorf("where the upload is all there is to do, it says %q", got)
	}
	if got := of("Why it may be written"); got == "" {
		b.T.Error("nothing says why a URL is written")
	}
	open("", audit.Noindex, audit.Drop)
	if got := of("Written"); got != "removed" {
		b.T.Errorf("of a URL that is removed it says %q", got)
	}
}

// The file and the copy have the rows that are found, on all pages, in the order shown.
func savesShown(b *browser, s *fixture.Study, _ string) {
	b.Eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return real.call(URL, blob); };
		navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; return ''; })()`)
	b.click("[data-id=lane-upload]")
	b.click("[data-id=s-url]")
	b.Eval(`(document.querySelector('#csv').click(), '')`)
	b.Until(`window.saved`)
	b.Eval(`(document.querySelector('#copy').click(), '')`)
	b.Until(`window.copied`)
	want := s.Result.Counts.Total(audit.Corrected) + s.Result.Counts.Total(audit.TakenOut)
	lines := strings.Split(strings.TrimSuffix(b.Eval(`window.saved`), "\r\n"), "\r\n")
	if len(lines) != 1+want {
		b.T.Errorf("the file has %d rows, want %d", len(lines)-1, want)
	}
	copied := strings.Split(b.Eval(`window.copied`), "\n")
	if len(copied) != want || !strings.Contains(lines[1], copied[0]) || !strings.Contains(lines[want], copied[want-1]) {
		b.T.Errorf("%d URLs are copied, want %d; the first is %q", len(copied), want, copied[0])
	}
	b.Eval(`(window.saved = '', document.querySelector('[data-id=lane-]').click(), '')`)
	b.settled()
	b.Eval(`(document.querySelector('#csv').click(), '')`)
	b.Until(`window.saved`)
	for _, cell := range []string{",'=cmd|", ",'＝1+1"} {
		if !strings.Contains(b.Eval(`window.saved`), cell) {
			b.T.Errorf("no cell of the CSV begins with %s", cell)
		}
	}
}

func showsHostile(b *browser, s *fixture.Study, file string) {
	for _, query := range []string{"shop.example/%3C", "very-long-", "gnp.exe", "separator", "cmd|", "javascript:"} {
		b.open(file, "#entries&q="+strings.ReplaceAll(query, "%", "%25"))
		if got := b.Eval(`document.querySelectorAll('.r').length`); got == "0" {
			b.T.Fatalf("%s is not found: %s", query, b.status())
		}
		b.click(".r .tog")
		if got := b.Eval(`document.querySelectorAll('main img, main script:not([type]), #app img, #app script, #app a[href]:not([href^="#"])').length`); got != "0" {
			b.T.Errorf("%s: %s elements came from a URL", query, got)
		}
		b.fits(1440)
		if got := b.Eval(`[...document.querySelectorAll('.listing td')].filter(c => c.scrollWidth > c.clientWidth + 1).length`); got != "0" {
			b.T.Errorf("%s: %s cells are too narrow for what they hold", query, got)
		}
	}
	b.open(file, "#entries&q=shop.example/%253C")
	if text := b.all(".r .c1"); !strings.Contains(text, "</script><img") {
		b.T.Errorf("the URL is shown as %q", text)
	}
	b.Picture("entries-hostile", false)
}

// byKeyboard opens a row and closes it again with keys alone.
func byKeyboard(b *browser, _ *fixture.Study, _ string) {
	b.Do(chromedp.Focus(chromedp.CSS("[data-id=lane-decide]")), chromedp.KeyEvent("\r"))
	b.settled()
	b.Do(chromedp.Focus(chromedp.CSS(".r .tog")), chromedp.KeyEvent("\r"))
	b.settled()
	if got := b.Eval(`document.activeElement.ariaExpanded + document.querySelectorAll('.det').length`); got != "true1" {
		b.T.Errorf("the opened row's button, and the trails: %s", got)
	}
	b.Do(chromedp.KeyEvent(" "))
	b.settled()
	if got := b.Eval(`document.activeElement.ariaExpanded + document.querySelectorAll('.det').length`); got != "false0" {
		b.T.Errorf("the closed row's button, and the trails: %s", got)
	}
	b.Do(chromedp.KeyEvent("\t"))
	if got := b.Eval(`document.activeElement.matches('.listing button')`); got != "true" {
		b.T.Errorf("Tab leads to %s", b.Eval(`document.activeElement.outerHTML.slice(0, 99)`))
	}
	small := b.Eval(`[...document.querySelectorAll('#entries button, #entries input:not([type=checkbox]), #entries select, #entries label, #edits summary, #edits a')].filter(e => e.getClientRects().length && (e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24)).map(e => e.outerHTML.slice(0, 90)).join('\n')`)
	if small != "" {
		b.T.Errorf("smaller than 24 x 24: %s", small)
	}
}

// keepsWidth looks at the table at several widths, in both languages.
func keepsWidth(b *browser, _ *fixture.Study, file string) {
	for _, width := range []int64{1024, 861, 860, 320} {
		b.Do(chromedp.EmulateViewport(width, 900))
		b.open(file, "#entries&q=shop&size=100&lang=ja")
		for _, hash := range []string{"", "#entries&lane=unseen&sort=-answers&group=0", "#entries&lane=upload"} {
			if hash != "" {
				b.Eval(`(document.documentElement.lang === 'ja' && document.querySelector('#lang').click(), location.hash = '` + hash + `', '')`)
				b.Until(`document.querySelector('.chip[aria-pressed=true]').dataset.id === 'lane-` + strings.Split(strings.TrimPrefix(hash, "#entries&lane="), "&")[0] + `'`)
			}
			b.settled()
			b.Eval(`(document.querySelectorAll('.r .tog').forEach((open, i) => { if (i < 9) open.click(); }), document.querySelectorAll('#edits details').forEach(d => { d.open = true; }), '')`)
			b.settled()
			b.fits(int(width))
		}
		b.Picture(fmt.Sprintf("entries-%d", width), false)
	}
	b.Do(chromedp.EmulateViewport(1440, 900))
}

// The edits are told file by file, cause by cause, and lead to those that are not shown.
func showsEdits(b *browser, s *fixture.Study, _ string) {
	b.Eval(`document.querySelector('#edits').scrollIntoView()`)
	b.Picture("edits", false)
	actions := s.Result.Counts.Actions
	if got, want := b.all("#edits .lead"), messages.Number(actions[audit.Replace])+" URLs replaced, "+messages.Number(actions[audit.Merge])+" removed because they are listed already, "; !strings.HasPrefix(got, want) {
		b.T.Errorf("the edits begin with %q, want %q", got, want)
	}
	n := strings.TrimSuffix(b.all("#edits .file[open] [data-go]"), " more like these")
	n, _, _ = strings.Cut(n, " ")
	b.click("#edits .file[open] [data-go]")
	b.Until(`document.querySelectorAll('.only .chip').length === 2`)
	b.settled()
	var left, found int
	fmt.Sscan(strings.ReplaceAll(n, ",", ""), &left)
	fmt.Sscan(strings.ReplaceAll(b.status(), ",", ""), &found)
	if found != left+shownEdits {
		b.T.Errorf("%d more lead to %d URLs", left, found)
	}
}

// The addresses that Google reports are a choice of their own, by what they come to; those
// that no sitemap lists say so.
func TestReportedEntriesInBrowser(t *testing.T) {
	b := newBrowser(t)
	result := onTheDay(fixture.Reporting(300, 200))
	file := saved(t, "report.html", pageOf(t, result, Options{Written: writtenOf(result)}))
	b.Do(chromedp.EmulateViewport(1440, 900))
	b.open(file, "#entries&lane=reported&view=expert")
	n := result.SearchConsole.Addresses
	if got, want := b.status(), fmt.Sprintf("%d URLs, as Google reports them", n); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	ends := conclude.ReportedOf(result).Ends
	var want []string
	for _, e := range ends {
		want = append(want, fmt.Sprintf("%d %s", e.Count, e.Title.In(messages.Of("en"))))
	}
	if got := b.Eval(`[...document.querySelectorAll('.gr')].map(g => g.querySelector('.n').textContent + ' ' + g.querySelector('.t').textContent).join('\n')`); got != strings.Join(want, "\n") {
		t.Errorf("the groups are %q, want %q", got, want)
	}
	b.open(file, "#entries&lane=reported&group=0")
	b.turnsOver("label", ".r .c4", "#entries&lane=reported&sort=-label&group=0")
	b.open(file, "#entries&cause=r-nothing")
	for _, place := range strings.Split(b.all(".r .sm"), "\n") {
		if place != "not in a sitemap" {
			t.Errorf("an address that needs nothing is %q", place)
		}
	}
	b.click(".r .tog")
	if got := b.all(".det dt"); !strings.Contains(got, "What to do") || strings.Contains(got, "Written") {
		t.Errorf("an opened address tells %q", got)
	}
	const day = "On the day of the last crawl: requested as reported 2 times · 2026-11-02 · answered 301"
	if got := b.all(".det dd"); !strings.Contains(got, day) {
		t.Errorf("an opened address tells %q, want %q among it", got, day)
	}
	if got := b.Eval(`location.hash.includes('open=')`); got != "false" {
		t.Errorf("the address names a row of no sitemap: %s", b.Eval(`location.hash`))
	}
	b.seek(site)
	b.click("[data-id=lane-]")
	if got, want := b.all("[data-id=lane-]"), messages.Number(result.Counts.Entries); got == "All "+want || got == "All 0" {
		t.Errorf("of the search the chip says %q", got)
	}
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}

// onTheDay is told with access logs of the day on which each reported address was last crawled.
func onTheDay(result *audit.Result) *audit.Result {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC).Unix()
	return result.WithReported(result.SearchConsole, func() iter.Seq2[audit.ReportedRow, error] {
		return func(yield func(audit.ReportedRow, error) bool) {
			for r, err := range result.Reported(context.Background()) {
				r.Crawled = []accesslog.Finding{{Seen: accesslog.Asked{Requests: 2, First: at, Last: at, Statuses: map[int]int64{301: 2}, LastStatus: 301}}}
				if !yield(r, err) {
					return
				}
			}
		}
	})
}

// What lies behind a page is there in Japanese, too, and on paper only the document is.
func TestEntriesInJapanese(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", studyPage(t, 300, "ja"))
	b.Do(chromedp.EmulateViewport(1440, 900))
	b.open(file, "#entries&lane=decide")
	if got := b.Eval(`[...document.querySelectorAll('.listing .r')].filter(r => r.checkVisibility()).length > 0`); got != "true" {
		t.Error("no row is shown in Japanese")
	}
	if got := b.all(".listing thead button"); got != "ファイルと行 ↑\n記載されたURL ↕\n応答 ↕\n修正後のURL ↕" {
		t.Errorf("the heads are %q", got)
	}
	b.Eval(`document.querySelector('#entries').scrollIntoView()`)
	b.Picture("entries-ja", false)
}

// An audit without an entry has no table of nothing, and its page opens all the same.
func TestNoEntriesInBrowser(t *testing.T) {
	b := newBrowser(t)
	s := fixture.NewStudy(0)
	s.Rows = make([][]audit.Row, len(s.Files()))
	b.open(saved(t, "none.html", pageOf(t, s.Evaluate(s.Files()), Options{})), "#entries&q=x&open=a:1")
	if got := b.Eval(`[document.querySelector('#entries').checkVisibility(), document.querySelector('#edits') !== null]`); got != "false,false" {
		t.Errorf("sections of entries and edits are there: %s", got)
	}
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}

// A chain of ten redirects stands on one line in its row, and hop by hop in the open.
func TestLongChainInBrowser(t *testing.T) {
	b := newBrowser(t)
	s := fixture.NewStudy(0)
	hops := []string{site + "/0", "301"}
	for i := 1; i <= 10; i++ {
		hops = append(hops, fmt.Sprintf("%s/%d/%s", site, i, strings.Repeat("カ", i*20)), "301")
	}
	hops[len(hops)-1] = "200"
	row := s.Trail(hops...)
	s.Finish(&row, audit.Moved)
	row.Entry.Line = 7
	s.Rows = [][]audit.Row{nil, {row}}
	result := s.Evaluate(s.Files()[:2])
	b.Do(chromedp.EmulateViewport(390, 844))
	b.open(saved(t, "report.html", pageOf(t, result, Options{})), "#entries&open=product-sitemap.xml:7")
	if got := b.all(".r .c2"); got != "301 → … 9 … → 200" {
		t.Errorf("the answers are %q", got)
	}
	if got := b.Eval(`document.querySelectorAll('.det .trail li').length`); got != "11" {
		t.Errorf("%s addresses stand in the chain", got)
	}
	b.fits(390)
	b.Picture("entries-chain", false)
}

// Without a script the page has the first 200 that need a decision, and others only where
// there are fewer.
func TestFirstRowsNeedADecision(t *testing.T) {
	for _, n := range []int{300, 5000} {
		s := fixture.NewStudy(n)
		decide := s.Result.Counts.Total(audit.NeedsDecision)
		section := between(pageOf(t, s.Result, Options{}), `id="static"`, "</section>")
		rows, others := map[string]int{}, false
		for _, part := range strings.Split(section, `<div class="k-`)[1:] {
			lane, list, _ := strings.Cut(part, `"`)
			if others = others || lane != "decide"; others && lane == "decide" {
				t.Errorf("of %d entries, some that need a decision come after others", n)
			}
			rows[lane] += strings.Count(list, `<details class="row">`)
		}
		if rows["decide"] != min(decide, firstRows) || rows["decide"] == firstRows && len(rows) > 1 {
			t.Errorf("of %d entries, %d of which need a decision, the page has %v", n, decide, rows)
		}
	}
}
