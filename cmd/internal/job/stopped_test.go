package job

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
	"sitemend/report/messages"
	"sitemend/storage"
	"strings"
	"testing"
)

// Whoever presses Ctrl-C while a corrected sitemap is written is heeded, also where
// the file unpacks to far more than it has.
func TestEvaluatingIsStopped(t *testing.T) {
	dir := t.TempDir()
	s, err := storage.Open(filepath.Join(dir, "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Rules: audit.Rules{MaxHops: 10}}, "stopped")
	must(t, err)
	w, err := a.SpoolWriter("00001")
	must(t, err)
	z := gzip.NewWriter(w)
	_, err = io.WriteString(z, "<urlset>"+strings.Repeat("<!-- -->", 4<<20)+"<url><loc>http://a.example/</loc></url></urlset>")
	must(t, errors.Join(err, z.Close()))
	must(t, w.Close())
	ctx, stop := context.WithCancel(t.Context())
	r, err := a.OpenSpool(ctx, "00001")
	must(t, err)
	entries := 0
	n, err := io.CopyN(io.Discard, r, 2) // what is open is read no further
	stop()
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	_, err = sitemap.Read(r, sitemap.Options{}, func(sitemap.Entry) error { entries++; return nil })
	if !errors.Is(err, context.Canceled) || entries > 0 {
		t.Errorf("%d entries, %v", entries, err)
	}
	must(t, r.Close())
	must(t, a.Close())
	must(t, s.Close())
}

// Why an audit was stopped is said in the language of the sentence; in English in the words of the
// error.
func TestStoppedSaysWhyInOneLanguage(t *testing.T) {
	for _, why := range []string{fetch.NoFiles, fetch.NoPorts, fetch.NoRoute, fetch.NoServer} {
		so, outage := soFar{done: 2, entries: 4}, &crawler.OutageError{Why: why}
		if got := so.says(messages.Of("en"), outage); !strings.HasPrefix(got, "stopped: "+outage.Error()+"; 2 of 4 ") {
			t.Errorf("%s: %q", why, got)
		}
		if got := so.says(messages.Of("ja"), outage); regexp.MustCompile(`[A-Za-z]`).MatchString(strings.ReplaceAll(got, "URL", "")) {
			t.Errorf("%s: %q", why, got)
		}
	}
}

// The command that shows what is known names the audit, its store, and a folder of its own.
func TestStoppedShowsThisAudit(t *testing.T) {
	f := Spec{}
	f.Out, f.Formats = "my out", []string{"md"}
	if got, want := f.shows("20261123T101502Z"), "sitemend report 20261123T101502Z --out 'my out/stopped' --store 'my out/audits.db' --format md"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
