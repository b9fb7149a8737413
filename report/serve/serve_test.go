package serve

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report"
	reporthtml "sitemend/report/html"
)

const (
	firstID   = "20261101T100200Z"
	latestID  = "20261115T100200Z"
	stoppedID = "20261120T100200Z"
)

// unbroken is a page without the places where its lines may end.
func unbroken(w *httptest.ResponseRecorder) string {
	return strings.ReplaceAll(w.Body.String(), "<wbr>", "")
}

// ask sends one request; path begins after the token's "/" unless it begins with
// one itself.
func ask(s *Site, method, path string, headers ...string) *httptest.ResponseRecorder {
	if !strings.HasPrefix(path, "/") {
		path = s.Path() + path
	}
	r := httptest.NewRequest(method, "http://127.0.0.1:4711"+path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestAnswers(t *testing.T) {
	s, err := New(Options{Library: shops(), Token: token, Hosts: []string{"desk.lan"}})
	if err != nil {
		t.Fatal(err)
	}
	s.cache.patience = time.Minute
	defer s.Close()
	for _, c := range []struct {
		what, method, path string
		headers            []string
		status             int
		holds              string
	}{
		{"the list", "GET", "", nil, 200, latestID},
		{"its head", "HEAD", "", nil, 200, ""},
		{"a report", "GET", "audits/" + latestID + "/", nil, 200, `<script type="application/json" id="config">`},
		{"of a stopped audit", "GET", "audits/" + stoppedID + "/", nil, 200, `id="config"`},
		{"without its slash", "GET", "audits/" + latestID, nil, 307, ""},
		{"files", "GET", "audits/" + latestID + "/files", nil, 200, "sitemaps.zip"},
		{"files of a stopped audit", "GET", "audits/" + stoppedID + "/files", nil, 200, "No corrected sitemap"},
		{"zip of a stopped audit", "GET", "audits/" + stoppedID + "/files/sitemaps.zip", nil, 404, "No such page"},
		{"a comparison", "GET", "audits/" + latestID + "/diff", nil, 200, "not found (404)"},
		{"with the one named", "GET", "audits/" + latestID + "/diff?with=" + firstID, nil, 200, "not found (404)"},
		{"of the first", "GET", "audits/" + firstID + "/diff", nil, 200, "no earlier audit of the same targets"},
		{"turned round by choice", "GET", "audits/" + firstID + "/diff?with=" + latestID, nil, 200, "Fixed"},
		{"with one of other targets", "GET", "audits/" + latestID + "/diff?with=20261108T100200Z", nil, 404, "No such page"},
		{"with a hostile one", "GET", "audits/" + latestID + "/diff?with=%3Cscript%3E", nil, 404, "No such page"},
		{"with none", "GET", "audits/20261108T100200Z/diff", nil, 200, "no earlier audit of the same targets"},
		{"a search", "GET", "search?q=gone", nil, 200, "https://shop.example/gone"},
		{"an empty search", "GET", "search?q=+", nil, 200, "</form>"},
		{"a search too long", "GET", "search?q=" + strings.Repeat("a", maxQuery+1), nil, 200, "over 8,192 bytes"},
		{"what browsers ask for", "GET", "/favicon.ico", nil, 204, ""},

		{"no token", "GET", "/", nil, 403, "token"},
		{"no token, a page", "GET", "/audits/" + latestID + "/", nil, 403, "token"},
		{"another token", "GET", "/" + strings.Repeat("X", len(token)) + "/", nil, 403, "token"},
		{"a part of the token", "GET", "/" + token[:10] + "/", nil, 403, "token"},
		{"more than the token", "GET", "/" + token + "A/", nil, 403, "token"},
		{"the token alone", "GET", "/" + token, nil, 403, "token"},
		{"the token as a query", "GET", "/?token=" + token, nil, 403, "token"},

		{"localhost", "GET", "", []string{"Host", "localhost:9000"}, 200, ""},
		{"in capitals", "GET", "", []string{"Host", "LocalHost"}, 200, ""},
		{"an absolute name", "GET", "", []string{"Host", "localhost.:9000"}, 200, ""},
		{"a name that was given, absolute", "GET", "", []string{"Host", "desk.lan."}, 200, ""},
		{"IPv6", "GET", "", []string{"Host", "[::1]:4711"}, 200, ""},
		{"a name that was given", "GET", "", []string{"Host", "desk.lan:80"}, 200, ""},
		{"a rebound name", "GET", "", []string{"Host", "evil.example:4711"}, 421, ""},
		{"a rebound name that begins well", "GET", "", []string{"Host", "127.0.0.1.evil.example"}, 421, ""},
		{"localhost of somebody", "GET", "", []string{"Host", "localhost.evil.example"}, 421, ""},
		{"an absolute name of somebody", "GET", "", []string{"Host", "evil.example."}, 421, ""},
		{"no host", "GET", "", []string{"Host", ""}, 421, ""},

		{"POST", "POST", "", nil, 405, ""},
		{"PUT", "PUT", "audits/" + latestID + "/", nil, 405, ""},
		{"DELETE", "DELETE", "audits/" + latestID + "/", nil, 405, ""},
		{"OPTIONS", "OPTIONS", "", nil, 405, ""},
		{"POST from elsewhere", "POST", "", []string{"Origin", "https://evil.example"}, 403, ""},
		{"POST from another site", "POST", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, ""},

		{"an unknown audit", "GET", "audits/20000101T000000Z/", nil, 404, "No such page"},
		{"a hostile audit", "GET", "audits/%3Cscript%3E/", nil, 404, "No such page"},
		{"its files", "GET", "audits/latest/files", nil, 404, "No such page"},
		{"an unknown page", "GET", "nothing", nil, 404, "No such page"},
		{"an unknown file", "GET", "audits/" + latestID + "/files/audits.db", nil, 404, "No such page"},
		{"a file of another folder", "GET", "audits/" + latestID + "/files/sitemaps/%2e%2e%2f%2e%2e%2fserve.go", nil, 404, "No such page"},
		{"an absolute name", "GET", "audits/" + latestID + "/files/%2fetc%2fpasswd", nil, 404, "No such page"},
		{"a backslash", "GET", "audits/" + latestID + `/files/sitemaps/..%5c..%5cx`, nil, 404, "No such page"},
		{"the report as it is shown", "GET", "audits/" + latestID + "/files/report.html", nil, 404, "No such page"},
		{"a file as it was fetched", "GET", "audits/" + latestID + "/files/originals/shop.example/sitemap.xml", nil, 404, "No such page"},
		{"an original", "GET", "audits/" + latestID + "/files/originals/nothing", nil, 404, "No such page"},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := ask(s, c.method, c.path, c.headers...)
			if w.Code != c.status || !strings.Contains(unbroken(w), c.holds) {
				t.Errorf("%s %s: got %d, want %d with %q: %s", c.method, c.path, w.Code, c.status, c.holds, w.Body)
			}
			protected(t, w)
		})
	}
}

