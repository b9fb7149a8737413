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

// The line is never longer than there is room: it loses what matters least.
func TestProgressFits(t *testing.T) {
	var p crawler.Progress
	s := progress{p: &p, words: messages.Of("en")}
	p.Done.Store(41_200)
	p.Entries.Store(250_000)
	p.Requests.Store(90_000)
	p.Problems.Store(1200)
	s.speed.see(time.Unix(0, 0), 0)
	s.speed.see(time.Unix(10, 0), 100)
	for room, want := range map[int]string{
		200: "41,200 of 250,000 entries, 90,000 requests, 1,200 problems, 10.0/s, about 5 h 48 min left",
		89:  "41,200 of 250,000 entries, 90,000 requests, 1,200 problems, 10.0/s, about 5 h 48 min left",
		88:  "41,200 of 250,000 entries, 90,000 requests, 1,200 problems, about 5 h 48 min left",
		70:  "41,200 of 250,000 entries, 1,200 problems, about 5 h 48 min left",
		60:  "41,200 of 250,000 entries, about 5 h 48 min left",
		30:  "41,200 of 250,000 entries",
		-9:  "41,200 of 250,000 entries",
	} {
		if got := s.sentence(s.parts(time.Unix(10, 0), 208_800), room); got != want {
			t.Errorf("%d cells: got %q, want %q", room, got, want)
		}
	}
}

