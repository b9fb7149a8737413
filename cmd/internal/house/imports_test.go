package house_test

import (
	"slices"
	"strings"
	"testing"
)

const module = "sitemend"

// below says which other rooms each room may import. Within a room everybody
// may import everybody.
var below = map[string][]string{
	"cmd":                          {"crawler/answers", "crawler/ground", "crawler/fleet", "crawler/google", "crawler/google/handin", "crawler/hreflang", "crawler/links", "crawler/probe", "crawler", "crawler/build", "crawler/discover", "crawler/fetch", "report", "report/html", "report/serve", "report/command", "report/messages", "storage", "crawler/audit", "crawler/diff", "crawler/pattern", "crawler/rules", "crawler/expect", "crawler/sitemap", "crawler/accesslog", "crawler/searchconsole", "crawler/robots", "crawler/address"},
	"crawler":                      {"crawler/answers", "crawler/ground", "crawler/discover", "crawler/fetch", "crawler/audit", "crawler/searchconsole", "crawler/sitemap", "crawler/robots", "crawler/address", "crawler/internal/sketch", "crawler/internal/cost"},
	"report":                       {"crawler/answers", "crawler/ground", "report/command", "report/internal/fixture", "report/internal/conclude", "report/messages", "crawler/accesslog", "crawler/audit", "crawler/diff", "crawler/pattern", "crawler/sitemap", "crawler/address"},
	"report/serve":                 {"crawler/ground", "report", "report/html", "report/internal/conclude", "report/internal/page", "report/internal/browser", "report/internal/fixture", "report/messages", "crawler/audit", "crawler/diff", "crawler/sitemap", "crawler/address"},
	"report/html":                  {"crawler/answers", "crawler/rules", "report/command", "report/internal/fixture", "report/internal/conclude", "report/internal/page", "report/internal/browser", "report/messages", "crawler/accesslog", "crawler/audit", "crawler/pattern", "crawler/address"},
	"report/internal/page":         {"crawler/answers", "report/command", "report/messages", "crawler/audit", "crawler/accesslog", "crawler/address"},
	"report/internal/conclude":     {"crawler/answers", "report/internal/fixture", "report/command", "report/messages", "crawler/accesslog", "crawler/audit", "crawler/pattern", "crawler/address"},
	"report/command":               {"crawler/audit"},
	"report/internal/browser":      {},                                                                                                                                            // for tests
	"report/internal/fixture":      {"crawler/answers", "crawler/ground", "crawler/sitemap", "report/internal/conclude", "crawler/accesslog", "crawler/audit", "crawler/address"}, // for tests
	"report/messages":              {"crawler/answers", "crawler/audit", "crawler/pattern", "crawler/address"},
	"storage":                      {"crawler/answers", "crawler/ground", "storage/internal/record", "crawler/audit", "crawler/sitemap", "crawler/robots", "crawler/address"},
	"crawler/probe":                {"crawler/answers", "crawler", "crawler/fetch", "crawler/audit", "crawler/address"},
	"crawler/build":                {"crawler/answers", "crawler/fetch", "crawler/audit", "crawler/rules", "crawler/sitemap", "crawler/address"},
	"crawler/fleet":                {"crawler/answers", "crawler/ground", "crawler", "crawler/discover", "crawler/fetch", "crawler/audit", "crawler/address"},
	"crawler/google/service":       {"crawler/internal/secret"},
	"crawler/google/handin":        {"crawler/google/service", "crawler/address"},
	"crawler/google":               {"crawler/ground", "crawler/google/service", "crawler/audit", "crawler/address"},
	"crawler/discover":             {"crawler/answers", "crawler/ground", "crawler/fetch", "crawler/audit", "crawler/expect", "crawler/searchconsole", "crawler/sitemap", "crawler/robots", "crawler/address"},
	"crawler/fetch":                {"crawler/answers", "crawler/fetch/internal/http1", "crawler/links", "crawler/audit", "crawler/address", "crawler/internal/cost"},
	"crawler/fetch/internal/http1": {"crawler/address"},
	"crawler/audit":                {"crawler/answers", "crawler/ground", "crawler/accesslog", "crawler/expect", "crawler/nearest", "crawler/pattern", "crawler/address", "crawler/internal/sketch", "crawler/internal/cost"},
	"crawler/hreflang":             {"crawler/ground", "crawler/audit", "crawler/sitemap", "crawler/address", "crawler/internal/sketch", "crawler/internal/cost"},
	"crawler/links":                {"crawler/answers", "crawler/ground", "crawler/audit", "crawler/address", "crawler/internal/sketch", "crawler/internal/cost"},
	"crawler/diff":                 {"crawler/answers", "crawler/ground", "crawler/audit", "crawler/address"},
	"crawler/pattern":              {"crawler/address", "crawler/internal/sketch"},
	"crawler/sitemap":              {"crawler/ground", "crawler/audit", "crawler/address", "crawler/internal/cost"},
	"crawler/accesslog":            {"crawler/address", "crawler/internal/cost"},
	"crawler/searchconsole":        {"crawler/ground", "crawler/audit", "crawler/address", "crawler/internal/cost"},
	"crawler/robots":               {"crawler/answers", "crawler/audit", "crawler/address", "crawler/internal/cost"},
	"crawler/rules":                {"crawler/address", "crawler/internal/cost"},
	"crawler/expect":               {"crawler/address", "crawler/internal/cost"},
	"crawler/nearest":              {"crawler/address"},
	"crawler/address":              {"crawler/internal/cost"},
	"storage/internal/record":      {},
	"crawler/answers":              {"crawler/address", "crawler/internal/sketch"},
	"crawler/ground":               {},
	"crawler/internal/sketch":      {},
	"crawler/internal/secret":      {},
	"crawler/internal/cost":        {}, // for tests
}

