package logfiles

import (
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
)

// Hints returns what a user can do where the logs lack information.
func Hints(l *audit.Logs) []string {
	var hints []string
	t := &l.Tally
	verified := t.Verified[accesslog.Googlebot] + t.Verified[accesslog.Bingbot]
	claimed := t.Claimed[accesslog.Googlebot] + t.Claimed[accesslog.Bingbot]
	switch {
	case l.Count.Span == accesslog.Span{} && l.Count.Outside > 0:
		hints = append(hints, "--since and --until leave out every line that has a time: choose days that the logs have")
	case verified == 0 && claimed > 0:
		hints = append(hints, "robots are named, but none comes from a published address: somebody else took that name, or the addresses are those of a proxy: log the client's (nginx: real_ip, Apache: mod_remoteip), or look them up with --dns; docs/logs.md in the source of sitemend")
	case verified == 0:
		hints = append(hints, "no robot of Google or Bing is in these logs; are they those of the right host and time?")
	}
	if verified > 0 && t.Decoded >= verified {
		hints = append(hints, "the logs have paths as the server decoded them, which tells no spelling: log the request line ($request in nginx, %r in Apache); docs/logs.md in the source of sitemend")
	}
	if t.Edge > 0 {
		hints = append(hints, "these are records of a CDN: it may have respelled addresses (Cloudflare: Rules, Settings, Normalize incoming URLs); docs/logs.md in the source of sitemend")
	}
	return hints
}
