package report

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// The outputs of a stopped audit do not take the place of those of one that ended, nor of
// anything of which that cannot be told.
func TestAStoppedAuditSparesWhatIsFinished(t *testing.T) {
	in := map[string]string{"a.example/s.xml": two}
	finished := auditOf(in, "http://a.example/2 drop")
	stopped := auditOf(in, "")
	stopped.Info.Ended, stopped.Info.Partial = time.Time{}, true
	write := func(dir string, told *audit.Result, formats ...string) error {
		_, err := WriteAll(t.Context(), told, Options{Dir: dir, Formats: formats, Open: opener(told, in), HTML: page,
			Record: &Record{Keep: func([]string) error { return nil }}})
		return err
	}
	for name, prepare := range map[string]func(dir string){
		"all":                  func(dir string) { mustWrite(t, write(dir, finished, "html", "csv")) },
		"no formats":           func(dir string) { mustWrite(t, write(dir, finished)) },
		"a corrected sitemap":  func(dir string) { put(t, dir, "sitemaps/a.example/s.xml", two) },
		"an original":          func(dir string) { put(t, dir, "originals/a.example/s.xml", two) },
		"a report":             func(dir string) { put(t, dir, "report.html", "all is well") },
		"somebody's summary":   func(dir string) { put(t, dir, "summary.json", "[]") },
		"half a summary":       func(dir string) { put(t, dir, "summary.json", `{"id":"20261121T101502Z","start":"2026`) },
		"a summary without id": func(dir string) { put(t, dir, "summary.json", `{}`) },
		"finished in place of a stopped one": func(dir string) {
			mustWrite(t, write(dir, stopped, "html"))
			mustWrite(t, write(dir, finished, "html"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			prepare(dir)
			before := tree(t, dir)
			if err := write(dir, stopped, Formats()...); !errors.Is(err, ErrFinished) {
				t.Errorf("it ends with %v", err)
			}
			if after := tree(t, dir); !maps.Equal(before, after) {
				t.Errorf("there is %q, before %q", after, before)
			}
		})
	}
	dir := t.TempDir()
	put(t, dir, "audits.db", "the store")
	mustWrite(t, write(dir, stopped, "csv"))
	mustWrite(t, write(dir, stopped, "html")) // again, over its own
	mustWrite(t, write(dir, finished, "html"))
}

func mustWrite(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Outputs of another audit that stay in the folder are named; those of the same audit, and
// those that were replaced, are not.
func TestWhatStaysOfAnotherAuditIsNamed(t *testing.T) {
	in := map[string]string{"a.example/s.xml": two}
	old, new := auditOf(in, ""), auditOf(in, "http://a.example/2 drop")
	old.Info.ID, new.Info.ID = "20261120T000000Z", "20261121T000000Z"
	dir := t.TempDir()
	write := func(told *audit.Result, formats ...string) Beside {
		out, err := WriteAll(t.Context(), told, Options{Dir: dir, Formats: formats, Open: opener(told, in), HTML: page,
			Record: &Record{Keep: func([]string) error { return nil }}})
		mustWrite(t, err)
		return out.Beside
	}
	if b := write(new, "html", "csv", "md"); len(b.Files) > 0 {
		t.Errorf("in an empty folder there is %+v", b)
	}
	if b := write(new, "md"); len(b.Files) > 0 {
		t.Errorf("beside the same audit there is %+v", b)
	}
	b := write(old, "md")
	if !slices.Equal(b.Files, []string{"report.html", "entries.csv"}) || !slices.Equal(b.Formats, []string{"html", "csv"}) || b.Audit != new.Info.ID {
		t.Errorf("got %+v", b)
	}
	want := "report.html, " + dir + "/entries.csv: not written now, and the last outputs here were of another audit (20261121T000000Z); --format html,csv writes them"
	if said := summaryOf(t, old, Summary{Written: Written{Dir: dir, Beside: b}}); !strings.Contains(said, want) {
		t.Errorf("the summary says\n%s", said)
	}
}
