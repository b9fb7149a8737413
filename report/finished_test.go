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

// The outputs of a stopped audit do not take the place of those of one that ended.
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
		"all":        func(dir string) { mustWrite(t, write(dir, finished, "html", "csv")) },
		"no formats": func(dir string) { mustWrite(t, write(dir, finished)) },
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
		"a finished audit": func(dir string) { write(dir, auditOf(in, "http://a.example/2 drop")) },
		"a stopped audit":  func(dir string) { write(dir, stopped) },
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
}

func mustWrite(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
