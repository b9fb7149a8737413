package watch_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/watch"
	"sitemend/crawler/audit"
)

// each is a text in every language.
func each(en, ja string) map[string]string { return map[string]string{"en": en, "ja": ja} }

var theNews = job.News{
	ID: "20261122T031700Z", Before: "20261121T031700Z", Ended: time.Date(2026, 11, 22, 3, 24, 0, 0, time.UTC), Entries: 5000,
	Worse: job.Turn{Addresses: 12, Files: 1, Kinds: map[audit.ChangeKind]int{audit.NewProblem: 12}, Problems: map[audit.Verdict]int{audit.NotFound: 12},
		Parts: each("12 new problems", "新しい問題: 12件"),
		First: []job.NewsChange{{Address: "http://shop.example/a", Was: audit.OK, Is: audit.NotFound, Then: each("fine", "正常"), Now: each("not found (404)", "見つからない (404)")}}},
	Better: job.Turn{Addresses: 1, Kinds: map[audit.ChangeKind]int{audit.Fixed: 1}, Parts: each("1 fixed", "解消: 1件")},
	Changed: []job.NewsCause{{Verdict: audit.NotFound, Words: each("Not found (404): /a/*", "見つからない(404): /a/*"), Then: 0, Now: 12},
		{Verdict: audit.Moved, Words: each("Redirect: /b -> /c", "リダイレクト: /b -> /c"), Then: 1, Now: 0, NotCompared: 3}},
}

// What people read of an audit that made things worse and better, in both languages.
func TestMessages(t *testing.T) {
	for lang, want := range map[string]string{
		"en": `shop: the audit works again
Report: http://pages.example/20261122T031700Z
--
shop: 12 addresses got worse
shop: 1 sitemap cannot be read in full
Since the audit of 2026-11-21 12:17: 12 new problems
  http://shop.example/a: fine -> not found (404)
  and 12 more
Report: http://pages.example/20261122T031700Z
--
shop: 1 address got better
Since the audit of 2026-11-21 12:17: 1 fixed
  and 1 more
Report: http://pages.example/20261122T031700Z`,
		"ja": `shop: 監査が復旧しました
レポート: http://pages.example/20261122T031700Z
--
shop: 12件のURLが悪化しました
shop: 1件のサイトマップを完全には読み込めませんでした
2026-11-21 12:17の監査との比較: 新しい問題: 12件
  http://shop.example/a: 正常 -> 見つからない (404)
  ほか12件
レポート: http://pages.example/20261122T031700Z
--
shop: 1件のURLが改善しました
2026-11-21 12:17の監査との比較: 解消: 1件
  ほか1件
レポート: http://pages.example/20261122T031700Z`,
	} {
		var got []string
		for _, m := range watch.Messages(lang, "shop", &theNews, true) {
			got = append(got, m.Text)
		}
		if text := strings.Join(got, "\n--\n"); text != want {
			t.Errorf("%s: got\n%s\nwant\n%s", lang, text, want)
		}
	}
}

// A message says when the audit before began, too, where that was not the first one of its second.
func TestTheAuditBeforeWasOneOfASecond(t *testing.T) {
	n := theNews
	want := watch.Messages("en", "shop", &n, false)[0].Text
	n.Before += "-2"
	if text := watch.Messages("en", "shop", &n, false)[0].Text; text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// What changed beside the entries is in one message, and makes one where addresses of lists, or errors
// of sitemaps, are worse or better.
func TestMessagesOfWhatIsBeside(t *testing.T) {
	fault := "Faults: Invalid URL    0 -> 2: 2 new"
	n := job.News{ID: "20261122T031700Z", Before: "20261121T031700Z", Beside: map[string][]string{"en": {fault}}}
	say := func() string {
		var got []string
		for _, m := range watch.Messages("en", "shop", &n, false) {
			got = append(got, m.Text)
		}
		return strings.Join(got, "\n--\n")
	}
	if got := say(); got != "" {
		t.Errorf("links and warnings alone make a message: %s", got)
	}
	n.Worse.Lists, n.Worse.Errors, n.Better.Errors = 2, 1, 1
	n.Worse.First = []job.NewsChange{{Address: "http://shop.example/fr", Then: each("fine", ""), Now: each("not found (404)", "")}}
	const want = `shop: 2 alternates, images or videos got worse
shop: 1 new error in the sitemaps
  http://shop.example/fr: fine -> not found (404)
  and 1 more
  Faults: Invalid URL    0 -> 2: 2 new
Report: http://pages.example/20261122T031700Z
--
shop: 1 error in the sitemaps was mended
Report: http://pages.example/20261122T031700Z`
	if got := say(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	body := string(watch.Messages("en", "shop", &n, false)[0].JSON)
	for _, want := range []string{`"lists":2`, `"errors":1`, `"beside":["Faults: Invalid URL    0 -\u003e 2: 2 new"]`} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in %s", want, body)
		}
	}
}

