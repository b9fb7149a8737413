package hosts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/rules/hosts"
)

// checked are rule files with what is wrong behind each line, after <-. The site is always
// that of pages.
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

// pages are the files of the site of checked.
var pages = []string{"index.html", "404.html", "about.html", "a.html", "guide/a.html", "a(b).html"}

// What is wrong with rules is found, in the line where it stands, and nothing else is.
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
				read = append(read, hosts.File{Name: file, Text: []byte(strings.Join(text, "\n"))})
			}
			if name == hosts.Plain { // it reads no rules at all
				want[0] = []string{"rule-unread"}
			}
			m, err := hosts.New(name, hosts.NewSite(pages), read, hosts.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[int][]string{}
			why := map[int]string{}
			for x := range m.Check(address.Wire("https://www.example.com/"), func(host string) bool { return host == "www.example.com" }) {
				got[x.Line] = append(got[x.Line], string(x.Fault))
				why[x.Line] += fmt.Sprint(" ", x.Why, x.Args)
			}
			for line := range 40 {
				if !slices.Equal(got[line], want[line]) {
					t.Errorf("line %d: got %v (%s), want %v", line, got[line], why[line], want[line])
				}
			}
		})
	}
}
