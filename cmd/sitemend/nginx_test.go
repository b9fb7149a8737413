package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/nginx"
)

// nginxSite has the rules that real sites have: http to https, the bare host to
// www, a slash at the end of folders, letter case, and an old spelling.
const nginxSite = `
server {
	listen @HTTP@;
	server_name www.site.example site.example;
	root @DIR@/site;
	location = /robots.txt { }
	location = /index.xml { }
	location /maps/ { }
	location / { return 301 https://www.site.example$request_uri; }
}
server {
	listen @HTTPS@ ssl;
	server_name site.example;
	return 301 https://www.site.example$request_uri;
}
server {
	listen @HTTPS@ ssl;
	server_name www.site.example;
	absolute_redirect off;
	root @DIR@/site;
	location /p/ { return 200 "<title>$uri</title><p>$uri"; }
	location /guide { rewrite ^/guide$ /guide/ permanent; return 200 guide; }
	location ~ ^/(?<low>Items|ITEMS)/(?<rest>.*)$ { return 301 /items/$rest; }
	location /items/ { return 200 items; }
	# the sitemap says %28, the application insists on it
	location /wiki/ {
		if ($request_uri ~ "^/wiki/Page\(4\)$") { return 301 /wiki/Page%284%29; }
		return 200 wiki;
	}
	location = /gone { return 410; }
}
`

// startNginx runs nginx with nginxSite until the test ends.
func startNginx(t *testing.T) *nginx.Server {
	t.Helper()
	program, err := nginx.Find()
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s, err := nginx.Run(program, t.TempDir(), nginxSite, "site.example", "www.site.example")
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop()) })
	return s
}

// audited runs the program as a user does, against the nginx s.
func audited(t *testing.T, s *nginx.Server, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, s.CAPEM, 0o666); err != nil {
		t.Fatal(err)
	}
	all := []string{"audit", "--rate", "0", "--ca", ca}
	for _, host := range []string{"site.example", "www.site.example"} {
		all = append(all, "--resolve", host+":80:"+s.HTTPAddr, "--resolve", host+":443:"+s.HTTPSAddr)
	}
	var out, errOut bytes.Buffer
	code = run(context.Background(), append(all, args...), strings.NewReader(""), &out, &errOut)
	return code, out.String(), errOut.String()
}

func mustWrite(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func urlset(locs []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, l := range locs {
		fmt.Fprintf(&b, "<url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>\n", l)
	}
	return b.String() + "</urlset>\n"
}

// A site that nginx serves: each of its rules gets the verdict that it deserves.
func TestNginxRules(t *testing.T) {
	s := startNginx(t)
	www := "https://www.site.example"
	locs := []string{www + "/p/ok", "http://www.site.example/p/1", "http://site.example/p/2", "https://site.example/p/3", www + "/guide",
		www + "/ITEMS/x", www + "/wiki/Page%284%29", www + "/gone", www + "/p/%E3%82%AB"}
	mustWrite(t, filepath.Join(s.Dir, "site/maps/all.xml"), []byte(urlset(locs)))
	mustWrite(t, filepath.Join(s.Dir, "site/robots.txt"), []byte("User-agent: *\nDisallow: /admin\nSitemap: http://www.site.example/maps/all.xml\n"))
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := audited(t, s, "--out", out, "--format", "jsonl,html,csv", "http://www.site.example")
	if code != exitFound {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	rows, err := os.ReadFile(filepath.Join(out, "entries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		www + "/p/ok: ok | 200 | keep",
		"http://www.site.example/p/1: moved scheme | 301 200 | replace " + www + "/p/1",
		"http://site.example/p/2: moved scheme www | 301 200 | replace " + www + "/p/2",
		"https://site.example/p/3: moved www | 301 200 | replace " + www + "/p/3",
		www + "/guide: moved slash | 301 200 | replace " + www + "/guide/",
		www + "/ITEMS/x: moved path-case | 301 200 | replace " + www + "/items/x",
		www + "/wiki/Page%284%29: spelling-bounce reserved | 200 | keep",
		www + "/gone: not-found | 410 | drop",
		www + "/p/%E3%82%AB: ok | 200 | keep",
	}
	for i, line := range strings.Split(strings.TrimSpace(string(rows)), "\n") {
		got, err := shortRow([]byte(line))
		if err != nil || i >= len(want) || got != want[i] {
			t.Errorf("row %d: got %s (%v)", i, got, err)
		}
	}
}

// An index of packed children with 5,000 URLs: every entry has exactly one row.
func TestNginxIndex(t *testing.T) {
	s := startNginx(t)
	const files, each = 5, 1000
	var children []string
	for f := range files {
		var locs []string
		for i := range each {
			host := "https://www.site.example"
			if i%10 == 0 {
				host = "http://www.site.example"
			}
			locs = append(locs, fmt.Sprintf("%s/p/%d/%d", host, f, i))
		}
		mustWrite(t, filepath.Join(s.Dir, fmt.Sprintf("site/maps/%d.xml.gz", f)), packed(t, urlset(locs)))
		children = append(children, fmt.Sprintf("<sitemap><loc>http://www.site.example/maps/%d.xml.gz</loc></sitemap>", f))
	}
	mustWrite(t, filepath.Join(s.Dir, "site/index.xml"), []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+strings.Join(children, "\n")+`</sitemapindex>`))
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := audited(t, s, "--out", out, "--format", "jsonl", "http://www.site.example/index.xml")
	if code != exitFound {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	rows, err := os.ReadFile(filepath.Join(out, "entries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(rows, []byte("\n")); n != files*each {
		t.Errorf("%d rows for %d entries", n, files*each)
	}
	if !strings.Contains(stdout, "6 sitemaps, 5,000 URLs") && !strings.Contains(stdout, "5 sitemaps, 5,000 URLs") {
		t.Errorf("summary:\n%s", stdout)
	}
	for f := range files {
		name := fmt.Sprintf("www.site.example/maps/%d.xml.gz", f)
		original, err1 := os.ReadFile(filepath.Join(out, "originals", name))
		corrected, err2 := os.ReadFile(filepath.Join(out, "sitemaps", name))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		a, b := unpacked(t, original), unpacked(t, corrected)
		if want := strings.ReplaceAll(a, "<loc>http:", "<loc>https:"); b != want {
			t.Errorf("%s: more than the edits changed", name)
		}
	}
}

func unpacked(t *testing.T, b []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A target where nobody listens is an error with a hint, before anything is
// written.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var out, errOut bytes.Buffer
	dir := filepath.Join(t.TempDir(), "out")
	f := demoFlags(dir)
	f.Targets, f.Lang, f.Backoff = []string{"http://" + addr}, "en", []time.Duration{}
	err = f.run(context.Background(), stdio{strings.NewReader(""), &out, &errOut}, job.Env{})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}
