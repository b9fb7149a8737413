package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/cmd/internal/notify"
	"sitemend/cmd/internal/watch"
	"sitemend/storage"
)

// A night is a month in which many sites are audited once a day by a process that is killed again
// and again, and whose receivers fail: every change of every site is to be told exactly once.
//
// The web and the receivers live in the test, the process is a real one that is killed with
// SIGKILL. Its clock jumps to what comes next whenever it has nothing to do, and lies in a file, so
// that the web knows which day it is, and the next process goes on from there.
type night struct {
	t           *testing.T
	sites, days int
	kills       int
	dir         string

	mu                sync.Mutex
	process           *os.Process
	requests          int                                   // that the web was sent
	posts             int                                   // that the receivers were sent
	onRequest, onPost []int                                 // the numbers of requests and posts from which on the process is killed
	killed            int                                   //
	got               map[string]map[string]receivedMessage // by receiver and id
	twice             int                                   // messages that came again
}

// A toldMessage is what a webhook was sent.
type receivedMessage struct {
	ID, Site, Audit, Before string
	Kind                    watch.Kind
	Counts                  map[string]int
	First                   []struct{ Address, Was, Is string }
}

const (
	nightPages  = 6
	nightSecret = "a secret of the night"
)

// dawn is when the clock begins: before any time of this machine, which the audits have.
var dawn = time.Date(2016, 11, 1, 12, 0, 0, 0, time.UTC)

func dice(parts ...int) int {
	h := fnv.New64a()
	fmt.Fprint(h, parts)
	return int(h.Sum64() >> 33)
}

// changed is the last day until day on which a site changed: on two days of three it does not.
func changed(site, day int) int {
	for day > 0 && dice(site, day)%3 != 0 {
		day--
	}
	return day
}

// broken reports whether a page answers 404 on a day.
func broken(site, page, day int) bool { return dice(site, page, changed(site, day), 7)%3 == 0 }

// away reports whether a site cannot be audited on a day: some for four days in a row.
func away(site, day int) bool { return site%10 == 7 && day >= 10 && day < 14 }

// expected returns what is to be told of a site, in order: "kind n address,address...".
func (n *night) expected(site int) (list []string) {
	seen, failures := -1, 0 // the day of the last audit
	for day := range n.days {
		if away(site, day) {
			if failures++; failures == 2 {
				list = append(list, "failed")
			}
			continue
		}
		if failures >= 2 {
			list = append(list, "recovered")
		}
		failures = 0
		if seen >= 0 {
			var worse, better []string
			for p := range nightPages {
				switch was, is := broken(site, p, seen), broken(site, p, day); {
				case is && !was:
					worse = append(worse, strconv.Itoa(p))
				case was && !is:
					better = append(better, strconv.Itoa(p))
				}
			}
			for _, x := range []struct {
				kind  string
				pages []string
			}{{"worse", worse}, {"better", better}} {
				if len(x.pages) > 0 {
					list = append(list, fmt.Sprintf("%s %d %s", x.kind, len(x.pages), strings.Join(x.pages[:min(5, len(x.pages))], ",")))
				}
			}
		}
		seen = day
	}
	return list
}

// said is a message in the words of expected.
func (m *receivedMessage) said() string {
	var pages []string
	for _, f := range m.First {
		pages = append(pages, f.Address[strings.LastIndex(f.Address, "p")+1:])
	}
	slices.Sort(pages)
	switch m.Kind {
	case watch.Worse, watch.Better:
		return fmt.Sprintf("%s %d %s", m.Kind, m.Counts["addresses"], strings.Join(pages, ","))
	}
	return string(m.Kind)
}

// day is the day of the process's clock.
func (n *night) day() int {
	now, err := readClock(filepath.Join(n.dir, "clock"))
	if err != nil {
		return 0
	}
	return int(now.Sub(dawn) / (24 * time.Hour))
}

// kill kills the process, once for each number that was reached.
func (n *night) kill(count int, numbers *[]int) bool {
	if n.process == nil || len(*numbers) == 0 || count < (*numbers)[0] {
		return false
	}
	*numbers = (*numbers)[1:]
	n.killed++
	_ = n.process.Kill()
	return true
}

