package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
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
		s.showReading()
		return
	}
	settled, needed := s.p.Settled.Load(), max(0, s.p.Needed.Load())
	s.speed.see(now, settled)
	s.silence.see(now, s.p.Requests.Load()+settled)
	if s.bar == nil {
		s.log.Info(s.sentence(s.parts(now, needed), math.MaxInt))
		return
	}
	if settled+needed == 0 {
		return
	}
	s.bar.ChangeMax64(settled + needed)
	s.bar.Describe(s.sentence(s.parts(now, needed), s.width()-barCells))
	s.bar.Set64(settled)
}

// showReading shows how far the sitemaps are read.
func (s *progress) showReading() {
	at := s.p.Reading()
	parts := s.readingParts(at)
	switch {
	case at == "":
	case s.bar == nil:
		s.log.Info(s.sentence(parts, math.MaxInt))
	default:
		s.bar.Describe(s.sentence(parts, s.width()-spinnerCells))
	}
}

// spinnerCells is how many cells of a line the spinner takes.
const spinnerCells = 4

// readingParts returns what is read: "reading sitemaps", "now https://shop.example/sitemap-7.xml",
// "6 sitemaps so far", "300,000 entries", "31.2 MB".
func (s *progress) readingParts(at string) []part {
	w := s.words
	parts := []part{{w.Text("progress-reading"), 0},
		{w.Text("progress-now", "url", cli.OneLine(at)), 3}}
	if n := s.p.Files.Load(); n > 0 {
		parts = append(parts, part{w.Count("progress-sitemaps", int(n)), 1},
			part{w.Count("progress-entries", int(s.p.Listed.Load())), 1})
	}
	if n := s.p.Bytes.Load(); n >= 1e5 {
		parts = append(parts, part{w.Text("progress-read", "n",
			fmt.Sprintf("%.1f", float64(n)/1e6)), 2})
	}
	return parts
}

// A part is a text of the progress line, with its rank: where there is no room, the parts with the
// highest rank are left out first.
type part struct {
	text  string
	spare int
}

// parts say how far it is: "412 of 5,000 entries", "900 requests", "12 problems", "6 other
// addresses to crawl", "9.8/s", "about 8 min left"; and what it waits for: "waiting 40 s, as
// shop.example asks (429)", "one request every 10 s, as shop.example answers 503", "no answer for
// 12 s".
func (s *progress) parts(now time.Time, needed int64) []part {
	w, done, entries := s.words, s.p.Done.Load(), s.p.Entries.Load()
	others := s.p.Others.Load()
	beside := w.Count("progress-others", int(others))
	first := beside
	if entries > 0 {
		first = w.Text("progress-done", "done", messages.Number(int(done)), "entries", w.Count("entries", int(entries)))
	}
	parts := []part{
		{first, 0},
		{w.Count("requests", int(s.p.Requests.Load())), 4},
		{w.Count("progress-problems", int(s.p.Problems.Load())), 2},
	}
	if done == entries { // before that, most of them may turn out to be entries
		if others > 0 && entries > 0 {
			parts = append(parts, part{beside, 3})
		}
		if again := needed - others; again > 0 {
			parts = append(parts, part{w.Text("progress-again", "n", messages.Number(int(again))), 3})
		}
	}
	waits, open := s.waits(now)
	if rate := s.speed.rate(); rate > 0 && needed > 0 && !open {
		left := s.span(time.Duration(float64(needed) / rate * float64(time.Second)))
		parts = append(parts, part{w.Text("progress-rate", "n", fmt.Sprintf("%.1f", rate)), 5},
			part{w.Text("progress-left", "time", left), 1})
	}
	if waits != "" && needed > 0 {
		parts = append(parts, part{waits, 1})
	}
	return parts
}

// waits returns what the audit waits for, "" for nothing worth mentioning. open is set where the
// speed of the last minute does not predict the remaining time: no host answers, or one answers
// very slowly.
func (s *progress) waits(now time.Time) (says string, open bool) {
	quiet := s.silence.since(now)
	if rest, ok := s.p.Resting(now); ok {
		return s.words.Text("progress-waits", "time", s.span(rest.Until.Sub(now)), "host",
			cli.OneLine(rest.Host), "status", strconv.Itoa(rest.Status)), quiet >= longSilence
	}
	if slow, ok := s.p.Slowest(); ok && quiet < 2*slow.Every {
		return s.words.Text("progress-slowed", "time", s.span(slow.Every), "host", cli.OneLine(slow.Host), "status", strconv.Itoa(slow.Status)), true
	}
	if quiet >= longSilence {
		return s.words.Text("progress-silent", "time", s.span(quiet)), true
	}
	return "", false
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

// sentence joins parts so that they fit into room cells: only one line of a terminal can be
// overwritten. The first part stays, whatever its length.
func (s *progress) sentence(parts []part, room int) string {
	for {
		texts, spare := make([]string, len(parts)), 0
		for i, p := range parts {
			texts[i] = p.text
			if p.spare > parts[spare].spare {
				spare = i
			}
		}
		text := strings.Join(texts, s.words.Text("between-terms"))
		if ruler.StringWidth(text) <= room || len(parts) == 1 {
			return text
		}
		parts = slices.Delete(slices.Clone(parts), spare, spare+1)
	}
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

// columnsOf returns columns(w) where w is a terminal, else 0.
func columnsOf(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	return columns(w)
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
