package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"sitemend/crawler"
	"sitemend/report/messages"
)

// Whatever the argument, url prints lines that are safe, or one error.
func FuzzURLCommand(f *testing.F) {
	for _, s := range []string{"http://h/%1B\x1b]0;x\a?\xff\u202e", "mod_cache\xa4\xc7", "100%", "HTTP:\\\\[::1]\\", "http://xn--a/", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		code, out, errOut := sitemend(context.Background(), "url", "--", arg)
		if code != exitOK && code != exitError || (code == exitError) != strings.Contains(errOut, "\nhint: ") {
			t.Fatalf("%q: exit %d, %s", arg, code, errOut)
		}
		for _, s := range []string{out, errOut} {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
				t.Fatalf("%q prints %q", arg, s)
			}
		}
	})
}

// What is said while the bar of the progress is shown stands on a line of its own. A rest that a host asks for is
// said, also while sitemaps are read.
func TestProgress(t *testing.T) {
	terminal, p := new(bytes.Buffer), new(crawler.Progress)
	log := plainLogger(terminal)
	s := progress{w: terminal, log: log, words: messages.Of("en")}
	stop := s.Show(p, false)
	s.bar = progressbar.NewOptions64(10, progressbar.OptionSetWriter(terminal), progressbar.OptionSetWidth(10))
	s.bar.Set64(5)
	s.Aside(func() { terminal.Reset(); s.bar.Set64(6) })
	s.Aside(func() { log.Warn("this machine has no port") })
	if text := terminal.String(); !strings.HasSuffix(text, "\rsitemend: this machine has no port\n") {
		t.Errorf("the terminal got %q", text)
	}
	stop()
	terminal.Reset()
	if s.Aside(func() { log.Warn("it goes on") }); terminal.String() != "sitemend: it goes on\n" {
		t.Errorf("the terminal got %q", terminal.String())
	}
	p.Rest(crawler.Rest{Host: "a.example", Status: 503, Until: time.Now().Add(time.Hour)})
	if s.show(p, time.Now()); !strings.HasSuffix(terminal.String(), ", waiting 1 h 0 min, as a.example asks (503)\n") {
		t.Errorf("the terminal got %q", terminal.String())
	}
}

// stumbling panics when it is to write a text, once.
type stumbling struct {
	bytes.Buffer
	at   string
	done atomic.Bool
}

func (s *stumbling) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.at)) && s.done.CompareAndSwap(false, true) {
		panic("lost the thread")
	}
	return s.Buffer.Write(p)
}

// A fault of ours is told in a line, with what to do: exit status 2, no stack; and what was asked is
// kept: the same command goes on.
func TestAFaultOfOurs(t *testing.T) {
	_, flags := drawSite(1, plainOrigins).serve(t)
	args := append(append([]string{"audit", "-v", "--allow-private", "--out", filepath.Join(t.TempDir(), "out")}, flags...), plainOrigins[0])
	errOut := &stumbling{at: "the sitemaps are read"}
	code := run(t.Context(), args, strings.NewReader(""), new(bytes.Buffer), errOut)
	if text := errOut.String(); code != exitError || strings.Contains(text, "goroutine") || !strings.Contains(text, "fault of sitemend itself: lost the thread (sitemend/edges_test.go:") || !strings.Contains(text, "\nhint: ") {
		t.Errorf("exit status %d: %s", code, text)
	}
	if _, _, said := sitemend(t.Context(), args...); !strings.Contains(said, "continuing the audit") {
		t.Errorf("then: %s", said)
	}
}