// The time that is left is told from what is known to be needed and from the
// speed of the last minute.
func TestProgressText(t *testing.T) {
	type at struct {
		second               int
		done, settled, needs int64
	}
	for name, c := range map[string]struct {
		seen []at
		want string
	}{
		"no speed yet":             {[]at{{0, 10, 10, 990}}, "10 of 1,000 entries, 25 requests, 3 problems"},
		"less than a second":       {[]at{{0, 10, 10, 990}, {0, 20, 20, 980}}, "20 of 1,000 entries, 25 requests, 3 problems"},
		"a steady audit":           {[]at{{0, 0, 0, 1000}, {10, 100, 100, 900}}, "100 of 1,000 entries, 25 requests, 3 problems, 10.0/s, about 2 min left"},
		"it was slow at first":     {[]at{{0, 0, 0, 1000}, {100, 100, 100, 900}, {160, 700, 700, 300}}, "700 of 1,000 entries, 25 requests, 3 problems, 10.0/s, about 30 s left"},
		"it was continued":         {[]at{{0, 900, 0, 100}, {10, 950, 50, 50}}, "950 of 1,000 entries, 25 requests, 3 problems, 5.0/s, about 10 s left"},
		"404s are asked once more": {[]at{{0, 900, 900, 300}, {50, 1000, 1000, 200}}, "1,000 of 1,000 entries, 25 requests, 3 problems, 200 to be checked again, 2.0/s, about 2 min left"},
		"nothing answers":          {[]at{{0, 10, 10, 990}, {30, 10, 10, 990}}, "10 of 1,000 entries, 25 requests, 3 problems, no answer for 30 s"},
		"the last answer":          {[]at{{0, 999, 999, 1}, {2, 1000, 1000, 0}}, "1,000 of 1,000 entries, 25 requests, 3 problems"},
	} {
		var p crawler.Progress
		var log bytes.Buffer
		s := progress{p: &p, words: messages.Of("en"), log: plainLogger(&log)}
		p.Entries.Store(1000)
		p.Requests.Store(25)
		p.Problems.Store(3)
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

// It says what it waits for: a host that asked for a rest, for as long as that lasts.
func TestProgressSaysWhatItWaitsFor(t *testing.T) {
	var p crawler.Progress
	s := progress{p: &p, words: messages.Of("en")}
	p.Entries.Store(100)
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	p.Rest(crawler.Rest{Host: "shop.example", Status: 429, Until: at(100)})
	p.Rest(crawler.Rest{Host: "b.example", Status: 503, Until: at(60)})
	for second, want := range map[int64]string{
		58:  "0 of 100 entries, 0 requests, 0 problems, waiting 42 s, as shop.example asks (429)",
		100: "0 of 100 entries, 0 requests, 0 problems",
	} {
		if got := s.sentence(s.parts(at(second), 100), 200); got != want {
			t.Errorf("at %d s: %q, want %q", second, got, want)
		}
	}
	if got := s.sentence(s.parts(at(58), 0), 200); strings.Contains(got, "waiting") {
		t.Errorf("nothing is needed any more, and it says %q", got)
	}
}

// Other addresses are no entries: they are named once the entries are done, as many as are left,
// and alone where there is no entry.
func TestProgressNamesOtherAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		done, entries, others, needed int64
		want                          string
	}{
		"among entries":     {40, 100, 36, 96, "40 of 100 entries, 0 requests, 0 problems"},
		"behind them":       {100, 100, 6, 6, "100 of 100 entries, 0 requests, 0 problems, 6 other addresses to crawl"},
		"the last":          {100, 100, 1, 9, "100 of 100 entries, 0 requests, 0 problems, 1 other address to crawl, 8 to be checked again"},
		"an export alone":   {0, 0, 36, 36, "36 other addresses to crawl, 0 requests, 0 problems"},
		"all of both there": {100, 100, 0, 0, "100 of 100 entries, 0 requests, 0 problems"},
	} {
		var p crawler.Progress
		s := progress{p: &p, words: messages.Of("en")}
		p.Done.Store(c.done)
		p.Entries.Store(c.entries)
		p.Others.Store(c.others)
		if got := s.sentence(s.parts(time.Unix(10, 0), c.needed), 200); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Progress is told in the language of the summary, and cut by what a sign takes on a terminal.
func TestProgressSpeaksJapanese(t *testing.T) {
	var p crawler.Progress
	s := progress{p: &p, words: messages.Of("ja")}
	p.Files.Store(6)
	p.Listed.Store(300_000)
	if got, want := s.sentence(s.readingParts("https://shop.example/s.xml"), 200), "サイトマップを読み込み中、現在 https://shop.example/s.xml、サイトマップ6個、エントリ300,000件"; got != want {
		t.Errorf("reading: %q, want %q", got, want)
	}
	p.Entries.Store(5000)
	p.Done.Store(412)
	p.Requests.Store(900)
	p.Problems.Store(12)
	p.Rest(crawler.Rest{Host: "shop.example", Status: 429, Until: time.Unix(100, 0)})
	s.speed.see(time.Unix(0, 0), 0)
	s.speed.see(time.Unix(10, 0), 98)
	for room, want := range map[int]string{
		200: "5,000件中412件、リクエスト900回、問題12件、毎秒9.8件、残り約8分、shop.exampleの指定により40秒待機中(429)",
		70:  "5,000件中412件、残り約8分、shop.exampleの指定により40秒待機中(429)",
		14:  "5,000件中412件",
	} {
		if got := s.sentence(s.parts(time.Unix(60, 0), 4588), room); got != want {
			t.Errorf("in %d cells: %q, want %q", room, got, want)
		}
	}
}

// While the sitemaps are read nobody knows how many there are: what is read is told,
// and how much was read.
func TestProgressOfReading(t *testing.T) {
	var p crawler.Progress
	s := progress{p: &p, words: messages.Of("en")}
	const at = "https://shop.example/sitemap-7.xml"
	if got := s.sentence(s.readingParts(at), 100); got != "reading sitemaps, now "+at {
		t.Errorf("at the start: %q", got)
	}
	p.Files.Store(6)
	p.Listed.Store(300_000)
	p.Bytes.Store(31_240_000)
	for room, want := range map[int]string{
		200: "reading sitemaps, now " + at + ", 6 sitemaps so far, 300,000 entries, 31.2 MB",
		70:  "reading sitemaps, 6 sitemaps so far, 300,000 entries, 31.2 MB",
		20:  "reading sitemaps",
	} {
		if got := s.sentence(s.readingParts(at), room); got != want {
			t.Errorf("%d cells: got %q, want %q", room, got, want)
		}
	}
	var log bytes.Buffer
	s.log = plainLogger(&log)
	s.show(time.Unix(0, 0))
	if log.Len() > 0 {
		t.Errorf("nothing is read, and %q is told", log.String())
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
