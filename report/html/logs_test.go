package html

import (
	"strings"
	"testing"

	"sitemend/crawler/accesslog"
	"sitemend/report/internal/fixture"
)

// TestLogsSection holds that the page says what access logs say, in each language, and is without
// the section where none was read. What a log has cannot become markup.
func TestLogsSection(t *testing.T) {
	s := fixture.NewStudy(40)
	result := s.Evaluate(s.Files())
	if strings.Contains(pageOf(t, result, Options{Lang: "en"}), `id="logs"`) {
		t.Error("there is a section without logs")
	}
	logs := fixture.NoLogs()
	logs.Files, logs.Unreadable, logs.Count.Lines, logs.Count.Unreadable = 2, "<b>.log line 7", 90, 3
	f := accesslog.Finding{Class: accesslog.OtherSpelling, URL: site + "/a%284%29", Asked: "/a(4)", DiffersIn: []string{"(", ")"},
		Seen: accesslog.Asked{Requests: 37, First: 1793678706, Last: 1793778706, Statuses: map[int]int64{301: 37}, LastStatus: 301}}
	logs.Sum.Add(&f, accesslog.Ours{Status: 301, Back: true})
	result.Logs = logs
	text := pageOf(t, result, Options{Lang: "en"})
	for _, want := range []string{`<section id="logs"`, "What Googlebot requested", "Googlebotのリクエスト", `href="#logs"`, "40 requests", "リクエスト40件",
		"Googlebot made 40 requests (3 November - 18 November). It requested 1 of 1 URL, 1 otherwise than listed.", "URL1件のうち1件がリクエストされ、うち1件は記載とは別の表記でした。",
		"Googlebot asked for ( ) in 1 of your URLs, 37 times between 3 and 4 November, and was redirected each time. Your sitemap is right.",
		"サイトマップは正しい状態です", "&lt;b&gt;.log line 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
