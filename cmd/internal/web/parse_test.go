package web

import (
	"bufio"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParseFaults(t *testing.T) {
	files := fstest.MapFS{"a.xml": {Data: []byte("<urlset/>")}}
	for _, tt := range []struct{ text, want string }{
		{"  X: y", "line 1: an indented line before the first address"},
		{"# c\n\nshop.example/ 200", `line 3: address "shop.example/" does not begin with http:// or https://`},
		{"ftp://shop.example/ 200", `line 1: address "ftp://shop.example/" does not begin with http:// or https://`},
		{"http:/// 200", "line 1: address without a host"},
		{"http://me@shop.example/ 200", `line 1: host "me@shop.example" has '@': names are written in ASCII, without a user`},
		{"http://日本.example/ 200", `line 1: host "日本.example" has 'æ': names are written in ASCII, without a user`},
		{"http://shop.example?a 200", `line 1: address "http://shop.example?a" has no path`},
		{"http://shop.example/#a 200", `line 1: address "http://shop.example/#a" has a fragment, which is never sent`},
		{`http://shop.example/\q 200`, `line 1: unknown escape "\q": write \xNN or \\`},
		{`http://shop.example/\x+1 200`, `line 1: unknown escape "\x+1": write \xNN or \\`},
		{`http://shop.example/\x4`, `line 1: unknown escape "\x4": write \xNN or \\`},
		{`http://shop.example/ 301 \`, `line 1: unknown escape "\": write \xNN or \\`},
		{"http://shop.example/\nhttp://shop.example/b 200", "line 1: neither a status nor a fault"},
		{"http://shop.example/ ok", `line 1: status "ok" is not a number of 200 to 999`},
		{"http://shop.example/ 100", `line 1: status "100" is not a number of 200 to 999`},
		{"http://shop.example/ +20", `line 1: status "+20" is not a number of 200 to 999`},
		{"http://shop.example/ 1000", `line 1: status "1000" is not a number of 200 to 999`},
		{"http://shop.example/ 301 /a /b", `line 1: unexpected "/b"`},
		{"http://shop.example/ fault=fire", `line 1: unknown fault "fire"`},
		{"http://shop.example/ 200 fault=reset", "line 1: a fault with an answer: it is one or the other"},
		{"http://shop.example/ fault=reset\n  | body", "line 1: a fault with an answer: it is one or the other"},
		{"http://shop.example/ 200 file=a.xml\n  | body", "line 1: a file and lines of a body"},
		{"http://shop.example/ 200 gzip", "line 1: gzip without a file or a body"},
		{"\nhttp://shop.example/ 200 file=b.xml\n\n", "line 2: open b.xml: file does not exist"},
		{"http://shop.example/ 200\n  nothing", `line 2: "nothing" is neither a header field nor a line of a body`},
		{"http://shop.example/ 200\n  : value", `line 2: ": value" is neither a header field nor a line of a body`},
		{"http://shop.example/ 200\n  | \\u0041", `line 2: unknown escape "\u00": write \xNN or \\`},
		{"http://shop.example/ 200 if Googlebot", `line 1: condition "Googlebot" is not Header~expression`},
		{"http://shop.example/ 200 if", `line 1: condition "" is not Header~expression`},
		{"http://shop.example/ 200 if A!B", `line 1: condition "A!B" is not Header!~expression`},
		{"http://shop.example/ 200 if A~(", "line 1: error parsing regexp: missing closing ): `(`"},
	} {
		_, err := Parse(tt.text, files)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %T is no SyntaxError", tt.text, err)
		}
	}
	if _, err := Parse("http://a/ 200 file=b", files); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want it to be fs.ErrNotExist", err)
	}
	if _, err := Parse("http://a/ 200 file=b", nil); err == nil || err.Error() != "line 1: file b: there are no files" {
		t.Errorf("without files: got %v", err)
	}
}

func TestParseLineEnds(t *testing.T) {
	w, err := Parse("http://a/x 301 /y\r\n  | body\r\n\r\n\thead: v\r\nhttp://a/y 200", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := w.origins["http://a"].choose("/x", nil).answers[0]
	if location, _ := a.get("location"); location != "/y" || string(a.body) != "body\n" || !a.has("HEAD") {
		t.Errorf("got %+v, body %q", a, a.body)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("http://shop.example/a* 301 /b gzip if A~b # c\n  X: y\n  | body\\x00\n")
	f.Add("https://[::1]:443/\\\\ fault=hang\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text, nil)
		if (w == nil) == (err == nil) {
			t.Fatalf("%q: got %v and %v, want one of them", text, w, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: the fault %q has no line", text, err)
		}
	})
}

// Every text can be written in a description.
func FuzzEscape(f *testing.F) {
	f.Add("/a b#c\\x41\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := unescape(escape(s)); got != s || err != nil {
			t.Errorf("%q: got %q, %v", s, got, err)
		}
	})
}

// Every target that fits into a line is read as it was sent.
func FuzzTarget(f *testing.F) {
	for _, target := range targets {
		f.Add(target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		if strings.Contains(target, "\n") || strings.Contains(target, "://") {
			return // no target of one line
		}
		target = "/" + target
		m, err := readMessage(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: A:80\r\n\r\n")))
		if err != nil {
			t.Fatalf("%q: %v", target, err)
		}
		r, err := m.request("http", ViaOrigin)
		if err != nil || r.URL() != "http://a"+target {
			t.Errorf("%q: got %q, %v", target, r.URL(), err)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add("POST http://a:80?x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nT: 1\r\n\r\n")
	f.Add("GET / HTTP/1.0\nHost: a\n\n")
	f.Add("GET http://: HTTP/1.1\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readMessage(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		r, err := m.request("http", ViaOrigin)
		if err == nil && (r.Host == "" || r.Target == "") {
			t.Errorf("%q: got %+v, want a host and a target", text, r)
		}
	})
}