// protected looks at what every answer has to say, whatever it is.
func protected(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cache-Control": "no-store",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	csp := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %q", csp)
	}
	for _, c := range w.Result().Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/"+token+"/" || strings.Contains(c.Value, token) {
			t.Errorf("the cookie is %v", c)
		}
	}
}

// No page holds the token: what is copied out of one, or saved, gives nothing away.
func TestPagesKeepTheToken(t *testing.T) {
	s := newSite(t, shops())
	for _, path := range []string{"", "search?q=shop", "audits/" + latestID + "/", "audits/" + latestID + "/files", "audits/" + latestID + "/files/html", "nothing"} {
		if w := ask(s, "GET", path); strings.Contains(w.Body.String(), token) {
			t.Errorf("%s holds the token", path)
		}
	}
}

func TestLanguageIsRemembered(t *testing.T) {
	s := newSite(t, shops())
	w := ask(s, "GET", "?lang=ja")
	if !strings.Contains(w.Body.String(), `<html lang="ja">`) || len(w.Result().Cookies()) != 1 {
		t.Fatalf("lang=ja: %v", w.Header())
	}
	cookie := w.Result().Cookies()[0]
	for value, want := range map[string]string{"ja": "ja", "en": "en", `"><script>`: "en"} {
		w := ask(s, "GET", "audits/"+latestID+"/", "Cookie", cookie.Name+"="+value)
		if !strings.Contains(w.Body.String(), `<html lang="`+want+`">`) {
			t.Errorf("with the cookie %q the report is not in %s", value, want)
		}
	}
	if w := ask(s, "GET", "search?q=gone&lang=xx"); len(w.Result().Cookies()) != 0 {
		t.Error("an unknown language is remembered")
	}
}

// The downloads are what sitemend report writes, byte for byte.
func TestDownloads(t *testing.T) {
	l := shops()
	s := newSite(t, l)
	dir := t.TempDir()
	k := l.kept[2]
	result, err := k.evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context, int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(k.text())), nil
	}
	formats := report.Formats()
	done, err := report.WriteAll(t.Context(), result, report.Options{Dir: dir, Formats: formats, Open: open, HTML: func(ctx context.Context, w io.Writer, result *audit.Result) (report.Page, error) {
		return reporthtml.New(ctx, w, result, reporthtml.Options{Lang: "en"})
	}})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range append([]string{"changes.csv", "summary.json", "sitemaps/shop.example/sitemap.xml"}, formats...) {
		w := ask(s, "GET", "audits/"+latestID+"/files/"+name)
		protected(t, w)
		saved := regexp.MustCompile(`filename="?([^";]+)`).FindStringSubmatch(w.Header().Get("Content-Disposition"))
		if w.Code != 200 || saved == nil {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
			continue
		}
		file := strings.TrimPrefix(saved[1], latestID+"-")
		if strings.HasPrefix(name, "sitemaps/") {
			file = name
		}
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("%s is not the %d bytes of %s: %v", name, len(want), file, err)
		}
		if got := w.Header().Get("Content-Type"); got == "application/octet-stream" {
			t.Errorf("%s is sent without a type", name)
		}
		seen++
	}
	if want := len(done.Files) - 1; seen != want { // all but the original
		t.Errorf("%d files can be downloaded, %d are written", seen, want)
	}
	packed(t, ask(s, "GET", "audits/"+latestID+"/files/sitemaps.zip"), filepath.Join(dir, "sitemaps"))
	part := ask(s, "GET", "audits/"+latestID+"/files/csv", "Range", "bytes=3-9")
	if part.Code != http.StatusPartialContent || part.Body.Len() != 7 {
		t.Errorf("a part of a file: %d, %d bytes", part.Code, part.Body.Len())
	}
}

