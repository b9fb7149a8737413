package accesslog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
)

const agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// TestFormats checks one line of each format, beyond those of the corpus.
func TestFormats(t *testing.T) {
	const at = "2026-11-03T04:05:06Z"
	for name, c := range map[string]struct{ line, want string }{
		"docker": {
			`{"log":"66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] \"GET /q\\x22(4) HTTP/1.1\" 200 5 \"-\" \"` + agent + `\"\n","stream":"stdout","time":"2026-11-03T04:05:07.1Z"}`,
			`66.249.66.1 GET /q"(4) 200 raw UA`,
		},
		"RFC 5424": {
			`<190>1 2026-11-03T04:05:06.000003Z web1 nginx 812 - - 66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] "GET /(4) HTTP/1.1" 200 5 "-" "` + agent + `"`,
			`66.249.66.1 GET /(4) 200 raw UA`,
		},
		"rsyslog with an ISO time and JSON": {
			`2026-11-03T04:05:06.123456+00:00 web1 nginx: {"time":"` + at + `","remote_addr":"66.249.66.1","request":"GET /(4) HTTP/2.0","status":"301","http_user_agent":"` + agent + `"}`,
			`66.249.66.1 GET /(4) 301 raw UA`,
		},
		"Caddy's console": {
			"2026/11/03 04:05:06.884\t\x1b[34mINFO\x1b[0m\thttp.log.access.log1\thandled request\t" + `{"request": {"remote_ip": "10.0.0.1", "client_ip": "66.249.66.1", "proto": "HTTP/1.1", "method": "GET", "host": "shop.example:8443", "uri": "/(4)", "headers": {"User-Agent": ["` + agent + `"]}}, "status": 200}`,
			`66.249.66.1 GET /(4) 200 raw UA shop.example`,
		},
		"Traefik's common format, quotes bare": {
			`66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] "GET /q%22?a="b" HTTP/1.1" 200 2 "-" "My "Googlebot/2.1" \x41" 92 "web@file" "http://10.0.0.2:80" 3ms`,
			`66.249.66.1 GET /q%22?a="b" 200 raw UA`,
		},
		"HAProxy with captured headers": {
			`<134>Nov  3 04:05:06 haproxy[21]: 2001:4860:4801:10::1:51889 [03/Nov/2026:04:05:06.426] ua be/srv1 0/0/0/1/1 200 73 - - ---- 1/1/0/0/0 0/0 {shop.example|` + agent + `} "GET /q#22(4) HTTP/1.1"`,
			`2001:4860:4801:10::1 GET /q"(4) 200 raw UA shop.example`,
		},
		"a classic load balancer": {
			at + ` my-lb 66.249.66.1:2817 10.0.0.1:80 0.1 0.2 0.3 301 301 0 57 "GET https://www.shop.example:443/(4) HTTP/1.1" "` + agent + `" DHE-RSA-AES128-SHA TLSv1.2`,
			`66.249.66.1 GET /(4) 301 raw UA www.shop.example`,
		},
		"Fastly after a syslog header": {
			`<134>2026-11-03T04:05:07Z cache-tyo1 shop-logs[2981]: 66.249.66.1 "-" "-" [03/Nov/2026:04:05:06 +0000] "GET /(4) HTTP/2" 301 5123 "-" "` + agent + `"`,
			`66.249.66.1 GET /(4) 301 edge UA`,
		},
		"Logpush in nanoseconds": {
			`{"ClientIP":"66.249.66.1","ClientRequestHost":"shop.example","ClientRequestMethod":"GET","ClientRequestURI":"\/(4)","ClientRequestUserAgent":"` + agent + `","EdgeStartTimestamp":1793678706433000200,"EdgeResponseStatus":301,"OriginResponseStatus":0}`,
			`66.249.66.1 GET /(4) 301 edge UA shop.example`,
		},
		"the path as nginx decoded it": {
			`{"time":"` + at + `","remote_addr":"66.249.66.1","uri":"/a b","args":"x=(1)","request_method":"GET","status":200}`,
			`66.249.66.1 GET /a b?x=(1) 200 decoded -`,
		},
		"a list, of which the last was seen by a server": {
			`66.249.66.1, 10.0.0.7 - - [03/Nov/2026:04:05:06 +0000] "GET /(4) HTTP/1.1" 200 5 "-" "` + agent + `"`,
			`10.0.0.7 GET /(4) 200 raw UA`,
		},
		"seconds since 1970": {
			`{"ts":1793678706.5,"client_ip":"66.249.66.1","method":"GET","url":"https://shop.example/(4)","status_code":200}`,
			`66.249.66.1 GET /(4) 200 edge - shop.example`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, count := readAll(t, []byte(c.line+"\n"), accesslog.Options{})
			g := got[1]
			ua := "-"
			if strings.Contains(g.agent, "Googlebot/2.1") {
				ua = "UA"
			}
			text := strings.TrimSpace(fmt.Sprintf("%s %s %s %d %s %s %s", g.addr, g.method, g.target, g.status, g.rawness, ua, g.host))
			if text != c.want || time.Unix(g.at, 0).UTC().Format(time.RFC3339) != at {
				t.Errorf("got  %s at %s, %+v\nwant %s", text, time.Unix(g.at, 0).UTC(), count, c.want)
			}
		})
	}
}

