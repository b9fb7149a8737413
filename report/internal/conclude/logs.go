package conclude

import (
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A LogLine is a line about access logs: Label is the robot at its left, which several
// lines after one another share. Remedy says that the line is what follows for the server.
type LogLine struct {
	Label  string
	Text   messages.Sentence
	Remedy bool
}

// LogLines says what access logs say: how many requests, how Googlebot encodes what the sitemap
// lists and what follows, and what was not read.
func LogLines(l *audit.Logs) (lines []LogLine) {
	s, y := &l.Sum, &l.Tally
	of := func(there bool, key string, pairs ...any) messages.Sentence {
		if !there {
			return nil
		}
		return messages.Say(key, pairs...)
	}
	row := func(text messages.Sentence) {
		if text != nil {
			lines = append(lines, LogLine{Label: "Googlebot", Text: text})
		}
	}
	fake := int(y.Claimed[accesslog.Googlebot])
	row(messages.Join("", messages.Say("logs-requests", "n", int(y.Verified[accesslog.Googlebot]), "span", span(&l.Count), "files", l.Files), of(fake > 0, "logs-claimed", "n", fake)))
	parts := []messages.Sentence{messages.Say("logs-as-listed", "n", s.AsListed, "all", s.Entries)}
	differ := s.Differ
	if !l.Compared {
		differ = 0
	}
	for _, x := range []struct {
		key string
		n   int
	}{{"logs-otherwise", s.Otherwise}, {"logs-unspelt", s.Unspelt}, {"logs-never", s.Never}, {"logs-differ", differ}, {"logs-unlisted", s.Unlisted}} {
		parts = append(parts, of(x.n > 0, x.key, "n", x.n, "kinds", strings.Join(s.Kinds(), " ")))
	}
	row(messages.Join(" · ", parts...))
	if l.Path != "" {
		row(messages.Verbatim(l.Path))
	}
	if r := &s.Back; r.Requests > 0 { // of the other encodings it was redirected to what the sitemap lists
		for _, text := range []messages.Sentence{messages.Say("logs-right", "n", r.Entries, "kinds", strings.Join(r.Kinds(), " ")), messages.Say("logs-remedy")} {
			lines = append(lines, LogLine{Label: "Googlebot", Text: text, Remedy: true})
		}
	}
	unused := int(y.Apart + y.Two + l.Foreign + y.Decoded + y.Methods + y.Lossy + l.Count.Undated)
	row(of(unused > 0, "logs-unused", "n", unused))
	row(of(l.Count.Unreadable > 0, "logs-unreadable", "n", int(l.Count.Unreadable), "all", int(l.Count.Lines), "first", l.Unreadable))
	if n := y.Verified[accesslog.Bingbot]; n > 0 {
		lines = append(lines, LogLine{Label: "Bingbot", Text: messages.Say("n-requests", "n", int(n))})
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
