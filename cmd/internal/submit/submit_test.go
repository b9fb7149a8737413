package submit

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
	"sitemend/crawler/google/googletest"
	"sitemend/storage"
)

// handingTest is a site with its corrected sitemaps, and whoever they are handed in to.
type handingTest struct {
	site  *httptest.Server
	dir   string
	clock *googletest.Clock
	env   job.Env
	id    string // of the audit
	said  []string

	mu       sync.Mutex
	live     map[string]string // what the site answers, by path; others are 404
	fetched  []string
	quota    int
	indexNow [][]string
	bing     [][]string
	feeds    []string
	calls    []string // of services: methods
	fails    string   // methods that are refused
}

const testKey = "indexnow-test-key"

func newHanding(t *testing.T) *handingTest {
	t.Helper()
	h := &handingTest{dir: t.TempDir(), clock: googletest.NewClock(), live: map[string]string{}, quota: 100}
	h.site = httptest.NewServer(http.HandlerFunc(h.serve))
	services := httptest.NewServer(http.HandlerFunc(h.receive))
	t.Cleanup(h.site.Close)
	t.Cleanup(services.Close)
	for name, value := range map[string]string{"SITEMEND_INDEXNOW_KEY": testKey, "SITEMEND_BING_KEY": "bing-test-key", "SITEMEND_INDEXNOW_API": services.URL, "SITEMEND_BING_API": services.URL} {
		t.Setenv(name, value)
	}
	h.env = job.Env{Log: slog.New(slog.DiscardHandler), Clock: h.clock}
	h.live["/"+testKey+".txt"] = testKey
	s, err := storage.Open(filepath.Join(h.dir, "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Targets: []string{h.site.URL}, Started: h.clock.Now()}, "")
	must(t, err)
	err = a.AddSitemap(t.Context(), &audit.Sitemap{URL: h.site.URL + "/part.txt", Kind: "text", Faults: []audit.SitemapFault{{Key: "first-came"}}}, func(func(audit.Entry, error) bool) {})
	must(t, err)
	h.id = a.ID()
	must(t, a.Finish(a.Info()))
	must(t, a.Close())
	must(t, s.Close())
	return h
}

func (h *handingTest) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetched = append(h.fetched, r.URL.Path)
	body, ok := h.live[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	io.WriteString(w, body)
}

func (h *handingTest) receive(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var body struct {
		URLList []string `json:"urlList"`
		FeedURL string   `json:"feedUrl"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body) // a question has none
	method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	h.calls = append(h.calls, method)
	if strings.Contains(h.fails, method) {
		http.Error(w, "not today", http.StatusTooManyRequests)
		return
	}
	switch method {
	case "indexnow":
		h.indexNow = append(h.indexNow, body.URLList)
	case "GetUserSites":
		fmt.Fprintf(w, `{"d":[{"Url":"%s/","IsVerified":true}]}`, h.site.URL)
	case "GetUrlSubmissionQuota":
		fmt.Fprintf(w, `{"d":{"DailyQuota":%d,"MonthlyQuota":1000000}}`, h.quota)
	case "SubmitFeed":
		h.feeds = append(h.feeds, body.FeedURL)
	case "SubmitUrlBatch":
		h.bing = append(h.bing, body.URLList)
		h.quota -= len(body.URLList)
	}
}

// A testFile is a sitemap with a corrected copy: lists of paths.
type testFile struct {
	name, belongs       string // paths
	original, corrected []string
	text                string // of the corrected copy, in place of a list
}

func (h *handingTest) list(paths []string) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(h.site.URL + p + "\n")
	}
	return b.String()
}

// writes writes the outputs of the audit: each original address is replaced by the corrected one in
// its place.
func (h *handingTest) writes(t *testing.T, files ...testFile) {
	t.Helper()
	changes := "\uFEFFsitemap,line,action,listed,written,verdict,why\r\n"
	var sent []map[string]any
	for _, f := range files {
		text := cmp.Or(f.text, h.list(f.corrected))
		must(t, os.MkdirAll(filepath.Join(h.dir, "sitemaps"), 0o777))
		must(t, os.WriteFile(filepath.Join(h.dir, "sitemaps", f.name), []byte(text), 0o666))
		sent = append(sent, map[string]any{"url": h.site.URL + "/" + f.name, "answered_at": h.site.URL + "/" + f.name, "written": "sitemaps/" + f.name, "belongs_at": h.site.URL + f.belongs, "kind": "text",
			"written_sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(text)))})
		for i, old := range f.original {
			if i < len(f.corrected) && f.corrected[i] != old {
				changes += fmt.Sprintf("%s/%s,%d,replace,%s,%s,moved,\r\n", h.site.URL, f.name, i+1, h.site.URL+old, h.site.URL+f.corrected[i])
			}
		}
	}
	summary, err := json.Marshal(map[string]any{"id": h.id, "files": sent})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(h.dir, "summary.json"), summary, 0o666))
	must(t, os.WriteFile(filepath.Join(h.dir, "changes.csv"), []byte(changes), 0o666))
}

func (h *handingTest) submission(to ...string) Submission {
	h.said = nil
	return Submission{Spec: job.Spec{Out: h.dir, Asking: job.Asking{As: "googlebot", Timeout: 10 * time.Second}}, Audit: storage.Latest, To: to,
		Say: func(who, what, how string) { h.said = append(h.said, who+": "+how) }}
}

func (h *handingTest) submit(t *testing.T, to ...string) bool {
	t.Helper()
	ok, err := Run(t.Context(), h.submission(to...), h.env)
	must(t, err)
	return ok
}

func (h *handingTest) wantSaid(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(strings.Join(h.said, "\n"), text) {
		t.Errorf("nothing says %q:\n%s", text, strings.Join(h.said, "\n"))
	}
}

// IndexNow gets what changed in batches of 10,000 at most, Bing in batches of 500 up to its quota;
// none twice. Who refuses is asked nothing more, and what was refused is sent the next time.
func TestSubmitInBatches(t *testing.T) {
	h := newHanding(t)
	f := testFile{name: "big.txt", belongs: "/big.txt"}
	for i := range 5_001 {
		f.original, f.corrected = append(f.original, fmt.Sprintf("/old%d", i)), append(f.corrected, fmt.Sprintf("/new%d", i))
	}
	f.original, f.corrected = append(f.original, "/same"), append(f.corrected, "/same")
	h.writes(t, f)
	h.live["/big.txt"] = h.list(f.corrected)
	h.quota = 1200
	sizes := func(batches [][]string) (all []int) {
		for _, b := range batches {
			all = append(all, len(b))
		}
		return all
	}
	h.fails = "SubmitFeed indexnow"
	if h.submit(t) || strings.Contains(strings.Join(h.calls, " "), "SubmitUrlBatch") {
		t.Errorf("said %v, calls %v", h.said, h.calls)
	}
	h.wantSaid(t, "429")
	h.fails = ""
	if !h.submit(t) {
		t.Fatal(h.said)
	}
	all := slices.Concat(h.indexNow...)
	slices.Sort(all)
	if fmt.Sprint(sizes(h.indexNow)) != "[10000 2]" || len(slices.Compact(all)) != 10_002 || slices.Contains(all, h.site.URL+"/same") {
		t.Errorf("IndexNow got %v", sizes(h.indexNow))
	}
	if fmt.Sprint(sizes(h.bing)) != "[500 500 200]" || !strings.Contains(h.bing[0][0], "/new") || len(h.feeds) != 1 {
		t.Errorf("Bing got %v, first %v, and %v", sizes(h.bing), h.bing[0][0], h.feeds)
	}
	h.wantSaid(t, "bing: sent 1,200 changed URLs; 8,802 more than the quota that is left")
	h.quota = 30_000
	if !h.submit(t) || len(h.indexNow) != 2 || len(slices.Concat(h.bing...)) != 10_002 || len(h.feeds) != 1 {
		t.Errorf("the second time: %v", h.said)
	}
}

// A file that belongs at a new address is looked for there; one that is not live keeps all others
// back, and one that was read in part is not waited for.
func TestSubmitWaitsForAll(t *testing.T) {
	h := newHanding(t)
	a := testFile{name: "a.txt", belongs: "/moved/a.txt", original: []string{"/1"}, corrected: []string{"/2"}}
	b := testFile{name: "b.txt", belongs: "/b.txt", original: []string{"/3"}, corrected: []string{"/4"}}
	h.writes(t, a, b, testFile{name: "part.txt", belongs: "/part.txt", original: []string{"/5"}, corrected: []string{"/6"}})
	h.live["/a.txt"], h.live["/b.txt"] = h.list(a.corrected), h.list(b.corrected)
	if h.submit(t) || len(h.feeds)+len(h.indexNow)+len(h.bing) > 0 || slices.Contains(h.fetched, "/a.txt") {
		t.Errorf("said %v, fetched %v, handed in %v %v %v", h.said, h.fetched, h.feeds, h.indexNow, h.bing)
	}
	h.wantSaid(t, "answers 404")
	h.live["/moved/a.txt"] = h.list(a.corrected)
	if !h.submit(t) || fmt.Sprint(h.feeds) != fmt.Sprintf("[%s/moved/a.txt %s/b.txt]", h.site.URL, h.site.URL) || len(h.indexNow) != 1 || len(h.indexNow[0]) != 4 {
		t.Errorf("said %v, handed in %v %v", h.said, h.feeds, h.indexNow)
	}
	h.wantSaid(t, "it was read in part")
}

// A live file is read to its end, with its linked URLs, whatever it lists. A corrected sitemap that
// was edited by hand is none that the audit decided.
func TestLiveAsFile(t *testing.T) {
	const begin = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n"
	h := newHanding(t)
	page := "<url><loc>" + h.site.URL + `/a</loc><xhtml:link rel="alternate" hreflang="de" href="` + h.site.URL + `/de"/></url>` + "\n"
	two := "<url><loc>" + h.site.URL + "/b%28</loc></url>\n"
	written := begin + page + two + "</urlset>\n"
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	z.Write([]byte(written))
	z.Close()
	for live, want := range map[string]string{
		written:         "",
		packed.String(): "",
		strings.Replace(written, "</loc>", "</loc><lastmod>2026-11-22</lastmod>", 1): "",
		begin + two + page + two + "</urlset>":                                       "",
		begin + page + two + strings.ReplaceAll(two, "/b", "/c") + "</urlset>":       "lists 1 other URL (",
		strings.Replace(written, "/de", "/at", 1):                                    "lacks 1 URL (",
	} {
		h.writes(t, testFile{name: "a.xml", belongs: "/a.xml", text: written})
		h.live["/a.xml"] = live
		if ok := h.submit(t, "bing"); ok != (want == "") {
			t.Errorf("%s\nhanded in: %v: %v", live, ok, h.said)
		}
		h.wantSaid(t, want)
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "sitemaps", "a.xml"), []byte(written+"\n"), 0o666))
	h.calls = nil
	ok, err := Run(t.Context(), h.submission("bing"), h.env)
	if ok || err == nil || !strings.Contains(err.Error(), "changed after it was written") || len(h.calls) > 0 {
		t.Errorf("handed in: %v, %v", ok, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
