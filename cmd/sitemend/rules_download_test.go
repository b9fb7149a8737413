package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sitemend/cmd/internal/job"
)

// What serve has to download is what sitemend rules writes: the same bytes in each format of one
// file.
func TestDownloadedRulesAreThoseWritten(t *testing.T) {
	auditChains(t)
	l := job.Library{File: job.StoreIn("sitemend-out")}
	all, err := l.List()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d audits: %v", len(all), err)
	}
	if !slices.Contains(l.RuleFormats(), "nginx") || slices.Contains(l.RuleFormats(), "html") || slices.Contains(l.RuleFormats(), "csv") {
		t.Errorf("the formats are %q", l.RuleFormats())
	}
	seen := 0
	for _, format := range []string{"nginx", "apache", "caddy", "netlify", "vercel", "iis"} {
		dir := t.TempDir()
		names, err := l.Rules(t.Context(), all[0].Info.ID, format, dir)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		written := filepath.Join(t.TempDir(), "rules")
		mustRun(t, exitOK, "rules", "--for", format, "--out", written)
		want, err := os.ReadFile(written)
		if err != nil || !slices.Equal(names, []string{"shop.example." + format + ".txt"}) {
			t.Errorf("%s: the files are %q: %v", format, names, err)
			continue
		}
		if got, err := os.ReadFile(filepath.Join(dir, names[0])); err != nil || string(got) != string(want) {
			t.Errorf("%s: to download is\n%s, want\n%s (%v)", format, got, want, err)
		}
		seen++
	}
	ruled, err := l.Ruled(t.Context(), all[0].Info.ID)
	if err != nil {
		t.Error(err)
	}
	for _, format := range l.RuleFormats() {
		names, err := l.Rules(t.Context(), all[0].Info.ID, format, t.TempDir())
		if err != nil || slices.Contains(ruled, format) != (len(names) > 0) {
			t.Errorf("%s: the files are %q, and the formats with a rule %q: %v", format, names, ruled, err)
		}
	}
	if seen == 0 {
		t.Error("nothing was compared")
	}
	if _, err := l.Rules(t.Context(), all[0].Info.ID, "html", t.TempDir()); err == nil {
		t.Error("rules are written as html, a page for each")
	}
}
