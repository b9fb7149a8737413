package expect_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/expect"
)

// said returns the lines of a map as the Reader parses them; an error ends it.
func said(text string) string {
	r := expect.NewReader(strings.NewReader(text))
	var b strings.Builder
	for l, err := range r.All() {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			break
		}
		fmt.Fprintf(&b, "%d %s %s> %s\n", l.N, l.Written(), map[bool]string{true: "~", false: "-"}[l.Temporary], l.New)
	}
	if n, first := r.Passed(); n > 0 {
		fmt.Fprintf(&b, "passed %d from %d\n", n, first)
	}
	return b.String()
}

func TestMapsAreRead(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"commas", "/a,/b\n", "1 /a -> /b\n"},
		{"a header", "old,new\n/a,/b", "2 /a -> /b\n"},
		{"a byte order mark", "\uFEFF/a,/b", "1 /a -> /b\n"},
		{"tabs", "/a\t/b\t308\n", "1 /a -> /b\n"},
		{"semicolons, and commas in URLs", "/a,b;/c,d\n/e,f;/g,h\n", "1 /a,b -> /c,d\n2 /e,f -> /g,h\n"},
		{"quotation marks", "\"/a,b\", \"/say \"\"hi\"\"\"\n", "1 /a,b -> /say \"hi\"\n"},
		{"white space in a URL", "/a b,/c d\n", "1 /a b -> /c d\n"},
		{"octets", "/\xe9\x00,/b\n", "1 /\xe9\x00 -> /b\n"},
		{"remarks and empty rows", "# map\n\n,,\n/a,/b\n", "4 /a -> /b\n"},
		{"gone", "/a,\n/b,,410\n/c,410\n/d,/e,410\n", "1 /a -> \n2 /b -> \n3 /c -> \n4 /d -> \n"},
		{"carriage returns alone", "old,new\r/a,/b\r", "! line 1: a line end stands within the line; end all lines with a line feed\n"},
		{"for a time", "/a,/b,302\n/c,/d,307\n/e,/f,303\n/g,/h,308\n/i,,\n", "1 /a ~> /b\n2 /c ~> /d\n3 /e ~> /f\n4 /g -> /h\n5 /i -> \n"},
		{"words for a time", "/a /b 302!\n/c/* /d/:splat 307\n", "1 /a ~> /b\n2 /c/* ~> /d/:splat\n"},
		{"old addresses with a fragment", "/a#x,/b\n/a,/b\n/c#,/d\n", "2 /a -> /b\npassed 2 from 1\n"},
		{"a splat", "/a/*,/b/:splat\n", "1 /a/* -> /b/:splat\n"},
		{"a further column with a name", "old,new,note\n/a,/b,why not\n", "2 /a -> /b\n"},
		{"words", "/a  /b 301! # why\n/c /d\n", "1 /a -> /b\n2 /c -> /d\n"},
		{"what is no redirect of a URL", "/a /b\n/c /d 200\n/x/:id /y\n/n a=:b /m\n/* /404.html 404\n/l /de Language=de\n/m/*/n /o\n", "1 /a -> /b\npassed 6 from 2\n"},

		{"UTF-16", "/\x00a\x00,\x00/\x00b\x00\n\x00", "! line 1: the file is UTF-16; save it as UTF-8\n"},
		{"no URL", "/a,/b\nold,/c\n", "1 /a -> /b\n! line 2: \"old\": a URL begins with / or http:// or https://\n"},
		{"another host without a scheme", "//h/a,/c\n", "! line 1: \"//h/a\": a URL begins with / or http:// or https://\n"},
		{"no new URL", "/a,/b\n/c\n", "1 /a -> /b\n! line 2: /c has no new URL; a separator behind it says that it must be gone\n"},
		{"a status that is none", "/a,/b,30\n", "! line 1: status \"30\" is none of 301, 302, 303, 307, 308 and 410\n"},
		{"a status alone", "/a,,301\n", "! line 1: /a has a status and no new URL\n"},
		{"an open quotation mark", "/c,/d\n\"/a,/b\n", "1 /c -> /d\n! line 2: a quotation mark is not closed, or something stands beside it\n"},
		{"the columns swapped", "new,old\n/a,/b\n", "! line 1: the first column is the old URL, the second one the new\n"},
		{"UTF-16", "\xFF\xFE/\x00a\x00", "! line 1: the file is UTF-16; save it as UTF-8\n"},
		{"a line without an end", "/a,/b\n/" + strings.Repeat("x", 64<<10), "1 /a -> /b\n! line 2: /" + strings.Repeat("x", 79) + " has no new URL; a separator behind it says that it must be gone\n"},
	} {
		if got := said(c.text); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.what, got, c.want)
		}
	}
}

