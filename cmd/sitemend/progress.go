package main

import (
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/report/messages"
)

// progress shows the progress of an audit on standard error: as a bar on a terminal, else as a line
// of the log every ten seconds; nothing with -q. It reads the crawler's counters at intervals. It is
// job.Progress.
type progress struct {
	w     io.Writer
	log   *slog.Logger
	words *messages.Catalogue
	bars  bool // on a terminal a bar is wanted

	mu    sync.Mutex // of the terminal
	bar   *progressbar.ProgressBar
	began time.Time
	first int64 // how many were settled when it began
}

// progress returns what shows the progress of an audit on w, in a language that --lang takes.
func (f *logFlags) progress(w io.Writer, log *slog.Logger, lang string) job.Progress {
	return &progress{w: w, log: log, words: messages.Of(lang), bars: !f.quiet && f.log != "json"}
}

// barWidth is the width of the bar in cells; barCells is that with the text that the library puts
// around it (" 85% |", "| ") and one cell at the end of the line.
const (
	barWidth = 16
	barCells = barWidth + 11
)

// Show implements job.Progress.
func (s *progress) Show(p *crawler.Progress, reading bool) (stop func()) {
	every, bar := 10*time.Second, (*progressbar.ProgressBar)(nil)
	if s.bars && isTerminal(s.w) && os.Getenv("TERM") != "dumb" {
		most := map[bool]int64{true: -1, false: 1}[reading] // -1: not known
		every = 200 * time.Millisecond
		bar = progressbar.NewOptions64(most, progressbar.OptionSetWriter(s.w), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(0), progressbar.OptionSetSpinnerChangeInterval(0))
	}
	s.Aside(func() { s.bar, s.began, s.first = bar, time.Now(), p.Over.Load() })
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				s.show(p, now)
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		s.Aside(func() { s.bar = nil })
	}
}

// Aside implements job.Progress.
func (s *progress) Aside(say func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		s.bar.Clear()
	}
	say()
}

// show shows how far it is, what matters most first: "412 of 5,000 URLs", "about 8 min left" or what
// it waits for, "12 problems".
func (s *progress) show(p *crawler.Progress, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var waits []string
	if rest, ok := p.Resting(now); ok {
		waits = []string{s.words.Text("progress-waits", "time", messages.Took(rest.Until.Sub(now)), "host", cli.OneLine(rest.Host), "status", strconv.Itoa(rest.Status))}
	}
	if p.Entries.Load()+p.Others.Load() == 0 {
		s.say(append([]string{s.words.Text("progress-reading", "files", int(p.Files.Load()), "urls", int(p.Listed.Load()))}, waits...)...)
		return
	}
	settled, needed := p.Over.Load(), max(0, p.Due.Load())
	done, all := p.Done.Load(), p.Entries.Load()
	if all == 0 { // those of an export alone
		done, all = settled, settled+needed
	}
	parts := append([]string{s.words.Text("progress-done", "done", int(done), "all", int(all))}, waits...)
	if news := settled - s.first; len(waits) == 0 && needed > 0 && news > 0 {
		left := time.Duration(float64(now.Sub(s.began)) * float64(needed) / float64(news))
		parts = append(parts, s.words.Text("progress-left", "time", messages.Took(left)))
	}
	if s.bar != nil && settled+needed > 0 {
		s.bar.ChangeMax64(settled + needed)
		defer s.bar.Set64(settled)
	}
	s.say(append(parts, s.words.Count("progress-problems", int(p.Problems.Load())))...)
}

// say shows what there is to say, as far as there is room: only one line of a terminal can be
// overwritten.
func (s *progress) say(parts ...string) {
	text := strings.Join(parts, s.words.Text("between"))
	if s.bar == nil {
		s.log.Info(text)
		return
	}
	s.bar.Describe(ruler.Truncate(text, columns(s.w)-barCells, "…"))
}

// ruler measures text as terminals show it, in every locale: a Japanese character takes two cells.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns returns how many cells a line of the terminal has; it may change at any time.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}
