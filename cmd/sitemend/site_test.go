package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The session of docs/builds.md is what the program prints, but for its duration. With
// -update it is written anew.
func TestBuildsDoc(t *testing.T) {
	doc := ofProject(t, "docs/builds.md")
	t.Setenv("LANG", "C.UTF-8")
	inBuild(t)
	out, _ := mustRun(t, exitFound, "audit", "--site", "build", "https://docs.shop.example")
	_, want, _ := strings.Cut(doc, "$ sitemend audit --site build https://docs.shop.example\n")
	want, _, found := strings.Cut(want, "```")
	if *updatePages {
		if err := os.WriteFile(filepath.Join(projectDir, "docs", "builds.md"), []byte(strings.Replace(doc, want, out, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	plain := func(s string) string { return changing.ReplaceAllString(s, "checked in some time") }
	if !found || plain(out) != plain(want) {
		t.Errorf("sitemend audit --site prints\n%s\ndocs/builds.md has\n%s", out, want)
	}
}

// inBuild changes to a folder in which build is a small build with faults.
func inBuild(t *testing.T) {
	t.Helper()
	build, err := filepath.Abs("testdata/build")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("build", os.DirFS(build)); err != nil {
		t.Fatal(err)
	}
}

// What a pull request shows of a build: findings at the line of the sitemap with the line of
// the rule, faults of rules at their own.
func TestSiteInCodeScanning(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	inBuild(t)
	mustRun(t, exitFound, "audit", "--site", "build", "--format", "sarif", "https://docs.shop.example")
	text, err := os.ReadFile("sitemend-out/docs.shop.example/sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine int }
		}
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID                      string
				Locations, RelatedLocations []place
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	at := func(p []place) (lines []string) {
		for _, x := range p {
			lines = append(lines, x.PhysicalLocation.ArtifactLocation.URI+":"+string(rune('0'+x.PhysicalLocation.Region.StartLine/10))+string(rune('0'+x.PhysicalLocation.Region.StartLine%10)))
		}
		return lines
	}
	var got []string
	for _, r := range log.Runs[0].Results {
		got = append(got, strings.Join(slices.Concat([]string{r.RuleID}, at(r.Locations), at(r.RelatedLocations)), " "))
	}
	const build = "build/"
	for _, want := range []string{
		"moved " + build + "sitemap.xml:05 " + build + "_redirects:02",
		"not-found " + build + "sitemap.xml:13 " + build + "_redirects:07",
		"loop " + build + "sitemap.xml:14 " + build + "_redirects:08 " + build + "_redirects:09",
		"rule-missing " + build + "_redirects:07", "rule-loop " + build + "_redirects:09", "rule-unread " + build + "_redirects:11",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %q among\n%s", want, strings.Join(got, "\n"))
		}
	}
}
