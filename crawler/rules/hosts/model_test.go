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
		{hosts.GitLabPages, hosts.Options{Prefix: "/p"}, "", "/p", "//www.example.com/p/"},
		{hosts.CloudflareWorkers, hosts.Options{}, "", "/folder.html?", "/folder/"},
		{hosts.CloudflarePages, hosts.Options{}, "/mid/* /m/:splat 301", "/mid//end", "/m/end"},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &yes}, "", "/index.html", ""},
		{hosts.GitLabPages, hosts.Options{}, "", "//f%6Flder", "//www.example.com/folder/"},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &yes}, "", "/folder/index.html", "/folder/"},
		{hosts.Vercel, hosts.Options{CleanURLs: true, TrailingSlash: &no}, "", "/index.html", "/"},
	} {
		a := model(t, c.host, site, hosts.File{Name: "_redirects", Text: c.rules}, c.options).Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: c.target})
		got := a.Location
		if got == "" {
			got = a.File
		}
		if got != c.want || (a.Unmodelled == "") == (c.want == "") {
			t.Errorf("%s %s: got %+v, want %q", c.host, c.target, a, c.want)
		}
	}
}

func model(t testing.TB, host hosts.Name, site *hosts.Site, f hosts.File, o hosts.Options) *hosts.Model {
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
		{hosts.CloudflarePages, "404.html", "/none", false}, // without it, the home page
		{hosts.CloudflarePages, "404.html", "/about", true},
		{hosts.CloudflarePages, "_worker.js", "/about", false},
	} {
		m := model(t, c.host, site, hosts.File{Name: "_redirects", Text: "/x/* /app 200\n"}, hosts.Options{Hidden: []string{c.hidden}})
		a := m.Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: c.target})
		if (a.Unmodelled == "") != c.known {
			t.Errorf("%s %s, %s hidden: got %+v", c.host, c.target, c.hidden, a)
		}
	}
	// The home page answers for missing addresses.
	bare := hosts.NewSite([]string{"about.html"})
	for host, o := range map[hosts.Name]hosts.Options{hosts.CloudflarePages: {}, hosts.CloudflareWorkers: {NotFound: "single-page-application"}, hosts.Nginx: {NotFound: "single-page-application"}} {
		o.Hidden = []string{"index.html"}
		m := model(t, host, bare, hosts.File{Name: "_redirects"}, o)
		for target, known := range map[string]bool{"/none": false, "/about": true} {
			if a := m.Answer(rules.Request{Scheme: "https", Host: "www.example.com", Target: target}); (a.Unmodelled == "") != known {
				t.Errorf("%s %s: got %+v", host, target, a)
			}
		}
	}
}
