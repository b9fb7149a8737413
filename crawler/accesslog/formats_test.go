package accesslog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
)

// TestFormats has a line for each format and case, beyond those of the corpus, and what is read from
// it: address, request, status, rawness, UA where the robot's user agent is there, host. ADDR, UA
// and END stand for what many lines have.
func TestFormats(t *testing.T) {
	const (
		at     = "2026-11-03T04:05:06Z"
		end    = ` [03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5 "-" "UA"`
		object = `{"time":"2026-11-03T04:05:06Z","request":"GET /a HTTP/1.1","status":200,"ua":"UA",ADDR}`
		list   = `{"ClientHost":"ADDR","RequestMethod":"GET","RequestPath":"/a","DownstreamStatus":200,"request_User-Agent":"UA","StartUTC":"2026-11-03T04:05:06Z"}`
		ok     = " GET /a 200 raw UA"
	)
	with := func(form, what string) string { return strings.Replace(form, "ADDR", what, 1) }
	for _, c := range []struct{ name, line, want string }{
		// Frames.
		{"docker", `{"log":"66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] \"GET /q\\x22(4) HTTP/1.1\" 200 5 \"-\" \"UA\"\n","stream":"stdout","time":"2026-11-03T04:05:07.1Z"}`, `66.249.66.1 GET /q"(4) 200 raw UA`},
		{"CRI", `2026-11-03T04:05:07.123456789Z stderr F 66.249.66.1 - -` + end, "66.249.66.1" + ok},
		{"RFC 5424", `<190>1 2026-11-03T04:05:06.000003Z web1 nginx 812 - - 66.249.66.1 - -` + end, "66.249.66.1" + ok},
		{"RFC 5424 with structured data", `<190>1 2026-11-03T04:05:06.000003Z web1 nginx 812 - [a b="c"] ` + "\uFEFF" + `66.249.66.1 - -` + end, "66.249.66.1" + ok},
		{"rsyslog", `2026-11-03T04:05:07.123456+00:00 web1 nginx: ` + with(object, `"ip":"66.249.66.1"`), "66.249.66.1" + ok},
		{"docker logs -t", `2026-11-03T04:05:07.123456789Z 66.249.66.1 - - [2026-11-03T04:05:06+00:00` + end[28:], "66.249.66.1" + ok},
		{"docker compose logs -t", `web-1    | 2026-11-03T04:05:07.1Z ` + with(object, `"ip":"66.249.66.1"`), "66.249.66.1" + ok},
		{"the time of the frame", `2026-11-03T13:05:06.5+09:00 web1 nginx: {"ip":"66.249.66.1","request":"GET /a HTTP/1.1","status":200,"ua":"UA"}`, "66.249.66.1" + ok},
		// Formats.
		{"Traefik, quotes bare", `66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] "GET /q%22?a="b" HTTP/1.1" 200 2 "-" "My "UA" \x41" 92 "web@file" "http://10.0.0.2:80" 3ms`, `66.249.66.1 GET /q%22?a="b" 200 raw UA`},
		{"HAProxy with captured headers", `<134>Nov  3 04:05:06 haproxy[21]: 2001:4860:4801:10::1:51889 [03/Nov/2026:04:05:06.426] ua be/srv1 0/0/0/1/1 200 73 - - ---- 1/1/0/0/0 0/0 {shop.example|UA} "GET /q#22(4) HTTP/1.1"`, `2001:4860:4801:10::1 GET /q"(4) 200 raw UA shop.example`},
		{"HAProxy's httpslog, with a referer", `Nov  3 04:05:06 lb1 haproxy[21]: 66.249.66.1:5188 [03/Nov/2026:04:05:06.426] in~ be/s 0/0/0/1/1 200 73 - - ---- 1/1/0/0/0 0/0 {http://www.google.com/|UA} "GET /q#22 HTTP/1.1" 0/0/0/0/0 shop.example/TLSv1.3/TLS_AES_128_GCM_SHA256`, `66.249.66.1 GET /q" 200 raw UA`},
		{"HAProxy's JSON", with(strings.Replace(object, "/a", "/q#22#C3#A9?#23", 1), `"client_ip":"66.249.66.1"`), "66.249.66.1 GET /q\"\u00e9?# 200 raw UA"},
		{"a # that is not HAProxy's", with(strings.Replace(object, "/a", "/q#22#41", 1), `"client_ip":"66.249.66.1"`), `66.249.66.1 GET /q#22#41 200 raw UA`},
		{"a classic load balancer", at + ` my-lb 66.249.66.1:2817 10.0.0.1:80 0.1 0.2 0.3 301 301 0 57 "GET https://www.shop.example:443/(4) HTTP/1.1" "UA" DHE-RSA-AES128-SHA TLSv1.2`, `66.249.66.1 GET /(4) 301 raw UA www.shop.example`},
		{"Fastly", `<134>2026-11-03T04:05:07Z cache-tyo1 shop-logs[2981]: 66.249.66.1 "-" "-"` + end, "66.249.66.1 GET /a 200 edge UA"},
		{"Logpush in nanoseconds", `{"ClientIP":"66.249.66.1","ClientRequestHost":"shop.example","ClientRequestMethod":"GET","ClientRequestURI":"\/(4)","ClientRequestUserAgent":"UA","EdgeStartTimestamp":1793678706433000200,"EdgeResponseStatus":301,"OriginResponseStatus":0}`, `66.249.66.1 GET /(4) 301 edge UA shop.example`},
		{"CloudFront's JSON", `{"date":"2026-11-03","time":"04:05:06","x-edge-location":"NRT57-P3","c-ip":"66.249.66.1","cs-method":"GET","cs(Host)":"d1.cloudfront.net","x-host-header":"shop.example","cs-uri-stem":"/a%2528","cs-uri-query":"q=%7E","sc-status":"200","cs(User-Agent)":"My%20UA"}`, `66.249.66.1 GET /a%28?q=~ 200 raw UA shop.example`},
		{"CloudFront's JSON, a few fields", `{"timestamp(ms)":"1793678706433","c-ip":"66.249.66.1","cs-method":"GET","cs-uri-stem":"/a%2528","cs-uri-query":"-","sc-status":"200"}`, `66.249.66.1 GET /a%28 200 raw -`},
		{"W3C names in JSON", `{"date":"2026-11-03","time":"04:05:06","c-ip":"66.249.66.1","cs-method":"GET","cs-uri-stem":"/a","cs-uri-query":"b","sc-status":200}`, `66.249.66.1 GET /a?b 200 decoded -`},
		{"the path as nginx decoded it", `{"time":"` + at + `","remote_addr":"66.249.66.1","path":"/a b","request_query":"x=(1)","request_method":"GET","status":200}`, `66.249.66.1 GET /a b?x=(1) 200 decoded -`},
		{"the path as Apache decoded it", `{ "time":"[03/Nov/2026:04:05:06 +0000]", "remoteIP":"66.249.66.1", "host":"shop.example", "request":"/a b", "query":"?x=(1)", "method":"GET", "status":"200", "userAgent":"UA" }`, `66.249.66.1 GET /a b?x=(1) 200 decoded UA shop.example`},
		{"the target alone", `{"time":"` + at + `","remote_addr":"66.249.66.1","request":"/%28?x=(1)","uri":"/(","args":"x=(1)","request_method":"GET","status":200}`, `66.249.66.1 GET /%28?x=(1) 200 raw -`},
		{"seconds since 1970", `{"ts":1793678706.5,"client_ip":"66.249.66.1","method":"GET","url":"https://shop.example/(4)","status_code":200}`, `66.249.66.1 GET /(4) 200 edge - shop.example`},
		// Hosts: neither addresses nor users, nor unknown names in the place of a user.
		{"lighttpd", "66.249.66.1 Shop.Example.:8080 -" + end, "66.249.66.1" + ok + " shop.example"},
		{"a user like a host", "66.249.66.1 alice.smith -" + end, "66.249.66.1" + ok},
		{"a host before", "alice.smith 66.249.66.1 - -" + end, "66.249.66.1" + ok + " alice.smith"},
		{"the name of a client", "crawl.googlebot.com - 66.249.66.1" + end, ok[1:]},
		{"a host in the request", "66.249.66.1 - - " + strings.Replace(end, "/a", "http://alice:secretpw@other.example.:80/a", 1), "66.249.66.1" + ok + " other.example"},
		// Two addresses, of which none is the client's for certain.
		{"two", "66.249.66.1 203.0.113.9 - -" + end, "two" + ok},
		{"two, quoted", `66.249.66.1 "203.0.113.9" -` + end, "two" + ok},
		{"two behind a host", "shop.example 66.249.66.1 203.0.113.9 - -" + end, "two" + ok + " shop.example"},
		{"two behind a list", "66.249.66.1, 203.0.113.8 203.0.113.9 - -" + end, "two" + ok},
		{"the same twice", "66.249.66.1:80 66.249.66.1 - -" + end, "66.249.66.1" + ok},
		{"two in JSON", with(object, `"remote_addr":"66.249.66.1","client_ip":"10.0.0.1"`), "two" + ok},
		{"one in JSON", with(object, `"remote_addr":"-","client_ip":"66.249.66.1","ip":""`), "66.249.66.1" + ok},
		{"two, and a better name", with(object, `"ip":"10.0.0.1","client":"10.0.0.2","ClientIP":"66.249.66.1"`), "66.249.66.1 GET /a 200 edge UA"},
		// Lists, which a client can begin: the last address counts, which a server saw.
		{"forged", "66.249.66.1, 203.0.113.9 - -" + end, "203.0.113.9" + ok},
		{"forged, without spaces", "66.249.66.1,203.0.113.9 - -" + end, "203.0.113.9" + ok},
		{"three", "unknown, 10.0.0.1, 66.249.66.1 - -" + end, "66.249.66.1" + ok},
		{"ports in a list", "[2001:4860:4801:10::1]:80, 203.0.113.9:80 - -" + end, "203.0.113.9" + ok},
		{"a list behind a host", "shop.example 66.249.66.1, 203.0.113.9 - -" + end, "203.0.113.9" + ok + " shop.example"},
		{"a list without its last", "66.249.66.1, - -" + end, ok[1:]},
		{"a list without its last, close", "66.249.66.1,- - -" + end, ok[1:]},
		{"forged, in JSON", with(list, "66.249.66.1:4711, 203.0.113.9:80"), "203.0.113.9" + ok},
		{"without its last, in JSON", with(list, "66.249.66.1,"), ok[1:]},
	} {
		o := accesslog.Options{Hosts: func(name string) bool { return name == "shop.example" }}
		got, count := readAll(t, []byte(strings.Replace(c.line, "UA", agent, 1)+"\n"), o)
		g := got[1]
		ua := "-"
		if strings.Contains(g.agent, "Googlebot/2.1") {
			ua = "UA"
		}
		if g.two {
			g.addr = "two"
		}
		text := strings.TrimSpace(fmt.Sprintf("%s %s %s %d %s %s %s", g.addr, g.method, g.target, g.status, g.rawness, ua, g.host))
		if text != c.want || time.Unix(g.at, 0).UTC().Format(time.RFC3339) != at {
			t.Errorf("%s: got %s at %s, %+v\nwant %s", c.name, text, time.Unix(g.at, 0).UTC(), count, c.want)
		}
	}
}

