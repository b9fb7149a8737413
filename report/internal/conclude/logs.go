package conclude

import (
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A LogLine is a line about access logs: Label is the robot at its left, which several
// lines after one another share. Remedy says that the line is what to do on the server.
type LogLine struct {
	Label, Text string
	Remedy      bool
}

// LogLines says what access logs say, in the words of w: how many requests, how Googlebot encodes
// what the sitemap lists and what follows, and what was not read. There are as many lines in each
// language.
func LogLines(w *messages.Catalogue, l *audit.Logs) (lines []LogLine) {
	s, y := &l.Sum, &l.Tally
	row := func(label, text string) { lines = append(lines, LogLine{Label: label, Text: text}) }
	requests := w.Text("logs-requests", "n", messages.Number(int(y.Verified[accesslog.Googlebot])), "span", span(&l.Count), "files", messages.Number(l.Files))
	if n := y.Claimed[accesslog.Googlebot]; n > 0 {
		requests += w.Count("logs-claimed", int(n))
	}
	row("Googlebot", requests)
	parts := []string{w.Text("logs-as-listed", "n", messages.Number(s.AsListed), "all", messages.Number(s.Entries))}
	differ := s.Differ
	if !l.Compared {
		differ = 0
	}
	for _, x := range []struct {
		key string
		n   int
	}{{"logs-otherwise", s.Otherwise}, {"logs-unspelt", s.Unspelt}, {"logs-never", s.Never}, {"logs-differ", differ}, {"logs-unlisted", s.Unlisted}} {
		if x.n > 0 {
			parts = append(parts, w.Count(x.key, x.n, "kinds", strings.Join(s.Kinds(), " ")))
		}
	}
	row("Googlebot", strings.Join(parts, " · "))
	if l.Path != "" {
		row("Googlebot", l.Path)
	}
	if r := &s.Back; r.Requests > 0 { // of the other encodings it was redirected to what the sitemap lists
		row("Googlebot", w.Count("logs-right", r.Entries, "kinds", strings.Join(r.Kinds(), " ")))
		lines = append(lines, LogLine{Label: "Googlebot", Text: w.Text("logs-remedy"), Remedy: true})
	}
	if n := y.Apart + y.Two + l.Foreign + y.Decoded + y.Methods + y.Lossy + l.Count.Undated; n > 0 {
		row("Googlebot", w.Count("logs-unused", int(n)))
	}
	if l.Count.Unreadable > 0 {
		row("Googlebot", w.Text("logs-unreadable", "n", messages.Number(int(l.Count.Unreadable)), "all", messages.Number(int(l.Count.Lines)), "first", l.Unreadable))
	}
	if n := y.Verified[accesslog.Bingbot]; n > 0 {
		row("Bingbot", w.Count("n-requests", int(n)))
	}
	return lines
}

// span is from when to when logs go, in UTC, whoever sent the requests: "2026-10-01 - 2026-11-03"; of what --since
// and --until leave nothing, the days that they have.
func span(c *accesslog.Count) string {
	of := c.Span
	if of == (accesslog.Span{}) && c.Outside > 0 {
		of = c.All
	}
	if of.First == 0 {
		return "–"
	}
	day := func(at int64) string { return time.Unix(at, 0).UTC().Format(time.DateOnly) }
	if day(of.First) == day(of.Last) {
		return day(of.First)
	}
	return day(of.First) + " - " + day(of.Last)
}
