package logfiles

import (
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
)

// Hints returns what a user can do where the logs lack information.
func Hints(l *audit.Logs) (hints []string) {
	t := &l.Tally
	verified := t.Verified[accesslog.Googlebot] + t.Verified[accesslog.Bingbot]
	claimed := t.Claimed[accesslog.Googlebot] + t.Claimed[accesslog.Bingbot]
	outside := l.Count.Span == accesslog.Span{} && l.Count.Outside > 0
	for _, x := range []struct {
		is   bool
		hint string
	}{
		{outside, "--since and --until leave out every line that has a time: choose days that the logs have"},
		{!outside && verified == 0 && claimed > 0, "robots are named, but none comes from a published address: somebody else took that name, or the addresses are those of a proxy: log the client's (nginx: real_ip, Apache: mod_remoteip), or look them up with --dns; docs/logs.md in the source of sitemend"},
		{!outside && verified+claimed == 0, "no robot of Google or Bing is in these logs; are they those of the right host and time?"},
		{verified > 0 && t.Decoded >= verified, "the logs have paths as the server decoded them, which does not show the encoding: log the request line ($request in nginx, %r in Apache); docs/logs.md in the source of sitemend"},
		{t.Edge > 0, "these are records of a CDN: it may have rewritten URLs (Cloudflare: Rules, Settings, Normalize incoming URLs); docs/logs.md in the source of sitemend"},
	} {
		if x.is {
			hints = append(hints, x.hint)
		}
	}
	return hints
}
