package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"sitemend/crawler"
	"sitemend/report/words"
)

// progress shows how far an audit is, on standard error: a bar on a terminal,
// else a line of the log every ten seconds; nothing with -q. It reads the
// crawler's counters on a tick; the crawler knows nothing of it.
type progress struct {
	log     *slog.Logger
	p       *crawler.Progress
	bar     *progressbar.ProgressBar
	speed   speed
	stop    chan struct{}
	stopped chan struct{}
}

// startProgress begins to show p until end is called: as a bar where w is a
// terminal and bars are wanted, else in the log.
func startProgress(w io.Writer, log *slog.Logger, bars bool, p *crawler.Progress) *progress {
	s := &progress{log: log, p: p, stop: make(chan struct{}), stopped: make(chan struct{})}
	every := 10 * time.Second
	if bars && isTerminal(w) {
		every = 200 * time.Millisecond
		s.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(16), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionThrottle(0))
	}
	go s.run(every)
	return s
}

func (s *progress) run(every time.Duration) {
	defer close(s.stopped)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.show(now)
		case <-s.stop:
			if s.bar != nil {
				s.bar.Clear()
			}
			return
		}
	}
}

// end stops the showing; it returns when nothing more is written.
func (s *progress) end() {
	close(s.stop)
	<-s.stopped
}

func (s *progress) show(now time.Time) {
	if s.p.Entries.Load() == 0 {
		return
	}
	settled, needed := s.p.Settled.Load(), max(0, s.p.Needed.Load())
	s.speed.see(now, settled)
	if s.bar == nil {
		s.log.Info(s.text(needed))
		return
	}
	if settled+needed == 0 {
		return
	}
	s.bar.ChangeMax64(settled + needed)
	s.bar.Describe(s.text(needed))
	s.bar.Set64(settled)
}

// text says how far it is: "412 of 5,000 entries, 900 requests, 12 problems,
// 9.8/s, about 8 min left".
func (s *progress) text(needed int64) string {
	done, entries := s.p.Done.Load(), s.p.Entries.Load()
	text := fmt.Sprintf("%s of %s, %s, %s", thousands(done), plural(int(entries), "entry", "entries"),
		plural(int(s.p.Requests.Load()), "request", "requests"), plural(int(s.p.Problems.Load()), "problem", "problems"))
	if done == entries && needed > 0 {
		text += fmt.Sprintf(", %s to be asked again", thousands(needed))
	}
	if rate := s.speed.rate(); rate > 0 && needed > 0 {
		text += fmt.Sprintf(", %.1f/s, about %s left", rate, span(time.Duration(float64(needed)/rate*float64(time.Second))))
	}
	return text
}

// span says how long something takes, as the summary does.
func span(d time.Duration) string {
	unit, n, m := words.Span(d)
	return words.Of("en").Text(unit, "n", words.Number(n), "m", words.Number(m))
}

// speedWindow is how far back the speed looks: an audit begins slowly and rises,
// and at its end the slowest host is left.
const speedWindow = time.Minute

// A speed tells how many entries are settled a second of late.
type speed struct{ seen []moment }

type moment struct {
	at time.Time
	n  int64
}

// see notes how many were settled at a time.
func (s *speed) see(at time.Time, n int64) {
	s.seen = append(s.seen, moment{at, n})
	for len(s.seen) > 2 && at.Sub(s.seen[1].at) >= speedWindow {
		s.seen = s.seen[1:]
	}
}

// rate is how many a second; 0 where there is no telling.
func (s *speed) rate() float64 {
	if len(s.seen) < 2 {
		return 0
	}
	first, last := s.seen[0], s.seen[len(s.seen)-1]
	took := last.at.Sub(first.at)
	if took < time.Second {
		return 0
	}
	return float64(last.n-first.n) / took.Seconds()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// thousands writes 12345 as 12,345.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number with the word that fits it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}
