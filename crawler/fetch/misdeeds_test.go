package fetch

import (
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// misdeed is what a server does when /x is requested, and what an audit makes of that.
type misdeed struct {
	reply   func(c net.Conn, head string) bool
	verdict audit.Verdict
	fault   answers.Fault
	detail  string // begins with
	note    audit.Note
	most    int  // requests for /x...; 0 = 1
	slow    bool // ends by the time limit
}

const (
	pageHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	lastHead = pageHead + "Connection: close\r\n"
)

// drips repeats a text slowly until the client closes the connection.
func drips(head, text string) func(net.Conn, string) bool {
	return func(c net.Conn, _ string) bool {
		_, err := io.WriteString(c, head)
		for tick := time.NewTicker(10 * time.Millisecond); err == nil; <-tick.C {
			_, err = io.WriteString(c, text)
		}
		return false
	}
}

// pours does the same without pauses.
func pours(head, text string) func(net.Conn, string) bool {
	return func(c net.Conn, _ string) bool {
		_, err := io.WriteString(c, head)
		for err == nil {
			_, err = io.WriteString(c, text)
		}
		return false
	}
}

// resets writes a text and resets the connection.
func resets(text string) func(net.Conn, string) bool {
	return func(c net.Conn, _ string) bool {
		_, _ = io.WriteString(c, text)
		if s, ok := c.(*tls.Conn); ok {
			c = s.NetConn()
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		return false
	}
}

// moves redirects to the result of next for the target.
func moves(next func(target string) string) func(net.Conn, string) bool {
	return func(c net.Conn, head string) bool {
		_, err := fmt.Fprintf(c, "HTTP/1.1 301 Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", next(requestTarget(head)))
		return err == nil
	}
}

// coded answers with the first part of a packed page as a whole body.
func coded(coding string, part float64, body []byte) func(net.Conn, string) bool {
	body = body[:int(float64(len(body))*part)]
	return says(fmt.Sprintf("%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", pageHead, coding, len(body), body))
}

func misdeeds(t *testing.T) map[string]misdeed {
	long, page := strings.Repeat("x", 1<<16), "<title>x</title>"+strings.Repeat("<p>靴 shoes", 4000)
	pack := func(text string) []byte {
		return packed(t, text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	}
	un := audit.Unverified
	return map[string]misdeed{
		"silence":                       {reply: says(""), verdict: un, fault: answers.FaultTimeout, detail: "no whole answer in time", slow: true},
		"closed at once":                {reply: resets(""), verdict: un, fault: answers.FaultReset},
		"half a status line":            {reply: resets("HTTP/1.1 20"), verdict: un},
		"a header that drips":           {reply: drips("HTTP/1.1 200 OK\r\nX: ", "x"), verdict: un, fault: answers.FaultTimeout, slow: true},
		"an endless header":             {reply: pours("HTTP/1.1 200 OK\r\nX: ", long), verdict: un, fault: answers.FaultHeader, detail: "more than 1 MB"},
		"endless headers":               {reply: pours("HTTP/1.1 200 OK\r\n", "X: "+long+"\r\n"), verdict: un, fault: answers.FaultHeader},
		"a flood of 1xx":                {reply: pours("", "HTTP/1.1 103 Early Hints\r\nLink: "+long+"\r\n\r\n"), verdict: un, fault: answers.FaultHeader},
		"garbage":                       {reply: says("\x00\x01\x02 Connection: close\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP, detail: "the answer is not HTTP"},
		"HTTP/1.0, until it closes":     {reply: says("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>old</title><p>x"), verdict: audit.OK},
		"a status of zeros":             {reply: says("HTTP/1.1 000 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
		"a status below 100":            {reply: says("HTTP/1.1 099 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
		"a length that is no number":    {reply: says(lastHead + "Content-Length: x\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
		"two lengths":                   {reply: says(lastHead + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), verdict: un, fault: answers.FaultNotHTTP},
		"a length that is too long":     {reply: says(lastHead + "Content-Length: 99\r\n\r\n<title>x"), verdict: un, fault: answers.FaultReset},
		"a length that is too short":    {reply: says(lastHead + "Content-Length: 16\r\n\r\n<p>shoes to wear<p>more"), verdict: audit.OK},
		"a length, and chunks":          {reply: says(pageHead + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<p>shoes to wear\r\n0\r\n\r\n"), verdict: audit.OK},
		"a chunk that is longer":        {reply: says(lastHead + "Transfer-Encoding: chunked\r\n\r\n3\r\n<title>\r\n0\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
		"an unknown transfer coding":    {reply: says(lastHead + "Transfer-Encoding: rot13\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
		"reset in the body":             {reply: resets(pageHead + "Content-Length: 5000\r\n\r\n<title>x</title>"), verdict: un, fault: answers.FaultReset},
		"a body that stops":             {reply: says(pageHead + "Content-Length: 5000\r\n\r\n<title>x"), verdict: un, fault: answers.FaultTimeout, slow: true},
		"a body without end":            {reply: pours(lastHead+"\r\n<title>x</title>", long), verdict: audit.OK, note: audit.Truncated},
		"a chunk extension without end": {reply: pours(lastHead+"Transfer-Encoding: chunked\r\n\r\n1;x=", long), verdict: un, fault: answers.FaultNotHTTP},
		"a gzip bomb":                   {reply: coded("gzip", 1, pack("<title>x</title>"+strings.Repeat("a", 32<<20))), verdict: audit.OK, note: audit.Truncated},
		"half a gzip":                   {reply: coded("gzip", .5, pack(page)), verdict: un, fault: answers.FaultEncoding, detail: "content encoding gzip: it ends too early"},
		"a gzip that is none":           {reply: coded("gzip", 1, []byte(page)), verdict: un, fault: answers.FaultEncoding, detail: "content encoding gzip: "},
		"a coding nobody asked for":     {reply: coded("zstd", 1, []byte(page)), verdict: un, fault: answers.FaultEncoding},
		"a redirect to itself":          {reply: moves(func(s string) string { return s }), verdict: audit.Loop},
		"a redirect that grows fast":    {reply: moves(func(s string) string { return s + strings.Repeat("&again", 300) }), verdict: audit.Error, most: 5},
		"a redirect to nowhere":         {reply: moves(func(string) string { return "" }), verdict: audit.Error},
		"a location of 2 MB":            {reply: moves(func(string) string { return "/" + strings.Repeat("x", 2<<20) }), verdict: un, fault: answers.FaultHeader},
		"a body with a redirect":        {reply: pours("HTTP/1.1 301 Moved\r\nLocation: /ok/1\r\n\r\n", long), verdict: audit.Moved},
		"switching protocols":           {reply: says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), verdict: un, fault: answers.FaultNotHTTP},
	}
}

// Whatever a server does, its entry gets a verdict in time, and all other entries are judged as
// usual.
func TestMisdeeds(t *testing.T) {
	for name, m := range misdeeds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveRaw(t, func(c net.Conn, head string) bool {
				if strings.HasPrefix(requestTarget(head), "/x") {
					return m.reply(c, head)
				}
				title := "<title>" + requestTarget(head) + "</title><p>shoes"
				return says(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", pageHead, len(title), title))(c, head)
			})
			bad, good := w.as("bad.example.com"), w.as("good.example.com") // names in httptest's certificate
			a := leadsTo(t, w.addr, Options{}, "bad.example.com", "good.example.com")
			for i, loc := range []string{bad + "/ok/0", bad + "/x", bad + "/ok/1", good + "/ok/2", bad + "/ok/3"} {
				row := a.soon(t, m.slow && i == 1, loc)
				if i != 1 && (row.Verdict != audit.OK || row.Trail.Last().Hop.Page.Title != loc[strings.Index(loc, "/ok"):]) {
					t.Errorf("%s: %s, %+v", loc, row.Verdict, row.Trail.Last().Hop)
				}
				if i == 1 {
					m.check(t, &row)
				}
			}
			if n := strings.Count(strings.Join(w.heads(), ""), "GET /x"); n != max(1, m.most) {
				t.Errorf("%d requests, want %d", n, max(1, m.most))
			}
		})
	}
}

// soon judges an address; where it does not get a whole answer, that is soon said.
func (a *Client) soon(t *testing.T, slow bool, loc string) audit.Row {
	defer func(d time.Duration) { a.o.Timeout = d }(a.o.Timeout)
	if slow {
		a.o.Timeout = 2 * time.Second
	}
	return judged(t, a, loc)[0]
}

func (m *misdeed) check(t *testing.T, row *audit.Row) {
	t.Helper()
	hop := row.Trail.Last().Hop
	if row.Verdict != m.verdict || m.fault != "" && hop.Fault != m.fault || !strings.HasPrefix(hop.Detail, m.detail) || m.note != "" && !slices.Contains(row.Notes, m.note) {
		t.Errorf("%s, notes %v, hop %.600s", row.Verdict, row.Notes, fmt.Sprintf("%+v", hop))
	}
	if hop.Fault != "" && (hop.Detail == "" || strings.ContainsFunc(hop.Detail, func(r rune) bool { return r < ' ' }) || strings.Contains(hop.Detail, "127.0.0.1")) {
		t.Errorf("detail %q", hop.Detail)
	}
}
