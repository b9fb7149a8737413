//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// auditList audits a list of a URL without a request.
func auditList(t *testing.T, dir string) {
	t.Helper()
	list := filepath.Join(dir, "list.txt")
	mustWrite(t, list, []byte("https://shop.example/\n"))
	if status, _, said := sitemend(t.Context(), "audit", list, "--no-fetch", "--fresh", "--fail-on", "none", "--format", "csv", "--out", filepath.Join(dir, "out"), "--lang", "en"); status != exitOK {
		t.Fatal(said)
	}
}

// serving runs sitemend serve and returns the address that it prints. It ends with the test.
func serving(t *testing.T, dir string) (root string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, print := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--out", filepath.Join(dir, "out"), "--lang", "en", "--addr", "localhost:0"}, strings.NewReader(""), print, &errOut)
		print.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		stop()
		t.Fatalf("nothing is printed; exit status %d, %s", <-ended, errOut.String())
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if code := <-ended; lines.Scan() || code != exitOK {
			t.Errorf("it ends with %d: %s%s", code, lines.Text(), errOut.String())
		}
	})
	return lines.Text()
}

func getStatus(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	must(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(t, err)
	return r.StatusCode, string(body)
}

// What is printed is one address with a token of its own, which works; what an audit does meanwhile
// is on the list then, and serve changes nothing.
func TestServe(t *testing.T) {
	dir, tokens := t.TempDir(), map[string]bool{}
	auditList(t, dir)
	before := read(filepath.Join(dir, "out", "audits.db"))
	for range 2 {
		root := serving(t, dir)
		at, err := url.Parse(root)
		if err != nil || !regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]):\d+/[A-Z2-7]{26}/$`).MatchString(root) {
			t.Fatalf("it prints %q, %v", root, err)
		}
		tokens[at.Path] = true
		if status, _ := getStatus(t, root); status != 200 || !bytes.Equal(before, read(filepath.Join(dir, "out", "audits.db"))) {
			t.Errorf("%s: %d, or the store was changed", root, status)
		}
		if len(tokens) == 2 {
			auditList(t, dir)
			if status, body := getStatus(t, root); status != 200 || strings.Count(body, " UTC</a>") != 2 {
				t.Errorf("the list after the audit: %d with %d audits", status, strings.Count(body, " UTC</a>"))
			}
		}
	}
	if len(tokens) != 2 {
		t.Error("two servers have one token")
	}
}

// A running sitemend that printed an address.
type running struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	said *bufio.Scanner
}

func start(t *testing.T, temp, name string, args ...string) *running {
	t.Helper()
	p := &running{t: t, cmd: exec.CommandContext(t.Context(), name, args...)}
	p.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	log, err := p.cmd.StderrPipe()
	must(t, err)
	must(t, p.cmd.Start())
	p.said = bufio.NewScanner(log)
	printed := bufio.NewScanner(out)
	if !printed.Scan() {
		rest, _ := io.ReadAll(log)
		t.Fatalf("no address is printed: %s", rest)
	}
	p.url = printed.Text()
	return p
}

// says reads the log until a line has a text.
func (p *running) says(text string) {
	p.t.Helper()
	for p.said.Scan() {
		if strings.Contains(p.said.Text(), text) {
			return
		}
	}
	p.t.Fatalf("the log ended without %q", text)
}

// end sends a signal and waits for the end: ten seconds at most, and some more where the machine is busy.
func (p *running) end(s os.Signal) {
	p.t.Helper()
	began := time.Now()
	must(p.t, p.cmd.Process.Signal(s))
	for p.said.Scan() {
	}
	if err := p.cmd.Wait(); err != nil || time.Since(began) > 30*time.Second {
		p.t.Errorf("after %v it ends with %v after %v", s, err, time.Since(began))
	}
}

// However serve is ended, by a closed terminal too, it leaves nothing in the temporary folder; under
// nohup a closed terminal does not end it. Nor does an audit that is stopped while it reads.
func TestNothingIsLeft(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // or what runs these tests under nohup keeps it from serve, too
	dir, temp := t.TempDir(), t.TempDir()
	auditList(t, dir)
	serve := []string{"sitemend", "serve", "--out", filepath.Join(dir, "out")}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		p := start(t, temp, serve[0], serve[1:]...)
		if made, err := os.ReadDir(temp); err != nil || len(made) != 1 {
			t.Errorf("while it runs: %v, %v", made, err)
		}
		p.end(s)
	}
	p := start(t, temp, "nohup", serve...)
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	if status, _ := getStatus(t, p.url); status != 200 {
		t.Errorf("after a hangup under nohup: %d", status)
	}
	p.end(syscall.SIGTERM)

	t.Setenv("TMPDIR", temp)
	ctx, stop := context.WithCancel(t.Context())
	in, list := io.Pipe()
	defer list.Close()
	go func() {
		_, _ = io.WriteString(list, "https://shop.example/\n") // it is read
		stop()
	}()
	if code := run(ctx, []string{"audit", "-", "--out", filepath.Join(t.TempDir(), "out")}, in, io.Discard, io.Discard); code != exitInterrupted {
		t.Errorf("it ends with %d", code)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// While watch audits the pages are live, SIGHUP takes another configuration or keeps the old one,
// SIGTERM ends it soon, and the next start continues the audit.
func TestWatchProcess(t *testing.T) {
	s := serveWeb(t, `
http://shop.example/a.txt 200
  Content-Type: text/plain
  | http://shop.example/1
  | http://shop.example/slow
http://shop.example/b.txt 200
  Content-Type: text/plain
  | http://shop.example/1
http://shop.example/1 200
http://shop.example/slow fault=hang
http://shop.example/slow 200
`, nil)
	t.Setenv("HTTP_PROXY", "http://"+s.Addr())
	dir, file := t.TempDir(), ""
	file = filepath.Join(dir, "watch.yaml")
	configure := func(more string) {
		mustWrite(t, file, fmt.Appendf(nil, "store: audits\nlisten: 127.0.0.1:0\ndefaults: { rate: 0, parallel: 1, format: html, schedule: \"@daily\", lang: en }\n"+
			"sites:\n  - { name: a, targets: \"http://shop.example/a.txt\" }\n%s", more))
	}
	asked := func(url string) (n int) {
		for _, r := range s.Requests() {
			if r.URL() == url {
				n++
			}
		}
		return n
	}
	configure("")
	p := start(t, dir, "sitemend", "watch", file)
	for asked("http://shop.example/slow") == 0 {
		<-time.After(5 * time.Millisecond)
	}
	base, token, _ := strings.Cut(strings.TrimPrefix(p.url, "http://"), "/")
	for at, want := range map[string]int{p.url: 200, p.url + "metrics": 200, "http://" + base + "/": 403, "http://" + base + "/healthz": 200, "http://" + base + "/metrics": 401} {
		if status, text := getStatus(t, at); status != want || strings.HasSuffix(at, token+"metrics") && !strings.Contains(text, "sitemend_outbox 0") {
			t.Errorf("%s is answered %d %s", at, status, text)
		}
	}
	configure("  - { name: b, tragets: x }\n")
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.says("watch.yaml:6:")
	configure("  - { name: b, targets: \"http://shop.example/b.txt\" }\n")
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.says("site=b audit=") // while a still runs
	p.end(syscall.SIGTERM)

	p = start(t, dir, "sitemend", "watch", file)
	p.says("continuing the audit")
	p.says("site=a audit=")
	if !strings.HasSuffix(p.url, token) {
		t.Error("the token is another one after a start")
	}
	p.end(syscall.SIGTERM)
	if n := asked("http://shop.example/1"); n != 2 { // by either audit
		t.Errorf("what was answered is asked %d times", n)
	}
}
