package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
		_, err = a.AddSitemap(t.Context(), audit.Sitemap{Spool: "sitemap"}, listed(entries))
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
	spools, err := os.ReadDir(s.spoolRoot())
	mustDo(t, err)
	if len(spools) != keep {
		t.Errorf("%d folders of sitemaps are left, want %d", len(spools), keep)
	}
}

// Audits are ordered by their IDs, also where they begin in one second and one of them was removed
// in between.
func TestNewestHasLastID(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "audits.db"))
	mustDo(t, err)
	defer s.Close()
	var ids []string
	for range 3 {
		a, err := s.Begin(audit.Info{Started: start}, "shape")
		mustDo(t, err)
		mustDo(t, a.Close())
		if ids = append(ids, a.ID()); len(ids) == 2 {
			mustDo(t, s.Remove(ids[0]))
		}
	}
	if ids[2] <= ids[1] {
		t.Errorf("after %s was removed, the audit after %s is %s", ids[0], ids[1], ids[2])
	}
	// A clock that was once set years ahead does not affect the names of later audits.
	ahead, err := s.Begin(audit.Info{Started: start.AddDate(9, 0, 0)}, "shape")
	mustDo(t, err)
	mustDo(t, ahead.Close())
	later, err := s.Begin(audit.Info{Started: start.Add(time.Hour)}, "shape")
	mustDo(t, err)
	mustDo(t, later.Close())
	if want := start.Add(time.Hour).UTC().Format(idForm); later.ID() != want {
		t.Errorf("an audit of %s is %s", want, later.ID())
	}
}

// Each audit is named after the second in which it started, however many did: no name is ahead of
// the clock, that of another audit, or that of a folder left behind, and removing the newest one
// removes only its own files.
func TestManyAuditsStartInOneSecond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, err := Open(path)
	mustDo(t, err)
	defer s.Close()
	begin := func(at time.Time) string {
		a, err := s.Begin(audit.Info{Started: at}, "shape")
		mustDo(t, err)
		w, err := a.SpoolWriter("0001.xml")
		mustDo(t, err)
		mustDo(t, w.Close())
		mustDo(t, a.Close())
		return a.ID()
	}
	second := start.UTC().Format(idForm)
	var ids []string
	for range 11 {
		ids = append(ids, begin(start))
	}
	same(t, "the first, the second and the eleventh", []string{ids[0], ids[1], ids[10]}, []string{second, second + "-2", second + "-11"})
	mustDo(t, s.Remove(ids[1]))
	left := filepath.Join(path+".spool", second+"-12")
	mustDo(t, os.Mkdir(left, 0o700))
	same(t, "the next two", []string{begin(start), begin(start.Add(time.Second))}, []string{second + "-13", start.Add(time.Second).UTC().Format(idForm)})
	mustDo(t, s.Remove(second+"-13"))
	spools, err := os.ReadDir(path + ".spool")
	mustDo(t, err)
	var names []string
	for _, d := range spools {
		names = append(names, d.Name())
	}
	if len(names) != 11 || slices.Contains(names, second+"-13") || slices.Contains(names, second+"-2") || !slices.Contains(names, second+"-11") {
		t.Errorf("the folders are %q", names)
	}
}
