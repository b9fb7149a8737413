package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// LogsName is the file that WriteLogsCSV writes.
const LogsName = "googlebot.csv"

const logsColumns = "url,class,asked,differs_in,robot,requests,first,last,statuses,last_status,our_status,answers_differ,octets,sitemap,what_to_do"

// WriteLogsCSV writes googlebot.csv: a line for each listed address and spelling that a verified robot
// asked for, a line for each that Googlebot did not ask for, then what it was redirected from and no
// sitemap lists. The columns:
//
//	url             the listed address; of what is not listed, host and target as asked
//	class           as-listed, other-spelling, never, redirected-unlisted
//	asked           path and query as they came, what is no printable ASCII as \xHH; empty where the
//	                log does not tell the spelling
//	differs_in      the characters that are spelt otherwise, hex-case, space, octets
//	robot           googlebot, bingbot
//	requests        how many
//	first, last     when, in UTC
//	statuses        200x31 301x6
//	last_status     of the last of them
//	our_status      what the audit got for the same spelling
//	answers_differ  yes where these two are of different kinds
//	octets          raw, edge, decoded: what the log tells of the spelling
//	sitemap         the first that lists it
//	what_to_do      a sentence in the language lang
//
// It returns the first error of w or of the rows.
func WriteLogsCSV(ctx context.Context, w io.Writer, l *audit.Logs, lang string) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + logsColumns + "\r\n") // its error comes back with Flush
	words := messages.Of(lang)
	var b []byte
	for r, err := range l.Rows(ctx) {
		if err != nil {
			return err
		}
		b = logCells(&r, b[:0], words)
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// cells is a row as a line of googlebot.csv.
func logCells(r *audit.LogRow, b []byte, words *messages.Catalogue) []byte {
	c := cells{b: b}
	seen := r.Class != accesslog.Never
	c.text(printable(r.URL))
	c.text(r.Class.String())
	c.text(printable(r.Asked))
	c.text(plain.Join(r.DiffersIn))
	c.text(r.Robot.String())
	c.numberOr(int(r.Seen.Requests), seen)
	c.time(moment(r.Seen.First))
	c.time(moment(r.Seen.Last))
	c.text(answersOf(r.Seen.Statuses))
	c.numberOr(r.Seen.LastStatus, r.Seen.LastStatus > 0)
	c.numberOr(r.Ours, r.Ours > 0)
	if r.Differs {
		c.text("yes")
	} else {
		c.text("")
	}
	if seen {
		c.text(r.Rawness.String())
	} else {
		c.text("")
	}
	c.text(r.Sitemap)
	c.text(logAdvice(r, words))
	return c.end()
}

// printable returns octets with what is no printable ASCII as \xHH.
func printable(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			fmt.Fprintf(&b, `\x%02X`, s[i])
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// moment is seconds since 1970 as a time; the zero time for 0.
func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0)
}

// answersOf are counts of answers, as "200x31 301x6"; requests without one are 0.
func answersOf(m map[int]int64) string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(m)) {
		out = append(out, strconv.Itoa(status)+"x"+strconv.FormatInt(m[status], 10))
	}
	return strings.Join(out, " ")
}

// advice says what is to be done about a row; "" where nothing is.
func logAdvice(r *audit.LogRow, words *messages.Catalogue) string {
	last := r.Seen.LastStatus
	redirected := last/100 == 3 && last != 304
	switch {
	case r.Class == accesslog.Never:
		return ""
	case r.Class == accesslog.RedirectedUnlisted:
		return words.Text("logs-do-unlisted")
	case r.Differs && last >= 400:
		return words.Text("logs-do-refused", "status", strconv.Itoa(last), "ours", strconv.Itoa(r.Ours))
	case r.Class == accesslog.OtherSpelling && redirected:
		return words.Text("logs-do-other", "kinds", strings.Join(r.DiffersIn, " "))
	case r.Class == accesslog.OtherSpelling && last >= 400:
		return words.Text("logs-do-other-refused", "kinds", strings.Join(r.DiffersIn, " "), "status", strconv.Itoa(last))
	case r.Class == accesslog.AsListed && redirected:
		return words.Text("logs-do-redirected")
	case last >= 400:
		return words.Text("logs-do-failed", "status", strconv.Itoa(last))
	}
	return ""
}

// WriteLogsSummary writes what logs say for a terminal, which spelling Googlebot uses among it, in less
// than a screen. It returns an error of w.
func WriteLogsSummary(w io.Writer, l *audit.Logs, lang string) error {
	t := terminal{words: messages.Of(lang)}
	t.logs(l)
	bw := bufio.NewWriter(w)
	t.print(bw)
	return bw.Flush()
}

