package job

import (
	"bytes"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/google/googletest"
	"sitemend/report"
	"sitemend/storage"
)

// inspectingTest is a Google, and a store in a folder.
type inspectingTest struct {
	google *googletest.Server
	clock  *googletest.Clock
	dir    string
	env    Env
}

func newInspecting(t *testing.T) *inspectingTest {
	t.Helper()
	s := googletest.Start()
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.Faults() {
			t.Error(f)
		}
	})
	s.Sites["https://shop.example/"] = "siteOwner"
	dir := t.TempDir()
	must(t, s.ServiceAccount(filepath.Join(dir, "key.json")))
	i := &inspectingTest{google: s, clock: googletest.NewClock(), dir: dir}
	t.Setenv("SITEMEND_GOOGLE_CREDENTIALS", filepath.Join(dir, "key.json"))
	t.Setenv("SITEMEND_GOOGLE_API", s.URL())
	i.env = Env{Log: slog.New(slog.DiscardHandler), Clock: i.clock}
	return i
}

// audited adds an audit at a time, of n addresses that answered with a status each.
func (i *inspectingTest) audited(t *testing.T, at time.Time, statuses ...int) {
	t.Helper()
	s, err := storage.Open(filepath.Join(i.dir, "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Targets: []string{"https://shop.example"}, Identity: "googlebot", Rules: audit.Rules{MaxHops: 10}, Started: at}, "same")
	must(t, err)
	entries := func(yield func(audit.Entry, error) bool) {
		for n := range statuses {
			yield(audit.Entry{N: n, Loc: fmt.Sprintf("https://shop.example/%d", n), Line: n + 1}, nil)
		}
	}
	err = a.AddSitemap(t.Context(), &audit.Sitemap{URL: "https://shop.example/s.txt", AnsweredAt: "https://shop.example/s.txt", Kind: "text", Parent: -1}, iter.Seq2[audit.Entry, error](entries))
	must(t, err)
	for n, status := range statuses {
		for _, as := range []answers.Purpose{answers.AsRobot, answers.AsBrowser} { // the second look at a 404
			must(t, a.Keep(answers.Hop{Request: answers.Request{URL: fmt.Sprintf("https://shop.example/%d", n), Purpose: as}, Status: status, At: at, Page: answers.Page{ContentType: "text/html"}}))
		}
	}
	info := a.Info()
	info.Ended = at.Add(time.Minute)
	must(t, a.SetInfo(info))
	must(t, a.Close())
	must(t, s.Close())
}

// inspect inspects the latest audit and returns the summary.
func (i *inspectingTest) inspect(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, Inspect(t.Context(), Spec{Out: i.dir, Lang: "en"}, storage.Latest, n, i.env, func(r *audit.Result, w report.Written) error {
		return report.WriteInspectionSummary(t.Context(), &b, r, report.Summary{Written: w, Lang: "en"})
	}))
	return b.String()
}

// asked counts the inspections that were sent.
func (i *inspectingTest) asked() (n int) {
	for _, c := range i.google.Calls() {
		if strings.HasSuffix(c.Method, ".inspect") {
			n++
		}
	}
	return n
}

// Where Google ends the day nothing more is sent on it, and what is left the next one.
func TestTheDaysEnd(t *testing.T) {
	i := newInspecting(t)
	i.audited(t, i.clock.Now(), 200, 200, 200, 404, 200, 200, 200, 200, 200, 200)
	var mu sync.Mutex
	n := 0
	i.google.Answer = func(c googletest.Call) googletest.Answer {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(c.Method, ".inspect") {
			if n++; n > 1 {
				return googletest.Refusal(429, "rateLimitExceeded", "Quota exceeded for sc-domain:shop.example.")
			}
		}
		return googletest.Answer{}
	}
	said := i.inspect(t, 10)
	if !strings.Contains(said, "1 URL looked up") || !strings.Contains(said, "9 more can be looked up from ") {
		t.Errorf("said:\n%s", said)
	}
	before := i.asked()
	again := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04 MST")
	if said := i.inspect(t, 10); i.asked() != before || !strings.Contains(said, "9 more can be looked up from "+again+"\n") {
		t.Errorf("%d more calls the same day; said:\n%s", i.asked()-before, said)
	}
	i.google.Answer = nil
	i.clock.Sleep(t.Context(), 22*time.Hour)
	if said := i.inspect(t, 10); i.asked() != before+9 || !strings.Contains(said, "10 URLs looked up") || strings.Contains(said, "left") {
		t.Errorf("%d calls the next day; said:\n%s", i.asked()-before, said)
	}
}

// No address is asked twice in seven days, also by another audit; then it is.
func TestAnAddressIsAskedOnceAWeek(t *testing.T) {
	i := newInspecting(t)
	i.audited(t, i.clock.Now(), 200, 404)
	i.inspect(t, 100)
	i.clock.Sleep(t.Context(), 7*24*time.Hour-time.Minute)
	i.audited(t, i.clock.Now(), 200, 404)
	i.inspect(t, 100)
	if i.asked() != 2 {
		t.Errorf("%d calls within a week", i.asked())
	}
	i.clock.Sleep(t.Context(), 2*time.Minute)
	i.inspect(t, 100)
	if i.asked() != 4 {
		t.Errorf("%d calls after a week", i.asked())
	}
}

// Whether Google crawled before or after a change is told by when audits first saw what the last
// one sees, without another answer in between.
func TestSinceWhen(t *testing.T) {
	i := newInspecting(t)
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	i.audited(t, day(1), 200, 404, 404)
	i.audited(t, day(5), 404, 404, 200)
	i.audited(t, day(10), 404, 404, 404)
	for n := range 3 {
		i.google.Inspections[fmt.Sprintf("https://shop.example/%d", n)] = `{"verdict":"PASS","coverageState":"Submitted and indexed","lastCrawlTime":"2026-11-07T00:00:00Z"}`
	}
	i.inspect(t, 100)
	text, err := os.ReadFile(filepath.Join(i.dir, "google.csv"))
	must(t, err)
	for n, want := range []string{"differs", "differs", "older"} {
		if !strings.Contains(string(text), fmt.Sprintf("/%d,not-found,Submitted and indexed,,2026-11-07T00:00:00Z,%s,", n, want)) {
			t.Errorf("/%d is not %s:\n%s", n, want, text)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
