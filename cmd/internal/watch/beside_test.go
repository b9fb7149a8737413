package watch_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/cmd/internal/watch"
)

// days is a clock that stands still, a day later each time that it is put forward.
type days struct{ day atomic.Int64 }

func (d *days) Now() time.Time {
	return time.Now().Round(0).Add(time.Duration(d.day.Load()) * 24 * time.Hour)
}
func (d *days) After(by time.Duration) <-chan time.Time { return time.After(by) }

// A watch reports what changed of alternates, of faults of files and of links of pages as diff does;
// a site that answers 503 for two days has failed, and says nothing of what it held.
func TestWatchReportsWhatIsBesideTheEntries(t *testing.T) {
	const fine, gone = "fine", "gone"
	var state atomic.Value
	var root string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := state.Load().(string)
		switch {
		case now == "away":
			http.Error(w, "", http.StatusServiceUnavailable)
		case r.URL.Path == "/sitemap.xml":
			link, bad := `<xhtml:link rel="alternate" hreflang="%[2]s" href="%[1]s/de"/>`, ""
			if now == gone {
				bad = "<url><loc>no address</loc></url>\n"
			}
			fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>%[1]s/en</loc>`+link+"</url>\n"+bad+"<url><loc>%[1]s/b</loc></url></urlset>", root, "de")
		case r.URL.Path == "/en":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<title>en</title><a href="/b">b</a>`)
			if now == gone {
				fmt.Fprint(w, `<a href="/none">none</a>`)
			}
		case r.URL.Path == "/b", r.URL.Path == "/de" && now == fine:
			fmt.Fprint(w, "<title>page</title><p>text</p>")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	root = server.URL
	dir := t.TempDir()
	c, err := loader(nil).Load(write(t, dir, "store: audits\ntimezone: UTC\ndefaults: { rate: 0, timeout: 2s, links: ask, format: csv, fail-on: none }\nsites:\n"+
		"  - { name: shop, targets: [\""+root+"/sitemap.xml\"], schedule: \"@daily\" }\n"))
	must(t, err)
	clock := &days{}
	env := loader(nil).Env
	env.Log = slog.New(slog.DiscardHandler)
	for _, day := range []struct {
		state   string
		want    []string
		trouble bool
	}{
		{state: fine, want: []string{"## shop: first audit, 2 entries"}},
		{state: fine, want: []string{"Nothing got worse or better since the audit of "}},
		{state: gone, want: []string{"## shop: 1 address got worse", "    shop: 1 alternate, image or video got worse\n", "    shop: 1 new error in the sitemaps\n", "/de: fine -> not found (404)",
			"      Alternates: 1 worse (1 new problem)\n", "      Faults: Invalid URL    0 -> 1: 1 new\n", "        new: " + root + "/sitemap.xml, line 3\n",
			"Links: addresses that redirect or are gone, and that pages link to    0 (0 links) -> 1 (1 link): 1 new\n"}},
		{state: "away", want: []string{"The last audit could not be made: "}, trouble: true},
		{state: "away", want: []string{"## shop: the audit failed again", "    It could not be made twice in a row."}, trouble: true},
		{state: fine, want: []string{"## shop: the audit works again", "## shop: 1 alternate, image or video got better", "    shop: 1 error in the sitemaps was mended\n", "/de: not found (404) -> fine", "Faults: Invalid URL    1 -> 0: 1 mended\n"}},
	} {
		state.Store(day.state)
		s, err := watch.Run(t.Context(), watch.Options{Config: c, Env: env, Once: true, Clock: clock})
		must(t, err)
		news, err := os.ReadFile(filepath.Join(dir, "audits", "shop", "news.md"))
		must(t, err)
		plain := strings.NewReplacer("&#58;", ":", `\`, "", "\u200b", "").Replace(string(news))
		for _, want := range day.want {
			if !strings.Contains(plain, want) {
				t.Errorf("day %d: want %q in\n%s", clock.day.Load(), want, plain)
			}
		}
		if s.Trouble != day.trouble {
			t.Errorf("day %d: %+v\n%s", clock.day.Load(), s, plain)
		}
		clock.day.Add(1)
	}
}
