package report

import (
	"maps"
	"slices"
	"strconv"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
)

// logsSummary is what summary.json says of access logs.
type logsSummary struct {
	Files      int    `json:"files"`
	Lines      int64  `json:"lines"`
	Unreadable int64  `json:"unreadable"`
	First      string `json:"first,omitempty"`
	Last       string `json:"last,omitempty"`
	Undated    int64  `json:"without_time"`
	Outside    int64  `json:"outside_since_until"`
	Googlebot  int64  `json:"googlebot_requests"`
	Bingbot    int64  `json:"bingbot_requests"`
	Apart      int64  `json:"other_robots"`
	Claimed    int64  `json:"only_named"`
	Two        int64  `json:"two_addresses"`
	Foreign    int64  `json:"other_hosts"`
	Decoded    int64  `json:"decoded"`
	Lossy      int64  `json:"lossy"`
	Methods    int64  `json:"other_methods"` // requests of another method than GET and HEAD
	Entries    int    `json:"entries"`
	AsListed   int    `json:"as_listed"`
	Other      int    `json:"other_spelling"`
	Never      int    `json:"never"`
	Unspelt    int    `json:"spelling_unknown"`
	Differ     int    `json:"answers_differ"`
	Unlisted   int    `json:"redirected_unlisted"`
}

func logsOf(l *audit.Logs) *logsSummary {
	if l == nil {
		return nil
	}
	y, s := &l.Tally, &l.Sum
	return &logsSummary{Files: l.Files, Lines: l.Count.Lines, Unreadable: l.Count.Unreadable, First: when(moment(l.Count.Span.First)), Last: when(moment(l.Count.Span.Last)),
		Undated: l.Count.Undated, Outside: l.Count.Outside,
		Googlebot: y.Verified[accesslog.Googlebot], Bingbot: y.Verified[accesslog.Bingbot], Apart: y.Apart,
		Claimed: y.Claimed[accesslog.Googlebot] + y.Claimed[accesslog.Bingbot], Two: y.Two, Foreign: l.Foreign, Decoded: y.Decoded, Lossy: y.Lossy, Methods: y.Methods,
		Entries: s.Entries, AsListed: s.AsListed, Other: s.Otherwise, Never: s.Never, Unspelt: s.Unspelt, Differ: s.Differ, Unlisted: s.Unlisted}
}

// accessLogs says what access logs say.
func (t *terminal) accessLogs() {
	l := t.result.Logs
	if l == nil {
		return
	}
	shown := *l
	if slices.Contains(t.o.Written.Files, LogsName) {
		shown.Path = t.path(LogsName)
	}
	t.logLines(&shown)
}

// jsonCrawled adds what robots asked for.
func jsonCrawled(o *object, r *audit.Row) {
	for _, robot := range []accesslog.Robot{accesslog.Googlebot, accesslog.Bingbot} {
		found := r.CrawledBy(robot)
		if len(found) == 0 {
			continue
		}
		o.key(robot.String())
		g := object{'{'}
		var other []accesslog.Finding
		for i := range found {
			if found[i].Class == accesslog.OtherSpelling {
				other = append(other, found[i])
				continue
			}
			if found[i].Class == accesslog.Unspelt {
				g.key("decoded")
			} else {
				g.key("as_listed")
			}
			g = append(jsonAsked(append(g, '{'), &found[i]), '}')
		}
		g.key("other")
		g = append(g, '[')
		for i := range other {
			if i > 0 {
				g = append(g, ',')
			}
			g = append(g, '{')
			g.text("url", r.Address.Origin()+plain.Printable(other[i].Asked))
			list(&g, "differs_in", other[i].DiffersIn)
			g = append(jsonAsked(g, &other[i]), '}')
		}
		*o = append(append(*o, g...), ']', '}')
	}
}

// jsonAsked adds how often, when and with which answers.
func jsonAsked(o object, f *accesslog.Finding) object {
	o.number("requests", int(f.Seen.Requests))
	o.textIf("first", when(moment(f.Seen.First)))
	o.textIf("last", when(moment(f.Seen.Last)))
	o.key("statuses")
	o = append(o, '{')
	for _, status := range slices.Sorted(maps.Keys(f.Seen.Statuses)) {
		o.number(strconv.Itoa(status), int(f.Seen.Statuses[status]))
	}
	o = append(o, '}')
	if f.Rawness != accesslog.Raw {
		o.text("octets", f.Rawness.String())
	}
	return o
}
