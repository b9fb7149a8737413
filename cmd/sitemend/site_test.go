package main

import (
	"os"
	"path/filepath"
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
