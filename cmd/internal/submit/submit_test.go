package submit

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
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

	"pgregory.net/rapid"

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
	said  []string

	mu       sync.Mutex
	live     map[string]string // what the site answers, by path; others are 404
	fetched  []string
	quota    int
	indexNow [][]string
	bing     [][]string
	feeds    []string
	fails    string        // of what it is asked it answers 429
	slow     time.Duration // of IndexNow, for a batch
}

const testKey = "indexnow-test-key"

func newHanding(t *testing.T) *handingTest {
	t.Helper()
	h := &handingTest{dir: t.TempDir(), clock: googletest.NewClock(), live: map[string]string{}, quota: 100}
	h.site = httptest.NewServer(http.HandlerFunc(h.serve))
	services := httptest.NewServer(http.HandlerFunc(h.receive))
	t.Cleanup(h.site.Close)
	t.Cleanup(services.Close)
	vars := map[string]string{"SITEMEND_INDEXNOW_KEY": testKey, "SITEMEND_BING_KEY": "bing-test-key", "SITEMEND_INDEXNOW_API": services.URL, "SITEMEND_BING_API": services.URL}
	h.env = job.Env{Log: slog.New(slog.DiscardHandler), Clock: h.clock, Getenv: func(name string) string { return vars[name] }}
	h.live["/"+testKey+".txt"] = testKey
	s, err := storage.Open(filepath.Join(h.dir, "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Targets: []string{h.site.URL}, Started: h.clock.Now()}, "")
	must(t, err)
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
	if h.fails != "" && strings.Contains(r.URL.Path, h.fails) {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	switch method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]; method {
	case "indexnow":
		h.indexNow = append(h.indexNow, body.URLList)
		_ = h.clock.Sleep(r.Context(), h.slow)
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
}

func (h *handingTest) list(paths []string) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(h.site.URL + p + "\n")
	}
	return b.String()
}

// digestOf is how summary.json says what was written.
func digestOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// writes writes the outputs of the audit: each original address is replaced by the corrected one in
// its place.
func (h *handingTest) writes(t *testing.T, files ...testFile) {
	t.Helper()
	s, err := storage.OpenReadOnly(filepath.Join(h.dir, "audits.db"))
	must(t, err)
	id, err := job.Latest(s)
	must(t, err)
	must(t, s.Close())
	changes := "\uFEFFsitemap,line,action,listed,written,verdict,why\r\n"
	var sent []map[string]any
	for _, f := range files {
		put := func(dir, text string) {
			must(t, os.MkdirAll(filepath.Join(h.dir, dir), 0o777))
			must(t, os.WriteFile(filepath.Join(h.dir, dir, f.name), []byte(text), 0o666))
		}
		put("originals", h.list(f.original))
		put("sitemaps", h.list(f.corrected))
		sent = append(sent, map[string]any{"url": h.site.URL + "/" + f.name, "answered_at": h.site.URL + "/" + f.name, "written": "sitemaps/" + f.name, "belongs_at": h.site.URL + f.belongs, "kind": "text",
			"written_sha256": digestOf(h.list(f.corrected))})
		for i, old := range f.original {
			if i < len(f.corrected) && f.corrected[i] != old {
				changes += fmt.Sprintf("%s/%s,%d,replace,%s,%s,moved,\r\n", h.site.URL, f.name, i+1, h.site.URL+old, h.site.URL+f.corrected[i])
			}
		}
	}
	summary, err := json.Marshal(map[string]any{"id": id, "files": sent})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(h.dir, "summary.json"), summary, 0o666))
	must(t, os.WriteFile(filepath.Join(h.dir, "changes.csv"), []byte(changes), 0o666))
}

// puts has the folder hold a file of writes as XML, or packed.
func (h *handingTest) puts(t *testing.T, name, original, corrected string) {
	t.Helper()
	summary, err := os.ReadFile(filepath.Join(h.dir, "summary.json"))
	must(t, err)
	unpacked := corrected
	if z, err := gzip.NewReader(strings.NewReader(corrected)); err == nil {
		text, err := io.ReadAll(z)
		must(t, err)
		unpacked = string(text)
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "summary.json"), bytes.Replace(summary, []byte(digestOf("")), []byte(digestOf(unpacked)), 1), 0o666))
	must(t, os.WriteFile(filepath.Join(h.dir, "originals", name), []byte(original), 0o666))
	must(t, os.WriteFile(filepath.Join(h.dir, "sitemaps", name), []byte(corrected), 0o666))
}

