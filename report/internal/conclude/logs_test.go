package conclude

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// TestSitemapIsRight holds that a sitemap is called right only as far as the statuses of the log and the
// answers to our own crawl say so.
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
		seen   []seen
		says   []string
		remedy bool
	}{
		"each time": {[]seen{redirected, {2, "/b(", day(11, 5), map[int]int64{308: 33}, back}},
			[]string{"Googlebot asked for ( in 2 of your addresses, 37 times between 3 and 19 November, and was redirected each time. Your sitemap is right."}, true},
		"two spellings of one": {[]seen{redirected, {1, "/a%28%28", day(11, 19), map[int]int64{301: 1}, back}},
			[]string{"asked for ( in 1 of your addresses, 5 times between 3 and 19 November"}, true},
		"one day":    {[]seen{{1, "/a(", day(11, 3), map[int]int64{301: 1}, back}}, []string{"once on 3 November, and was"}, true},
		"two months": {[]seen{{1, "/a(", day(12, 3), map[int]int64{301: 1}, back}}, []string{"between 3 November and 3 December"}, true},
		"elsewhere alike": {[]seen{redirected, {2, "/b(", day(11, 5), map[int]int64{200: 2}, accesslog.Ours{Status: 200}}},
			[]string{"in 1 of your addresses, 4 times between 3 and 19 November, and was redirected each time, back to what is listed. Your sitemap is right there.",
				"(1 of your addresses, 2 times, 3 November - 5 November), and was not redirected"}, true},
		"not each time":      {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4, 200: 1}, back}}, []string{"redirected 4 of these times"}, true},
		"304 is no redirect": {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4, 304: 1}, back}}, []string{"redirected 4 of these times"}, true},
		"not seen by us":     {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{}}}, []string{"was redirected each time."}, true},
		"led elsewhere":      {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{Status: 301}}}, []string{"was redirected each time."}, true},
		"refused as listed": {[]seen{{1, "", day(11, 19), map[int]int64{404: 1}, accesslog.Ours{Status: 200}}, redirected},
			[]string{"was redirected each time."}, false},
		"answered alike": {[]seen{{1, "/a(", day(11, 19), map[int]int64{200: 4}, accesslog.Ours{Status: 200}}}, []string{"your sitemap can stay"}, false},
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
		for _, line := range LogLines(messages.Of("en"), l) {
			text.WriteString(line.Text + "\n")
			remedy = remedy || line.Remedy
		}
		for _, want := range c.says {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text.String())
			}
		}
		if right := strings.Contains(strings.Join(c.says, " "), "between") || name == "one day"; strings.Contains(text.String(), "Your sitemap is right") != right || remedy != c.remedy {
			t.Errorf("%s: right is not %v or remedy not %v in\n%s", name, right, c.remedy, text.String())
		}
	}
}