// ServeHTTP is the web: /sN/sitemap.txt and /sN/pM.
func (n *night) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.requests++
	n.kill(n.requests, &n.onRequest)
	n.mu.Unlock()
	var site, page int
	day := n.day()
	switch {
	case scan(r.URL.Path, "/s%d/p%d", &site, &page) && page < nightPages && !broken(site, page, day):
		fmt.Fprint(w, "<title>A page</title><p>with text</p>")
	case scan(r.URL.Path, "/s%d/sitemap.txt", &site) && strings.HasSuffix(r.URL.Path, ".txt") && !away(site, day):
		for p := range nightPages {
			fmt.Fprintf(w, "http://%s/s%d/p%d\n", r.Host, site, p)
		}
	default:
		http.NotFound(w, r)
	}
}

func scan(path, form string, to ...any) bool {
	n, err := fmt.Sscanf(path, form, to...)
	return err == nil && n == len(to)
}

// receive is the receivers: good takes everything; flaky refuses, or takes a message and closes
// the connection without an answer; down is away for two days.
func (n *night) receive(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	body, err := io.ReadAll(r.Body)
	if err != nil { // the process was killed while it sent
		return
	}
	if r.Header.Get(notify.HeaderSignature) != notify.Signature([]byte(nightSecret), body) {
		n.t.Errorf("a message to %s is not signed", name)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.posts++
	day := n.day()
	luck := dice(n.posts, len(name)) % 10
	if name == "down" && day >= 5 && day < 7 || name == "flaky" && luck < 4 {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	var m receivedMessage
	if err := json.Unmarshal(body, &m); err != nil || m.ID != r.Header.Get(notify.HeaderDelivery) {
		n.t.Errorf("%s: %v: %s", name, err, body)
	}
	if n.got[name] == nil {
		n.got[name] = map[string]receivedMessage{}
	}
	if before, ok := n.got[name][m.ID]; ok {
		n.twice++
		if before.said() != m.said() || before.Audit != m.Audit {
			n.t.Errorf("two messages have the id %s: %+v, %+v", m.ID, before, m)
		}
	}
	n.got[name][m.ID] = m
	if n.kill(n.posts, &n.onPost) || name == "flaky" && luck == 4 {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// TestNight is a night of 8 sites and 16 audits each, in which the process is killed 12 times.
func TestNight(t *testing.T) {
	n := &night{t: t, sites: 8, days: 16, kills: 12, dir: t.TempDir(), got: map[string]map[string]receivedMessage{}}
	web := httptest.NewServer(n)
	defer web.Close()
	hooks := httptest.NewServer(http.HandlerFunc(n.receive))
	defer hooks.Close()
	n.configure(web.Listener.Addr(), hooks.URL)
	all := n.sites * n.days
	for i := range n.kills / 2 { // in the first two thirds; half of them while it audits, half in the moment in which a message is taken
		n.onRequest = append(n.onRequest, (i+1)*all*nightPages/n.kills+dice(i)%7)
		n.onPost = append(n.onPost, (i+1)*all/n.kills+dice(i, i)%7)
	}
	starts := 0
	for ; !n.run(); starts++ {
		if starts > 4*n.kills {
			t.Fatal("it does not come to its end")
		}
	}
	if n.killed != n.kills {
		t.Errorf("it was killed %d times, not %d", n.killed, n.kills)
	}
	t.Logf("%d requests, %d posts, %d messages twice, %d kills", n.requests, n.posts, n.twice, n.killed)
	n.checkMessages()
	n.checkStore()
}

// configure writes the configuration.
func (n *night) configure(web net.Addr, hooks string) {
	var b strings.Builder
	fmt.Fprintf(&b, "store: audits\ntimezone: UTC\ndefaults: { rate: 0, keep-audits: 5, notify: [good, flaky, down] }\nsites:\n")
	for i := range n.sites {
		fmt.Fprintf(&b, "  - name: s%d\n    targets: [http://%s/s%d/sitemap.txt]\n    schedule: \"%d %d * * *\"\n", i, web, i, i%60, 13+i%10)
	}
	fmt.Fprintf(&b, "notify:\n")
	for _, name := range []string{"good", "flaky", "down"} {
		fmt.Fprintf(&b, "  %s: { webhook: %s/%s, secret: \"${SECRET}\" }\n", name, hooks, name)
	}
	must(n.t, os.WriteFile(filepath.Join(n.dir, "watch.yaml"), []byte(b.String()), 0o600))
	must(n.t, writeClock(filepath.Join(n.dir, "clock"), dawn))
}

// run runs the process until it ends or is killed, and reports whether it came to the end.
func (n *night) run() bool {
	cmd := exec.CommandContext(n.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "SITEMEND_TEST_NIGHT="+n.dir, "SITEMEND_TEST_DAYS="+strconv.Itoa(n.days))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	n.mu.Lock()
	must(n.t, cmd.Start())
	n.process = cmd.Process
	n.mu.Unlock()
	err := cmd.Wait()
	n.mu.Lock()
	n.process = nil
	n.mu.Unlock()
	if err != nil && cmd.ProcessState.Exited() {
		n.t.Fatalf("%v\n%s", err, out.String())
	}
	return err == nil
}

// checkMessages looks whether each receiver was told each change once, and nothing else.
func (n *night) checkMessages() {
	for _, name := range []string{"good", "flaky", "down"} {
		sites := map[string][]receivedMessage{}
		for _, m := range n.got[name] {
			sites[m.Site] = append(sites[m.Site], m)
		}
		for i := range n.sites {
			want := n.expected(i)
			var got []string
			for _, m := range sites[fmt.Sprintf("s%d", i)] {
				got = append(got, m.said())
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				n.t.Errorf("%s was told of site %d\n%q\nnot\n%q", name, i, got, want)
			}
		}
	}
}

// checkStore looks whether the store is bounded.
func (n *night) checkStore() {
	s, err := storage.OpenReadOnly(filepath.Join(n.dir, "audits", "audits.db"))
	must(n.t, err)
	defer s.Close()
	infos, err := s.Audits()
	must(n.t, err)
	if len(infos) > 5*n.sites {
		n.t.Errorf("the store has %d audits of %d sites", len(infos), n.sites)
	}
	waiting := 0
	must(n.t, s.NotedUnder("watch/out/", func(string, []byte) error { waiting++; return nil }))
	if waiting > 0 {
		n.t.Errorf("%d messages still wait", waiting)
	}
}

// A jumping clock stands still while there is work, and goes to what comes next when there is
// none.
type jumping struct {
	file string
	end  time.Time
	mu   sync.Mutex
	now  time.Time
}

func (c *jumping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *jumping) After(d time.Duration) <-chan time.Time {
	due := make(chan time.Time, 1)
	if d <= 0 {
		due <- c.Now()
	}
	return due
}

// jump goes to a time, and reports whether the night is over.
func (c *jumping) jump(to time.Time) (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.IsZero() || to.After(c.end) {
		return true
	}
	if to.After(c.now) {
		if err := writeClock(c.file, to); err != nil {
			panic(err)
		}
		c.now = to
	}
	return false
}

func readClock(file string) (time.Time, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return time.Unix(0, n).UTC(), err
}

func writeClock(file string, at time.Time) error {
	part := file + ".part"
	return errors.Join(os.WriteFile(part, []byte(strconv.FormatInt(at.UnixNano(), 10)), 0o600), os.Rename(part, file))
}

// child is the process of TestNight.
func child(dir string) error {
	days, err := strconv.Atoi(os.Getenv("SITEMEND_TEST_DAYS"))
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "clock")
	now, err := readClock(file)
	if err != nil {
		return err
	}
	c, err := loader(map[string]string{"SECRET": nightSecret}).Load(filepath.Join(dir, "watch.yaml"))
	if err != nil {
		return err
	}
	for i := range c.Sites {
		c.Sites[i].Spec.Backoff = []time.Duration{time.Millisecond}
	}
	clock := &jumping{file: file, now: now, end: dawn.Add(time.Duration(days) * 24 * time.Hour)}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	idle := func(next time.Time) {
		if clock.jump(next) {
			stop()
		}
	}
	env := loader(nil).Env
	env.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	_, err = watch.Run(ctx, watch.Options{Config: c, Secrets: new(watch.Secrets), Env: env, Clock: clock, Idle: idle})
	return err
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("SITEMEND_TEST_NIGHT"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