func (h *handingTest) submit(t *testing.T, to ...string) bool {
	t.Helper()
	ok, err := h.trySubmit(t, to...)
	must(t, err)
	return ok
}

func (h *handingTest) trySubmit(t *testing.T, to ...string) (bool, error) {
	h.said = nil
	s := Submission{Spec: job.Spec{Out: h.dir, Asking: job.Asking{As: "googlebot", Timeout: 10 * time.Second}}, Audit: storage.Latest, To: to,
		Say: func(who, what, how string) { h.said = append(h.said, who+": "+how) }}
	return Run(t.Context(), s, h.env)
}

func (h *handingTest) wantSaid(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(strings.Join(h.said, "\n"), text) {
		t.Errorf("nothing says %q:\n%s", text, strings.Join(h.said, "\n"))
	}
}

// The ten minutes of an address begin when it was sent, however long those before it took.
func TestSubmitSlowly(t *testing.T) {
	h := newHanding(t)
	f := testFile{name: "big.txt", belongs: "/big.txt"}
	for i := range 5_001 {
		f.original, f.corrected = append(f.original, fmt.Sprintf("/old%d", i)), append(f.corrected, fmt.Sprintf("/new%d", i))
	}
	h.writes(t, f)
	h.live["/big.txt"] = h.list(f.corrected)
	h.slow = 8 * time.Minute
	h.submit(t, "indexnow")
	h.clock.Sleep(t.Context(), 3*time.Minute)
	h.submit(t, "indexnow")
	if sizes := sizesOf(h.indexNow); fmt.Sprint(sizes) != "[10000 2 10000]" {
		t.Errorf("IndexNow got %v", sizes)
	}
	h.wantSaid(t, "2 sent within the last ten minutes: not sent again")
}

// What was taken before an interruption is counted.
func TestSubmitInterrupted(t *testing.T) {
	for at, taken := range map[string]int{"is live": 0, "submitted in": 1} {
		h := newHanding(t)
		h.writes(t, testFile{name: "a.txt", belongs: "/a.txt", original: []string{"/old"}, corrected: []string{"/new"}})
		h.live["/a.txt"] = h.list([]string{"/new"})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := Submission{Spec: job.Spec{Out: h.dir, Asking: job.Asking{As: "googlebot", Timeout: 10 * time.Second}}, Audit: storage.Latest,
			To: []string{"indexnow", "bing"}, Say: func(_, _, how string) {
				h.said = append(h.said, how)
				if strings.Contains(how, at) {
					cancel()
				}
			}}
		_, err := Run(ctx, s, h.env)
		var ended *Interrupted
		if !errors.As(err, &ended) || ended.Taken != taken || !errors.Is(err, context.Canceled) {
			t.Errorf("after %q: %v, %+v; said %q", at, err, ended, h.said)
		}
	}
}

// IndexNow gets what changed in batches of 10,000 at most, Bing in batches of 500 up to its quota;
// none twice in ten minutes, or in a day.
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
	if !h.submit(t) {
		t.Fatal(h.said)
	}
	if sizes := sizesOf(h.indexNow); fmt.Sprint(sizes) != "[10000 2]" {
		t.Errorf("IndexNow got %v", sizes)
	}
	all := slices.Concat(h.indexNow...)
	slices.Sort(all)
	if len(slices.Compact(all)) != 10_002 || slices.Contains(all, h.site.URL+"/same") {
		t.Error("an address was sent twice, or one that did not change")
	}
	if sizes := sizesOf(h.bing); fmt.Sprint(sizes) != "[500 500 200]" || !strings.Contains(h.bing[0][0], "/new") || len(h.feeds) != 1 {
		t.Errorf("Bing got %v, first %v, and %v", sizes, h.bing[0][0], h.feeds)
	}
	h.wantSaid(t, "bing: sent 1,200 changed addresses; 8,802 more than the quota that is left")
	h.clock.Sleep(t.Context(), 10*time.Minute-time.Second)
	if h.submit(t, "indexnow"); len(h.indexNow) != 2 {
		t.Errorf("%d calls within ten minutes", len(h.indexNow))
	}
	h.wantSaid(t, "10,002 sent within the last ten minutes: not sent again")
	h.clock.Sleep(t.Context(), 2*time.Second)
	if h.submit(t, "indexnow"); len(h.indexNow) != 4 {
		t.Errorf("%d calls after ten minutes", len(h.indexNow))
	}
	h.quota = 30_000
	if h.submit(t, "bing"); len(slices.Concat(h.bing...)) != 10_002 {
		t.Errorf("Bing got %d addresses in all", len(slices.Concat(h.bing...)))
	}
}

