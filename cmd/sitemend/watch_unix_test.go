//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A watchedWeb is a site whose page /slow does not answer until it is let go, and a webhook.
type watchedWeb struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	came  chan string
	letGo chan struct{}
}

func newWatchedWeb(t *testing.T) *watchedWeb {
	w := &watchedWeb{asked: map[string]int{}, came: make(chan string, 1000), letGo: make(chan struct{})}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *watchedWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked[r.URL.Path]++
	w.mu.Unlock()
	w.came <- r.URL.Path
	switch r.URL.Path {
	case "/a.txt":
		fmt.Fprintf(rw, "http://%s/1\nhttp://%s/2\nhttp://%s/slow\n", r.Host, r.Host, r.Host)
	case "/b.txt":
		fmt.Fprintf(rw, "http://%s/b1\n", r.Host)
	case "/slow":
		select {
		case <-w.letGo:
		case <-r.Context().Done():
		}
	case "/1", "/2", "/b1", "/hook":
	default:
		http.NotFound(rw, r)
	}
}

// await waits until a path was asked for.
func (w *watchedWeb) await(path string) {
	for x := range w.came {
		if x == path {
			return
		}
	}
}

// A watching is a process of sitemend watch.
type watching struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string // of the pages
	lines *bufio.Scanner
}

func watchIn(t *testing.T, dir string) *watching {
	w := &watching{t: t, cmd: exec.CommandContext(t.Context(), "sitemend", "watch", filepath.Join(dir, "watch.yaml"))}
	out, err := w.cmd.StdoutPipe()
	must(t, err)
	log, err := w.cmd.StderrPipe()
	must(t, err)
	must(t, w.cmd.Start())
	w.lines = bufio.NewScanner(log)
	printed := bufio.NewScanner(out)
	if !printed.Scan() {
		rest, _ := io.ReadAll(log)
		t.Fatalf("no address is printed: %s", rest)
	}
	w.url = printed.Text()
	return w
}

// says reads the log until a line has a text.
func (w *watching) says(text string) {
	w.t.Helper()
	for w.lines.Scan() {
		if strings.Contains(w.lines.Text(), text) {
			return
		}
	}
	w.t.Fatalf("the log ended without %q", text)
}

// terminate ends it with SIGTERM, and returns how long that took.
func (w *watching) terminate() time.Duration {
	w.t.Helper()
	began := time.Now()
	must(w.t, w.cmd.Process.Signal(syscall.SIGTERM))
	for w.lines.Scan() {
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("it ends with %v", err)
	}
	return time.Since(began)
}

// get returns the status and the text of an address.
func (w *watching) get(url, token string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	must(w.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	must(w.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(w.t, err)
	return resp.StatusCode, string(text)
}

// The pages are live while an audit runs, SIGHUP takes another configuration or keeps the old one,
// SIGTERM ends it soon, and the next start continues the audit and tells it once.
func TestWatchProcess(t *testing.T) {
	web, dir := newWatchedWeb(t), t.TempDir()
	configure := func(more string) {
		text := fmt.Sprintf("store: audits\nlisten: 127.0.0.1:0\ndefaults: { rate: 0, parallel: 1, format: html, schedule: \"@daily\", notify: hook, lang: en }\n"+
			"notify: { hook: { webhook: \"%s/hook\" } }\nsites:\n  - { name: a, targets: \"%s/a.txt\" }\n%s", web.URL, web.URL, more)
		must(t, os.WriteFile(filepath.Join(dir, "watch.yaml"), []byte(text), 0o600))
	}
	configure("")
	w := watchIn(t, dir)
	web.await("/slow")
	w.checkPages()

	configure("  - { name: b, tragets: x }\n")
	must(t, w.cmd.Process.Signal(syscall.SIGHUP))
	w.says(`the one before stays in force: watch.yaml:7:16: a site has no key "tragets"; did you mean targets?`)
	configure("  - { name: b, targets: \"" + web.URL + "/b.txt\" }\n")
	must(t, w.cmd.Process.Signal(syscall.SIGHUP))
	w.says("the configuration was read again: 2 sites")
	w.says("site=b audit=") // while a still runs

	first := w.url
	if took := w.terminate(); took > 10*time.Second {
		t.Errorf("SIGTERM took %s", took)
	}
	w = watchIn(t, dir)
	w.says("continuing the audit")
	if path := func(s string) string { return s[strings.LastIndex(strings.TrimSuffix(s, "/"), "/"):] }; path(w.url) != path(first) {
		t.Error("the token is another one after a start")
	}
	web.await("/slow")
	close(web.letGo)
	w.says("site=a audit=")
	if status, text := w.get(w.url, ""); status != 200 || strings.Contains(text, "running") {
		t.Errorf("the list says %d %s", status, text)
	}
	w.terminate()
	web.mu.Lock()
	defer web.mu.Unlock()
	for path, want := range map[string]int{"/a.txt": 1, "/1": 1, "/2": 1, "/b1": 1, "/hook": 0} {
		if web.asked[path] != want {
			t.Errorf("%s was asked %d times, want %d", path, web.asked[path], want)
		}
	}
}

// checkPages looks at the pages while an audit runs.
func (w *watching) checkPages() {
	w.t.Helper()
	base, rest, _ := strings.Cut(strings.TrimPrefix(w.url, "http://"), "/")
	token := strings.TrimSuffix(rest, "/")
	base = "http://" + base
	for _, x := range []struct {
		url, token string
		status     int
		text       string
	}{
		{w.url, "", 200, "running"},
		{base + "/", "", 403, ""},
		{base + "/healthz", "", 200, "ok"},
		{base + "/metrics", "", 401, ""},
		{base + "/metrics", token + "x", 401, ""},
		{base + "/metrics", token, 200, "sitemend_outbox 0"},
		{w.url + "metrics", "", 200, "sitemend_outbox 0"},
	} {
		if status, text := w.get(x.url, x.token); status != x.status || !strings.Contains(text, x.text) {
			w.t.Errorf("%s is answered %d %s", x.url, status, text)
		}
	}
	_, list := w.get(w.url, "")
	at := strings.Index(list, "audits/20")
	if at < 0 {
		w.t.Fatal("the list has no audit")
	}
	if status, _ := w.get(w.url+list[at:at+len("audits/20261122T031700Z/")], ""); status != 503 {
		w.t.Errorf("the report of an audit that runs is answered %d", status)
	}
}