// The JSON of a message has what docs/watch.md says, and causes that fit what it is about.
func TestMessageJSON(t *testing.T) {
	const want = `{"id":"","site":"shop","audit":"20261122T031700Z","before":"20261121T031700Z","at":"2026-11-22T03:24:00Z","kind":"worse",` +
		`"counts":{"addresses":12,"new-problem":12,"new:not-found":12,"sitemaps":1},"causes":[{"verdict":"not-found","cause":"Not found (404): /a/*","before":0,"entries":12}],` +
		`"first":[{"address":"http://shop.example/a","was":"ok","is":"not-found","then":"fine","now":"not found (404)"}],"beside":[],"report":"http://pages.example/20261122T031700Z","why":""}`
	messages := watch.Messages("en", "shop", &theNews, false)
	if got := string(messages[0].JSON); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(messages[1].JSON); !strings.Contains(got, `"causes":[{"verdict":"moved","cause":"Redirect: /b -\u003e /c","before":1,"entries":0,"not_compared":3}]`) {
		t.Errorf("got %s", got)
	}
}

// Nothing that a site sends addresses people or channels of a chat, hides a link behind another
// text, steers a terminal or grows without bounds; the JSON has it octet for octet.
func TestMessagesAreCalm(t *testing.T) {
	n := theNews
	for _, hostile := range []string{"http://a.example/@everyone", "http://a.example/<!channel>", "http://a.example/[x](http://evil.example)", "http://a.example/\x1b[2J", "http://a.example/\u202egnp",
		"http://a.example/`code`", "http://a.example/a\nReport: http://evil.example", "http://a.example/" + strings.Repeat("x", 8000)} {
		n.Worse.First = []job.NewsChange{{Address: hostile, Then: each(hostile, hostile), Now: each(hostile, hostile)}}
		m := watch.Messages("en", "shop", &n, false)[0]
		for _, never := range []string{"@e", "<!", "](", "\x1b", "\u202e", "\nReport: http://evil"} {
			if strings.Contains(m.Text, never) {
				t.Errorf("%q is told as %q", hostile, m.Text)
			}
		}
		if strings.Contains(m.Text, "%") {
			t.Errorf("%q is told as another address: %q", hostile, m.Text)
		}
		if len(m.Text) > 2000 {
			t.Errorf("a message of %d bytes", len(m.Text))
		}
		var body struct{ First []struct{ Address string } }
		must(t, json.Unmarshal(m.JSON, &body))
		if body.First[0].Address != hostile {
			t.Errorf("%q is %q in JSON", hostile, body.First[0].Address)
		}
	}
}

// The token of the pages is in no message that waits in the store, and the link works with the
// token that the pages have when it is sent.
func TestTokenOfWaitingMessages(t *testing.T) {
	kept, text, body := watch.Waits("https://audits.example", "0123456789abcdef", "fedcba9876543210", &job.News{ID: "20261122T031700Z"})
	if strings.Contains(kept, "0123456789abcdef") {
		t.Errorf("the store has the token: %s", kept)
	}
	link := "https://audits.example/fedcba9876543210/audits/20261122T031700Z/"
	if !strings.HasSuffix(text, link) || !strings.Contains(body, `"report":"`+link+`"`) {
		t.Errorf("the receiver gets %s\n%s", text, body)
	}
}
