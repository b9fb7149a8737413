package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"

	"sitemend/crawler"
	"sitemend/report/messages"
)

// The line says how far it is, how long that may take from the speed of the last minute, and what
// it waits for.
func TestProgress(t *testing.T) {
	type at struct {
		second               int
		done, settled, needs int64
	}
	for name, c := range map[string]struct {
		seen []at
		rest bool
		want string
	}{
		"no speed yet":    {seen: []at{{0, 10, 10, 990}}, want: "10 of 1,000 URLs, 3 problems"},
		"a steady audit":  {seen: []at{{0, 0, 0, 1000}, {10, 100, 100, 900}}, want: "100 of 1,000 URLs, about 2 min left, 3 problems"},
		"slow at first":   {seen: []at{{0, 0, 0, 1000}, {100, 100, 100, 900}, {160, 700, 700, 300}}, want: "700 of 1,000 URLs, about 30 s left, 3 problems"},
		"continued":       {seen: []at{{0, 900, 0, 100}, {10, 950, 50, 50}}, want: "950 of 1,000 URLs, about 10 s left, 3 problems"},
		"nothing answers": {seen: []at{{0, 10, 10, 990}, {30, 10, 10, 990}}, want: "10 of 1,000 URLs, no answer for 30 s, 3 problems"},
		"a host asks":     {seen: []at{{58, 0, 0, 1000}}, rest: true, want: "0 of 1,000 URLs, waiting 42 s, as shop.example asks (429), 3 problems"},
		"the last answer": {seen: []at{{0, 999, 999, 1}, {2, 1000, 1000, 0}}, want: "1,000 of 1,000 URLs, 3 problems"},
	} {
		var p crawler.Progress
		var log bytes.Buffer
		s := progress{p: &p, words: messages.Of("en"), log: plainLogger(&log)}
		p.Problems.Store(3)
		p.Entries.Store(1000)
		if c.rest {
			p.Rest(crawler.Rest{Host: "shop.example", Status: 429, Until: time.Unix(100, 0)})
		}
		for _, x := range c.seen {
			p.Done.Store(x.done)
			p.Settled.Store(x.settled)
			p.Needed.Store(x.needs)
			log.Reset()
			s.show(time.Unix(int64(x.second), 0))
		}
		if got, want := log.String(), "sitemend: "+c.want+"\n"; got != want {
			t.Errorf("%s: got %qwant %q", name, got, want)
		}
	}
}

// Whatever is said while the bar is shown stands on a line of its own, a failure of this
// machine, too; once the bar is gone nothing is cleared.
func TestWarningsStandAsideOfTheBar(t *testing.T) {
	var terminal bytes.Buffer
	log := plainLogger(&terminal)
	shown := &shower{w: &terminal, log: log, words: messages.Of("en")}
	s := startProgress(&terminal, log, messages.Of("en"), false, 10, new(crawler.Progress))
	s.mu.Lock()
	s.bar = progressbar.NewOptions64(10, progressbar.OptionSetWriter(&terminal), progressbar.OptionSetWidth(10))
	s.bar.Set64(5)
	s.mu.Unlock()
	shown.set(s)
	s.aside(func() { terminal.Reset(); s.bar.Set64(6) })
	shown.Aside(func() { log.Warn("this machine has no port") })
	if text := terminal.String(); !strings.HasSuffix(text, "\rsitemend: this machine has no port\n") {
		t.Errorf("the terminal got %q", text)
	}
	shown.set(nil)
	s.end()
	terminal.Reset()
	if shown.Aside(func() { log.Warn("it goes on") }); terminal.String() != "sitemend: it goes on\n" {
		t.Errorf("the terminal got %q", terminal.String())
	}
}