// first returns the first line of a map.
func first(text string) (expect.Line, error) {
	for l, err := range expect.NewReader(strings.NewReader(text)).All() {
		return l, err
	}
	return expect.Line{}, io.EOF
}

// pair returns the pair of a line of a map of a host.
func pair(text, host string) (expect.Pair, error) {
	l, err := first(text)
	if err != nil {
		return expect.Pair{}, err
	}
	return l.Pair(host)
}

func TestPairs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/a(b),/c", "https://shop.example/a(b) -> https://shop.example/c"},
		{"/café,HTTPS://New.example/x#top", "https://shop.example/caf%C3%A9 -> https://new.example/x"},
		{"http://old.example/a?b=c,/", "http://old.example/a?b=c -> https://shop.example/"},
		{"/a,", "https://shop.example/a -> "},
		{"/a,https://shop.example/a", "! /a leads to itself"},
		{"/a/*,/a/:splat", "! /a/* leads to itself"},
		{"/a,http://[::1", "! "},
	} {
		p, err := pair(c.text, "https://shop.example")
		got := p.Old.String() + " -> " + p.To.String()
		if err != nil {
			got = "! " + err.Error()
		}
		if got != c.want && !(c.want == "! " && err != nil) {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

// The first pair that matches an address counts, and the target of a pair is not matched by it
// again.
func TestPatterns(t *testing.T) {
	var p expect.Patterns
	for n, text := range []string{"/blog/*,/news/:splat", "/blog/2020/*,/archive/:splat", "/shop/*,/shop/all/:splat", "/gone/*,", "/one/*,/x", "/q?id=*,/item/:splat", "/blog/*,/never"} {
		x, err := pair(text, "https://h.example")
		if x.Line = n + 1; err != nil {
			t.Fatal(err)
		}
		p.Add(x)
	}
	for _, c := range []struct{ at, want string }{
		{"/blog/a", "1 https://h.example/news/a"},
		{"/blog/", "1 https://h.example/news/"},
		{"/blog", ""},
		{"/blog/2020/a", "1 https://h.example/news/2020/a"},
		{"/blog/a%28b?x=1", "1 https://h.example/news/a%28b?x=1"},
		{"/shop/a", "3 https://h.example/shop/all/a"},
		{"/shop/all/a", ""},
		{"/gone/a", "4 "},
		{"/one/a", "5 https://h.example/x"},
		{"/q?id=7&b=c", "6 https://h.example/item/7&b=c"},
		{"/q", ""},
	} {
		got := ""
		if x, _, ok := p.Match(address.Wire("https://h.example" + c.at)); ok {
			got = fmt.Sprint(x.Line, " ", x.To)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.at, got, c.want)
		}
	}
}

// No map makes the Reader panic, lose a line, or hold more than a line; its lines can be written as
// CSV and read again.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"/a,/b\n", "\"/a\"\"b\";/c;301\r\n", "/a /b 301! # x\n", "old,new\n/a/*,/b/:splat\n/c,\n", "\xFE\xFF",
		"/a,/b,302\n", "/a,/b,410\n", "/" + strings.Repeat(`"`, 40_000) + " /b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for l, err := range expect.NewReader(strings.NewReader(text)).All() {
			if err != nil {
				n := 0
				if _, _ = fmt.Sscanf(err.Error(), "line %d: ", &n); n <= last {
					t.Fatalf("after line %d: %v", last, err)
				}
				return
			}
			if l.N <= last || l.Old == "" {
				t.Fatalf("line %d after %d: %q", l.N, last, l.Old)
			}
			last = l.N
			quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
			line := quoted(l.Written()) + "," + quoted(l.New) + map[bool]string{true: ",302"}[l.Temporary]
			if len(line) > 64<<10 { // a quotation mark is written twice
				continue
			}
			again, err := first(line)
			again.N = l.N
			if err != nil || again != l {
				t.Fatalf("%+v is read again as %+v, %v", l, again, err)
			}
			if p, err := l.Pair("https://h.example"); err == nil && p.Old.IsZero() {
				t.Fatalf("%+v is no address and no error", l)
			}
		}
	})
}
