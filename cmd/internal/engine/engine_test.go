package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"sitemend/cmd/internal/engine"
	"sitemend/crawler/address"
	"sitemend/crawler/rules/write"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = "www.example.com"

// start runs the server of a plan until the test ends; it leaves nothing in the home of the user. The
// test is skipped where the server is not installed; where SITEMEND_NO_SKIP is set it fails instead.
func start(t *testing.T, p *write.Plan) *engine.Server {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	s, err := engine.Start(t.Context(), p)
	if errors.Is(err, engine.ErrMissing) && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
			t.Errorf("%v are left in the home of the user, %v", left, err)
		}
	})
	return s
}

// inEach runs a test for each format that a real server understands.
func inEach(t *testing.T, test func(t *testing.T, f *write.Format)) {
	for _, name := range write.Names() {
		if f := write.ByName(name); f.Server != "" {
			t.Run(name, func(t *testing.T) { test(t, f) })
		}
	}
}

// holds requests each pair of a plan, and the addresses that must not redirect.
func holds(t *testing.T, p *write.Plan, not []string) {
	t.Helper()
	s := start(t, p)
	ask := func(target string) (int, string) {
		status, location, err := s.Ask(t.Context(), host, target)
		if err != nil {
			t.Fatalf("%s: %s: %v", p.Format.Name, target, err)
		}
		return status, strings.TrimPrefix(location, "http://"+host)
	}
	for _, x := range p.Pairs {
		if status, location := ask(x.Source); status != p.Status || location != x.Target {
			t.Errorf("%s: %s answers %d %s, want %d %s", s.Name, x.Source, status, location, p.Status, x.Target)
		}
		if own, _, _ := strings.Cut(x.Target, "#"); strings.HasPrefix(own, "/") {
			not = append(not, own)
		}
	}
	for _, target := range not {
		if _, location := ask(target); location != "" {
			t.Errorf("%s: %s must not be redirected, and is to %s", s.Name, target, location)
		}
	}
}

// The pairs of the tests of package write hold in the real servers, with either status.
func TestWrittenRulesHold(t *testing.T) {
	files, err := filepath.Glob("../../../crawler/rules/write/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for i, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list []write.Pair
		var keep []string
		for _, f := range a.Files {
			switch f.Name {
			case "pairs":
				for line := range strings.Lines(string(f.Data)) {
					if w := strings.Fields(line); len(w) == 2 {
						list = append(list, write.Pair{Source: w[0], Target: w[1]})
					}
				}
			case "keep":
				keep = strings.Fields(string(f.Data))
			}
		}
		inEach(t, func(t *testing.T, f *write.Format) {
			holds(t, f.Plan(slices.Clone(list), write.Options{Host: host, Status: []int{301, 308}[i%2], Keep: slices.Values(keep)}), keep)
		})
	}
}

// Where a server refuses its rules, the error contains its message.
func TestRefusedRules(t *testing.T) {
	p := write.ByName("haproxy").Plan([]write.Pair{{Source: "/a", Target: "/b"}}, write.Options{Host: host, Status: 999})
	_, err := engine.Start(t.Context(), p)
	if errors.Is(err, engine.ErrMissing) && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), "code") {
		t.Errorf("got %v, want HAProxy's words", err)
	}
}

// Every byte that an address may contain, literal and as an escape in either hex case, in the path
// and in the query, of a source and of a target.
func TestEveryOctetHolds(t *testing.T) {
	var list []write.Pair
	add := func(source, target string) {
		list = append(list, write.Pair{Source: source, Target: target, N: len(list)})
	}
	for c := 0x20; c < 0x100; c++ {
		spellings := []string{fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02x", c)}
		if literal := string(rune(c)); c < 0x7f && c != ' ' {
			a, err := address.Parse("http://" + host + "/x" + literal + "y?x" + literal + "y")
			if err == nil && strings.Count(a.Target(), literal) >= 2 && c != '/' && c != '?' && c != '.' {
				spellings = append(spellings, literal)
			}
		}
		for i, s := range slices.Compact(spellings) {
			name := fmt.Sprintf("%d-%d", c, i)
			add("/source/"+name+"/x"+s+"y", "/t1/"+name)
			add("/query/"+name+"?x="+s+"y", "/t2/"+name)
			add("/target/"+name, "/t3/"+name+"/x"+s+"y?q=x"+s+"y")
			add("/away/"+name, "https://other.example/x"+s+"y?q=x"+s+"y")
		}
	}
	inEach(t, func(t *testing.T, f *write.Format) {
		each := len(list)
		if f.Name == "htaccess" { // each request tries all rules
			each = 100
		}
		written := 0
		for some := range slices.Chunk(list, each) {
			p := f.Plan(slices.Clone(some), write.Options{Host: host, Status: 301})
			written += len(p.Pairs)
			holds(t, p, nil)
		}
		if least := map[string]int{"apache-alias": 500, "lighttpd": 1000}[f.Name]; written < least || least == 0 && written < len(list)-10 {
			t.Errorf("only %d of %d are written", written, len(list))
		}
	})
}