func TestZoneOfTimesWithoutOne(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	log := `Nov  3 04:05:06 lb1 haproxy[1]: 66.249.66.1:5 [03/Nov/2026:13:05:06.426] ua be/s 0/0/0/1/1 200 7 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"` + "\n"
	got, _ := readAll(t, []byte(log), accesslog.Options{Zone: tokyo})
	if want := time.Date(2026, 11, 3, 4, 5, 6, 0, time.UTC).Unix(); got[1].at != want {
		t.Errorf("got %d, want %d", got[1].at, want)
	}
}

func TestSinceAndUntil(t *testing.T) {
	var log strings.Builder
	for day := 1; day <= 9; day++ {
		fmt.Fprintf(&log, `66.249.66.1 - - [%02d/Nov/2026:12:00:00 +0000] "GET /%d HTTP/1.1" 200 5`+"\n", day, day)
	}
	day := func(d int) int64 { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC).Unix() }
	got, count := readAll(t, []byte(log.String()), accesslog.Options{Since: day(3), Until: day(5)})
	if len(got) != 2 || got[3].target != "/3" || got[4].target != "/4" || count.Lines != 9 {
		t.Errorf("got %+v, %+v", got, count)
	}
}

// TestSpan: the span of a log is from its first line to its last, of any client, without times of
// impossible years.
func TestSpan(t *testing.T) {
	moment := func(text string) int64 {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.Unix()
	}
	days := func(from, to string) accesslog.Span { return accesslog.Span{First: moment(from), Last: moment(to)} }
	const robot = `66.249.66.1 - - [03/Nov/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "` + agent + `"` + "\n"
	person := func(day string) string {
		return `198.51.100.7 - - [` + day + `:00:00:00 +0000] "GET /b HTTP/1.1" 200 5 "-" "Mozilla/5.0"` + "\n"
	}
	people := person("01/Oct/2026") + robot + person("30/Nov/2026")
	blank := `{"log":"\n","stream":"stdout","time":"2026-11-03T04:05:07.1Z"}` + "\n"
	for name, c := range map[string]struct {
		log          string
		since, until string
		want         accesslog.Count
	}{
		"people alone": {person("01/Oct/2026"), "", "", accesslog.Count{Span: days("2026-10-01", "2026-10-01"), All: days("2026-10-01", "2026-10-01")}},
		"of all lines": {people, "", "", accesslog.Count{Requests: 1, Span: days("2026-10-01", "2026-11-30"), All: days("2026-10-01", "2026-11-30")}},
		"since":        {people, "2026-10-15", "", accesslog.Count{Requests: 1, Outside: 1, Span: days("2026-11-03", "2026-11-30"), All: days("2026-10-01", "2026-11-30")}},
		"nothing left": {people, "2027-10-15", "", accesslog.Count{Outside: 3, All: days("2026-10-01", "2026-11-30")}},
		"the year 9999": {people + strings.ReplaceAll(robot, "2026", "9999"), "", "",
			accesslog.Count{Requests: 2, Undated: 1, Span: days("2026-10-01", "2026-11-30"), All: days("2026-10-01", "2026-11-30")}},
		"the year 1989, until": {people + strings.ReplaceAll(robot, "2026", "1989"), "", "2026-11-10",
			accesslog.Count{Requests: 1, Undated: 1, Outside: 1, Span: days("2026-10-01", "2026-11-03"), All: days("2026-10-01", "2026-11-30")}},
		"blank lines of a container": {blank + robot + blank, "", "", accesslog.Count{Requests: 1, Span: days("2026-11-03", "2026-11-03"), All: days("2026-11-03", "2026-11-03")}},
	} {
		ranges := &accesslog.Ranges{}
		ranges.AddKnown()
		o := accesslog.Options{Robots: accesslog.NewRobots(ranges, nil)}
		if c.since != "" {
			o.Since = moment(c.since)
		}
		if c.until != "" {
			o.Until = moment(c.until)
		}
		_, got := readAll(t, []byte(c.log), o)
		c.want.Lines, c.want.Bytes = int64(strings.Count(c.log, "\n")), int64(len(c.log))
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestCutOff(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 2000 {
		fmt.Fprintf(z, `66.249.66.1 - - [03/Nov/2026:12:00:00 +0000] "GET /%d HTTP/1.1" 200 5`+"\n", i*7919)
	}
	z.Close()
	half := packed.Bytes()[:packed.Len()/2]
	n := 0
	count, err := accesslog.Read(context.Background(), bytes.NewReader(half), accesslog.Options{}, func(*accesslog.Request) error { n++; return nil })
	if !errors.Is(err, accesslog.ErrCut) || n < 100 || count.Lines < int64(n) || count.Unreadable > 1 {
		t.Errorf("%d requests, %+v, %v", n, count, err)
	}
}

func TestLongLine(t *testing.T) {
	log := strings.Repeat("x", 3<<20) + "\n" + `66.249.66.1 - - [03/Nov/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 5` + "\n"
	got, count := readAll(t, []byte(log), accesslog.Options{})
	if got[2].target != "/a" || count.Lines != 2 || count.Unreadable != 1 || count.First != 1 {
		t.Errorf("got %+v, %+v", got, count)
	}
}

func TestStopped(t *testing.T) {
	line := []byte(`198.51.100.1 - - [03/Nov/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 5` + "\n")
	ctx, stop := context.WithCancel(context.Background())
	endless := &repeated{line: line, then: stop, after: 1 << 20}
	if _, err := accesslog.Read(ctx, endless, accesslog.Options{}, func(*accesslog.Request) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	failed := errors.New("no more")
	if _, err := accesslog.Read(context.Background(), bytes.NewReader(line), accesslog.Options{}, func(*accesslog.Request) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// repeated reads as a line again and again, and calls then after a number of bytes.
type repeated struct {
	line  []byte
	given int
	after int
	then  func()
}

func (r *repeated) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		n += copy(b[n:], r.line[(r.given+n)%len(r.line):])
	}
	if r.given += n; r.given > r.after {
		r.then()
	}
	return n, nil
}

// FuzzRead: every line is read or counted, whatever it contains and however its bytes arrive. A
// packed log is read up to the same error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`66.249.66.1 - - [03/Nov/2026:13:05:06 +0900] "GET /a HTTP/1.1" 200 512 "-" "` + agent + `"`,
		"#Fields: date time c-ip cs-method cs-uri-stem sc-status\n2026-11-03 04:05:06 66.249.66.1 GET /a 200",
		`{"time":"2026-11-03T04:05:06Z","remote_addr":"66.249.66.1","request":"GET /\ud83d\u00e9 HTTP/1.1","status":200}`,
		"[\n  {\n    \"httpRequest\": {\"requestUrl\": \"https://h/\", \"remoteIp\": \"::1\"}\n  }\n]",
		`<134>Nov 22 02:23:04 haproxy[2]: ::1:5 [22/Nov/2026:02:23:04.891] s b/<NOSRV> 0/-1/-1/-1/0 200 73 - - LR-- 1/1/0/0/0 0/0 {a|b/c} "GET /#22 HTTP/1.1"`,
		"h2 2026-11-03T04:09:57.186641Z app/x 66.249.66.1:48160 10.0.0.66:9000 0.0 0.0 0.0 301 301 5 257 \"GET https://h:443/ HTTP/2.0\" \"x\" -",
		"\x00\x00a\n\r\n\xEF\xBB\xBF", "2026/11/22 02:29:51.884\tINFO\tx\ty\t{\"request\": {}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		var whole []string
		say := func(into *[]string) func(*accesslog.Request) error {
			return func(r *accesslog.Request) error {
				if len(r.Target) == 0 || r.Target[0] != '/' || len(r.Method) == 0 {
					t.Errorf("%+v is no request", r)
				}
				*into = append(*into, fmt.Sprintf("%d %s %q %q %q %d", r.Line, r.Addr, r.Target, r.Agent, r.Host, r.Status))
				return nil
			}
		}
		count, err := accesslog.Read(context.Background(), bytes.NewReader(log), accesslog.Options{}, say(&whole))
		var packing *accesslog.UnpackError
		if err != nil && (!errors.As(err, &packing) || ascii(log)) {
			t.Fatal(err)
		}
		if packed(log) {
			return // it contains more lines and bytes than the file
		}
		if count.Requests != int64(len(whole)) || count.Requests+count.Unreadable > count.Lines || (count.Unreadable > 0) != (count.First > 0) ||
			count.Lines > int64(bytes.Count(log, []byte("\n")))+1 ||
			err == nil && count.Bytes != int64(len(log)) {
			t.Errorf("%+v with %d requests", count, len(whole))
		}
		var pieces []string
		again, errAgain := accesslog.Read(context.Background(), io.MultiReader(bytes.NewReader(log[:len(log)/2]), bytes.NewReader(log[len(log)/2:])), accesslog.Options{}, say(&pieces))
		if fmt.Sprint(errAgain) != fmt.Sprint(err) || again != count || !slices.Equal(whole, pieces) {
			t.Errorf("in two pieces: %+v %v, want %+v %v", again, pieces, count, whole)
		}
	})
}

