package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sitemend/storage"
)

// A storeOf n entries, as an audit that only looks at the file leaves it.
func storeOf(t *testing.T, n int) (dir, list string) {
	t.Helper()
	dir = t.TempDir()
	list = filepath.Join(dir, "list.txt")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://shop.example/products/a-thing-with-a-long-name-%06d?page=%d\n", i, i%7)
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	auditList(t, dir, list)
	return dir, list
}

// auditList audits a local file without a request.
func auditList(t *testing.T, dir, list string) {
	t.Helper()
	var errOut bytes.Buffer
	args := []string{"audit", list, "--no-fetch", "--fresh", "--fail-on", "none", "--format", "csv", "--out", filepath.Join(dir, "out"), "--lang", "en"}
	if code := run(t.Context(), args, strings.NewReader(""), io.Discard, &errOut); code != exitOK {
		t.Fatalf("the audit ends with %d: %s", code, errOut.String())
	}
}

// serving runs sitemend serve and returns the address that it prints. It is
// ended, and looked at, with the test.
func serving(t *testing.T, dir string, flags ...string) (root string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, print := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	args := append([]string{"serve", "--out", filepath.Join(dir, "out"), "--lang", "en"}, flags...)
	go func() {
		ended <- run(ctx, args, strings.NewReader(""), print, &errOut)
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
		if lines.Scan() {
			t.Errorf("more is printed: %s", lines.Text())
		}
		if code := <-ended; code != exitOK {
			t.Errorf("it ends with %d: %s", code, errOut.String())
		}
	})
	return lines.Text()
}

func getStatus(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// An audit begins, and ends, while serve runs and while somebody is slow to take
// a large file; what it did is on the list then.
func TestAuditWhileServing(t *testing.T) {
	dir, list := storeOf(t, 30_000)
	root := serving(t, dir)
	store, err := storage.OpenReadOnly(filepath.Join(dir, "out", "audits.db"))
	if err != nil {
		t.Fatal(err)
	}
	infos, err := store.Audits()
	if err := errors.Join(err, store.Close()); err != nil || len(infos) != 1 {
		t.Fatalf("%d audits, %v", len(infos), err)
	}
	slow, err := http.Get(root + "audits/" + infos[0].ID + "/files/jsonl")
	for err == nil && slow.StatusCode == http.StatusAccepted { // it is being written
		slow.Body.Close()
		slow, err = http.Get(root + "audits/" + infos[0].ID + "/files/jsonl")
	}
	if err != nil || slow.StatusCode != 200 {
		t.Fatalf("the download: %v, %v", slow, err)
	}
	defer slow.Body.Close()
	if _, err := io.ReadFull(slow.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}

	var pages sync.WaitGroup
	pages.Go(func() { getStatus(t, root+"search?q=000123") })
	pages.Go(func() { getStatus(t, root+"audits/"+infos[0].ID+"/") })
	auditList(t, dir, list)
	pages.Wait()

	rest, err := io.ReadAll(slow.Body)
	if lines := bytes.Count(rest, []byte("\n")); err != nil || lines != 30_000 {
		t.Errorf("the slow download has %d lines, %v", lines, err)
	}
	if status, body := getStatus(t, root); status != 200 || strings.Count(body, " UTC</a>") != 2 {
		t.Errorf("the list after the audit: %d with %d audits", status, strings.Count(body, " UTC</a>"))
	}
}

// Serve begins while an audit is at work, says so, and shows the store when it
// has ended.
func TestServeWhileAuditing(t *testing.T) {
	dir, _ := storeOf(t, 10)
	writer, err := storage.Open(filepath.Join(dir, "out", "audits.db"))
	if err != nil {
		t.Fatal(err)
	}
	root := serving(t, dir)
	if status, body := getStatus(t, root); status != 503 || !strings.Contains(body, "An audit is writing to the store") || !strings.Contains(body, "the store is in use") {
		t.Errorf("while an audit writes: %d %s", status, body)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	status, body := getStatus(t, root)
	if status != 200 || !strings.Contains(body, "list.txt") {
		t.Errorf("after it: %d %s", status, body)
	}
	_, id, _ := strings.Cut(body, `href="audits/`)
	if status, body := getStatus(t, root+"audits/"+id[:strings.IndexByte(id, '"')]); status != 200 || !strings.Contains(body, "Only the files were checked") {
		t.Errorf("its report: %d", status)
	}
	if status, _ := getStatus(t, strings.TrimSuffix(root, "/")+"X/"); status != 403 {
		t.Errorf("with another token: %d", status)
	}
}

// What is printed is one address with a token of its own, which works; where
// other machines can connect, it names this machine, and that is said.
func TestServePrintsItsAddress(t *testing.T) {
	dir, _ := storeOf(t, 1)
	before, err := os.ReadFile(filepath.Join(dir, "out", "audits.db"))
	if err != nil {
		t.Fatal(err)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]string{
		`^http://127\.0\.0\.1:\d+/[A-Z2-7]{26}/$`:                                    {},
		`^http://localhost:\d+/[A-Z2-7]{26}/$`:                                       {"--addr", "localhost:0"},
		`^http://` + strings.ToLower(regexp.QuoteMeta(name)) + `:\d+/[A-Z2-7]{26}/$`: {"--addr", "0.0.0.0:0", "--allow-remote"},
	}
	tokens := map[string]bool{}
	for form, flags := range forms {
		root := serving(t, dir, flags...)
		at, err := url.Parse(root)
		if err != nil || !regexp.MustCompile(form).MatchString(root) {
			t.Errorf("with %q it prints %q, %v", flags, root, err)
			continue
		}
		tokens[at.Path] = true
		// The name need not be known to this machine's resolver.
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+at.Port()+at.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = at.Host
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %v, %v", root, answer, err)
		}
		answer.Body.Close()
	}
	if len(tokens) != len(forms) {
		t.Errorf("%d tokens for %d servers", len(tokens), len(forms))
	}
	if after, err := os.ReadFile(filepath.Join(dir, "out", "audits.db")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store was changed: %v", err)
	}
}
