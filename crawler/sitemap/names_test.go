package sitemap

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFileName(t *testing.T) {
	for url, want := range map[string]string{
		"https://shop.example/sitemap.xml":              "shop.example/sitemap.xml",
		"https://shop.example:8443/a/b.xml.gz":          "shop.example_8443/a/b.xml.gz",
		"http://shop.example:80/":                       "shop.example/index",
		"https://shop.example/maps/":                    "shop.example/maps/index",
		"https://shop.example/sitemap.php?page=2&x=a/b": "shop.example/sitemap.php@page%3D2%26x%3Da%2Fb",
		"https://shop.example/?sitemap=1":               "shop.example/index@sitemap%3D1",
		"https://shop.example/a%20b/%E3%81%82.xml":      "shop.example/a%2520b/%25E3%2581%2582.xml",
		"https://shop.example/a//b":                     "shop.example/a/%2F/b",
		"https://shop.example/a/...":                    "shop.example/a/%2E%2E%2E",
		"https://[::1]:8080/s.xml":                      "%5B%3A%3A1%5D_8080/s.xml",
		"https://日本.example/s.xml":                      "xn--wgv71a.example/s.xml",
		"maps/sitemap.xml":                              "local/sitemap.xml",
		"/var/www/../sitemap 1.xml":                     "local/sitemap%201.xml",
		`C:\www\sitemap.xml`:                            "local/sitemap.xml",
		"..":                                            "local/%2E%2E",
		"/":                                             "local/index",
		"-":                                             "local/stdin",
		"":                                              "local/index",
	} {
		if got := FileName(url); got != want {
			t.Errorf("FileName(%q) = %q, want %q", url, got, want)
		}
	}
}

// A name stays in its folder, is a plain one on every system, and its parts fit into a file system; all
// files of an audit can be in the same folder, on systems that ignore case, too.
func TestNames(t *testing.T) {
	url := rapid.OneOf(rapid.String(), rapid.StringMatching(`https?://[ab]/([abAB~2]{1,2}/){0,2}[abAB~2]{0,2}`),
		rapid.StringMatching(`https?://[a-z.:\[\]0-9]{1,9}/([./\\%a-zA-Z?]{0,9}/){0,5}[.a-z?/=]{0,300}`))
	rapid.Check(t, func(t *rapid.T) {
		var names Names
		files := map[string]bool{}
		for _, u := range rapid.SliceOf(url).Draw(t, "urls") {
			name := FileName(u)
			if path.Clean("/"+name) != "/"+name || strings.ContainsAny(name, "\\:*?\"<>| \x00") || len(name) > maxFileName {
				t.Fatalf("FileName(%q) = %q", u, name)
			}
			for part := range strings.SplitSeq(name, "/") {
				if part == "" || len(part) > 255 {
					t.Fatalf("FileName(%q) = %q", u, name)
				}
			}
			files[strings.ToLower(names.Name(u))] = true
		}
		if len(files) != len(names.given) {
			t.Fatalf("%d URLs have %d names", len(names.given), len(files))
		}
		for name := range files {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if files[dir] {
					t.Fatalf("%s is a file and a folder", dir)
				}
			}
		}
	})
}