// ascii reports whether a log is certainly text: no control characters but those of lines, and not
// the first bytes of bzip2, which are letters.
func ascii(log []byte) bool {
	odd := func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' || c > '~' }
	return !bytes.ContainsFunc(log, odd) && !bytes.HasPrefix(log, []byte("BZh"))
}

// packed reports whether a log may contain gzip or zstd.
func packed(log []byte) bool {
	return bytes.Contains(log, []byte{0x1f, 0x8b}) || bytes.Contains(log, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		bytes.Contains(log, []byte{0x2a, 0x4d, 0x18})
}

// madeLog returns the lines of people and bots at a busy shop, of which robots percent are a
// robot's.
func madeLog(size, robots int) []byte {
	browsers := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
	}
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		addr, ua := fmt.Sprintf("198.51.%d.%d", i*7%256, i*13%256), browsers[i%3]
		if i%100 < robots {
			addr, ua = fmt.Sprintf("66.249.66.%d", i%64), agent
		}
		fmt.Fprintf(&b, `%s - - [%02d/Nov/2026:%02d:%02d:%02d +0900] "GET /wiki/wiki.cgi?page=%d%%28%d%%29 HTTP/1.1" 200 %d "https://www.shop.example/category/%d" "%s"`+"\n",
			addr, 1+i/86400%28, i/3600%24, i/60%60, i%60, i%5000, i%9, 500+i%90000, i%300, ua)
	}
	return b.Bytes()
}