func sizesOf(batches [][]string) (sizes []int) {
	for _, b := range batches {
		sizes = append(sizes, len(b))
	}
	return sizes
}

// A file that belongs at a new address is looked for there; one that is not live keeps all others
// back.
func TestSubmitWaitsForAll(t *testing.T) {
	h := newHanding(t)
	a := testFile{name: "a.txt", belongs: "/moved/a.txt", original: []string{"/1"}, corrected: []string{"/2"}}
	b := testFile{name: "b.txt", belongs: "/b.txt", original: []string{"/3"}, corrected: []string{"/4"}}
	h.writes(t, a, b)
	h.live["/a.txt"], h.live["/b.txt"] = h.list(a.corrected), h.list(b.corrected)
	if h.submit(t) || len(h.feeds)+len(h.indexNow)+len(h.bing) > 0 || slices.Contains(h.fetched, "/a.txt") {
		t.Errorf("said %v, fetched %v, handed in %v %v %v", h.said, h.fetched, h.feeds, h.indexNow, h.bing)
	}
	h.wantSaid(t, "answers 404")
	h.live["/moved/a.txt"] = h.list(a.corrected)
	if !h.submit(t) || fmt.Sprint(h.feeds) != fmt.Sprintf("[%s/moved/a.txt %s/b.txt]", h.site.URL, h.site.URL) || len(h.indexNow) != 1 || len(h.indexNow[0]) != 4 {
		t.Errorf("said %v, handed in %v %v", h.said, h.feeds, h.indexNow)
	}
}

// Who refuses is asked nothing more, and what was refused is sent the next time.
func TestSubmitStopsAtARefusal(t *testing.T) {
	h := newHanding(t)
	f := testFile{name: "a.txt", belongs: "/a.txt", original: []string{"/1", "/2"}, corrected: []string{"/3", "/4"}}
	h.writes(t, f)
	h.live["/a.txt"] = h.list(f.corrected)
	h.fails = "SubmitFeed"
	if h.submit(t) || len(h.bing) > 0 || len(h.indexNow) != 1 {
		t.Errorf("said %v; Bing got %v, IndexNow %v", h.said, h.bing, h.indexNow)
	}
	h.fails = "indexnow"
	h.clock.Sleep(t.Context(), time.Hour)
	if h.submit(t) || len(h.bing) != 1 {
		t.Errorf("said %v; Bing got %v", h.said, h.bing)
	}
	h.fails = ""
	if !h.submit(t) || len(h.indexNow) != 2 {
		t.Errorf("said %v; IndexNow got %v", h.said, h.indexNow)
	}
	s, err := storage.OpenReadOnly(filepath.Join(h.dir, "audits.db"))
	must(t, err)
	defer s.Close()
	text, _, err := s.Noted(handedInNote)
	must(t, err)
	var kept []handedIn
	must(t, json.Unmarshal(text, &kept))
	sent := ""
	for _, k := range kept {
		sent += fmt.Sprintln(k.To, k.Sitemap != "", k.Addresses, k.Refused, k.Answer)
	}
	if want := "bing true 0 true Bing answers 429\nindexnow false 4 false 200\nbing true 0 false taken\nbing false 4 false taken\n" +
		"indexnow false 4 true IndexNow answers 429: too many requests\nbing true 0 false taken\nindexnow false 4 false 200\n"; sent != want {
		t.Errorf("the store has:\n%swant:\n%s", sent, want)
	}
}

