package conclude

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// TestSitemapIsRight holds that a sitemap is called right only as far as the statuses of the log
// and the answers to our own crawl say so.
func TestSitemapIsRight(t *testing.T) {
	day := func(month time.Month, day int) int64 {
		return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC).Unix()
	}
	back := accesslog.Ours{Status: 301, Back: true}
	type seen struct {
		seq   int64
		asked string // "" for as listed
		to    int64  // the day of the last request
		codes map[int]int64
		ours  accesslog.Ours
	}
	redirected := seen{1, "/a(", day(11, 19), map[int]int64{301: 4}, back}
	for name, c := range map[string]struct {
		seen []seen
		says string // "" where it is not called right
	}{
		"each time": {[]seen{redirected, {2, "/b(", day(11, 5), map[int]int64{308: 33}, back}},
			"Googlebot asked for ( in 2 of your URLs and was redirected back. Your sitemap is right."},
		"two spellings of one": {[]seen{redirected, {1, "/a%28%28", day(11, 19), map[int]int64{301: 1}, back}},
			"asked for ( in 1 of your URLs"},
		"not each time":     {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4, 200: 1}, back}}, ""},
		"not seen by us":    {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{}}}, ""},
		"refused as listed": {[]seen{{1, "", day(11, 19), map[int]int64{404: 1}, accesslog.Ours{Status: 200}}, redirected}, ""},
		"errors":            {[]seen{{1, "/a(", day(11, 19), map[int]int64{404: 2, 503: 1, 0: 1}, back}}, ""},
	} {
		l := &audit.Logs{Files: 1}
		for _, x := range c.seen {
			f := accesslog.Finding{Seq: x.seq, URL: "https://shop.example/a%28", Asked: x.asked, DiffersIn: []string{"("}, Class: accesslog.OtherSpelling,
				Seen: accesslog.Asked{First: day(11, 3), Last: x.to, Statuses: x.codes}}
			if x.asked == "" {
				f.Class, f.Asked, f.DiffersIn = accesslog.AsListed, "/a%28", nil
			}
			for status, n := range x.codes {
				f.Seen.Requests, f.Seen.LastStatus = f.Seen.Requests+n, status
			}
			l.Sum.Add(&f, x.ours)
		}
		var text strings.Builder
		remedy := false
		for _, line := range LogLines(l) {
			text.WriteString(line.Text.Plain(messages.Of("en")) + "\n")
			remedy = remedy || line.Remedy
		}
		right := strings.Contains(text.String(), "Your sitemap is right")
		if !strings.Contains(text.String(), c.says) || right != (c.says != "") || remedy != right {
			t.Errorf("%s: %q, remedy %v, in\n%s", name, c.says, remedy, text.String())
		}
	}
}
