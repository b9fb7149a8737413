package watch

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/notify"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
)

// change is an address that is not found any more.
func change(url string) diff.Change {
	return diff.Change{URL: url, Kind: diff.New, Old: &diff.Observation{Verdict: audit.OK}, New: &diff.Observation{Verdict: audit.NotFound, Status: 404}}
}

var theNews = job.News{
	Info: audit.Info{ID: "20261122T031700Z", Ended: time.Date(2026, 11, 22, 3, 24, 0, 0, time.UTC)}, Before: "20261121T031700Z",
	Worse: diff.Turn{Addresses: 12, Sitemaps: 1, Errors: 2, Problems: map[audit.Verdict]int{audit.NotFound: 12},
		First: []diff.Change{change("http://shop.example/a")}},
	Better: diff.Turn{Addresses: 1, Errors: 1},
}

// told are the messages about it, in Japan, after audits that failed or not.
func told(lang string, n *job.News, failures int) []notify.Message {
	w := newWriter("shop", lang, time.FixedZone("JST", 9*60*60), func(_, id string) string { return "http://pages.example/" + id })
	return w.of(n, &state{Seq: 1, Failures: failures})
}

// What people read of an audit that made things worse and better, in both languages.
func TestMessages(t *testing.T) {
	for lang, want := range map[string]string{
		"en": `shop: the audit works again
Report: http://pages.example/20261122T031700Z
--
shop: 12 URLs got worse
shop: 1 sitemap cannot be read in full
shop: 2 new errors in the sitemaps
Since the audit of 2026-11-21 12:17:
- http://shop.example/a: clean -> not found (404)
Report: http://pages.example/20261122T031700Z
--
shop: 1 URL got better
shop: 1 error in the sitemaps was fixed
Since the audit of 2026-11-21 12:17:
Report: http://pages.example/20261122T031700Z`,
		"ja": `shop: 監査が復旧しました
レポート: http://pages.example/20261122T031700Z
--
shop: 12件のURLが悪化しました
shop: 1件のサイトマップを完全には読み込めませんでした
shop: サイトマップに新しいエラーが2件あります
2026-11-21 12:17の監査との比較:
- http://shop.example/a: 問題なし -> 見つからない (404)
レポート: http://pages.example/20261122T031700Z
--
shop: 1件のURLが改善しました
shop: サイトマップのエラーが1件解消しました
2026-11-21 12:17の監査との比較:
レポート: http://pages.example/20261122T031700Z`,
	} {
		var got []string
		for _, m := range told(lang, &theNews, 2) {
			got = append(got, m.Text)
		}
		if text := strings.Join(got, "\n--\n"); text != want {
			t.Errorf("%s: got\n%s\nwant\n%s", lang, text, want)
		}
	}
	// As docs/watch.md says it to programs.
	const want = `{"id":"ID","site":"shop","audit":"20261122T031700Z","before":"20261121T031700Z","at":"2026-11-22T03:24:00Z","kind":"worse",` +
		`"counts":{"addresses":12,"errors":2,"new:not-found":12,"sitemaps":1},` +
		`"first":[{"address":"http://shop.example/a","was":"ok","is":"not-found","then":"clean","now":"not found (404)"}],"report":"http://pages.example/20261122T031700Z","why":""}`
	m := told("en", &theNews, 0)[0]
	if got := strings.Replace(string(m.JSON), m.ID, "ID", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Nothing that a site sends addresses people or channels of a chat, hides a link behind another
// text, steers a terminal or grows without bounds; the JSON has it octet for octet.
func TestMessagesAreCalm(t *testing.T) {
	n := theNews
	for _, hostile := range []string{"http://a.example/@everyone", "http://a.example/<!channel>", "http://a.example/[x](http://evil.example)", "http://a.example/\x1b[2J", "http://a.example/\u202egnp",
		"http://a.example/`code`", "http://a.example/a\nReport: http://evil.example", "http://a.example/" + strings.Repeat("x", 8000)} {
		n.Worse.First = []diff.Change{change(hostile)}
		m := told("en", &n, 0)[0]
		for _, never := range []string{"@e", "<!", "](", "\x1b", "\u202e", "\nReport: http://evil"} {
			if strings.Contains(m.Text, never) {
				t.Errorf("%q is told as %q", hostile, m.Text)
			}
		}
		if strings.Contains(m.Text, "%") || len(m.Text) > 2000 {
			t.Errorf("%q is told as %q", hostile, m.Text)
		}
		var body struct{ First []struct{ Address string } }
		must(t, json.Unmarshal(m.JSON, &body))
		if body.First[0].Address != hostile {
			t.Errorf("%q is %q in JSON", hostile, body.First[0].Address)
		}
	}
}