// Each command that the page and the summary of an audit offer is one that the program takes, in
// whatever state the site is.
func TestOfferedCommandsAreTaken(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	for name, kinds := range map[string]string{"the brake": "ok ok gone gone", "redirects": "ok moved", "mostly refused": "moved refused refused", "all refused": "refused", "a password": "ok password"} {
		t.Chdir(t.TempDir())
		text := "http://shop.example/ok* 200\nhttp://shop.example/gone* 404\nhttp://shop.example/moved* 301 /ok\nhttp://shop.example/refused* 403\nhttp://shop.example/password* 401\nhttp://shop.example/sitemap.xml 200\n  Content-Type: text/plain\n"
		for i := range 10 {
			for j, kind := range strings.Fields(kinds) {
				text += fmt.Sprintf("  | http://shop.example/%s/%d/%d\n", kind, i, j)
			}
		}
		resolve := "shop.example:80:" + serveWeb(t, text, nil).Addr()
		_, _, said := sitemend(t.Context(), "audit", "http://shop.example", "--resolve", resolve, "--rate", "0", "--fail-on", "none", "--format", "html,md", "--lang", "en")
		sitemend(t.Context(), "report", "--store", "sitemend-out/audits.db", "--out", "named", "--format", "html,md", "--lang", "en")
		n := 0
		for _, file := range []string{"sitemend-out/shop.example/report.html", "sitemend-out/shop.example/summary.md", "named/report.html", "named/summary.md"} {
			page := strings.ReplaceAll(string(read(file)), "<wbr>", "")
			for _, m := range regexp.MustCompile("(?:<code[^>]*>|`)(sitemend [^<`]+)(?:</code>|`)").FindAllStringSubmatch(page, -1) {
				n++
				if err := taken(html.UnescapeString(m[1])); err != nil {
					t.Errorf("%s: %s: %s: %v", name, file, m[1], err)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s: no command is offered\n%s", name, said)
		}
	}
}

// taken returns an error where the program does not take the flags and arguments of a command as a
// shell reads them.
func taken(line string) error {
	words, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.TrimPrefix(line, "sitemend ")).Output()
	if err != nil {
		return err
	}
	c, args, err := newRoot(stdio{}).Find(strings.Split(strings.TrimSuffix(string(words), "\n"), "\n"))
	if err != nil {
		return err
	}
	if err := c.ParseFlags(args); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// Reading logs takes no more than 64 MB of memory, whatever their size (contract, section 8): here a
// log of nothing but Googlebot's requests, each for another address.
func TestMemoryOfLogs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("memory is read from /proc")
	}
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "sitemap.txt"), []byte("https://shop.example/wiki/page-7-%287%29\n"))
	f, err := os.Create(filepath.Join(dir, "access.log"))
	must(t, err)
	w := bufio.NewWriter(f)
	for i := range 150_000 {
		fmt.Fprintf(w, "66.249.66.%d - - [%02d/Nov/2026:%02d:%02d:%02d +0900] \"GET /wiki/page-%d-(%d) HTTP/1.1\" 301 512 \"-\" \"Googlebot/2.1\"\n", i%32, 1+i/86400, i/3600%24, i/60%60, i%60, i, i%9)
	}
	must(t, errors.Join(w.Flush(), f.Close()))
	cmd := exec.Command("sitemend", "logs", "--lang", "en", "--out", dir, "--sitemap", filepath.Join(dir, "sitemap.txt"), "--log-host", "shop.example", filepath.Join(dir, "access.log"))
	var out bytes.Buffer
	cmd.Stdout = &out
	must(t, cmd.Start())
	ended, peak := make(chan error, 1), 0
	go func() { ended <- cmd.Wait() }()
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case err := <-ended:
			if err != nil || !strings.Contains(out.String(), "150,000 requests") || peak > 64<<10 || peak == 0 {
				t.Errorf("%v, %d kB\n%s", err, peak, out.String())
			}
			return
		case <-tick.C:
			_, rest, _ := bytes.Cut(read(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)), []byte("RssAnon:"))
			if words := strings.Fields(string(rest)); len(words) > 0 {
				kb, _ := strconv.Atoi(words[0])
				peak = max(peak, kb)
			}
		}
	}
}
