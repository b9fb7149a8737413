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

// A logsView is the section of what Googlebot requested: Lead for everybody, with a link to what is
// to be changed where Server is set, and for experts the lines of the logs below their labels.
type logsView struct {
	Lead   page.Phrase
	Server bool
	Groups []logGroup
}

type logGroup struct {
	Name  page.Phrase
	Lines []page.Phrase
}

// logDays are the first and the last day of the access logs, in UTC; nil where none has times.
func logDays(result *audit.Result) []string {
	if result.Logs == nil || result.Logs.Count.Span.First == 0 {
		return nil
	}
	return []string{page.Day(result.Logs.Count.Span.First), page.Day(result.Logs.Count.Span.Last)}
}

// newLogsView is what access logs say; nil where none was read.
func newLogsView(result *audit.Result) *logsView {
	if result.Logs == nil {
		return nil
	}
	v, last := &logsView{Lead: phrase(conclude.LogLead(result.Logs))}, ""
	server := newServerView(result)
	for i, x := range conclude.LogLines(messages.Of("en"), result.Logs) {
		if x.Label != last {
			v.Groups = append(v.Groups, logGroup{Name: page.Plain(func(c *messages.Catalogue) string { return c.Text(x.Label) })})
		}
		last = x.Label
		g := &v.Groups[len(v.Groups)-1]
		g.Lines = append(g.Lines, page.AsIs(func(c *messages.Catalogue) string { return conclude.LogLines(c, result.Logs)[i].Text }))
		v.Server = v.Server || x.Remedy && server != nil
	}
	return v
}
