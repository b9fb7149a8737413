package html

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// The table opens on all entries, cause by cause, in the order of the lanes; of each lane
// that is to be done the first cause stands open.
func opensByCause(b *browser, s *fixture.Study, _ string) {
	b.is("All5,010", `document.querySelector('.chip[aria-pressed=true]').textContent`)
	if got, want := b.all(".listing .lh th"), "Fixed "; !strings.HasPrefix(got, want) {
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
	b.begins("5,010 URLs", b.status())
	b.click("#by-cause")
	b.is("0,50", `[document.querySelectorAll('.gr').length, document.querySelectorAll('.listing .r').length]`)
	b.is("#entries&group=0", `location.hash`)
}

func choosesLane(b *browser, s *fixture.Study, _ string) {
	b.click("[data-id=lane-decide]")
	n := messages.Number(s.Result.Counts.Total(audit.NeedsDecision))
	b.begins(n+" URLs", b.status())
	b.click("[data-id=lane-clean]")
	b.is("1", `document.querySelectorAll('.chip[aria-pressed=true]').length`)
	b.is("#entries&lane=clean", `location.hash`)
	b.is("lane-clean", `document.activeElement.dataset.id`)
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
	if got, want := b.status(), fmt.Sprintf("%s of %d", n, of); got != want {
		b.T.Errorf("it says %q, want %q", got, want)
	}
	b.seek("tripod-kyoto-")
	b.click("[data-id=lane-left]")
	b.seek("http://shop.example")
	left := s.Result.Counts.Total(audit.LeftOut)
	all := b.all("[data-id=lane-] b")
	want := fmt.Sprintf("Not crawled: none of %d match. All: %s", left, all)
	b.says(want, b.all("#app [role=status]"))
	b.says("0", b.all("[data-id=lane-left] b"))
	b.click("#widen")
	if got := b.status(); got != all+" of 5,010" {
		b.T.Errorf("widened it says %q", got)
	}
	b.Do(chromedp.Focus(chromedp.CSS("#q")), chromedp.KeyEvent("\x1b"))
	b.settled()
	b.is("#entries", `document.querySelector('#q').value + location.hash`)
	b.seek("no such URL")
	b.says("All: none of 5,010 match.", b.all("#app [role=status]"))
	b.says("", b.all(".listing .gr"))
}

func sortsEntries(b *browser, _ *fixture.Study, file string) {
	b.is("ascending,none,none", `[...document.querySelectorAll('.listing thead th')].map(th => th.ariaSort)`)
	b.says("File and line ↑\nListed URL ↕\nAnswers ↕\nWritten URL ↕", b.all(".listing thead button"))
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
	up := strings.Split(b.all(cells), "\n")
	b.click("[data-id=s-" + key + "]")
	down := strings.Split(b.all(cells), "\n")
	if up[0] == down[0] || b.Eval(`location.hash`) != hash {
		b.T.Errorf("by %s it begins with %q both ways (%s)", key, up[0], b.Eval(`location.hash`))
	}
}

// A hash that no page made is an ordinary page.
func readsHash(b *browser, _ *fixture.Study, file string) {
	for _, hash := range []string{"#entries&cause=length", "#entries&file=length&lane=x", "#entries&sort=__proto__", "#entries&sort=toString&page=1.5&size=7", "#entries&lane=constructor&page=-1", "#entries&open=x:1", "#entries&file=99&cause=__proto__", "#=&&%zz", "#entries&q="} {
		b.open(file, hash)
		b.begins("5,010 URLs", b.status())
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
	b.is("entries", `document.activeElement.id`)
	b.click(".only .chip")
	b.is("0", `document.querySelectorAll('.only .chip').length`)
	b.Eval(`(location.hash = '#entries&file=3&lane=decide', '')`)
	b.Until(`document.querySelector('.only .chip')`)
	b.settled()
	n := s.Result.Files[3].Counts.Total(audit.NeedsDecision)
	b.begins(fmt.Sprintf("%d of ", n), b.status())
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
	b.is("4", `document.querySelectorAll('.det .trail li').length`)
	if got := b.all(".det .trail li:nth-child(2) ins"); got != "https" {
		b.T.Errorf("of the second URL %q is marked", got)
	}
	b.is("http https,www.,/", `[...document.querySelectorAll('.r.on del')].map(d => d.textContent) + ' ' + [...document.querySelectorAll('.r.on ins')].map(d => d.textContent)`)
	b.is("true", `location.hash.includes('&open=product-sitemap') && document.activeElement.ariaExpanded`)
	b.click(".r.on .tog")
	b.is("0#entries&q=http%3A%2F%2Fshop.example", `document.querySelectorAll('.det').length + location.hash`)
	b.click("[data-id=lane-spelling]")
	b.seek("%28")
	b.click(".r .tog")
	b.is("%28,%29 (,)", `[...document.querySelectorAll('.r.on .c1 mark')].map(m => m.textContent) + ' ' + [...document.querySelectorAll('.r.on .c3 mark')].map(m => m.textContent)`)
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
		b.is("0", `document.querySelectorAll('main img, main script:not([type]), #app img, #app script, #app a[href]:not([href^="#"])').length`)
		b.is("1440", `document.documentElement.scrollWidth`)
		b.is("0", `[...document.querySelectorAll('.listing td')].filter(c => c.scrollWidth > c.clientWidth + 1).length`)
	}
	b.open(file, "#entries&q=shop.example/%253C")
	if text := b.all(".r .c1"); !strings.Contains(text, "</script><img") {
		b.T.Errorf("the URL is shown as %q", text)
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
			b.is(fmt.Sprint(width), `document.documentElement.scrollWidth`)
		}
	}
	b.Do(chromedp.EmulateViewport(1440, 900))
}

