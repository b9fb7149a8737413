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
	write := func(dir string, result *audit.Result, formats ...string) error {
		_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: formats, Open: opener(result, in), HTML: page,
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

// The outputs of an audit that found no entry take the place of nothing but such outputs.
func TestAnAuditWithoutAnEntrySparesWhatIsThere(t *testing.T) {
	in := map[string]string{"a.example/s.xml": two}
	unread := func(status string) *audit.Result {
		fault := audit.SitemapFault{Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"it answers " + status}}
		result := audit.Result{Files: []audit.File{{Sitemap: audit.Sitemap{URL: "http://a.example/s.xml", Faults: []audit.SitemapFault{fault}}}}}
		result.Info = shop().Info
		return audit.MakeResult(result, nil, nil)
	}
	var remembered []string
	write := func(dir string, result *audit.Result) Written {
		t.Helper()
		out, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: []string{"html", "md"}, Open: opener(result, in), HTML: page,
			Record: &Record{Written: remembered, Keep: func(names []string) error { remembered = names; return nil }}})
		mustWrite(t, err)
		return out
	}
	stopped := auditOf(in, "")
	stopped.Info.Ended, stopped.Info.Partial = time.Time{}, true
	for name, prepare := range map[string]func(dir string){
		"a finished audit":     func(dir string) { write(dir, auditOf(in, "http://a.example/2 drop")) },
		"a stopped audit":      func(dir string) { write(dir, stopped) },
		"a corrected sitemap":  func(dir string) { put(t, dir, "sitemaps/a.example/s.xml", two) },
		"a report":             func(dir string) { put(t, dir, "report.html", "all is well") },
		"somebody's summary":   func(dir string) { put(t, dir, "summary.json", "[]") },
		"without entries said": func(dir string) { put(t, dir, "summary.json", `{"id":"x","end":"2026-11-21T10:00:00Z"}`) },
		"an export alone": func(dir string) {
			put(t, dir, "summary.json", `{"id":"x","end":"2026-11-21T10:00:00Z","entries":0,"search_console":{}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			remembered = nil
			dir := t.TempDir()
			prepare(dir)
			before, then := tree(t, dir), slices.Clone(remembered)
			if out := write(dir, unread("404")); !out.Spared || len(out.Files) > 0 {
				t.Errorf("it was written: %+v", out)
			}
			if after := tree(t, dir); !maps.Equal(before, after) || !slices.Equal(then, remembered) {
				t.Errorf("there is %q, before %q; remembered is %q, before %q", after, before, remembered, then)
			}
		})
	}
	dir := t.TempDir()
	remembered = nil
	for _, status := range []string{"404", "500"} { // over its own, too
		if out := write(dir, unread(status)); out.Spared || !strings.Contains(tree(t, dir)["summary.json"], "it answers "+status) {
			t.Errorf("%s was not written: %+v", status, out)
		}
	}
	early := unread("nothing yet")
	early.Info.Ended, early.Info.Partial = time.Time{}, true
	dir, remembered = t.TempDir(), nil
	for range 2 { // stopped before a sitemap was read, over its own
		if out := write(dir, early); out.Spared {
			t.Error("the outputs of an audit that was stopped early were not written again")
		}
	}
	write(dir, stopped) // nor has it anything that others would have to spare
	write(dir, auditOf(in, "http://a.example/2 drop"))
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
	write := func(result *audit.Result, formats ...string) Beside {
		out, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: formats, Open: opener(result, in), HTML: page,
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
	want := "report.html, entries.csv is still of audit 20261121T000000Z: --format html,csv writes it again."
	if said := summaryOf(t, old, Summary{Written: Written{Dir: dir, Beside: b}}); !strings.Contains(said, want) {
		t.Errorf("the summary says\n%s", said)
	}
}