// A site may have more sitemaps than the store keeps of what was handed in last: none of them is
// submitted again as it was, however many were handed in after it.
func TestSubmittedBeforeManyOthers(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	defer s.Close()
	h := &handing{store: s}
	first := handedIn{To: "google", Sitemap: "https://shop.example/1.xml", In: "https://shop.example/", Digest: "a", Answer: "taken"}
	must(t, h.keep(first))
	others := make([]handedIn, handedInKept) // as so many runs would leave them
	for i := range others {
		others[i] = handedIn{To: "bing", Sitemap: fmt.Sprintf("https://shop.example/%d.xml", i+2)}
	}
	text, err := json.Marshal(others)
	must(t, err)
	must(t, s.Note(handedInNote, text))
	changed, longer, refused := first, first, first
	changed.Digest, longer.Sitemap = "b", first.Sitemap+"x"
	refused.Refused, refused.Digest = true, "b"
	must(t, h.keep(refused))
	for name, x := range map[string]struct {
		handedIn
		before bool
	}{"as it was": {first, true}, "as it was refused": {changed, false}, "another": {longer, false}} {
		if last, ok, err := h.before(&x.handedIn); err != nil || ok != x.before || ok && last.Answer != "taken" {
			t.Errorf("%s: submitted before %v, %v; want %v", name, ok, err, x.before)
		}
	}
	if all, err := h.handed(); err != nil || len(all) != handedInKept {
		t.Errorf("%d are kept, %v; want %d", len(all), err, handedInKept)
	}
}

// The key file is to hold the key, at its place; without it nothing is sent of that host.
func TestSubmitWithoutTheKeyFile(t *testing.T) {
	for name, content := range map[string]string{"another key": "another-key", "a page": "<html>" + testKey, "none": ""} {
		h := newHanding(t)
		f := testFile{name: "a.txt", belongs: "/a.txt", original: []string{"/1"}, corrected: []string{"/2"}}
		h.writes(t, f)
		h.live["/a.txt"], h.live["/"+testKey+".txt"] = h.list(f.corrected), content
		if name == "none" {
			delete(h.live, "/"+testKey+".txt")
		}
		if h.submit(t, "indexnow") || len(h.indexNow) > 0 || strings.Contains(strings.Join(h.said, " "), testKey) {
			t.Errorf("%s: said %v, sent %v", name, h.said, h.indexNow)
		}
		h.wantSaid(t, "the key file was not seen at its place")
	}
}

// A live file passes where it lists the addresses of the corrected one, whatever their order, and
// nowhere else.
func TestLiveLaw(t *testing.T) {
	h := newHanding(t)
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"/a", "/b", "/%28", "/%2528", "/(", "/c?x=1&y=2"}), 1, 8).Draw(t, label)
		}
		original, corrected, live := list("original"), list("corrected"), list("live")
		if rapid.Bool().Draw(t, "shuffled") {
			live = rapid.Permutation(corrected).Draw(t, "order")
		}
		lists := storage.NewSorter("")
		defer lists.Close()
		for in, paths := range map[byte][]string{inOriginal: original, inCorrected: corrected, inLive: live} {
			for _, p := range paths {
				if err := lists.Add(listedAs+h.site.URL+p, []byte{in}); err != nil {
					t.Fatal(err)
				}
			}
		}
		var f liveFile
		if err := f.compare(lists); err != nil {
			t.Fatal(err)
		}
		same := slices.Equal(slices.Compact(slices.Sorted(slices.Values(live))), slices.Compact(slices.Sorted(slices.Values(corrected))))
		if (f.wrong == "") != same {
			t.Fatalf("live %v, corrected %v: %q", live, corrected, f.wrong)
		}
	})
}

