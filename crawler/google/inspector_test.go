package google_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/crawler/google/googletest"
)

const property = "https://shop.example/"

func addresses(n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("https://shop.example/%d", i))
	}
	return urls
}

// dayOver is the answer of the live service when the quota of a day is used up.
var dayOver = googletest.Refusal(429, "rateLimitExceeded", "Quota exceeded for sc-domain:shop.example.")

// Misbehaviour of the service, and the result for 20 addresses. The n-th call is the n-th that was
// sent, from 1.
func TestInspectorWithMisbehavingGoogle(t *testing.T) {
	answer := func(a googletest.Answer, from, to int) func(int, string) googletest.Answer {
		return func(n int, _ string) googletest.Answer {
			if n >= from && n <= to {
				return a
			}
			return googletest.Answer{}
		}
	}
	at := func(a googletest.Answer, url string, times int) func(int, string) googletest.Answer {
		return func(_ int, u string) googletest.Answer {
			if times > 0 && strings.HasSuffix(u, url) {
				times--
				return a
			}
			return googletest.Answer{}
		}
	}
	unavailable := googletest.Answer{Status: 503, Body: "<html>upstream</html>"}
	for name, test := range map[string]struct {
		answer func(n int, url string) googletest.Answer
		got    int // rows
		failed int // of these, without an answer
		left   int // addresses that were not inspected
		calls  int // that were sent
		walls  int // waits of a minute
		day    bool
		err    string
	}{
		"nothing":                         {answer: answer(dayOver, 0, 0), got: 20, calls: 20},
		"one 429 of a minute":             {answer: answer(dayOver, 20, 20), got: 20, calls: 21, walls: 1},
		"the day's end at the first call": {answer: answer(dayOver, 1, 1000), left: 20, calls: 9, walls: 1, day: true},
		"the day's end without errors[]":  {answer: answer(googletest.Answer{Status: 429, Body: `{"error":{"code":429,"message":"Quota exceeded"}}`}, 1, 1000), left: 20, calls: 9, walls: 1, day: true},
		"429 as a page":                   {answer: answer(googletest.Answer{Status: 429, Body: "slow down"}, 1, 1000), left: 20, calls: 9, walls: 1, day: true},
		"403 quotaExceeded, documented":   {answer: answer(googletest.Refusal(403, "quotaExceeded", "Quota exceeded"), 20, 1000), got: 19, left: 1, calls: 20, day: true},
		"403 rateLimitExceeded, once":     {answer: at(googletest.Refusal(403, "rateLimitExceeded", "slow down"), "/7", 1), got: 20, calls: 21},
		"403 rateLimitExceeded, lasting":  {answer: at(googletest.Refusal(403, "userRateLimitExceeded", "slow down"), "/19", 9), got: 19, left: 1, calls: 22, err: "403"},
		"503 twice":                       {answer: at(unavailable, "/7", 2), got: 20, calls: 22},
		"503 of one address":              {answer: at(unavailable, "/7", 9), got: 20, failed: 1, calls: 22},
		"400 of one address":              {answer: at(googletest.Refusal(400, "badRequest", "Invalid URL"), "/7", 1), got: 20, failed: 1, calls: 20},
		"404 of one address":              {answer: at(googletest.Refusal(404, "notFound", "gone"), "/7", 1), got: 20, failed: 1, calls: 20},
		"no JSON":                         {answer: at(googletest.Answer{Status: 200, Body: "<html>"}, "/7", 9), got: 20, failed: 1, calls: 22},
		"an answer that says nothing":     {answer: at(googletest.Answer{Status: 200, Body: "{}"}, "/7", 9), got: 20, failed: 1, calls: 22},
		"403 without a reason":            {answer: at(googletest.Refusal(403, "", "You do not own this site, or the inspected URL is not part of this property."), "/19", 9), got: 19, left: 1, calls: 20, err: "You do not own this site"},
		"a redirect":                      {answer: at(googletest.Answer{Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, "/19", 9), got: 19, left: 1, calls: 20, err: "302"},
		"401 once":                        {answer: at(googletest.Refusal(401, "authError", "Invalid Credentials"), "/7", 1), got: 20, calls: 21},
		"401 lasting":                     {answer: at(googletest.Refusal(401, "authError", "Invalid Credentials"), "/19", 9), got: 19, left: 1, calls: 21, err: "401"},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock, l, g := startGoogle(t), googletest.NewClock(), ledger{}, inspected{}
			var mu sync.Mutex
			sent := 0
			s.Answer = func(c googletest.Call) googletest.Answer {
				mu.Lock()
				defer mu.Unlock()
				sent++
				return test.answer(sent, fmt.Sprint(c.Body["inspectionUrl"]))
			}
			rest := (&google.Inspector{Client: client(t, s, clock, google.ReadOnly), Take: l.take, Got: g.got}).Inspect(t.Context(), property, addresses(20))
			failed := 0
			for _, in := range g {
				if in.Failure != "" {
					failed++
				}
			}
			calls, walls := s.Calls(), strings.Count(clock.Waited(), "1m1s")
			cut := min(max(0, test.got-len(g)), 7*len(test.err)) // an error ends the others under way, too
			if len(g) != test.got-cut || failed != test.failed || len(rest.URLs) != test.left+cut || len(calls) > test.calls || !test.day && len(calls) < test.calls-cut || walls != test.walls || rest.Day != test.day {
				t.Errorf("%d rows, %d of them failures, %d left, %d calls, %d waits of a minute, day's end %v; want %d, %d, %d, %d, %d, %v",
					len(g), failed, len(rest.URLs), len(calls), walls, rest.Day, test.got, test.failed, test.left, test.calls, test.walls, test.day)
			}
			if (rest.Err == nil) != (test.err == "") || rest.Err != nil && !strings.Contains(rest.Err.Error(), test.err) {
				t.Errorf("the error is %v, want %q", rest.Err, test.err)
			}
			if l[property+"2026-11-22"] != len(calls) {
				t.Errorf("%d calls are counted, %d were sent", l[property+"2026-11-22"], len(calls))
			}
		})
	}
}

