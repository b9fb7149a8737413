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
)

// progress shows how far an audit is, on standard error: a bar on a terminal,
// else a line of the log every ten seconds; nothing with -q. It reads the crawler's counters on a tick; the
// crawler knows nothing of it.
type progress struct {
	log     *slog.Logger
	p       *crawler.Progress
	bar     *progressbar.ProgressBar
	started time.Time
	before  int64 // entries done when it started, from an earlier run
	stop    chan struct{}
	stopped chan struct{}
}

// startProgress begins to show p until end is called: as a bar where w is a
// terminal and bars are wanted, else in the log.
func startProgress(w io.Writer, log *slog.Logger, bars bool, p *crawler.Progress) *progress {
	s := &progress{log: log, p: p, started: time.Now(), before: -1, stop: make(chan struct{}), stopped: make(chan struct{})}
	every := 10 * time.Second
	if bars && isTerminal(w) {
		every = 200 * time.Millisecond
		s.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionSetWidth(24),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false), progressbar.OptionThrottle(0))
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
		case <-tick.C:
			s.show()
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

func (s *progress) show() {
	total, done := s.p.Entries.Load(), s.p.Done.Load()
	if total == 0 {
		return
	}
	if s.before < 0 {
		s.before, s.started = done, time.Now()
	}
	if s.bar == nil {
		s.log.Info(fmt.Sprintf("%s of %s entries, %s requests, %s%s", thousands(done), thousands(total), thousands(s.p.Requests.Load()), s.problems(), s.left(done, total)))
		return
	}
	s.bar.ChangeMax64(total)
	s.bar.Describe(s.problems() + s.left(done, total))
	s.bar.Set64(done)
}

func (s *progress) problems() string {
	return fmt.Sprintf("%s problems so far", thousands(s.p.Problems.Load()))
}

// left is the rate and the time that is left at that rate; nothing while there
// is no rate to tell.
func (s *progress) left(done, total int64) string {
	took := time.Since(s.started)
	n := done - s.before
	if n < 1 || took < time.Second {
		return ""
	}
	perSecond := float64(n) / took.Seconds()
	eta := time.Duration(float64(total-done)/perSecond) * time.Second
	return fmt.Sprintf(", %.1f/s, %s left", perSecond, eta.Round(time.Second))
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
