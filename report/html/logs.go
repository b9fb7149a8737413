package html

import (
	_ "embed"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

//go:embed page/logs.tmpl
var logsTemplate string

// A logsView is the section of what Googlebot asked for: lines below their labels.
type logsView struct{ Groups []logGroup }

type logGroup struct {
	Name  page.Phrase
	Lines []logLine
}

// A logLine is one line; Server says that it is what to do, and that the section about the server shows how.
type logLine struct {
	Text   page.Phrase
	Server bool
}

// logDays are the first and the last day of the access logs, in UTC; nil where none has times.
func logDays(told *audit.Result) []string {
	if told.Logs == nil || told.Logs.Count.Span.First == 0 {
		return nil
	}
	return []string{page.Day(told.Logs.Count.Span.First), page.Day(told.Logs.Count.Span.Last)}
}

// newLogsView is what access logs say; nil where none was read.
func newLogsView(told *audit.Result) *logsView {
	if told.Logs == nil {
		return nil
	}
	v, last := &logsView{}, ""
	server := newServerView(told)
	for i, x := range conclude.LogLines(messages.Of("en"), told.Logs) {
		if x.Label != last {
			v.Groups = append(v.Groups, logGroup{Name: page.Plain(func(c *messages.Catalogue) string { return c.Text(x.Label) })})
		}
		last = x.Label
		g := &v.Groups[len(v.Groups)-1]
		g.Lines = append(g.Lines, logLine{
			Text:   page.AsIs(func(c *messages.Catalogue) string { return conclude.LogLines(c, told.Logs)[i].Text }),
			Server: x.Remedy && server != nil && server.Bounces,
		})
	}
	return v
}
