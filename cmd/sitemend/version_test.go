package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/fetch"
)

// version tells the Chrome that is sent and its day, and says so once that is old.
func TestVersionNamesWhatIsDated(t *testing.T) {
	said := func(now time.Time) string {
		var b strings.Builder
		if err := writeVersion(&b, now); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const old = "older than six months"
	fresh := said(fetch.Chrome.Day.AddDate(0, 6, 0))
	if want := "\nChrome " + fetch.Chrome.Value + " in the user agent, the stable version on " + fetch.Chrome.Day.Format(time.DateOnly) + "\n"; !strings.HasSuffix(fresh, want) {
		t.Errorf("%q does not end %q", fresh, want)
	}
	if strings.Contains(fresh, old) {
		t.Errorf("old after six months: %s", fresh)
	}
	if late := said(fetch.Chrome.Day.AddDate(0, 6, 1)); !strings.Contains(late, old) || !strings.Contains(late, fetch.Chrome.Where) {
		t.Errorf("not old after six months and a day: %s", late)
	}
}

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

// actions are the major versions of the actions in docs/ci.md, as of the month that
// it names.
var actions = map[string]string{
	"actions/checkout": "v7", "actions/cache/restore": "v6", "actions/cache/save": "v6",
	"actions/upload-artifact": "v7", "OWNER/sitemend": "v0",
}

func ofProject(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// docs/ci.md names each action in one version, and says of when that is.
func TestActionsAreDated(t *testing.T) {
	doc := ofProject(t, "docs/ci.md")
	found := regexp.MustCompile(`uses: ([\w./-]+)@(\w+)`).FindAllStringSubmatch(doc, -1)
	for _, m := range found {
		if actions[m[1]] != m[2] {
			t.Errorf("%s@%s, want %q", m[1], m[2], actions[m[1]])
		}
	}
	if len(found) < len(actions) || !regexp.MustCompile(`versions of the actions are those of \w+ 20\d\d`).MatchString(doc) {
		t.Errorf("docs/ci.md has %d actions, or no month for them", len(found))
	}
}

// The steps of a release name each place of what is dated, and where to look it up.
func TestReleaseStepsNameWhatIsDated(t *testing.T) {
	_, steps, found := strings.Cut(ofProject(t, "CONTRIBUTING.md"), "\n## A release\n")
	steps, _, _ = strings.Cut(steps, "\n## ")
	for _, want := range []string{"crawler/fetch/dated.go", fetch.Chrome.Where, "crawler/fetch/identity.go", "docs/ci.md", "cmd/sitemend/version_test.go"} {
		if !found || !strings.Contains(steps, want) {
			t.Errorf("CONTRIBUTING.md does not name %s", want)
		}
	}
	for _, name := range regexp.MustCompile("`((?:crawler|docs|cmd)/[\\w./]+)`").FindAllStringSubmatch(steps, -1) {
		ofProject(t, name[1])
	}
}
