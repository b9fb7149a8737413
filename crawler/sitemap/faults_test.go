package sitemap

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

func hasFault(info Info, text string) bool {
	for _, f := range info.Faults {
		if strings.Contains(f.Name+": "+f.Key+" "+strings.Join(f.Args, " "), text) {
			return true
		}
	}
	return false
}

func urlWith(s string) string {
	return urlset + "\n<url><loc>https://a.example/x/</loc>" + s + "</url></urlset>"
}

func locs(list ...string) string {
	return urlset + "<url><loc>" + strings.Join(list, "</loc></url><url><loc>") + "</loc></url></urlset>"
}

// Each case has all faults of a file, as "line:column severity name". The file is at
// https://a.example/dir/sitemap.xml, the time 2026-11-21.
var faultCases = []struct{ name, in, want string }{
	{"none", locs("https://a.example/dir/"), ""},
	{"no namespace", `<urlset><url><loc>https://a.example/dir/x</loc></url></urlset>`, "1:1 error Incorrect namespace"},
	{"old namespace", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>https://a.example/dir/x</loc></url></urlset>`, "1:1 warning Incorrect namespace"},
	{"wrong namespace", `<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/dir/x</loc></url></urlset>`, "1:1 error Incorrect namespace"},
	{"prefixed", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://a.example/dir/x</s:loc></s:url></s:urlset>`, ""},
	{"prefix not declared", urlset + `<url><loc>https://a.example/dir/x</loc><image:image/></url></urlset>`, "1:100 error Incorrect namespace"},
	{"prefix declared by the URL", urlset + `<url xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://a.example/dir/x</loc><i:image><i:title/></i:image></url></urlset>`, ""},
	{"prefix declared around the root", `<x xmlns:i="urn:i">` + urlset + `<url><loc>https://a.example/dir/x</loc><i:image/></url></urlset></x>`, ""},
	{"sitemap in a urlset", urlset + "<sitemap><loc>https://a.example/dir/x.xml</loc></sitemap></urlset>", "1:61 error Parsing error"},
	{"url in an index", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "<url><loc>https://a.example/dir/x.xml</loc></url></sitemapindex>", "1:67 error Parsing error"},
	{"empty", urlset + "</urlset>", "0:0 error Empty sitemap"},
	{"leading space", "\n <?xml version='1.0'?>" + locs("https://a.example/dir/"), "2:2 warning Leading whitespace"},
	{"leading text", "Notice: x\n" + locs("https://a.example/dir/"), "1:1 error Parsing error"},
	{"cut off", urlset + "<url><loc>https://a.example/dir/</loc></url>", "1:105 error Parsing error"},
	{"cut off in a URL", urlset + "<url><loc>https://a.example/dir/</loc></url><url><loc>https://a.ex", "1:127 error Parsing error"},
	{"no loc", urlset + "\n<url><lastmod>2026-01-01</lastmod></url><url><loc>https://a.example/dir/</loc></url></urlset>", "2:1 error Missing XML tag"},
	{"two loc", urlset + "<url><loc>https://a.example/dir/</loc><loc>https://a.example/dir/</loc></url></urlset>", "1:61 error Invalid XML: too many tags"},
	{"loc in capitals", urlset + "<url><LOC>https://a.example/dir/x</LOC></url><url><loc>https://a.example/dir/</loc></url></urlset>", "1:61 error Missing XML tag"},
	{"no href", urlset + `<url><loc>https://a.example/dir/</loc><x:link xmlns:x="x" hreflang="de"/></url></urlset>`, "1:99 error Missing XML attribute"},
	{"own DTD", "<!DOCTYPE urlset [<!ENTITY e 'x'>]>" + locs("https://a.example/dir/&e;"), "1:128 error Parsing error, 0:0 warning Unsupported format"},
	{"DTD elsewhere", `<!DOCTYPE urlset SYSTEM "x.dtd">` + locs("https://a.example/dir/"), "0:0 warning Unsupported format"},
	{"no DTD", `<!DOCTYPE urlset>` + locs("https://a.example/dir/[1]"), ""},
	{"a host that is not ASCII", locs("https://日本.example/"), "1:66 error URL not allowed"},
	{"bare &", locs("https://a.example/dir/?a&b"), "1:95 error Parsing error"},
	{"value without quotes", urlset + "<url x=1><loc>https://a.example/dir/</loc></url></urlset>", "1:61 error Parsing error"},
	{"attributes of a block", urlset + `<url><loc>https://a.example/dir/</loc><xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang=de href="https://a.example/dir/"/></url></urlset>`, "1:99 error Parsing error"},
	{"unknown entity", locs("https://a.example/dir/?a&eacute;"), "1:95 error Parsing error"},
	{"bare & in an attribute", urlset + `<url><loc>https://a.example/dir/</loc><x:link xmlns:x="x" href="?a&b"/></url></urlset>`, "1:127 error Parsing error"},
	{"mismatch", urlset + "<url><loc>https://a.example/dir/</loc></sitemap></url></urlset>", "1:99 error Parsing error"},
	{"relative", locs("/x", "https://a.example/dir/", "a.example/x", ""), "1:66 error Invalid URL, 1:134 error Invalid URL, 1:167 error Invalid URL"},
	{"relative in an index", strings.NewReplacer("urlset", "sitemapindex", "url>", "sitemap>").Replace(locs("/x")), "1:76 error Invalid URL in sitemap index file: incomplete URL"},
	{"long", locs("https://a.example/dir/" + strings.Repeat("x", 2026)), "1:66 error Invalid URL"},
	{"space in it", locs("https://a.example/dir/a b"), "1:66 warning Invalid URL"},
	{"not ASCII", locs("https://a.example/dir/é"), "1:66 warning Invalid URL"},
	{"other host", locs("https://b.example/dir/"), "1:66 error URL not allowed"},
	{"other directory", locs("https://a.example/"), "1:66 warning URL not allowed"},
	{"scheme", locs("http://a.example/dir/"), "1:66 warning URL not allowed"},
	{"www", locs("https://www.a.example/dir/"), "1:66 warning Path mismatch: Missing www"},
	{"host in capitals", locs("HTTPS://A.EXAMPLE/dir/x"), ""},
	{"lastmod", urlWith("<lastmod>21.11.2026</lastmod>"), "2:6 warning URL not allowed, 2:37 error Invalid date"},
	{"comment in a text", "https://a.example/dir/\n# x", "2:1 warning Invalid URL"},
}

func TestFaults(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range faultCases {
		_, info := mustRead(t, strings.NewReader(c.in), Options{URL: "https://a.example/dir/sitemap.xml", Now: now})
		for _, f := range info.Faults {
			if f.Key == "" {
				t.Errorf("%s: a fault has no sentence: %v", c.name, f)
			}
		}
		if s := saidOf(info); s != c.want {
			t.Errorf("%s: faults are\n  %s, want\n  %s\n%v", c.name, s, c.want, info.Faults)
		}
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"2026": "", "2026-11": "", "2026-11-21": "", "2026-11-21T10:02Z": "", "2026-11-21T10:02:11.25+09:00": "",
		"2024-02-29": "", "2026-11-21T10:02:11": "", "2026-11-21Z": "", " 2026-01-01\n": "", "2004-10-01T18:23:17&#43;00:00": "",
		"2026-02-29": "Invalid date: date lastmod \"", "2026-13-01": "Invalid date: date lastmod \"", "2026-1-1": "Invalid date: date lastmod \"", "2026-11-21 10:02": "Invalid date: date lastmod \"",
		"2026-11-21T10": "Invalid date: date lastmod \"", "2026-11-21T25:00Z": "Invalid date: date lastmod \"", "2026-11-21T10:02:11+0900": "Invalid date: date lastmod \"",
		"": "Invalid date: date lastmod \"", "0": "Invalid date: date lastmod \"", "Mon, 06 Sep 2010": "Invalid date: date lastmod \"", "2026-11-21T10:02:11.Z": "Invalid date: date lastmod \"",
		"2026-11-22": "", "2026-11-23": "lastmod-future", "2027": "lastmod-future", "2026-11-23T10:00:00+14:00": "lastmod-future",
	} {
		_, info := mustRead(t, strings.NewReader(urlWith("<lastmod>"+in+"</lastmod>")), Options{Now: now})
		if want == "" && len(info.Faults) > 0 || want != "" && !hasFault(info, want) {
			t.Errorf("lastmod %q: %v, want %q", in, info.Faults, want)
		}
	}
}

// saidOf returns the faults of a file as "line:column severity name".
func saidOf(info Info) string {
	var got []string
	for _, f := range info.Faults {
		got = append(got, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Severity, f.Name))
	}
	return strings.Join(got, ", ")
}

func TestManyFaults(t *testing.T) {
	in := urlset + strings.Repeat("<url><loc>/x</loc></url>\n", 1205) + "</urlset>"
	_, info := mustRead(t, strings.NewReader(in), Options{})
	if len(info.Faults) != 6 || info.Faults[4].Line != 5 || !countsTheRest(info.Faults[5], "1,200") {
		t.Errorf("faults are %v", info.Faults)
	}
	_, info = mustRead(t, strings.NewReader(urlset+strings.Repeat("<url><loc>/x</loc></url>\n", 6)+"</urlset>"), Options{})
	if last := info.Faults[len(info.Faults)-1]; !countsTheRest(last, "1") {
		t.Errorf("of six faults the last says %v", last)
	}
}

// countsTheRest reports whether f says that n more places are not listed.
func countsTheRest(f audit.SitemapFault, n string) bool {
	return f.Key == "more-places" && slices.Equal(f.Args, []string{n})
}

func TestTooMany(t *testing.T) {
	in := urlset + strings.Repeat("<url><loc>http://a/</loc></url>\n", 50_000)
	if _, info := mustRead(t, strings.NewReader(in+"</urlset>"), Options{}); len(info.Faults) != 0 {
		t.Errorf("50,000 addresses: %v", info.Faults)
	}
	_, info := mustRead(t, strings.NewReader(in+"<url><loc>http://a/</loc></url></urlset>"), Options{})
	if len(info.Faults) != 1 || info.Faults[0].Name != "Too many URLs" || info.Faults[0].Line != 50_001 || info.Entries != 50_001 {
		t.Errorf("50,001 addresses: %v", info.Faults)
	}
	_, info = mustRead(t, strings.NewReader(locs("http://a/")+"<!--"+strings.Repeat("<", 52_428_800)+"-->"), Options{})
	if !hasFault(info, "Sitemap file size error") || info.Truncated {
		t.Errorf("50 MB: %v", info.Faults)
	}
}

func TestGzip(t *testing.T) {
	text := locs("https://a.example/1", "https://a.example/2")
	whole := packed(text)
	wrongSum := append([]byte(nil), whole...)
	wrongSum[len(wrongSum)-5] ^= 1
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprint("https://a.example/", i*7919))
	}
	big := packed(locs(many...))
	for name, c := range map[string]struct {
		file    []byte
		entries int
		fault   string
	}{
		"whole":           {whole, 2, ""},
		"several members": {packed(text[:70], "", text[70:]), 2, ""},
		"twice":           {packed(string(whole)), 2, "Compression error"},
		"wrong checksum":  {wrongSum, 2, "gzip-damaged"},
		"one byte after":  {append(append([]byte(nil), whole...), 0x1f), 2, "gzip-trailing"},
		"trailing bytes":  {append(append([]byte(nil), whole...), "garbage"...), 2, "gzip-trailing"},
		"cut off":         {big[:len(big)/2], 1, "Compression error"},
	} {
		entries, info := mustRead(t, bytes.NewReader(c.file), Options{})
		if len(entries) < c.entries || !info.Gzip || (c.fault == "") != (len(info.Faults) == 0) || !hasFault(info, c.fault) && c.fault != "" {
			t.Errorf("%s: %d entries, %+v", name, len(entries), info)
		}
		out, _ := mustRewrite(t, c.file, edits("http://new/"))
		again, _ := mustRead(t, bytes.NewReader(out), Options{})
		if !bytes.HasPrefix(out, []byte{0x1f, 0x8b}) || len(again) != len(entries) || again[0].Loc != "http://new/" {
			t.Errorf("%s: rewritten, it has %d entries, the first %q", name, len(again), again[0].Loc)
		}
	}
}

func TestNamedByRobots(t *testing.T) {
	in := locs("https://b.example/", "https://a.example/")
	for by, want := range map[string]string{
		"https://a.example/robots.txt":    "1:66 error URL not allowed",    // b.example does not vouch for it
		"http://www.a.example/robots.txt": "1:66 error URL not allowed",    // a twin of the same host
		"https://b.example/robots.txt":    "1:106 warning URL not allowed", // above its directory
		"":                                "1:66 error URL not allowed, 1:106 warning URL not allowed",
	} {
		_, info := mustRead(t, strings.NewReader(in), Options{URL: "https://a.example/dir/sitemap.xml", NamedBy: by})
		if got := saidOf(info); got != want {
			t.Errorf("named by %q: %s, want %s", by, got, want)
		}
	}
}
