package accesslog_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
)

// The requests of Googlebot for single addresses on a day are known, with the answers of that day
// only, in each spelling and whatever else the logs contain.
func TestDays(t *testing.T) {
	robots := accesslog.NewRobots(knownRanges(), nil)
	logs := []string{
		`66.249.66.1 - - [02/Nov/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"
66.249.66.1 - - [01/Nov/2026:23:59:59 +0000] "GET /a HTTP/1.1" 404 5 "-" "Googlebot/2.1"
66.249.66.1 - - [03/Nov/2026:00:00:00 +0000] "GET /a HTTP/1.1" 500 5 "-" "Googlebot/2.1"
66.249.66.1 - - [02/Nov/2026:08:00:00 +0000] "GET /w%284%29 HTTP/1.1" 200 5 "-" "Googlebot/2.1"
66.249.66.1 - - [02/Nov/2026:09:00:00 +0000] "GET /w(4) HTTP/1.1" 301 5 "-" "Googlebot/2.1"
66.249.66.1 - - [02/Nov/2026:09:00:00 +0000] "GET /p%20q HTTP/1.1" 200 5 "-" "Googlebot/2.1"
157.55.39.1 - - [02/Nov/2026:09:00:00 +0000] "GET /bing HTTP/1.1" 200 5 "-" "bingbot/2.0"
203.0.113.9 - - [02/Nov/2026:09:00:00 +0000] "GET /claimed HTTP/1.1" 200 5 "-" "Googlebot/2.1"
`,
		`66.249.66.1 - - [02/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 304 5 "-" "Googlebot/2.1"
66.249.66.1 - - [02/Nov/2026:10:00:00 +0000] "GET /w(4) HTTP/1.1" 302 5 "-" "Googlebot/2.1"
`,
		// The server resolved escapes, as the spaces show, so the spelling is unknown.
		strings.Repeat("66.249.66.1 - - [02/Nov/2026:10:00:00 +0000] \"GET /d (4) HTTP/1.1\" 200 5 \"-\" \"Googlebot/2.1\"\n", 2),
	}
	asked := map[string]string{
		"http://shop.example/a":        "as-listed /a 200x1 304x1",
		"http://shop.example/w%284%29": "as-listed /w%284%29 200x1, other-spelling /w(4) ( ) 301x1 302x1",
		"http://shop.example/w(4)":     "as-listed /w(4) 301x1 302x1, other-spelling /w%284%29 ( ) 200x1",
		"http://shop.example/p+q":      "", // another address
		"http://shop.example/bing":     "",
		"http://shop.example/claimed":  "",
		"http://shop.example/d%20(4)":  " 200x2",
		"http://other.example/a":       "",
	}
	at := func(day int) int64 { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC).Unix() }
	days, addrs := &accesslog.Days{}, map[string]int64{}
	for loc := range asked {
		addrs[loc] = int64(len(addrs))
		days.Add(addrs[loc], address.Wire(loc), at(2), at(3))
	}
	// The same address on another day, named by another export.
	days.Add(100, address.Wire("http://shop.example/a"), at(1), at(2))
	c := accesslog.NewCollector(&memory{})
	c.Host, c.Days = "shop.example", days
	for i, log := range logs {
		see(t, c, i, log, robots)
	}
	for range 2 { // the result is the same each time
		for loc, want := range asked {
			if got := describe(c.Day(addrs[loc], address.Wire(loc))); got != want {
				t.Errorf("%s: %q, want %q", loc, got, want)
			}
		}
	}
	if got := describe(c.Day(100, address.Wire("http://shop.example/a"))); got != "as-listed /a 404x1" {
		t.Errorf("on the day before: %q", got)
	}
}

func see(t *testing.T, c *accesslog.Collector, log int, text string, robots *accesslog.Robots) {
	t.Helper()
	ctx := context.Background()
	_, err := accesslog.Read(ctx, bytes.NewReader([]byte(text)), accesslog.Options{Robots: robots}, func(r *accesslog.Request) error {
		robot, standing := robots.Of(ctx, r)
		return c.See(log, r, robot, standing)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// describe returns findings in a line.
func describe(found []accesslog.Finding) string {
	var out []string
	for _, f := range found {
		parts := []string{f.Class.String()}
		if f.Asked != "" {
			parts = append(parts, f.Asked)
		}
		parts = append(parts, f.DiffersIn...)
		for status := range 600 {
			if n := f.Seen.Statuses[status]; n > 0 {
				parts = append(parts, fmt.Sprintf("%dx%d", status, n))
			}
		}
		out = append(out, strings.Join(parts, " "))
	}
	return strings.Join(out, ", ")
}

// Only a limited number of spellings of one address is kept.
func TestDaysAreBounded(t *testing.T) {
	robots := accesslog.NewRobots(knownRanges(), nil)
	a := address.Wire("http://shop.example/aaaaaaaa")
	days := &accesslog.Days{}
	days.Add(1, a, 1, 1<<40)
	c := accesslog.NewCollector(&memory{})
	c.Host, c.Days = "shop.example", days
	var log strings.Builder
	for i := range 256 {
		target := ""
		for bit := range 8 {
			if i>>bit&1 > 0 {
				target += "%61"
			} else {
				target += "a"
			}
		}
		fmt.Fprintf(&log, "66.249.66.1 - - [02/Nov/2026:00:00:00 +0000] \"GET /%s HTTP/1.1\" 200 5 \"-\" \"Googlebot/2.1\"\n", target)
	}
	see(t, c, 0, log.String(), robots)
	if got := len(c.Day(1, a)); got < 8 || got > 32 {
		t.Errorf("%d spellings are kept", got)
	}
}

func knownRanges() *accesslog.Ranges {
	ranges := &accesslog.Ranges{}
	ranges.AddKnown()
	return ranges
}