// Of the xhtml:links those count that were corrected: the site's other alternates are its own.
func TestLiveAlternates(t *testing.T) {
	h := newHanding(t)
	file := func(hrefs ...string) string {
		b := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>` + h.site.URL + `/a</loc>`
		for _, href := range hrefs {
			b += `<xhtml:link rel="alternate" hreflang="de" href="` + h.site.URL + href + `"/>`
		}
		return b + "</url></urlset>"
	}
	h.writes(t, testFile{name: "a.xml", belongs: "/a.xml"})
	h.puts(t, "a.xml", file("/de/old", "/fr"), file("/de/new", "/fr"))
	for _, test := range []struct {
		live []string
		want string // "" where it is live
	}{
		{[]string{"/de/old", "/fr"}, "still links to 1 old alternate"},
		{[]string{"/fr"}, "lacks 1 alternate"},
		{[]string{"/de/new", "/fr"}, ""},
		{[]string{"/de/new", "/it"}, ""},
	} {
		h.live["/a.xml"] = file(test.live...)
		if ok := h.submit(t, "bing"); ok != (test.want == "") {
			t.Errorf("%v: %v", test.live, h.said)
		}
		h.wantSaid(t, test.want)
	}
}

// A live file is read to its end, whatever it lists; and where it is not the file that was written,
// that is said.
func TestLiveAsFile(t *testing.T) {
	h := newHanding(t)
	const begin = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
	page := "<url><loc>" + h.site.URL + "/a</loc></url>\n"
	written := begin + page + "</urlset>\n"
	zipped := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	const itself, other = "is live: it is the file that was written, of 1 address", "is live: it holds the same entries (1 address), but is not the file that was written"
	for name, test := range map[string]struct {
		corrected, live string // "" for written
		want            string
		refused         bool
	}{
		"itself":                   {"", written, itself, false},
		"packed":                   {"", zipped(written), itself, false},
		"unpacked":                 {zipped(written), written, itself, false},
		"with another lastmod":     {"", strings.Replace(written, "</loc>", "</loc><lastmod>2026-11-22</lastmod>", 1), other, false},
		"with other line ends":     {"", strings.ReplaceAll(written, "\n", "\r\n"), other, false},
		"cut off":                  {"", begin + page, "is broken on line 3, where the corrected file is not: ", true},
		"closed otherwise":         {"", begin + page + "</urlset2>\n", "is broken on line 3, where the corrected file is not: ", true},
		"a comment without an end": {"", written + "<!-- served by", "is broken on line 4, where the corrected file is not: ", true},
		"text behind it":           {"", written + "Warning: mysqli", "is broken on line 3, where the corrected file is not: ", true},
		"another root behind it":   {"", written + "<html></html>", "is broken on line 4, where the corrected file is not: ", true},
		"packing cut off":          {"", zipped(written)[:len(zipped(written))-6], "is broken, where the corrected file is not: ", true},
		"broken as it was":         {begin + page, begin + page, itself, false},
		"broken twice, not once":   {begin + page + "&\n</urlset>", begin + page + "&\n&\n", "is broken on line", true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.corrected == "" {
				test.corrected = written
			}
			h.writes(t, testFile{name: "a.xml", belongs: "/a.xml"})
			h.puts(t, "a.xml", test.corrected, test.corrected)
			h.live["/a.xml"] = test.live
			if ok := h.submit(t, "bing"); ok == test.refused {
				t.Errorf("handed in: %v: %v", ok, h.said)
			}
			h.wantSaid(t, test.want)
		})
	}
}

// A corrected sitemap that was edited by hand is none that the audit decided.
func TestCorrectedByHand(t *testing.T) {
	h := newHanding(t)
	h.writes(t, testFile{name: "a.txt", belongs: "/a.txt", original: []string{"/old"}, corrected: []string{"/new"}})
	h.live["/a.txt"] = h.list([]string{"/new", "/mine"})
	must(t, os.WriteFile(filepath.Join(h.dir, "sitemaps", "a.txt"), []byte(h.live["/a.txt"]), 0o666))
	ok, err := h.trySubmit(t, "bing")
	var hint interface{ Hint() string }
	if ok || err == nil || !strings.Contains(err.Error(), "sitemaps/a.txt was changed after it was written") || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "sitemend report") {
		t.Errorf("handed in: %v, %v", ok, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
