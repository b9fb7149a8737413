package conclude

import (
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A LogLine is a line about access logs: Label is the key of the text at its left, which several
// lines after one another share. Remedy says that the line is what to do on the server.
type LogLine struct {
	Label, Text string
	Remedy      bool
}

// LogLines says what access logs say, in the words of w: how many requests, how Googlebot spells
// what the sitemap lists and what follows, and what was not read. There are as many lines in each
// language.
func LogLines(w *messages.Catalogue, l *audit.Logs) (lines []LogLine) {
	s, y := &l.Sum, &l.Tally
	row := func(label, text string) { lines = append(lines, LogLine{Label: "label-" + label, Text: text}) }
	more := ""
	if n := y.Claimed[accesslog.Googlebot]; n > 0 {
		more = w.Count("logs-claimed", int(n))
	}
	row("googlebot", w.Text("logs-requests", "requests", w.Count("logs-n-requests", int(y.Verified[accesslog.Googlebot])),
		"span", logSpan(w, &l.Count), "logs", w.Count("logs-n", l.Files), "more", more))
	parts := []string{w.Text("logs-as-listed", "n", messages.Number(s.AsListed), "entries", w.Count("entries", s.Entries))}
	differ := s.Differ
	if !l.Compared {
		differ = 0
	}
	for _, x := range []struct {
		key string
		n   int
	}{{"logs-otherwise", s.Otherwise}, {"logs-unspelt", s.Unspelt}, {"logs-never", s.Never}, {"logs-differ", differ}} {
		if x.n > 0 {
			parts = append(parts, w.Text(x.key, "n", messages.Number(x.n), "kinds", strings.Join(s.Kinds(), " ")))
		}
	}
	row("googlebot", strings.Join(parts, " · "))
	switch {
	case s.Unlisted > 0 && l.Path != "":
		row("googlebot", w.Count("logs-unlisted", s.Unlisted)+"    "+l.Path)
	case s.Unlisted > 0:
		row("googlebot", w.Count("logs-unlisted", s.Unlisted))
	case l.Path != "":
		row("googlebot", w.Text("logs-table", "path", l.Path))
	}
	if r := &s.Back; r.Requests > 0 { // of the other spellings it was redirected to what the sitemap lists
		key := "logs-so-right"
		if r.Entries < s.Otherwise {
			key = "logs-so-right-there"
		}
		row("logs-spelling", w.Text(key, "kinds", strings.Join(r.Kinds(), " "), "addresses", w.Count("logs-addresses", r.Entries),
			"requests", w.Count("logs-times", int(r.Requests)), "between", between(w, r.First, r.Last)))
		lines = append(lines, LogLine{Label: "label-logs-spelling", Text: w.Text("logs-remedy"), Remedy: true})
	}
	if n := y.Verified[accesslog.Bingbot]; n > 0 {
		row("bingbot", w.Count("logs-n-requests", int(n)))
	}
	for _, x := range []struct { // what was not read or not counted
		key string
		n   int64
	}{{"logs-apart", y.Apart}, {"logs-two", y.Two}, {"logs-foreign", l.Foreign}, {"logs-decoded", y.Decoded}, {"logs-methods", y.Methods},
		{"logs-lossy", y.Lossy}, {"logs-undated", l.Count.Undated}} {
		if x.n > 0 {
			row("logs-rest", w.Count(x.key, int(x.n)))
		}
	}
	if l.Count.Unreadable > 0 {
		row("logs-rest", w.Text("logs-unreadable", "n", messages.Number(int(l.Count.Unreadable)), "all", messages.Number(int(l.Count.Lines)), "first", l.Unreadable))
	}
	return lines
}

// LogLead says in two sentences what access logs say: how many requests Googlebot made, and how
// many entries it requested, and not as they are listed.
func LogLead(l *audit.Logs) Sentence {
	s := &l.Sum
	days := word(func(w *messages.Catalogue) string { return logSpan(w, &l.Count) })
	requests := int(l.Tally.Verified[accesslog.Googlebot])
	if requests == 0 {
		return say("l-none", "span", days)
	}
	lead := say("l-lead", "n", requests, "span", days)
	of := say("l-entries", "k", s.Entries-s.Never, "n", s.Entries)
	if s.Otherwise > 0 {
		of = say("l-entries-otherwise", "k", s.Entries-s.Never, "n", s.Entries, "o", s.Otherwise)
	}
	return join("", lead, of)
}

// logSpan is from when to when logs go, whoever sent the requests; of what --since and --until
// leave nothing, the days that they have.
func logSpan(w *messages.Catalogue, c *accesslog.Count) string {
	if c.Span == (accesslog.Span{}) && c.Outside > 0 {
		day := w.Text("logs-day-year")
		from, to := time.Unix(c.All.First, 0).UTC().Format(day), time.Unix(c.All.Last, 0).UTC().Format(day)
		return w.Text("logs-none-left", "from", from, "to", to)
	}
	return span(w, c.Span.First, c.Span.Last)
}

// span is the days between two moments, in UTC: "1 October - 3 November".
func span(w *messages.Catalogue, first, last int64) string {
	if first == 0 {
		return w.Text("logs-no-time")
	}
	from, to := time.Unix(first, 0).UTC(), time.Unix(last, 0).UTC()
	day := func(t time.Time) string {
		key := "logs-day"
		if from.Year() != to.Year() {
			key = "logs-day-year"
		}
		return t.Format(w.Text(key)) // the text is a layout
	}
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		return day(from)
	}
	return w.Text("logs-span", "from", day(from), "to", day(to))
}

// between is span within a sentence: "between 3 and 19 November".
func between(w *messages.Catalogue, first, last int64) string {
	from, to := time.Unix(first, 0).UTC(), time.Unix(last, 0).UTC()
	begins, ends := w.Text("logs-day"), w.Text("logs-day")
	switch {
	case first == 0:
		return w.Text("logs-no-time")
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return w.Text("logs-on", "day", from.Format(begins))
	case from.Year() != to.Year():
		begins, ends = w.Text("logs-day-year"), w.Text("logs-day-year")
	case from.Month() == to.Month():
		begins, ends = w.Text("logs-day-begins"), w.Text("logs-day-ends")
	}
	return w.Text("logs-between", "from", from.Format(begins), "to", to.Format(ends))
}
