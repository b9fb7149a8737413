package hosts_test

import (
	"testing"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// An answer that is not known is unmodelled, and the other answers of that host are modelled.
func TestWhatIsNotModelled(t *testing.T) {
	yes, no := true, false
	site := hosts.NewSite([]string{"index.html", "about.html", "folder/index.html"})
	for _, c := range []struct {
		host    hosts.Name
		options hosts.Options
		rules   string
		target  string
		want    string // the location of a redirect, else the file; "" for unmodelled
	}{
		{hosts.CloudflarePages, hosts.Options{}, "", "//about", ""},
		{hosts.CloudflarePages, hosts.Options{}, "", "/folder//", ""},
		{hosts.CloudflarePages, hosts.Options{}, "", "/about?x=//y", "/about.html"},
		{hosts.CloudflarePages, hosts.Options{}, "/mid/* /m/:splat 301", "/mid//end", "/m/end"},
		{hosts.CloudflareWorkers, hosts.Options{}, "", "//about", "/about"},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &yes}, "", "/index.html", ""},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &yes}, "", "/index", ""},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &yes}, "", "/folder/index.html", "/folder/"},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &no}, "", "/index.html", "/"},
		{hosts.Vercel, hosts.Options{CleanURLs: true}, "", "/index/", "/"},
		{hosts.Vercel, hosts.Options{TrailingSlash: &yes}, "", "/index.html", "/index.html"},
	} {
		m, err := hosts.New(c.host, site, []hosts.File{{Name: "_redirects", Text: []byte(c.rules)}}, c.options)
		if err != nil {
			t.Fatal(err)
		}
		a := m.Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: c.target})
		got := a.Location
		if got == "" {
			got = a.File
		}
		if got != c.want || (a.Unmodelled == "") == (c.want == "") {
			t.Errorf("%s %s: got %+v, want %q", c.host, c.target, a, c.want)
		}
	}
}

// An answer that a model gives without having read a rule file is the same whatever that file
// contains; all others are unmodelled.
func TestUnreadRulesChangeNothingThatIsModelled(t *testing.T) {
	texts := map[string][]string{
		"_redirects":    {"", "/* /away 301!\n", "/about /away 301!", "/* /away 302", "/gone /away 301", "https://www.example.com/* /away 301!", "/about /index.html 200!", "/* /index.html 200"},
		"_headers":      {"", "/*\n  X-Robots-Tag: noindex\n", "/about\n  Link: </>; rel=\"canonical\"\n"},
		"netlify.toml":  {"", "[[redirects]]\nfrom = \"/*\"\nto = \"/away\"\nforce = true\n", "[[headers]]\nfor = \"/*\"\n[headers.values]\nX-Robots-Tag = \"noindex\"\n"},
		"vercel.json":   {"", `{"cleanUrls":true}`, `{"trailingSlash":true}`, `{"redirects":[{"source":"/:a*","destination":"/away"}]}`, `{"headers":[{"source":"/(.*)","headers":[{"key":"X-Robots-Tag","value":"noindex"}]}]}`},
		"redirects.csv": {"", "source,destination\n/about.html,/away\n/gone,/away\n"},
	}
	site := hosts.NewSite([]string{"index.html", "about.html", "folder/index.html", "robots.txt"})
	known := 0
	for _, host := range hosts.Names() {
		for file, contents := range texts {
			if !hosts.Reads(host, file) {
				continue
			}
			unread := model(t, host, site, hosts.File{Name: file, Unread: "a link"}, hosts.Options{})
			for _, text := range contents {
				read := model(t, host, site, hosts.File{Name: file, Text: []byte(text)}, hosts.Options{})
				for _, target := range []string{"/", "/about", "/about/", "/about.html", "/folder", "/folder/", "/gone", "/robots.txt", "/%zz"} {
					q := rules.Request{Scheme: "https", Host: "www.example.com", Target: target}
					a, want := unread.Answer(q), read.Answer(q)
					if a.Unmodelled != "" {
						if a.Unread != file {
							t.Errorf("%s %s: %s is not named: %+v", host, target, file, a)
						}
						continue
					}
					known++
					if want.Rule = nil; a.Status != want.Status || a.Location != want.Location || a.File != want.File || a.Status == 200 && len(want.Fields) > 0 {
						t.Errorf("%s %s, %s unread: got %+v; with %q it is %+v", host, target, file, a, text, want)
					}
				}
			}
		}
	}
	if known == 0 {
		t.Error("nothing is modelled, so nothing was held against anything")
	}
}

func model(t *testing.T, host hosts.Name, site *hosts.Site, f hosts.File, o hosts.Options) *hosts.Model {
	t.Helper()
	m, err := hosts.New(host, site, []hosts.File{f}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The content of a link, or of a file that cannot be read, is unknown wherever it may answer: by
// itself, for a rewrite, or for all missing addresses.
func TestWhatIsHidden(t *testing.T) {
	site := hosts.NewSite([]string{"index.html", "about.html"})
	for _, c := range []struct {
		host           hosts.Name
		hidden, target string
		known          bool
	}{
		{hosts.Netlify, "app.html", "/app", false},
		{hosts.Netlify, "App.html", "/app", false}, // it ignores case
		{hosts.GitHubPages, "App.html", "/app", true},
		{hosts.Netlify, "app.html", "/x/y", false}, // by the rule
		{hosts.CloudflarePages, "app.html", "/x/y", false},
		{hosts.CloudflareWorkers, "app.html", "/x/y", false},
		{hosts.GitLabPages, "app.html", "/x/y", false},
		{hosts.CloudflarePages, "404.html", "/none", false}, // without it, the home page
		{hosts.CloudflarePages, "404.html", "/about", true},
		{hosts.CloudflareWorkers, "404.html", "/none", true},
		{hosts.CloudflarePages, "_worker.js", "/about", false},
		{hosts.Netlify, "404.html", "/none", true},
	} {
		m := model(t, c.host, site, hosts.File{Name: "_redirects", Text: []byte("/x/* /app 200\n")}, hosts.Options{Hidden: []string{c.hidden}})
		a := m.Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: c.target})
		if (a.Unmodelled == "") != c.known {
			t.Errorf("%s %s, %s hidden: got %+v", c.host, c.target, c.hidden, a)
		}
	}
	// The home page answers for missing addresses.
	bare := hosts.NewSite([]string{"about.html"})
	for host, o := range map[hosts.Name]hosts.Options{hosts.CloudflarePages: {}, hosts.CloudflareWorkers: {NotFound: "single-page-application"}, hosts.Nginx: {SPA: true}} {
		o.Hidden = []string{"index.html"}
		m := model(t, host, bare, hosts.File{Name: "_redirects"}, o)
		for target, known := range map[string]bool{"/none": false, "/about": true} {
			if a := m.Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: target}); (a.Unmodelled == "") != known {
				t.Errorf("%s %s: got %+v", host, target, a)
			}
		}
	}
}
