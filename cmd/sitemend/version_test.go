package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// The version is what the release was stamped with, else what Go knows of tag and commit.
func TestVersionOf(t *testing.T) {
	for tag, want := range map[string]string{
		"":                                   release, // a test, a tree without git
		"(devel)":                            release,
		"v0.1.0":                             "0.1.0",
		"v9.1.0-rc.1":                        "9.1.0-rc.1",
		"v9.1.0+dirty":                       "9.1.0+modified",
		"v0.0.0-20261122211251-416f4c0b5d35": release + "+416f4c0b5d35",
		"v0.1.1-0.20261122211251-416f4c0b5d35+dirty": release + "+416f4c0b5d35.modified",
	} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: tag}}); got != want {
			t.Errorf("%s is version %s, want %s", tag, got, want)
		}
	}
	defer func(was string) { stamp = was }(stamp)
	if stamp = "9.9.9"; version() != stamp {
		t.Errorf("a program that is stamped %s says %s", stamp, version())
	}
	if want := "-X main.stamp={{ .Version }}"; !strings.Contains(ofProject(t, ".goreleaser.yaml"), want) {
		t.Errorf(".goreleaser.yaml does not stamp: %s", want)
	}
}

// The newest heading of the changelog is the version, with its day.
func TestChangelogHasTheVersion(t *testing.T) {
	newest := regexp.MustCompile(`(?m)^## (.*)$`).FindStringSubmatch(ofProject(t, "CHANGELOG.md"))
	if newest == nil || !regexp.MustCompile(`^`+regexp.QuoteMeta(release)+` - \d{4}-\d\d-\d\d$`).MatchString(newest[1]) {
		t.Errorf("CHANGELOG.md begins with %q, the version is %s", newest, release)
	}
}

func ofProject(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
