package accesslog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
)

const agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// TestSpan: the span of a log is from its first line to its last, of any client, without times of
// impossible years.
func TestSpan(t *testing.T) {
	moment := func(text string) int64 {
		at, err := time.Parse(time.DateOnly, text)
		must(t, err)
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
		o := accesslog.Options{Robots: knownRobots()}
		if c.since != "" {
			o.Since = moment(c.since)
		}
		if c.until != "" {
			o.Until = moment(c.until)
		}
		_, got := readAll(t, []byte(c.log), o)
		c.want.Lines, c.want.Bytes = int64(strings.Count(c.log, "\n")-strings.Count(c.log, blank)), int64(len(c.log))
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
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
