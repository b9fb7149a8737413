package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The version is what the release was stamped with, else that of the source.
func TestVersion(t *testing.T) {
	if version() != release {
		t.Errorf("the version is %s", version())
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
