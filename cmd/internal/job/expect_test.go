package job_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
)

// An oldWay is a way in which an old address is answered: why its expectation is not met, what
// it must lead to, and the server's answers. In the texts # is the number of the address.
type oldWay struct {
	name, why, to string
	answers       []string // "TARGET STATUS [LOCATION] [NAME=VALUE]"
}

// oldWays are all that the contract tells apart, and some ways to each.
var oldWays = []oldWay{
	{"met", "", "/new/#", []string{"/met/# 301 /new/#", "/new/# 200"}},
	{"met-308", "", "/new/#", []string{"/met-308/# 308 /new/#"}},
	{"met-query", "", "/new/#?a=(1)", []string{"/met-query/# 301 /new/#?a=(1)", "/new/#?a=(1) 200"}},
	{"met-canonical", "", "/self/#", []string{"/met-canonical/# 301 /self/#", "/self/# 200 canonical=/self/#"}},
	{"gone", "", "", []string{"/gone/# 410"}},
	{"gone-404", "", "", nil},
	{"refused", "unverified", "/new/#", []string{"/refused/# 403"}},
	{"target-refused", "unverified", "/closed/#", []string{"/target-refused/# 301 /closed/#", "/closed/# 403"}},
	{"private-forbidden", "unverified", "/new/#", nil},
	{"missing", "not-found", "/new/#", nil},
	{"moved-missing", "not-found", "/new/#", []string{"/moved-missing/# 301 /lost/#"}},
	{"itself", "not-redirected", "/new/#", []string{"/itself/# 200"}},
	{"itself-broken", "not-redirected", "/new/#", []string{"/itself-broken/# 418"}},
	{"not-gone", "not-redirected", "", []string{"/not-gone/# 200"}},
	{"gone-elsewhere", "wrong-target", "", []string{"/gone-elsewhere/# 301 /new/#"}},
	{"elsewhere", "wrong-target", "/new/#", []string{"/elsewhere/# 301 /other/#", "/other/# 200"}},
	{"with-query", "wrong-target", "/new/#", []string{"/with-query/# 301 /new/#?from=old", "/new/#?from=old 200"}},
	{"loop", "wrong-target", "/new/#", []string{"/loop/# 301 /loop/#"}},
	{"target-broken", "target-not-200", "/broken/#", []string{"/target-broken/# 301 /broken/#", "/broken/# 418"}},
	{"target-lost", "target-not-200", "/lost/#", []string{"/target-lost/# 301 /lost/#"}},
	{"target-leads-on", "target-not-200", "/on/#", []string{"/target-leads-on/# 301 /on/#", "/on/# 301 /new/#"}},
	{"noindex", "target-noindex", "/hidden/#", []string{"/noindex/# 301 /hidden/#", "/hidden/# 200 robots=noindex"}},
	{"canonical", "target-noncanonical", "/double/#", []string{"/canonical/# 302 /double/#", "/double/# 200 canonical=/new/#"}},
	{"forbidden", "target-disallowed", "/private/#", []string{"/forbidden/# 302 /private/#"}},
	{"temporary", "temporary", "/new/#", []string{"/temporary/# 302 /new/#"}},
	{"temporary-chain", "temporary", "/new/#", []string{"/temporary-chain/# 301 /temporary/#"}},
	{"two", "hops-2", "/new/#", []string{"/two/# 301 /met/#"}},
	{"three", "hops-3", "/new/#", []string{"/three/# 301 /two/#"}},
	{"spelt", "spelling", "/p%28#%29", []string{"/spelt/# 301 /p(#)", "/p(#) 200", "/p%28#%29 200"}},
	{"spelt-case", "spelling", "/caf%C3%A9/#", []string{"/spelt-case/# 301 /caf%c3%a9/#", "/caf%c3%a9/# 200", "/caf%C3%A9/# 200"}},
	{"spelt-slash", "wrong-target", "/new/#", []string{"/spelt-slash/# 301 /new/#/", "/new/#/ 200"}},
}

// site answers n addresses of each way.
func site(t *testing.T, n int) *httptest.Server {
	answers := map[string][]string{"/robots.txt": {"200", "text=User-agent: *\nDisallow: /private\n"}}
	for _, w := range oldWays {
		for i := range n {
			for _, text := range w.answers {
				f := strings.Fields(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
				answers[f[0]] = f[1:]
			}
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := answers[r.RequestURI]
		if answer == nil {
			w.WriteHeader(404)
			return
		}
		for _, word := range answer[1:] {
			name, value, named := strings.Cut(word, "=")
			switch {
			case strings.HasPrefix(word, "/") || !named:
				w.Header().Set("Location", word)
			case name == "canonical":
				w.Header().Set("Link", "<"+value+">; rel=canonical")
			case name == "robots":
				w.Header().Set("X-Robots-Tag", value)
			case name == "text":
				defer fmt.Fprint(w, value)
			}
		}
		status, _ := strconv.Atoi(answer[0])
		w.WriteHeader(status)
		if status == 200 && r.URL.Path != "/robots.txt" {
			fmt.Fprint(w, "<title>", r.URL.Path, "</title><p>", r.URL.Path)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// specOf is an audit of a map, as quick as loopback is.
func specOf(dir, file string, targets ...string) job.Spec {
	return job.Spec{
		Asking:  job.Asking{As: "googlebot", MaxHops: 10, Timeout: 30 * time.Second, Robots: "obey", AllowPrivate: true},
		Targets: targets, Expect: file, Out: filepath.Join(dir, "out"), Formats: []string{"jsonl"}, Lang: "en",
		Spelling: "googlebot", RateGiven: true, Parallel: 16, MaxDrop: "100%",
		FailOn: []string{"unmet"}, Backoff: []time.Duration{},
	}
}

// A map of 5,000 addresses is judged right, line by line, against a server that misbehaves in
// every way that is told apart.
func TestAMapIsJudgedLineByLine(t *testing.T) {
	const all = 5_000
	n := (all + len(oldWays) - 1) / len(oldWays)
	s := site(t, n)
	var text strings.Builder
	var want []oldWay
	for i := range n { // by turns, so that no host is left for twenty refusals in a row
		for _, w := range oldWays {
			dir := w.name
			if dir == "private-forbidden" {
				dir = "private/old"
			}
			fmt.Fprintf(&text, "/%s/%d,%s\n", dir, i, strings.ReplaceAll(w.to, "#", strconv.Itoa(i)))
			want = append(want, w)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "map.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := job.Run(t.Context(), specOf(dir, file, s.URL), job.Env{Log: slog.New(slog.DiscardHandler), Tool: "test", NoProxy: true})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	line, met, wrong := 0, 0, 0
	for r, err := range out.Result.Expected.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		w := want[line]
		if line++; r.Line != line || r.Word() != w.why {
			if wrong++; wrong < 20 {
				t.Errorf("line %d, %s: %s is %q on line %d, want %q", line, w.name, r.Address, r.Word(), r.Line, w.why)
			}
		}
		if r.Met() {
			met++
		}
	}
	x := out.Result.Expected
	if line != len(want) || x.Addresses != line || x.Met != met || x.Forgotten != 0 || !out.Failed {
		t.Errorf("%d rows of %d lines, %d met: %+v", line, len(want), met, *x)
	}
	for _, w := range oldWays {
		why := w.why
		if strings.HasPrefix(why, "hops-") {
			why = "hops"
		}
		if w.why != "" && x.Why[audit.Unmet(why)] == 0 {
			t.Errorf("none is %s", why)
		}
	}
}
