package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sitemend/cmd/internal/engine"
	"sitemend/cmd/internal/web"
	"sitemend/crawler/rules/write"
)

// chainsWeb has a chain, an address that redirects to another spelling of itself, and one of
// which the other spelling is gone.
const chainsWeb = `
http://shop.example/robots.txt 404
http://shop.example/sitemap.txt 200
  Content-Type: text/plain
  | http://shop.example/old
  | http://shop.example/Old?id=%28
  | http://shop.example/a%28b%29
  | http://shop.example/page%281%29
http://shop.example/old 301 /middle
http://shop.example/middle 301 /new
http://shop.example/new 200
http://shop.example/Old?id=%28 301 /Old?id=1
http://shop.example/Old?id=1 301 /caf%C3%A9/
http://shop.example/caf%C3%A9/ 200
http://shop.example/a%28b%29 301 /a(b)
http://shop.example/a(b) 200
http://shop.example/page%281%29 200
http://shop.example/page(1) 404
`

// auditChains audits chainsWeb into a folder of its own, which is that of the test from then on.
func auditChains(t *testing.T) {
	t.Helper()
	described, err := web.Parse(chainsWeb, os.DirFS(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := described.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Setenv("HTTP_PROXY", "http://"+s.Addr())
	t.Setenv("LANG", "C.UTF-8")
	t.Chdir(t.TempDir())
	mustRun(
		t,
		exitOK,
		"audit",
		"--rate",
		"0",
		"--fail-on",
		"none",
		"--format",
		"csv",
		"http://shop.example/sitemap.txt",
	)
}

// mustRun runs the program and returns what it says on standard output and error.
func mustRun(t *testing.T, want int, args ...string) (out, said string) {
	t.Helper()
	var o, e strings.Builder
	if got := run(context.Background(), args, strings.NewReader(""), &o, &e); got != want {
		t.Fatalf("sitemend %s: exit status %d\n%s%s", strings.Join(args, " "), got, o.String(), e.String())
	}
	return o.String(), e.String()
}

// The rules of an audit hold in the real servers, each rule and each spelling.
func TestRulesHoldInServers(t *testing.T) {
	auditChains(t)
	for _, name := range write.Names() {
		f := write.ByName(name)
		if f.Server == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if _, err := engine.Find(f.Server); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
				t.Skip(err)
			}
			rules, said := mustRun(t, exitOK, "rules", "--for", name, "--verify")
			if !strings.Contains(rules, "/new") || !strings.Contains(said, "by a real "+f.Server) {
				t.Errorf("%s\n%s", rules, said)
			}
			t.Log(said)
		})
	}
}

// A live server that does not have the rules refutes them, each with its line; one that
// has them proves them.
func TestRulesOfALiveServer(t *testing.T) {
	auditChains(t)
	file := filepath.Join(t.TempDir(), "moved.map")
	serve := func(text string) string {
		described, err := web.Parse(text, os.DirFS(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		s, err := described.Start()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s.Addr()
	}
	resolve := func(addr string) []string {
		return []string{
			"rules",
			"--for",
			"haproxy",
			"--out",
			file,
			"--verify",
			"--rate",
			"0",
			"http://staging.example",
			"--resolve",
			"staging.example:80:" + addr,
		}
	}
	os.Unsetenv("HTTP_PROXY") // auditChains set it for the test
	_, said := mustRun(t, exitFound, resolve(serve("http://staging.example/robots.txt 404\n"))...)
	if !strings.Contains(said, "proved: 0 of ") ||
		!strings.Contains(said, "line 4  /Old?id=%28 -> /caf%C3%A9/    answers 404") {
		t.Errorf("said\n%s", said)
	}
	rules, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := "http://staging.example/robots.txt 404\n"
	for line := range strings.Lines(string(rules)) {
		if w := strings.Fields(line); len(w) == 2 && w[0] != "#" {
			text += fmt.Sprintf("http://staging.example%s 301 %s\n", w[0], w[1])
		}
	}
	if _, said = mustRun(
		t,
		exitOK,
		resolve(serve(text))...); !strings.Contains(
		said,
		"by http://staging.example",
	) {
		t.Errorf("said\n%s", said)
	}
}

// The sessions of docs/rules.md are what the program prints about the demo, but for the
// version of nginx.
func TestRulesDoc(t *testing.T) {
	if _, err := engine.Find("nginx"); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	doc := ofProject(t, "docs/rules.md")
	t.Setenv("LANG", "C.UTF-8")
	t.Chdir(t.TempDir())
	mustRun(t, exitOK, "demo")
	sessions := 0
	version := regexp.MustCompile(`nginx \d+[.\d]*`)
	for session := range strings.SplitSeq(doc, "```\n$ sitemend ") {
		if sessions++; sessions == 1 {
			continue // what is before the first
		}
		session, _, _ = strings.Cut(session, "```")
		command, want, _ := strings.Cut(session, "\n")
		out, said := mustRun(t, exitOK, strings.Fields(command)...)
		if got := version.ReplaceAllString(out+said, "nginx"); got != version.ReplaceAllString(
			want,
			"nginx",
		) {
			t.Errorf("sitemend %s prints\n%s\ndocs/rules.md has\n%s", command, got, want)
		}
	}
	if sessions < 3 {
		t.Errorf("%d sessions", sessions-1)
	}
}
