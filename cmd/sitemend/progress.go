package main

import (
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
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
// of the log every ten seconds; nothing with -q. It reads the crawler's counters at intervals.
type progress struct {
	log     *slog.Logger
	words   *messages.Catalogue
	p       *crawler.Progress
	mu      sync.Mutex // of the terminal
	bar     *progressbar.ProgressBar
	width   func() int // of the terminal, in cells
	speed   speed
	silence silence
	stop    chan struct{}
	stopped chan struct{}
}

// barWidth is the width of the bar in cells; barCells is that with the text that the library puts
// around it (" 85% |", "| ") and one cell at the end of the line.
const (
	barWidth = 16
	barCells = barWidth + 11
)

// startProgress shows p until end is called: as a bar where w is a terminal and bars is set, else
// in the log. most is the current maximum of the bar; -1 where it is not known. words is the
// language.
func startProgress(w io.Writer, log *slog.Logger, words *messages.Catalogue, bars bool, most int64,
	p *crawler.Progress) *progress {
	s := &progress{log: log, words: words, p: p, stop: make(chan struct{}),
		stopped: make(chan struct{})}
	every := 10 * time.Second
	if bars && isTerminal(w) && os.Getenv("TERM") != "dumb" {
		every = 200 * time.Millisecond
		s.width = func() int { return columns(w) }
		s.bar = progressbar.NewOptions64(most, progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(barWidth), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(0), progressbar.OptionSetSpinnerChangeInterval(0))
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
			s.aside(func() { s.bar = nil })
			return
		}
	}
}

// end stops the display; nothing is written after it returns.
func (s *progress) end() {
	close(s.stop)
	<-s.stopped
}

// aside prints something else, on lines of its own.
func (s *progress) aside(say func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		s.bar.Clear()
	}
	say()
}

func (s *progress) show(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p.Entries.Load()+s.p.Others.Load() == 0 {
		if s.p.Reading() != "" {
			s.say(s.words.Text("progress-reading", "files", messages.Number(int(s.p.Files.Load())),
				"urls", messages.Number(int(s.p.Listed.Load()))))
		}
		return
	}
	settled, needed := s.p.Settled.Load(), max(0, s.p.Needed.Load())
	s.speed.see(now, settled)
	s.silence.see(now, s.p.Requests.Load()+settled)
	if s.bar != nil && settled+needed > 0 {
		s.bar.ChangeMax64(settled + needed)
		defer s.bar.Set64(settled)
	}
	s.say(s.parts(now, needed)...)
}

// say shows what there is to say, as far as there is room: only one line of a terminal can be
// overwritten.
func (s *progress) say(parts ...string) {
	room := math.MaxInt
	if s.bar != nil {
		room = s.width() - barCells
	}
	text := parts[0]
	for _, p := range parts[1:] {
		longer := text + s.words.Text("between") + p
		if ruler.StringWidth(longer) > room {
			break
		}
		text = longer
	}
	if s.bar == nil {
		s.log.Info(text)
		return
	}
	s.bar.Describe(text)
}

// parts say how far it is, what matters most first: "412 of 5,000 URLs", "about 8 min left" or what
// it waits for, "12 problems".
func (s *progress) parts(now time.Time, needed int64) []string {
	done, all := s.p.Done.Load(), s.p.Entries.Load()
	if all == 0 { // those of an export alone
		done = s.p.Settled.Load()
		all = done + needed
	}
	parts := []string{s.words.Text("progress-done", "done", messages.Number(int(done)), "all", messages.Number(int(all)))}
	if needed > 0 {
		if waits := s.waits(now); waits != "" {
			parts = append(parts, waits)
		} else if rate := s.speed.rate(); rate > 0 {
			left := time.Duration(float64(needed) / rate * float64(time.Second))
			parts = append(parts, s.words.Text("progress-left", "time", s.span(left)))
		}
	}
	return append(parts, s.words.Count("progress-problems", int(s.p.Problems.Load())))
}

// waits says what the audit waits for, "" for nothing worth mentioning.
func (s *progress) waits(now time.Time) string {
	quiet := s.silence.since(now)
	if rest, ok := s.p.Resting(now); ok {
		return s.words.Text("progress-waits", "time", s.span(rest.Until.Sub(now)), "host",
			cli.OneLine(rest.Host), "status", strconv.Itoa(rest.Status))
	}
	if quiet >= longSilence {
		return s.words.Text("progress-silent", "time", s.span(quiet))
	}
	return ""
}

// longSilence is how long no answer may come before the progress mentions it.
const longSilence = 5 * time.Second

// A silence measures how long no request was answered.
type silence struct {
	at time.Time
	n  int64
}

// see records the number of answered requests at a time.
func (s *silence) see(now time.Time, n int64) {
	if s.at.IsZero() || n != s.n {
		s.at, s.n = now, n
	}
}

// since returns how long ago the last answer came.
func (s *silence) since(now time.Time) time.Duration {
	if s.at.IsZero() {
		return 0
	}
	return now.Sub(s.at)
}

// ruler measures text as terminals show it, in every locale: a Japanese character takes two cells.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

// span returns a duration in words, as in the summary.
func (s *progress) span(d time.Duration) string {
	unit, n, m := messages.Span(d)
	return s.words.Text(unit, "n", messages.Number(n), "m", messages.Number(m))
}

// speedWindow is the time over which the speed is measured: an audit begins slowly, and at its end
// only the slowest host is left.
const speedWindow = time.Minute

// A speed measures how many entries a second were settled recently.
type speed struct{ seen []moment }

type moment struct {
	at time.Time
	n  int64
}

// see records how many entries were settled at a time.
func (s *speed) see(at time.Time, n int64) {
	s.seen = append(s.seen, moment{at, n})
	for len(s.seen) > 2 && at.Sub(s.seen[1].at) >= speedWindow {
		s.seen = s.seen[1:]
	}
}

// rate returns the entries a second; 0 where that is not known.
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

// columns returns how many cells a line of the terminal has; it may change at any time.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// A shower shows the progress of one phase of an audit after the other; it is
// job.Progress.
type shower struct {
	w     io.Writer
	log   *slog.Logger
	words *messages.Catalogue
	bars  bool
	mu    sync.Mutex
	now   *progress
}

// progress returns what shows the progress of an audit on w, in a language that --lang takes.
func (f *logFlags) progress(w io.Writer, log *slog.Logger, lang string) job.Progress {
	return &shower{w: w, log: log, words: messages.Of(lang), bars: !f.quiet && f.log != "json"}
}

// Show implements job.Progress.
func (s *shower) Show(p *crawler.Progress, reading bool) (stop func()) {
	most := int64(1)
	if reading {
		most = -1 // not known
	}
	shown := startProgress(s.w, s.log, s.words, s.bars, most, p)
	s.set(shown)
	return func() {
		s.set(nil)
		shown.end()
	}
}

func (s *shower) set(p *progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = p
}

// Aside implements job.Progress.
func (s *shower) Aside(say func()) {
	s.mu.Lock()
	p := s.now
	s.mu.Unlock()
	if p == nil {
		say()
		return
	}
	p.aside(say)
}
