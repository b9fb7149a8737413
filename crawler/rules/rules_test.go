package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/rules"
)

// formats are all that can be read.
var formats = []rules.Format{
	rules.CloudflarePages, rules.CloudflareHeaders, rules.Netlify, rules.NetlifyHeaders, rules.NetlifyTOML,
	rules.Vercel, rules.VercelBulk, rules.GitLabPages,
}

// read reads a file; a refusal counts as a fault.
func read(f rules.Format, name, text string) *rules.Set {
	s := rules.New(f)
	var refused *rules.Refusal
	if err := s.Read(f, name, text); errors.As(err, &refused) {
		return &rules.Set{Format: s.Format, Faults: []rules.Fault{{File: refused.File, Line: refused.Line, Why: refused.Why}}}
	}
	return s
}

// Rules and faults have the line on which they stand.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		format rules.Format
		text   string
		rules  string // line source -> target status
		faults string // lines
	}{
		{rules.Netlify, "\uFEFF# moved\r\n/a /b\r\n\r\n/c\n/d x=:x /e/:x 302!\n", "2 /a -> /b 301, 5 /d -> /e/:x 302", "4"},
		{rules.NetlifyTOML, "[build]\n\n[[redirects]]\nfrom = \"/a\"\nto = \"/b\"\n\n[[headers]]\nfor = \"/*\"\n\n[[redirects]]\nfrom = \"/c\"\nto = \"/d\"\nstatus = 302\n",
			"3 /a -> /b 301, 10 /c -> /d 302", ""},
		{rules.NetlifyTOML, "[[redirects", "", "1"},
		{rules.CloudflarePages, "/a /b\n/a /c\n/d /e 410\n/f https://other.example/ 301\n", "1 /a -> /b 302, 4 /f -> https://other.example/ 301", "2 3"},
		{rules.GitLabPages, "/a /b\n/c /d 307\n", "1 /a -> /b 301", "2"},
		{rules.GitLabPages, "/a /b\n/c\n/d /e\n", "", "2"},
		{rules.Vercel, "{\n \"redirects\": [\n  {\"source\": \"/a\", \"destination\": \"/b\"},\n\n  {\"source\": \"/c/:x\",\n   \"destination\": \"/d/:x\", \"permanent\": false}\n ]\n}\n",
			"3 /a -> /b 308, 5 /c/:x -> /d/:x 307", ""},
		{rules.Vercel, "{\"redirects\": [\n{\"source\": \"/a(b\", \"destination\": \"/b\"}]}", "", "2"},
		{rules.Vercel, "[]", "", "0"},
		{rules.VercelBulk, "source,destination,statusCode\n/a,/b,301\n/a,/c,308\nx,/d,301\n", "2 /a -> /b 301, 3 /a -> /c 308", "4"},
	} {
		s := read(c.format, "file", c.text)
		var got, faults []string
		for i := range s.Rules {
			r := &s.Rules[i]
			got = append(got, fmt.Sprintf("%d %s -> %s %d", r.Line, r.Source(), r.Target(), r.Status))
		}
		for _, f := range s.Faults {
			faults = append(faults, fmt.Sprint(f.Line))
			if f.Why == "" || f.File != "file" {
				t.Errorf("%s: a fault without a reason or a file: %+v", c.format, f)
			}
		}
		if strings.Join(got, ", ") != c.rules || strings.Join(faults, " ") != c.faults {
			t.Errorf("%s %q\n got %q with faults in lines %q\nwant %q with faults in lines %q", c.format, c.text, strings.Join(got, ", "), strings.Join(faults, " "), c.rules, c.faults)
		}
	}
}