// packed compares a zip with a folder.
func packed(t *testing.T, w *httptest.ResponseRecorder, dir string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil || len(z.File) == 0 {
		t.Fatalf("the zip: %v, %v", err, w.Header())
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(r)
		want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s in the zip differs: %v", f.Name, err)
		}
	}
}

// While an audit is at work the list is as it was, what was opened before is shown, and the other
// pages say so.
func TestBusyStore(t *testing.T) {
	l := shops()
	s := newSite(t, l)
	l.fails(fmt.Errorf("%w: process 812 (sitemend)", ErrBusy))
	w := ask(s, "GET", "")
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "process 812 (sitemend)") || strings.Contains(w.Body.String(), latestID) {
		t.Errorf("before anything was read: %d %v", w.Code, w.Header())
	}
	l.fails(nil)
	ask(s, "GET", "")
	ask(s, "GET", "audits/"+latestID+"/")
	l.fails(ErrBusy)
	for path, want := range map[string]int{"": 200, "search?q=gone": 503, "audits/" + latestID + "/": 200, "audits/" + firstID + "/": 503, "audits/" + latestID + "/files": 200, "audits/" + latestID + "/files/csv": 503} {
		w := ask(s, "GET", path)
		if w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
		protected(t, w)
	}
	l.fails(errors.New("disk on fire </script>"))
	if w := ask(s, "GET", "search?q=gone"); w.Code != 500 || !strings.Contains(w.Body.String(), "disk on fire &lt;/script&gt;") {
		t.Errorf("another error: %d %s", w.Code, w.Body)
	}
	l.fails(nil)
	if w := ask(s, "GET", "audits/"+firstID+"/"); w.Code != 200 {
		t.Errorf("after the audit: %d", w.Code)
	}
}

// A report is told once, until the audit or what it is compared with changes.
func TestReportIsEvaluatedOnce(t *testing.T) {
	l := shops()
	s := newSite(t, l)
	visit := func(want int) {
		t.Helper()
		for range 3 {
			if w := ask(s, "GET", "audits/"+stoppedID+"/"); w.Code != 200 {
				t.Fatal(w.Code)
			}
		}
		if l.evaluations != want {
			t.Errorf("told %d times, want %d", l.evaluations, want)
		}
	}
	visit(1)
	l.mu.Lock()
	l.kept[3].Active = l.kept[3].Active.Add(time.Hour) // it was continued
	l.mu.Unlock()
	visit(2)
	l.mu.Lock()
	l.kept = l.kept[1:] // an earlier one of the same shop was removed
	l.mu.Unlock()
	visit(3)
}

// What takes long is said, and opens when it is ready, though whoever asked went
// away.
func TestSlowReport(t *testing.T) {
	l := shops()
	l.hold = make(chan struct{})
	s := newSite(t, l)
	s.cache.patience = time.Nanosecond
	for range 3 {
		w := ask(s, "GET", "audits/"+latestID+"/")
		if w.Code != 202 || !strings.Contains(w.Body.String(), `http-equiv="refresh"`) {
			t.Fatalf("got %d: %s", w.Code, w.Body)
		}
	}
	close(l.hold)
	s.cache.patience = time.Minute
	if w := ask(s, "GET", "audits/"+latestID+"/"); w.Code != 200 || l.evaluations != 1 {
		t.Errorf("got %d after %d tellings", w.Code, l.evaluations)
	}
}

// What a site calls its addresses cannot run where two audits are compared.
func TestDiffShowsText(t *testing.T) {
	before, after := map[string]string{}, map[string]string{}
	for _, x := range hostile {
		before[x], after[x] = "200", "404"
	}
	s := newSite(t, &library{kept: []*kept{newKept(1, shop, hostile, before), newKept(2, shop, append([]string{"<img src=x onerror=alert(9)>"}, hostile...), after)}})
	body := unbroken(ask(s, "GET", "audits/"+at(2).Format("20060102T150405Z")+"/diff"))
	if !strings.Contains(body, "&lt;img src=x onerror=alert(9)&gt;") || !strings.Contains(body, "onerror=alert(1)") {
		t.Errorf("a hostile address is not shown: %s", body)
	}
	if strings.Contains(body, "<img") || strings.Count(body, "<script") != 1 {
		t.Errorf("a hostile address is more than text: %s", body)
	}
}
