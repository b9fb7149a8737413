package hosts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/cost"
	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// checked are rule files with the fault of each line after it, behind <-. The site is always that
// of pages.
var checked = map[hosts.Name]map[string]string{
	hosts.Netlify: {"_redirects": `
/docs/*   /guide/:splat
/docs/a   /guide/a                    <- rule-unreached
/a        /b                          <- rule-unreached
/a        /b!                         <- rule-unreached
/old      /about 301
/older    /old                        <- rule-chain
/gone     /nowhere                    <- rule-missing
/away     https://other.example/x
/l1       /l2                         <- rule-loop
/l2       /l1                         <- rule-loop
/x/       /x                          <- rule-loop
/grow/*   /grow/more/:splat           <- rule-loop
/self/*   /self/:splat                <- rule-loop
/one      two                         <- rule-unread
/fr/*     / 302 Country=fr            <- rule-conditional
/page     /nowhere.html 404
/news/*   /blog/:splat                <- rule-missing
/kept/*   /ruled/:splat
/ruled/x  /about
/case/*   /Guide/:splat
/spa/*    /index.html 200
/spa2/*   /nothing.html 200           <- rule-missing
/q x=1    /about
/q        /nowhere                    <- rule-missing
/c%28d%29 /about
/a%28b%29 /about                      <- rule-unreached
/n/:id    /about
/n/:other /about                      <- rule-unreached
https://www.example.com/abs /about 301
https://else.example/abs /nowhere 301
/own/*    /own/:splat                 <- rule-loop
`},
	hosts.CloudflarePages: {"_redirects": `
/docs/*   /guide/:splat 301
/docs/a   /guide/a 301                <- rule-unreached
/old      /about                      <- rule-chain rule-temporary
/temp     /guide/a                    <- rule-temporary
/about    /guide/a 301
/gone     /nowhere 301                <- rule-missing
/l1       /l2 301                     <- rule-loop
/l2       /l1 301                     <- rule-loop
/old      /x 301                      <- rule-unread
/chain    /about 301                  <- rule-chain
/clean    /about.html 301             <- rule-chain
/two/*/*  /x 301                      <- rule-unread
/q?x=1    /about 301                  <- rule-chain
/q?x=2    /guide/a 301                <- rule-unread
/wiki/Special:Search /guide/a 301
/mid-:id.html https://other.example/m/:id 301
/user/:id /guide/a 301
/bad      /x 309                      <- rule-unread
`},
	hosts.GitLabPages: {"_redirects": `
/old      /about 301
/c%28d%29 /about 301                  <- rule-decoded
/a        /about 301                  <- rule-unreached
/gone     /nowhere 301                <- rule-missing
/old/     /guide/a 301                <- rule-unreached
/x        /about 301 note             <- rule-unread
`},
	hosts.Vercel: {"vercel.json": `{"trailingSlash":false,"redirects":[
{"source":"/old","destination":"/about.html"},
{"source":"/old/","destination":"/about.html"},                                       <- rule-unreached
{"source":"/caf` + "\u00e9" + `","destination":"/about.html"},                                     <- rule-decoded
{"source":"/gone","destination":"/nowhere"},                                          <- rule-missing
{"source":"/docs/:path*","destination":"/guide/:path*"},
{"source":"/docs/a","destination":"/guide/a.html"},                                   <- rule-unreached
{"source":"/has","destination":"/about.html","has":[{"type":"header","key":"x"}]},   <- rule-conditional
{"source":"/t","destination":"/about.html","permanent":false}
]}`},
	hosts.Plain: {"_redirects": `/a /b`},
}

// everyHost reports that the build answers for every host.
func everyHost(string) bool { return true }

var origin = address.Wire("https://www.example.com/")

// pages are the files of the site of checked.
var pages = []string{"index.html", "404.html", "about.html", "a.html", "guide/a.html", "own/index.html", "a(b).html"}

// Each fault of a rule is found, at its line, and no other.
func TestCheck(t *testing.T) {
	for name, files := range checked {
		t.Run(string(name), func(t *testing.T) {
			want := map[int][]string{}
			var read []hosts.File
			for file, marked := range files {
				var text []string
				for i, line := range strings.Split(marked, "\n") {
					rule, faults, _ := strings.Cut(line, "<-")
					text = append(text, strings.TrimRight(rule, " "))
					if f := strings.Fields(faults); len(f) > 0 {
						want[i+1] = f
					}
				}
				read = append(read, hosts.File{Name: file, Text: strings.Join(text, "\n")})
			}
			if name == hosts.Plain { // it has no rules at all
				want[0] = []string{"rule-unread"}
			}
			m, err := hosts.New(name, hosts.NewSite(pages), read, hosts.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[int][]string{}
			why := map[int]string{}
			own := func(host string) bool { return host == "www.example.com" }
			m.Check(t.Context(), origin, own, func(l hosts.Line) {
				for _, x := range l.Findings {
					got[l.Line] = append(got[l.Line], string(x.Fault))
					why[l.Line] += fmt.Sprint(" ", x.Fault, x.Args)
				}
			})
			for line := range 40 {
				if !slices.Equal(got[line], want[line]) {
					t.Errorf("line %d: got %v (%s), want %v", line, got[line], why[line], want[line])
				}
			}
		})
	}
}

// FuzzCheck: any rule files can be read and checked, and each fault has a place and words.
func FuzzCheck(f *testing.F) {
	for _, files := range checked {
		for _, text := range files {
			f.Add(text)
		}
	}
	f.Add("/ /\n* *\n:a :b\n/// ///\nhttp:// /\n/a?b#c d")
	f.Add(`{"redirects":[{"source":"","destination":""},{"source":"(","destination":":a"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		for _, name := range hosts.Names() {
			var files []hosts.File
			for _, file := range []string{"_redirects", "_headers", "netlify.toml", "vercel.json", "bulk.csv"} {
				if hosts.Reads(name, file) != "" {
					files = append(files, hosts.File{Name: file, Text: text})
				}
			}
			var refused *rules.Refusal
			m, err := hosts.New(name, hosts.NewSite(pages), files, hosts.Options{})
			if errors.As(err, &refused) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			m.Check(t.Context(), origin, everyHost, func(l hosts.Line) {
				for _, x := range l.Findings {
					if x.Fault == "" || l.File == "" || l.Rule == nil && x.Fault != hosts.Unread {
						t.Errorf("%s: %+v", name, l)
					}
				}
			})
		}
	})
}

// Twice the rules take at most three times the memory, and a bounded time for each.
func TestCostOfCheck(t *testing.T) {
	cost.Test(t, 4000, checkCostly, costlyRules...)
}

func BenchmarkCheckCost(b *testing.B) {
	cost.Benchmark(b, 20*time.Microsecond, checkCostly, costlyRules...)
}

// costlyRules are rule files of Netlify that take much work to check.
var costlyRules = []cost.Shape{
	{Name: "wildcards", Make: cost.Count("", "", "/a#/* /b#/:splat 301\n", "").Make, Much: 64 << 10},
	cost.Count("parameters", "", "/p a=1 id=# /new/#\n", ""),
	cost.Count("values of parameters", "", "/p id=:id /new/#\n", ""),
	{Name: "splats", Make: cost.Repeat("", "/q/* /q", ":splat", " 301").Make, Much: 64 << 10},
}

// checkCostly checks the rules of a file.
func checkCostly(t testing.TB, text []byte) {
	m := model(t, hosts.Netlify, hosts.NewSite(pages), hosts.File{Name: "_redirects", Text: string(text)}, hosts.Options{})
	m.Check(t.Context(), origin, everyHost, func(hosts.Line) {})
}
