package report

import (
	"bufio"
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// LogsName is the file that WriteLogsCSV writes.
const LogsName = "googlebot.csv"

const logsColumns = "url,class,asked,differs_in,robot,requests,first,last,statuses,last_status,our_status,answers_differ,octets,sitemap,what_to_do"

// WriteLogsCSV writes googlebot.csv: a line for each listed address and spelling that a verified
// robot asked for, a line for each that Googlebot did not ask for, then what it was redirected from
// and no sitemap lists. The columns:
//
//	url             the listed address; of what is not listed, host and target as asked
//	class           as-listed, other-spelling, never, redirected-unlisted; empty where it was asked and
//	                the log does not tell in which spelling
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
	c.text(plain.Printable(r.URL))
	c.text(r.Class.String())
	c.text(plain.Printable(r.Asked))
	c.text(plain.Join(r.DiffersIn))
	c.text(r.Robot.String())
	c.numberOr(int(r.Seen.Requests), seen)
	c.time(moment(r.Seen.First))
	c.time(moment(r.Seen.Last))
	c.text(answersOf(r.Seen.Statuses))
	c.numberOr(r.Seen.LastStatus, r.Seen.LastStatus > 0)
	c.numberOr(r.Ours.Status, r.Ours.Status > 0)
	if r.Ours.Differs {
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
	case r.Class == accesslog.Never, r.Class == accesslog.Unspelt, r.Class == accesslog.RedirectedUnlisted && !r.Seen.Redirected():
		return "" // nothing, or the redirect is told in the row of another kind of log
	case r.Class == accesslog.RedirectedUnlisted:
		return words.Text("logs-do-unlisted")
	case r.Ours.Differs && last >= 400:
		day := words.Text("logs-no-time")
		if r.Seen.Last > 0 {
			day = moment(r.Seen.Last).UTC().Format(time.DateOnly)
		}
		return words.Text("logs-do-refused", "status", strconv.Itoa(last), "ours", strconv.Itoa(r.Ours.Status), "day", day)
	case r.Class == accesslog.OtherSpelling && last >= 400:
		return words.Text("logs-do-other-refused", "kinds", strings.Join(r.DiffersIn, " "), "status", strconv.Itoa(last))
	case r.Class == accesslog.OtherSpelling && redirected:
		return words.Text("logs-do-other", "kinds", strings.Join(r.DiffersIn, " "))
	case r.Class == accesslog.AsListed && redirected:
		return words.Text("logs-do-redirected")
	case last >= 400:
		return words.Text("logs-do-failed", "status", strconv.Itoa(last))
	}
	return ""
}

// WriteLogsSummary writes what logs say for a terminal, which spelling Googlebot uses among it, in
// less than a screen. It returns an error of w.
func WriteLogsSummary(w io.Writer, l *audit.Logs, lang string) error {
	t := terminal{words: messages.Of(lang)}
	t.logLines(l)
	return t.print(w)
}

// logLines adds the lines about access logs.
func (t *terminal) logLines(l *audit.Logs) {
	for _, x := range conclude.LogLines(t.words, l) {
		if x.Remedy {
			x.Text = t.words.Text("logs-remedy-docs")
		}
		t.below = append(t.below, labeled{label: t.words.Text(x.Label), text: visible(x.Text)})
	}
}
