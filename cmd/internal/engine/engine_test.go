package engine_test

import (
	"context"
	"encoding/json"
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

// start runs the server of a plan until the test ends. The test is skipped where the server is not
// installed; where SITEMEND_NO_SKIP is set it fails instead.
func start(t *testing.T, p *write.Plan) *engine.Server {
	t.Helper()
	s, err := engine.Start(context.Background(), p)
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
	})
	return s
}

// servers are the formats that a real server understands.
func servers() []*write.Format {
	var list []*write.Format
	for _, name := range write.Names() {
		if f := write.ByName(name); f.Server != "" {
			list = append(list, f)
		}
	}
	return list
}

// No server leaves anything in the home of the user.
func TestHomeStaysAsItIs(t *testing.T) {
	for _, f := range servers() {
		t.Run(f.Name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			start(t, f.Plan([]write.Pair{{Source: "/a", Target: "/b"}}, write.Options{Host: host, Status: 301}))
			left, err := os.ReadDir(home)
			if err != nil || len(left) > 0 {
				t.Errorf("%v are left in it, %v", left, err)
			}
		})
	}
}

// holds requests each pair of a plan, and the addresses that must not redirect.
func holds(t *testing.T, p *write.Plan, not []string) {
	t.Helper()
	s := start(t, p)
	ask := func(target string) engine.Answer {
		a, err := s.Ask(context.Background(), host, target)
		if err != nil {
			t.Fatalf("%s: %s: %v", p.Format.Name, target, err)
		}
		a.Location = strings.TrimPrefix(a.Location, "http://"+host)
		return a
	}
	for _, x := range p.Pairs {
		if got := ask(x.Source); got.Status != p.Status || got.Location != x.Target {
			t.Errorf(
				"%s: %s answers %d %s, want %d %s",
				s.Name,
				x.Source,
				got.Status,
				got.Location,
				p.Status,
				x.Target,
			)
		}
		if own, _, _ := strings.Cut(x.Target, "#"); strings.HasPrefix(own, "/") {
			if got := ask(own); got.Location != "" {
				t.Errorf("%s: the target %s is redirected to %s", s.Name, own, got.Location)
			}
		}
	}
	for _, target := range not {
		if got := ask(target); got.Location != "" {
			t.Errorf("%s: %s must not be redirected, and is to %s", s.Name, target, got.Location)
		}
	}
}

// The pairs of the tests of package write hold in the real servers, with either status.
func TestWrittenRulesHold(t *testing.T) {
	files, err := filepath.Glob("../../../crawler/rules/write/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range files {
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
		for i, f := range servers() {
			t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+f.Name, func(t *testing.T) {
				holds(
					t,
					f.Plan(
						slices.Clone(list),
						write.Options{
							Host:   host,
							Status: []int{301, 308}[i%2],
							Keep:   slices.Values(keep),
						},
					),
					keep,
				)
			})
		}
	}
}

// The pairs of the corpus with unusual characters hold too, and similar addresses are not
// redirected.
func TestNastyPairsHold(t *testing.T) {
	dir := os.Getenv("SITEMEND_CORPUS")
	if dir == "" {
		dir = "../../../../shared/corpus"
	}
	text, err := os.ReadFile(filepath.Join(dir, "redirect-rules", "writer-pairs.json"))
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var corpus struct {
		Pairs [][2]string
		Not   []string `json:"must_not_redirect"`
	}
	if err := json.Unmarshal(text, &corpus); err != nil {
		t.Fatal(err)
	}
	var list []write.Pair
	for _, x := range corpus.Pairs {
		list = append(list, write.Pair{Source: x[0], Target: x[1]})
	}
	for _, f := range servers() {
		t.Run(f.Name, func(t *testing.T) {
			p := f.Plan(
				slices.Clone(list),
				write.Options{Host: host, Status: 301, Keep: slices.Values(corpus.Not)},
			)
			t.Logf("%d of %d", len(p.Pairs), len(list))
			holds(t, p, corpus.Not)
		})
	}
}

// Where a server refuses its rules, the error contains its message.
func TestRefusedRules(t *testing.T) {
	p := write.ByName("haproxy").
		Plan([]write.Pair{{Source: "/a", Target: "/b"}}, write.Options{Host: host, Status: 999})
	_, err := engine.Start(context.Background(), p)
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
	for _, f := range servers() {
		t.Run(f.Name, func(t *testing.T) {
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
			t.Logf("%d of %d", written, len(list))
			if least := map[string]int{"apache-alias": 500, "lighttpd": 1000}[f.Name]; written < least ||
				least == 0 && written < len(list)-10 {
				t.Errorf("only %d of %d are written", written, len(list))
			}
		})
	}
}