// TestUnreadable: what is no line of a log, or one with an impossible client, time or status.
func TestUnreadable(t *testing.T) {
	const object = `{"remote_addr":"66.249.66.1","request":"GET /a HTTP/1.1","time":"2026-11-03T04:05:06Z","status":STATUS}`
	const line = `66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5`
	for text, read := range map[string]bool{
		"hello": false, `{"level":"info","msg":"ready"}`: false, `{"a":1}`: false, line[:60]: false, line: true, `{"request":"GET /a HTTP/1.1"}`: false,
		strings.Replace(line, "66.", "6|6.", 1): false, strings.Replace(line, "03/Nov", "31/Feb", 1): false,
		"<1": false, "<34>": false, "<34>1 2026-11-03T04:05:06Z h nginx 1 - [x": false, "2026/11/03 04:05:06\t{": false, `{"log":"`: false,
	} {
		if _, count := readAll(t, []byte(text), accesslog.Options{}); count.Lines != 1 || (count.Unreadable == 0) != read {
			t.Errorf("%s: %+v", text, count)
		}
	}
	for status, read := range map[string]bool{`200`: true, `"304"`: true, `0`: true, `"-"`: true, `"000"`: true, `-1`: true, `null`: true,
		`-200`: false, `99999999999`: false, `"2x0"`: false, `20`: false, `1200`: false} {
		if _, count := readAll(t, []byte(strings.Replace(object, "STATUS", status, 1)), accesslog.Options{}); count.Lines != 1 || (count.Unreadable == 0) != read {
			t.Errorf("%s: %+v", status, count)
		}
	}
}
