package accesslog_test

import (
	"fmt"
	"slices"
	"testing"

	"sitemend/crawler/accesslog"
)

// TestUnlistedAnswers: for an unlisted address from which Googlebot was redirected all answers are
// reported, whatever log has them, and it counts once; one without a redirect is not reported.
func TestUnlistedAnswers(t *testing.T) {
	const time = "03/Nov/2026:12:00:00 +0000"
	raw := func(target string, status int) string {
		return fmt.Sprintf(`66.249.66.1 - - [%s] "GET %s HTTP/1.1" %d 5 "-" "Googlebot/2.1"`+"\n", time, target, status)
	}
	edge := func(target string, status int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-03T12:00:00+0000","client_ip":"66.249.66.1","host":"shop.example","url":"%s","request_method":"GET","request_user_agent":"Googlebot/2.1","response_status":%d}`+"\n", target, status)
	}
	robots := knownRobots()
	for name, x := range map[string]struct {
		log      string
		joined   []string
		unlisted int
	}{
		"one kind of log":      {raw("/u", 200) + raw("/u", 301), []string{"/u raw map[200:1 301:1]"}, 1},
		"redirected in one":    {raw("/u", 200) + edge("/u", 301), []string{"/u edge map[301:1]", "/u raw map[200:1]"}, 1},
		"redirected in both":   {raw("/u", 301) + edge("/u", 308), []string{"/u edge map[308:1]", "/u raw map[301:1]"}, 1},
		"redirected in none":   {raw("/u", 200) + edge("/u", 404), nil, 0},
		"two of one fold":      {raw("/u(", 301) + raw("/u%28", 301) + edge("/u(", 200), []string{"/u%28 raw map[301:1]", "/u( edge map[200:1]", "/u( raw map[301:1]"}, 2},
		"another spelling not": {raw("/u(", 301) + edge("/u%28", 200), []string{"/u( raw map[301:1]"}, 1},
	} {
		found, _ := join(t, []byte(x.log), "shop.example", robots, nil)
		var joined []string
		var sum accesslog.Sum
		for i := range found {
			f := &found[i]
			sum.Add(f, accesslog.Ours{})
			joined = append(joined, fmt.Sprint(f.Asked, " ", f.Rawness, " ", f.Seen.Statuses))
		}
		slices.Sort(joined)
		if !slices.Equal(joined, x.joined) || sum.Unlisted != x.unlisted {
			t.Errorf("%s: got %q, %d unlisted, want %q, %d", name, joined, sum.Unlisted, x.joined, x.unlisted)
		}
	}
}

// knownRobots tells robots by their known ranges alone.
func knownRobots() *accesslog.Robots {
	ranges := &accesslog.Ranges{}
	ranges.AddKnown()
	return accesslog.NewRobots(ranges, nil)
}