// The edits are told file by file, cause by cause, and lead to those that are not shown.
func showsEdits(b *browser, s *fixture.Study, _ string) {
	actions := s.Result.Counts.Actions
	gone := actions[audit.Drop] + actions[audit.Merge]
	want := fmt.Sprintf("%s fixed (%s replaced, %s removed)", messages.Number(actions[audit.Replace]+gone), messages.Number(actions[audit.Replace]), messages.Number(gone))
	if got := b.all("#edits .lead"); !strings.HasPrefix(got, want) {
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
	result := onTheDay(fixture.Reporting(300, 200))
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
	if got := b.all(".det dt") + b.all(".det dd"); !strings.Contains(got, "What to do") || strings.Contains(got, "Written") ||
		!strings.Contains(got, "Requested 2 times · 2026-11-02 · 301 × 2") {
		b.T.Errorf("an opened address tells %q", got)
	}
	b.is("false", `location.hash.includes('open=')`) // of no sitemap
}

// onTheDay is told with access logs of the day on which each reported address was last crawled.
func onTheDay(result *audit.Result) *audit.Result {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC).Unix()
	t, sc := *result, *result.SearchConsole
	sc.Rows = func(ctx context.Context) iter.Seq2[audit.ReportedRow, error] {
		return func(yield func(audit.ReportedRow, error) bool) {
			for r, err := range result.SearchConsole.Rows(ctx) {
				r.Crawled = []accesslog.Finding{{Seen: accesslog.Asked{Requests: 2, First: at, Last: at, Statuses: map[int]int64{301: 2}, LastStatus: 301}}}
				if !yield(r, err) {
					return
				}
			}
		}
	}
	t.SearchConsole = &sc
	return &t
}

// showsEvidence: the opened row of an entry says what robots requested and what Google keeps of it: for
// a client what concerns Googlebot and the index, for an expert all.
func showsEvidence(b *browser) {
	s, bounce, fine, moved := fixture.Witnessed()
	s.Result.Logs = fixture.NoLogs()
	file := saved(b.T, s.Result, "en")
	for _, x := range []struct {
		row              *audit.Row
		lang, view, want string
	}{
		{bounce, "en", "expert", `Googlebot | Requested 37 times · 2026-11-03 - 2026-11-18 · 200 × 1, 301 × 36 · 301 /(4)\xE9<b> | ` +
			"Bingbot | Requested 1 time · 2026-11-03 · 200 × 1"},
		{fine, "en", "client", "Googlebot | Not requested in the access logs · 2026-11-03 - 2026-11-18"},
		{moved, "ja", "expert", "Googleのインデックス | ページにリダイレクトがあります · 2026-11-04 · この監査と一致 | Googleが選択したcanonical | " + moved.Final.String()},
	} {
		b.open(file, "#entries&view="+x.view+"&lang="+x.lang+"&q="+strings.ReplaceAll(x.row.Address.String(), "%", "%25"))
		b.settled()
		if b.Eval(`document.querySelectorAll('.det').length`) == "0" {
			b.click(".r .tog")
		}
		b.is(x.want, `(list => list.filter((e, i) => /^(Google|Bingbot|Canonical that)/.test((e.tagName === 'DT' ? e : list[i - 1]).innerText) && e.getClientRects().length)
			.map(e => e.innerText.replace(/\s+/g, ' ').trim()).join(' | '))([...document.querySelectorAll('.det .kv > *')])`)
	}
}

// longChain: a chain of ten redirects stands on one line in its row, and hop by hop in the open.
func longChain(b *browser) {
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
	b.width(390)
	b.open(saved(b.T, s.Evaluate(s.Files()[:2]), "en"), "#entries&open=product-sitemap.xml:7")
	b.says("301 → … 9 … → 200", b.all(".r .c2"))
	b.is("11,390", `[document.querySelectorAll('.det .trail li').length, document.documentElement.scrollWidth]`)
}

// largePage saves all rows of a large page in an order that goes to and fro between the chunks: the
// file has this order, and no chunk becomes text more often than once for each column.
func largePage(b *browser) {
	file := saved(b.T, fixture.NewStudy(30_000).Result, "en")
	b.open(file, "#entries&sort=answers&group=0")
	b.Eval(`(() => {
		const decode = TextDecoder.prototype.decode, url = URL.createObjectURL;
		window.decoded = 0;
		TextDecoder.prototype.decode = function (...args) { window.decoded++; return decode.apply(this, args); };
		URL.createObjectURL = blob => { blob.text().then(text => { window.savedText = text; }); return url.call(URL, blob); };
		document.querySelector('#csv').click();
	})()`)
	b.Until(`window.savedText`)
	chunks := (30_010 + chunkRows - 1) / chunkRows
	if n, err := strconv.Atoi(b.Eval(`window.decoded`)); err != nil || n > chunks*len(texts) {
		b.T.Errorf("%d chunks of %d columns became text %d times, %v", chunks, len(texts), n, err)
	}
	b.Eval(`(window.lines = window.savedText.split('\r\n').slice(1, -1).map(line => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)[8]), '')`)
	b.is("30010,true", `[window.lines.length, window.lines.every((x, i) => !i || window.lines[i - 1].slice(0, -1) <= x.slice(0, -1))]`)
}