// logs adds the lines about access logs.
func (t *terminal) logs(l *audit.Logs) {
	w, y := t.words, &l.Tally
	more := ""
	if n := y.Claimed[accesslog.Googlebot]; n > 0 {
		more = w.Count("logs-claimed", int(n))
	}
	t.row("label-googlebot", w.Text("logs-requests", "requests", w.Count("logs-n-requests", int(y.Verified[accesslog.Googlebot])),
		"span", span(w, y.First, y.Last), "logs", w.Count("logs-n", l.Files), "more", more))
	s := &l.Sum
	parts := []string{w.Text("logs-as-listed", "n", messages.Number(s.AsListed), "entries", w.Count("entries", s.Entries))}
	if s.Otherwise > 0 {
		kinds := strings.Join(s.Kinds(), " ")
		parts = append(parts, w.Text("logs-otherwise", "n", messages.Number(s.Otherwise), "kinds", kinds))
	}
	if s.Never > 0 {
		parts = append(parts, w.Text("logs-never", "n", messages.Number(s.Never)))
	}
	if l.Compared && s.Differ > 0 {
		parts = append(parts, w.Text("logs-differ", "n", messages.Number(s.Differ)))
	}
	t.row("label-googlebot", strings.Join(parts, " · "))
	switch {
	case s.Unlisted > 0 && l.Path != "":
		t.row("label-googlebot", w.Count("logs-unlisted", s.Unlisted)+"    "+l.Path)
	case s.Unlisted > 0:
		t.row("label-googlebot", w.Count("logs-unlisted", s.Unlisted))
	case l.Path != "":
		t.row("label-googlebot", w.Text("logs-table", "path", l.Path))
	}
	t.logSpellings(l)
	if n := y.Verified[accesslog.Bingbot]; n > 0 {
		t.row("label-bingbot", w.Count("logs-n-requests", int(n)))
	}
	t.logRest(l)
}

// lettersShown is how many lines tell how characters are spelt.
const lettersShown = 8

// logSpellings says how Googlebot spells what the sitemap lists.
func (t *terminal) logSpellings(l *audit.Logs) {
	w, s := t.words, &l.Sum
	letters := s.Letters()
	for i, x := range letters {
		if i == lettersShown {
			t.row("label-logs-spelling", w.Count("logs-letters-more", len(letters)-i))
			break
		}
		pairs := []string{"char", letterName(w, &x), "listed", printable(x.Listed), "asked", printable(x.Asked), "entries", w.Count("entries", x.Entries),
			"same", w.Count("logs-times", int(x.Same)), "other", w.Count("logs-times", int(x.Other))}
		key := "logs-letter-as-listed"
		switch {
		case x.Other > 0 && x.Same > 0:
			key = "logs-letter"
		case x.Other > 0:
			key = "logs-letter-other"
		}
		t.row("label-logs-spelling", w.Text(key, pairs...))
	}
	if s.Respelled == 0 {
		return
	}
	key := "logs-so"
	switch {
	case s.Redirects == s.Respelled:
		key = "logs-so-redirected"
	case s.Redirects > 0:
		key = "logs-so-some"
	}
	t.row("label-logs-spelling", w.Text(key, "n", messages.Number(s.Otherwise), "requests", w.Count("logs-times", int(s.Respelled)),
		"kinds", strings.Join(s.Kinds(), " "), "span", span(w, s.First, s.Last), "redirects", messages.Number(int(s.Redirects))))
}

// letterName is a character as people read it.
func letterName(w *messages.Catalogue, x *accesslog.Letter) string {
	switch x.Char {
	case "space":
		return w.Text("logs-char-space")
	case "hex-case":
		return w.Text("logs-char-hex")
	case "octets":
		return w.Text("logs-char-bytes")
	}
	return x.Char
}

// logRest says what was not read or not counted.
func (t *terminal) logRest(l *audit.Logs) {
	w, y := t.words, &l.Tally
	if y.Apart > 0 {
		t.row("label-logs-rest", w.Count("logs-apart", int(y.Apart)))
	}
	if l.Foreign > 0 {
		t.row("label-logs-rest", w.Count("logs-foreign", int(l.Foreign)))
	}
	if y.Decoded > 0 {
		t.row("label-logs-rest", w.Count("logs-decoded", int(y.Decoded)))
	}
	if y.Lossy > 0 {
		t.row("label-logs-rest", w.Count("logs-lossy", int(y.Lossy)))
	}
	if l.Count.Unreadable > 0 {
		t.row("label-logs-rest", w.Text("logs-unreadable", "n", messages.Number(int(l.Count.Unreadable)), "all", messages.Number(int(l.Count.Lines)), "first", l.Unreadable))
	}
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
