package job

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path/filepath"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
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