// Never more than eight inspections are under way at once.
func TestInspectionsAtOnce(t *testing.T) {
	s, g := startGoogle(t), inspected{}
	var mu sync.Mutex
	now, most, all := 0, 0, make(chan struct{})
	s.Answer = func(googletest.Call) googletest.Answer {
		mu.Lock()
		if now++; now > most {
			if most = now; most == 8 {
				close(all)
			}
		}
		mu.Unlock()
		<-all
		mu.Lock()
		now--
		mu.Unlock()
		return googletest.Answer{}
	}
	(&google.Inspector{Client: client(t, s, googletest.NewClock(), google.ReadOnly), Take: ledger{}.take, Got: g.got}).Inspect(t.Context(), property, addresses(100))
	if most != 8 || len(g) != 100 {
		t.Errorf("%d at once, %d got", most, len(g))
	}
}

// Answers that came before the context ended are kept, and addresses that were not inspected are
// left.
func TestInspectingEndsWithItsContext(t *testing.T) {
	s, g := startGoogle(t), inspected{}
	ctx, stop := context.WithCancel(t.Context())
	got := func(in audit.Inspection) error {
		if len(g) == 9 {
			stop()
		}
		return g.got(in)
	}
	rest := (&google.Inspector{Client: client(t, s, googletest.NewClock(), google.ReadOnly), Take: ledger{}.take, Got: got}).Inspect(ctx, property, addresses(50))
	if !errors.Is(rest.Err, context.Canceled) || len(g) < 10 || len(g)+len(rest.URLs) != 50 {
		t.Errorf("%d got, %d left, %v", len(g), len(rest.URLs), rest.Err)
	}
}
