package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// A store in which fifty audits were made and two are kept is no larger than after the first few:
// the space of a removed audit is reused. The spooled sitemaps are removed, too.
func TestPrunedStoreStaysSmall(t *testing.T) {
	const audits, keep, entries = 50, 2, 2000
	path := filepath.Join(t.TempDir(), "audits.db")
	s, err := Open(path)
	mustDo(t, err)
	defer s.Close()
	var ids []string
	early := int64(0)
	for i := range audits {
		a, err := s.Begin(audit.Info{Started: start.Add(time.Duration(i) * time.Hour)}, "shape")
		mustDo(t, err)
		w, err := a.SpoolWriter("sitemap")
		mustDo(t, err)
		fmt.Fprint(w, "<urlset/>")
		mustDo(t, w.Close())
		err = a.AddSitemap(t.Context(), &audit.Sitemap{Spool: "sitemap"}, listed(entries))
		mustDo(t, err)
		for k := range entries * 7 / 5 {
			mustDo(t, a.Keep(usualHop(k+i))) // audits differ in size
			if k%500 == 0 {
				mustDo(t, a.Flush())
			}
		}
		mustDo(t, a.Finish(audit.Info{}))
		mustDo(t, a.Close())
		if ids = append(ids, a.ID()); len(ids) > keep {
			mustDo(t, s.Remove(ids[0]))
			ids = ids[1:]
		}
		if i == keep+3 {
			early = usedBytes(t, s)
		}
	}
	now := usedBytes(t, s)
	t.Logf("%d bytes after %d audits, %d after %d", early, keep+4, now, audits)
	if float64(now) > 1.1*float64(early) {
		t.Errorf("%d audits took %d bytes, after %d they take %d", keep+4, early, audits, now)
	}
	spools, err := os.ReadDir(s.spoolDir(""))
	mustDo(t, err)
	if len(spools) != keep {
		t.Errorf("%d folders of sitemaps are left, want %d", len(spools), keep)
	}
}
