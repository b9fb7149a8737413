package submit

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
	"sitemend/storage"
)

// URLs that changed are sent in batches up to the quota, none twice; who refuses is asked nothing more,
// and what was refused is sent the next time.
func TestBatches(t *testing.T) {
	store, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	var said string
	h := &handing{store: store, id: "audit", env: job.Env{}, Submission: Submission{Say: func(_, _, how string) { said = how }}}
	urls := make([]string, 1201)
	for i := range urls {
		urls[i] = fmt.Sprint("https://shop.example/", i)
	}
	for _, run := range []struct {
		quota, fails int // the batch that is refused
		batches, say string
	}{
		{1200, 1, "[]", "not submitted: busy"},
		{700, 0, "[0+500 500+200]", "sent 700 changed URLs; 501 more than the quota that is left"},
		{9000, 2, "[700+500]", "not submitted: busy"},
		{9000, 0, "[1200+1]", "sent 1 changed URL; 1,200 sent before: not sent again"},
		{9000, 0, "[]", "sent 0 changed URLs; 1,201 sent before: not sent again"},
	} {
		batches := []string{}
		err := h.sendURLs(t.Context(), "bing", "https://shop.example/", urls, 500, run.quota, nil, func(batch []string) (string, error) {
			if len(batches)+1 == run.fails {
				return "", errors.New("busy")
			}
			batches = append(batches, fmt.Sprint(strings.TrimPrefix(batch[0], "https://shop.example/"), "+", len(batch)))
			return "taken", nil
		})
		if errors.Is(err, errRefused) != (run.fails > 0) || fmt.Sprint(batches) != run.batches || said != run.say {
			t.Errorf("%v: sent %v, said %q; want %s, %q", err, batches, said, run.batches, run.say)
		}
	}
}

// A live file is compared with its linked URLs, in any order.
func TestLiveAsWritten(t *testing.T) {
	const page = `<url><loc>https://a.example/a</loc><xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/></url>`
	const two, three = "<url><loc>https://a.example/b%28</loc></url>", "<url><loc>https://a.example/c</loc></url>"
	read := func(entries ...string) []string {
		urls, _, err := lists(t.Context(), "https://a.example/a.xml", strings.NewReader(`<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml">`+strings.Join(entries, "")+"</urlset>"), io.Discard)
		must(t, err)
		return urls
	}
	written := read(page, two)
	for want, live := range map[string][]string{
		"[]":                                     read(two, page),
		"[lacks 1 URL (https://a.example/de)]":   read(strings.Replace(page, "/de", "/c", 1), two, three),
		"[lacks 1 URL (https://a.example/b%28)]": read(page, three),
	} {
		if got := fmt.Sprint(more("lacks", "URL", "URLs", written, live)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
