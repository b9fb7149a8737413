package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
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
	"sitemend/storage"
)

// A night is half a month in which many sites are audited once a day by a process that is killed
// again and again, and whose receivers fail: every change of every site is to be told exactly once.
// The web and the receivers live in the test, the process is a real one that is killed with SIGKILL.
type night struct {
	t   *testing.T
	dir string

	mu                sync.Mutex
	day               int
	process           *os.Process
	requests, posts   int   // that the web, and the receivers, were sent
	onRequest, onPost []int // the numbers from which on the process is killed
	killed            int
	got               map[string]map[string]body // by receiver and id
}

const (
	nightSites  = 8
	nightDays   = 16
	nightPages  = 6
	nightKills  = 12
	nightSecret = "a secret of the night"
)

func dice(parts ...int) int {
	h := fnv.New64a()
	fmt.Fprint(h, parts)
	return int(h.Sum64() >> 33)
}

// broken reports whether a page answers 404 on a day: on two days of three nothing changes.
func broken(site, page, day int) bool {
	for day = min(day, nightDays-1); day > 0 && dice(site, day)%3 != 0; {
		day--
	}
	return dice(site, page, day, 7)%3 == 0
}

// away reports whether a site cannot be audited on a day: one for four days in a row.
func away(site, day int) bool { return site == 7 && day >= 10 && day < 14 }

// expected returns what is to be told of a site: "kind n".
func expected(site int) (list []string) {
	seen := -1 // the day of the last audit
	for day := range nightDays {
		if away(site, day) {
			continue
		}
		if seen >= 0 && day-seen > 2 {
			list = append(list, "failed 0", "recovered 0")
		}
		turned := map[string]int{}
		for p := range nightPages {
			switch was, is := broken(site, p, seen), broken(site, p, day); {
			case is && !was:
				turned["worse"]++
			case was && !is:
				turned["better"]++
			}
		}
		for kind, n := range turned {
			if seen >= 0 {
				list = append(list, fmt.Sprintf("%s %d", kind, n))
			}
		}
		seen = day
	}
	slices.Sort(list)
	return list
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

// ServeHTTP is the web, /sN/sitemap.txt and /sN/pM, and the receivers.
func (n *night) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		n.receive(w, r)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	n.kill(n.requests, &n.onRequest)
	var site, page int
	if _, err := fmt.Sscanf(r.URL.Path, "/s%d/p%d", &site, &page); err == nil && !broken(site, page, n.day) {
		fmt.Fprint(w, "<title>A page</title><p>with text</p>")
	} else if _, err := fmt.Sscanf(r.URL.Path, "/s%d/sitemap.txt", &site); err == nil && strings.HasSuffix(r.URL.Path, ".txt") && !away(site, n.day) {
		for p := range nightPages {
			fmt.Fprintf(w, "http://%s/s%d/p%d\n", r.Host, site, p)
		}
	} else {
		http.NotFound(w, r)
	}
}

// receive is the receivers: good takes everything; flaky may refuse, is away for two days, or takes a
// message and closes the connection without an answer.
func (n *night) receive(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	text, err := io.ReadAll(r.Body)
	if err != nil { // the process was killed while it sent
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.posts++
	luck, flaky := dice(n.posts)%10, name == "flaky" && n.day < nightDays
	if flaky && (n.day >= 5 && n.day < 7 || luck < 1) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	var m body
	if err := json.Unmarshal(text, &m); err != nil || m.ID != r.Header.Get(notify.HeaderDelivery) || r.Header.Get(notify.HeaderSignature) != notify.Signature([]byte(nightSecret), text) {
		n.t.Errorf("%s: %v: %s", name, err, text)
	}
	n.got[name][m.ID] = m
	if n.kill(n.posts, &n.onPost) || flaky && luck == 4 {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	}
}

func TestNight(t *testing.T) {
	n := &night{t: t, dir: t.TempDir(), got: map[string]map[string]body{"good": {}, "flaky": {}}}
	web := httptest.NewServer(n)
	defer web.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "store: audits\ntimezone: UTC\ndefaults: { rate: 0, keep-audits: 5, notify: [good, flaky], schedule: \"@hourly\" }\nsites:\n")
	for i := range nightSites {
		fmt.Fprintf(&b, "  - { name: s%d, targets: [%s/s%d/sitemap.txt] }\n", i, web.URL, i)
	}
	fmt.Fprintf(&b, "notify:\n")
	for name := range n.got {
		fmt.Fprintf(&b, "  %s: { webhook: %s/%s, secret: \"${SECRET}\" }\n", name, web.URL, name)
	}
	must(t, os.WriteFile(filepath.Join(n.dir, "watch.yaml"), []byte(b.String()), 0o600))
	for i := range nightKills / 2 { // half of them while it audits, half in the moment in which a message is taken
		all := nightSites * nightDays
		n.onRequest = append(n.onRequest, (i+1)*all*nightPages/nightKills+dice(i)%7)
		n.onPost = append(n.onPost, (i+1)*all/nightKills/3+dice(i, i)%7)
	}
	for run := range 2 * (nightDays + 1) { // a receiver that refuses is left until the next run
		n.day = run / 2
		for tries := 0; !n.run(); tries++ {
			if tries > nightKills {
				t.Fatal("it does not come to its end")
			}
		}
	}
	if n.killed != nightKills {
		t.Errorf("it was killed %d times, not %d", n.killed, nightKills)
	}
	for name, messages := range n.got {
		sites := map[string][]string{}
		for _, m := range messages {
			sites[m.Site] = append(sites[m.Site], fmt.Sprintf("%s %d", m.Kind, m.Counts["addresses"]))
		}
		for i := range nightSites {
			got := sites[fmt.Sprintf("s%d", i)]
			slices.Sort(got)
			if want := expected(i); !slices.Equal(got, want) {
				t.Errorf("%s was told of site %d\n%q\nnot\n%q", name, i, got, want)
			}
		}
	}
	s, err := storage.OpenReadOnly(filepath.Join(n.dir, "audits", "audits.db"))
	must(t, err)
	defer s.Close()
	infos, err := s.Audits()
	must(t, err)
	if len(infos) > 6*nightSites { // five of each, and one that was killed
		t.Errorf("the store has %d audits of %d sites", len(infos), nightSites)
	}
}

// run runs the process for a day, until it ends or is killed, and reports whether it came to the end.
func (n *night) run() bool {
	cmd := exec.CommandContext(n.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "SITEMEND_TEST_NIGHT="+n.dir, "SITEMEND_TEST_DAY="+strconv.Itoa(n.day))
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

// child is the process of TestNight: one day of it.
func child(dir string) error {
	day, err := strconv.Atoi(os.Getenv("SITEMEND_TEST_DAY"))
	if err != nil {
		return err
	}
	now = func() time.Time { return time.Date(2016, 11, 1, day, 30, 0, 0, time.UTC) } // a day is an hour: no message grows too old
	l := loader(map[string]string{"SECRET": nightSecret})
	c, err := l.Load(context.Background(), filepath.Join(dir, "watch.yaml"))
	if err != nil {
		return err
	}
	for i := range c.Sites {
		c.Sites[i].Spec.Backoff = []time.Duration{time.Millisecond}
	}
	_, err = Run(context.Background(), Options{Config: c, Once: true, Env: l.Env})
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
