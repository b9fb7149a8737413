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
	back := accesslog.Ours{Status: 301, Back: true, Listed: 200}
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
		remedy string // yes, or if what is listed answers
	}{
		"each time": {[]seen{redirected, {2, "/b(", day(11, 5), map[int]int64{308: 33}, back}},
			[]string{"Googlebot asked for ( in 2 of your addresses, 37 times between 3 and 19 November, and was redirected each time. Your sitemap is right."}, "yes"},
		"two spellings of one": {[]seen{redirected, {1, "/a%28%28", day(11, 19), map[int]int64{301: 1}, back}},
			[]string{"asked for ( in 1 of your addresses, 5 times between 3 and 19 November"}, "yes"},
		"one day":    {[]seen{{1, "/a(", day(11, 3), map[int]int64{301: 1}, back}}, []string{"once on 3 November, and was"}, "yes"},
		"two months": {[]seen{{1, "/a(", day(12, 3), map[int]int64{301: 1}, back}}, []string{"between 3 November and 3 December"}, "yes"},
		"elsewhere alike": {[]seen{redirected, {2, "/b(", day(11, 5), map[int]int64{200: 2}, accesslog.Ours{Status: 200}}},
			[]string{"in 1 of your addresses, 4 times between 3 and 19 November, and was redirected each time, back to what is listed. Your sitemap is right there.",
				"(1 of your addresses, 2 times, 3 November - 5 November), and was not redirected"}, "yes"},
		"not each time":      {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4, 200: 1}, back}}, []string{"redirected 4 of these times"}, "yes"},
		"304 is no redirect": {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4, 304: 1}, back}}, []string{"redirected 4 of these times"}, "yes"},
		"not seen by us":     {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{}}}, []string{"was redirected each time."}, "if"},
		"some seen by us": {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{}}, {2, "/b(", day(11, 5), map[int]int64{301: 2}, accesslog.Ours{Listed: 200}}},
			[]string{"was redirected each time."}, "yes"},
		"seen by Googlebot alone": {[]seen{{1, "", day(11, 19), map[int]int64{200: 1}, accesslog.Ours{}}, {1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{}}},
			[]string{"was redirected each time."}, "yes"},
		"led elsewhere": {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 4}, accesslog.Ours{Status: 301, Listed: 200}}}, []string{"was redirected each time."}, "yes"},
		"refused as listed": {[]seen{{1, "", day(11, 19), map[int]int64{404: 1}, accesslog.Ours{Status: 200}}, redirected},
			[]string{"was redirected each time."}, "if"},
		"refused as listed, to us too": {[]seen{{1, "", day(11, 19), map[int]int64{404: 1}, accesslog.Ours{Status: 404}}, {1, "/a(", day(11, 19), map[int]int64{200: 4}, accesslog.Ours{Status: 200, Listed: 404}}},
			[]string{"with ( spelt otherwise, 4 times, 3 November - 19 November.", "1 of these addresses does not answer with a page as it is listed: list what does"}, ""},
		"listed is redirected": {[]seen{{1, "", day(11, 19), map[int]int64{301: 1}, accesslog.Ours{}}, {1, "/a(", day(11, 19), map[int]int64{200: 4}, accesslog.Ours{}}},
			[]string{"spelt otherwise, 4 times, 3 November - 19 November.", "list what does, or repair it"}, ""},
		"errors": {[]seen{{1, "/a(", day(11, 19), map[int]int64{404: 2, 503: 1, 0: 1, 200: 1}, accesslog.Ours{Listed: 200}}},
			[]string{"spelt otherwise, 5 times, 3 November - 19 November.", "4 of these requests did not get the page: no status, 404, 503."}, "yes"},
		"one error of several redirects": {[]seen{{1, "/a(", day(11, 19), map[int]int64{301: 2, 404: 1}, accesslog.Ours{}}},
			[]string{"redirected 2 of these times", "1 of these requests did not get the page: 404."}, "if"},
		"answered alike": {[]seen{{1, "/a(", day(11, 19), map[int]int64{200: 4}, accesslog.Ours{Status: 200}}}, []string{"your sitemap can stay"}, ""},
	} {
		l, listed := &audit.Logs{Files: 1}, 0 // the last answer as listed
		for _, x := range c.seen {
			f := accesslog.Finding{Seq: x.seq, URL: "https://shop.example/a%28", Asked: x.asked, DiffersIn: []string{"("}, Class: accesslog.OtherSpelling,
				Seen: accesslog.Asked{First: day(11, 3), Last: x.to, Statuses: x.codes}}
			if x.asked == "" {
				f.Class, f.Asked, f.DiffersIn = accesslog.AsListed, "/a%28", nil
			}
			for status, n := range x.codes {
				f.Seen.Requests, f.Seen.LastStatus = f.Seen.Requests+n, status
			}
			if x.asked == "" {
				listed = f.Seen.LastStatus
			} else {
				f.Listed = listed
			}
			l.Sum.Add(&f, x.ours)
		}
		var text strings.Builder
		remedy := ""
		for _, line := range LogLines(messages.Of("en"), l) {
			text.WriteString(line.Text + "\n")
			switch {
			case line.Remedy:
				remedy = "yes"
			case strings.Contains(line.Text, "If it does, have the server answer both"):
				remedy = "if"
			}
		}
		for _, want := range c.says {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text.String())
			}
		}
		if right := strings.Contains(strings.Join(c.says, " "), "between") || name == "one day"; strings.Contains(text.String(), "Your sitemap is right") != right || remedy != c.remedy {
			t.Errorf("%s: right is not %v or remedy not %q in\n%s", name, right, c.remedy, text.String())
		}
	}
}