// BenchmarkRead reads lines, few of which are a robot's, and reports MB/s of one core, and how many
// times as long it takes as finding the ends of the lines.
func BenchmarkRead(b *testing.B) {
	ranges := &accesslog.Ranges{}
	ranges.AddKnown()
	plain := madeLog(16<<20, 0)
	for name, log := range map[string][]byte{
		"people": plain, "robots=2%": madeLog(16<<20, 2),
		"syslog": bytes.ReplaceAll(plain, []byte("\n198."), []byte("\nNov  3 13:05:06 web1 nginx: 198.")),
		"ipv6":   bytes.ReplaceAll(plain, []byte("\n198.51."), []byte("\n2001:db8:1::7 - - [03/Nov/2026:13:05:06 +0900] \"GET / HTTP/1.1\" 200 7\n198.51.")),
		"json":   jsonLog(16 << 20),
	} {
		b.Run(name, func(b *testing.B) {
			robots := accesslog.NewRobots(ranges, nil)
			b.SetBytes(int64(len(log)))
			var lines, read time.Duration
			for b.Loop() {
				start := time.Now()
				n := 0
				for rest := log; len(rest) > 0; n++ {
					rest = rest[bytes.IndexByte(rest, '\n')+1:]
				}
				split := time.Now()
				count, err := accesslog.Read(context.Background(), bytes.NewReader(log), accesslog.Options{Robots: robots}, func(*accesslog.Request) error { return nil })
				if err != nil || count.Unreadable > 0 || count.Lines != int64(n) {
					b.Fatal(n, count, err)
				}
				lines, read = lines+split.Sub(start), read+time.Since(split)
			}
			b.ReportMetric(float64(read)/float64(lines), "x-lines")
		})
	}
}

// BenchmarkReadFile reads a file of 256 MB, or of SITEMEND_LOG_MB, with 2 % of its lines from a
// robot.
func BenchmarkReadFile(b *testing.B) {
	megabytes := 256
	if text := os.Getenv("SITEMEND_LOG_MB"); text != "" {
		var err error
		if megabytes, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(b.TempDir(), "access.log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	part, size := madeLog(16<<20, 2), int64(0)
	for size < int64(megabytes)<<20 {
		n, err := f.Write(part)
		if err != nil {
			b.Fatal(err)
		}
		size += int64(n)
	}
	ranges := &accesslog.Ranges{}
	ranges.AddKnown()
	robots := accesslog.NewRobots(ranges, nil)
	b.SetBytes(size)
	for b.Loop() {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		count, err := accesslog.Read(context.Background(), f, accesslog.Options{Robots: robots}, func(*accesslog.Request) error { return nil })
		if err != nil || count.Unreadable > 0 || count.Bytes != size {
			b.Fatal(count, err)
		}
	}
}

// jsonLog returns lines of nginx with escape=json.
func jsonLog(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"time":"2026-11-22T11:20:%02d+09:00","remote_addr":"198.51.100.%d","host":"shop.example","request_uri":"/wiki?p=%d","status":200,`+
			`"http_user_agent":"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0","http_referer":"","request":"GET /wiki?p=%d HTTP/1.1"}`+"\n", i%60, i%256, i, i)
	}
	return b.Bytes()
}
