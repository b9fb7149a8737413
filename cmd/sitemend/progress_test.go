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

// The line says how far it is, how long that may take, and what it waits for.
func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		done, settled, needs int64
		rest                 bool
		want                 string
	}{
		"no speed yet":    {10, 0, 990, false, "10 of 1,000 URLs, 3 problems"},
		"a steady audit":  {100, 100, 900, false, "100 of 1,000 URLs, about 2 min left, 3 problems"},
		"continued":       {950, 50, 50, false, "950 of 1,000 URLs, about 10 s left, 3 problems"},
		"a host asks":     {0, 0, 1000, true, "0 of 1,000 URLs, waiting 42 s, as shop.example asks (429), 3 problems"},
		"the last answer": {1000, 1000, 0, false, "1,000 of 1,000 URLs, 3 problems"},
	} {
		var p crawler.Progress
		var log bytes.Buffer
		s := progress{words: messages.Of("en"), log: plainLogger(&log), began: time.Unix(90, 0)}
		p.Problems.Store(3)
		p.Entries.Store(1000)
		if c.rest {
			p.Rest(crawler.Rest{Host: "shop.example", Status: 429, Until: time.Unix(142, 0)})
		}
		p.Done.Store(c.done)
		p.Settled.Store(c.settled)
		p.Needed.Store(c.needs)
		s.show(&p, time.Unix(100, 0))
		if got, want := log.String(), "sitemend: "+c.want+"\n"; got != want {
			t.Errorf("%s: got %qwant %q", name, got, want)
		}
	}
}

// Whatever is said while the bar is shown stands on a line of its own; once the bar is gone nothing
// is cleared.
func TestWarningsStandAsideOfTheBar(t *testing.T) {
	var terminal bytes.Buffer
	log := plainLogger(&terminal)
	s := &progress{w: &terminal, log: log, words: messages.Of("en")}
	stop := s.Show(new(crawler.Progress), false)
	s.bar = progressbar.NewOptions64(10, progressbar.OptionSetWriter(&terminal), progressbar.OptionSetWidth(10))
	s.bar.Set64(5)
	s.Aside(func() { terminal.Reset(); s.bar.Set64(6) })
	s.Aside(func() { log.Warn("this machine has no port") })
	if text := terminal.String(); !strings.HasSuffix(text, "\rsitemend: this machine has no port\n") {
		t.Errorf("the terminal got %q", text)
	}
	stop()
	terminal.Reset()
	if s.Aside(func() { log.Warn("it goes on") }); terminal.String() != "sitemend: it goes on\n" {
		t.Errorf("the terminal got %q", terminal.String())
	}
}
