package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// slack is how many lines a room may have fewer than its number: a room that shrank by more takes
// its new size as its number.
const slack = 40

// rooms are the parts of the program with their size: lines that are neither blank nor comment,
// tests apart. now is today's limit. It is lowered when a room shrinks and is never raised; goal is
// where it has to arrive. The first pattern that matches a folder counts.
var rooms = []struct {
	name      string
	folders   *regexp.Regexp
	now, goal int
}{
	{"cmd/sitemend", regexp.MustCompile(`^cmd/sitemend(/|$)`), 2295, 2400},
	{"cmd/internal/job", regexp.MustCompile(`^cmd/internal/job$`), 2273, 2300},
	{"cmd/internal/watch, notify", regexp.MustCompile(`^cmd/internal/(watch|notify)$`), 1283, 1300},
	{"cmd/internal/web, cmd/bench", regexp.MustCompile(`^cmd/(internal/web|bench)$`), 1042, 1300},
	{"cmd/internal, the rest", regexp.MustCompile(`^cmd/`), 1791, 1800},
	{"crawler/fetch", regexp.MustCompile(`^crawler/fetch(/|$)`), 2977, 3000},
	{"crawler/discover", regexp.MustCompile(`^crawler/discover$`), 1173, 1300},
	{"crawler/sitemap", regexp.MustCompile(`^crawler/sitemap$`), 2919, 3400},
	{"crawler/address", regexp.MustCompile(`^crawler/address$`), 1568, 2000},
	{"crawler/answers, ground", regexp.MustCompile(`^crawler/(answers|ground)$`), 539, 580},
	{"crawler/robots, probe, internal", regexp.MustCompile(`^crawler/(robots|probe|internal)(/|$)`), 852, 1300},
	{"crawler/audit", regexp.MustCompile(`^crawler/audit$`), 3363, 3420},
	{"crawler/diff", regexp.MustCompile(`^crawler/diff$`), 629, 1200},
	{"crawler/pattern", regexp.MustCompile(`^crawler/pattern$`), 1039, 1200},
	{"crawler/links, hreflang", regexp.MustCompile(`^crawler/(links|hreflang)$`), 1337, 1700},
	{"crawler/accesslog", regexp.MustCompile(`^crawler/accesslog$`), 1987, 2000},
	{"crawler/rules, build, expect, nearest", regexp.MustCompile(`^crawler/(rules|build|expect|nearest)(/|$)`), 4043, 4200},
	{"crawler/searchconsole, google, handin", regexp.MustCompile(`^crawler/(searchconsole|google|handin)(/|$)`), 2269, 2300},
	{"crawler/fleet", regexp.MustCompile(`^crawler/fleet$`), 1456, 1500},
	{"crawler", regexp.MustCompile(`^crawler$`), 1845, 1900},
	{"storage", regexp.MustCompile(`^storage(/|$)`), 2096, 2300},
	{"report/html, internal/page, serve, browser", regexp.MustCompile(`^report/(html|internal/page|serve|internal/browser)$`), 3102, 3600},
	{"report/messages, fixture, command", regexp.MustCompile(`^report/(messages|internal/fixture|command)$`), 891, 900},
	{"report", regexp.MustCompile(`^report(/|$)`), 4088, 4200},
}

// TestRoomSizes holds each room to its size. It prints all of them with -v.
func TestRoomSizes(t *testing.T) {
	sizes, all := sizesOfFolders(t), 0
	of := make([]int, len(rooms))
	for dir, n := range sizes {
		all += n
		found := false
		for i := range rooms {
			if rooms[i].folders.MatchString(dir) {
				of[i] += n
				found = true
				break
			}
		}
		if !found {
			t.Errorf("%s belongs to no room", dir)
		}
	}
	goals := 0
	for i, r := range rooms {
		t.Logf("%-44s %6d lines, at most %6d, goal %6d", r.name, of[i], r.now, r.goal)
		goals += r.goal
		switch {
		case of[i] > r.now:
			t.Errorf("%s has %d lines, more than %d: find the concept that is too many", r.name, of[i], r.now)
		case of[i] < r.now-slack:
			t.Errorf("%s has %d lines: lower its number, which is %d", r.name, of[i], r.now)
		}
	}
	t.Logf("%-44s %6d lines, goal %6d", "all", all, goals)
}

var noCode = regexp.MustCompile(`^\s*(//.*)?$`)

// sizesOfFolders counts the lines of code of each folder with Go files.
func sizesOfFolders(t *testing.T) map[string]int {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, top := range []string{"cmd", "crawler", "report", "storage"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				if !noCode.MatchString(strings.TrimSuffix(line, "\n")) {
					sizes[filepath.ToSlash(dir)]++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sizes
}