// room returns the room that a directory of the project lies in, "" for none.
func room(dir string) string {
	best := ""
	for name := range below {
		if (dir == name || strings.HasPrefix(dir, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

func TestCodeLivesInRooms(t *testing.T) {
	for _, f := range files(t) {
		if room(f.dir()) == "" {
			t.Errorf("%s: code lives in cmd/, crawler/, report/ and storage/ only", f.path)
		}
	}
}

// Tests keep to the picture as well, lest a room can be understood only with
// its neighbours.
func TestImportsPointDown(t *testing.T) {
	for _, f := range files(t) {
		from := room(f.dir())
		for _, name := range f.imports() {
			dir, ours := strings.CutPrefix(name, module+"/")
			if !ours || from == "" {
				continue
			}
			if to := room(dir); to != from && !slices.Contains(below[from], to) {
				t.Errorf("%s imports %s: %s may import %q only", f.path, name, from, below[from])
			}
		}
	}
}

// owners says where alone a package may be imported: files, or directories with
// everything below them. None is nowhere, save in tests.
var owners = map[string][]string{
	"github.com/gocolly/colly":           {"crawler/fetch/colly.go"},
	"go.etcd.io/bbolt":                   {"storage"},
	"github.com/spf13/cobra":             {"cmd/sitemend"},
	"github.com/schollz/progressbar":     {"cmd/sitemend"},
	"github.com/chromedp":                {"report/internal/browser"},
	"golang.org/x/oauth2":                {"crawler/google"},
	"github.com/nats-io/nats.go":         {"crawler/fleet"},
	"sitemend/crawler/fleet":             {"cmd/internal/job/via.go", "cmd/internal/job/stages.go", "cmd/internal/job/spec.go", "cmd/sitemend/fleet.go", "cmd/sitemend/worker.go", "cmd/sitemend/flags.go"},
	"github.com/nats-io/nats-server":     nil,
	"github.com/nats-io/jwt":             nil,
	"github.com/nats-io/nkeys":           nil,
	"github.com/nicholas-fedor/shoutrrr": {"cmd/internal/notify"},
	"github.com/robfig/cron":             {"cmd/internal/watch/schedule.go"},
	"go.yaml.in/yaml":                    {"cmd/internal/watch"},
	"github.com/prometheus":              {"cmd/internal/watch/metrics.go"},
	"github.com/rogpeppe/go-internal":    nil,
	"go.uber.org/goleak":                 nil,
	"pgregory.net/rapid":                 nil,
	"testing":                            {"cmd/internal/nginx", "report/internal/browser", "crawler/internal/cost"},
}

func TestOwnersOfPackages(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, name := range f.imports() {
			for pkg, owner := range owners {
				at := func(dir string) bool { return within(f.path, dir) }
				if within(name, pkg) && !slices.ContainsFunc(owner, at) {
					t.Errorf("%s imports %s, which belongs to %q alone", f.path, name, owner)
				}
			}
		}
	}
}

// within reports whether a path is dir or lies in it. Nothing lies in "".
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// pure rooms neither read files nor know the network; what they need is handed
// to them.
var pure = []string{"crawler/audit", "crawler/answers", "crawler/ground", "crawler/pattern", "crawler/address", "crawler/robots", "crawler/searchconsole", "crawler/rules", "crawler/expect", "crawler/nearest", "crawler/accesslog", "crawler/hreflang", "crawler/links", "crawler/diff"}

func TestPureRooms(t *testing.T) {
	forbidden := []string{"os", "net", "net/http", "syscall", "io/ioutil", "log", "os/exec"}
	for _, f := range files(t) {
		if f.test || !slices.Contains(pure, room(f.dir())) {
			continue
		}
		for _, name := range f.imports() {
			if slices.Contains(forbidden, name) {
				t.Errorf("%s imports %s: %s asks nobody and reads nothing", f.path, name, room(f.dir()))
			}
		}
	}
}