// How the engines of the vendors treat unusual sources: observed in November 2026 with
// netlify-redirector 0.5.0, @vercel/routing-utils 6.6.0 and @cloudflare/pages-shared 0.13.189, and
// read in gitlab-pages 1.64.0.
func TestRareSources(t *testing.T) {
	redirect := func(source, destination string) string {
		return `{"redirects": [{"source": "` + source + `", "destination": "` + destination + `"}]}`
	}
	for _, c := range []struct {
		format      rules.Format
		text, asked string
		want        string // "" where no rule matches
	}{
		{rules.Netlify, "/a* /t/:splat", "/ab", "/t/b"},
		{rules.Netlify, "/a* /t/:splat", "/a/b", "/t/b"},
		{rules.Netlify, "/a*/z /t/:splat", "/ab/c/z", "/t/b/c"},
		{rules.Netlify, "/a*b /t", "/axb", ""},
		{rules.Netlify, "/m/*/e/* /t/:splat", "/m/a/e/b", "/t/a"},
		{rules.Netlify, "/:a/b/:c/* /t/:c/:a/:splat", "/1/b/2/3/4", "/t/2/1/3/4"},
		{rules.Netlify, "/:a/b /t/:a", "//b", ""},
		{rules.Vercel, redirect("/:x*/:x+", "/d/:x"), "/a/b", "/d/b"},
		{rules.Vercel, redirect("/:x(a|b).:ext", "/d/:ext/:x"), "/a.html", "/d/html/a"},
		{rules.Vercel, redirect("/:x?/:y", "/d/:x?q=$2"), "/$1", "/d/?q=$1"},
		{rules.Vercel, redirect("/x/:a-:b", "/:b/:a"), "/x/1-2", "/2/1"},
		{rules.GitLabPages, "/blog/* /t/:splat", "/blogging", "/t/ging"},
		{rules.Netlify, "/a /t 301#x", "/a", "/t"}, // the digits of a status count
		{rules.Netlify, "/a //x/y", "/a", "//x/y"},
		{rules.Netlify, "/a /t Country=de", "/a", ""},
		{rules.GitLabPages, "/a/b /x//y", "/a//b", "/x/y"},
		{rules.GitLabPages, "/café /x", "/CAF%C3%89", "/x"},
		{rules.GitLabPages, "/meſ /x", "/MES", "/x"},
		{rules.GitLabPages, "/İ /x", "/i", ""},
		{rules.GitLabPages, "/a\xff /x", "/a%FE", ""},
		{rules.CloudflarePages, "/p/:a/:ab /d/:abc", "/p/1/2", "/d/2c"},
		{rules.CloudflarePages, "/q /n'#' 301", "/q?a='b", "/n'?a=%27b#'"},
		{rules.CloudflarePages, "/to //other.example/p 301", "/to", "https://other.example/p"},
		{rules.CloudflarePages, "/wiki/Special:Search /s", "/wiki/SpecialPages", "/s"},
	} {
		m := read(c.format, "file", c.text).Matcher()
		if found, _ := m.Match(rules.Request{Scheme: "https", Host: "www.example.com", Target: c.asked}); found.Location != c.want {
			t.Errorf("%s %s asked %s leads to %q, want %q", c.format, c.text, c.asked, found.Location, c.want)
		}
	}
}

// FuzzRead: for any file and request, no reader or interpreter panics, and a match is a rule of the
// set.
func FuzzRead(f *testing.F) {
	for i, text := range []string{"/a/:b/* /c/:b/:splat 301\n", "/a/*\n  X-A: :splat\n", "/a/:b/* /c/:b/:splat 301!\n", "/*\n  X-A: b\n",
		"[[redirects]]\nfrom=\"/*\"\nstatus=200\n", "{\"redirects\":[{\"source\":\"/a/:b(\\\\d+)?\",\"destination\":\"/:b\"}]}", "source,destination\n/a,/b\n"} {
		f.Add(text, "/a/x/y?q=%28", uint8(i))
	}
	f.Fuzz(func(t *testing.T, text, target string, n uint8) {
		format := formats[int(n)%len(formats)]
		s := read(format, "f", text)
		s.Fields("www.example.com", "/"+target)
		found, ok := s.Matcher().Match(rules.Request{Scheme: "https", Host: "www.example.com", Target: "/" + target})
		if ok && found.Rule == nil {
			t.Error("a match of no rule")
		}
	})
}
