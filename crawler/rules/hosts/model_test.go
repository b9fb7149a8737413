package hosts_test

import (
	"testing"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// What a host answers is unmodelled where nobody has seen it, and modelled beside that.
func TestWhatIsNotModelled(t *testing.T) {
	yes, no := true, false
	site := hosts.NewSite([]string{"index.html", "about.html", "folder/index.html"})
	for _, c := range []struct {
		host    hosts.Name
		options hosts.Options
		rules   string
		target  string
		want    string // of the answer: the location of a redirect, else the file; "" for unmodelled
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
