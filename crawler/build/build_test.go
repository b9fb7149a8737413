package build_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/build"
	"sitemend/crawler/rules/hosts"
)

// project writes a small project: paths with their texts, relative to a new folder, which it
// returns.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open opens the folder public of a project for https://www.example.com.
func open(t *testing.T, dir string, o build.Options) *build.Build {
	t.Helper()
	o.Origin = address.Wire("https://www.example.com/")
	b, err := build.Open(filepath.Join(dir, "public"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// get returns the answer of a build as a line: status, Location or content, rule.
func get(t *testing.T, b *build.Build, url string) string {
	t.Helper()
	a, ok := b.Answer(address.Wire(url))
	if !ok {
		return "the network"
	}
	if a.Fault != "" {
		return string(a.Fault) + ": " + a.Detail
	}
	out := []string{string(rune('0'+a.Status/100)) + string(rune('0'+a.Status/10%10)) + string(rune('0'+a.Status%10))}
	if l := a.Header["Location"]; l != nil {
		out = append(out, l[0])
	}
	if a.Body != nil {
		text, err := io.ReadAll(a.Body)
		if err = errors.Join(err, a.Body.Close()); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	if a.Rule != (answers.RuleAt{}) {
		out = append(out, a.Rule.File)
	}
	return strings.Join(out, " ")
}

func TestWhichHost(t *testing.T) {
	const page = "public/index.html"
	for _, c := range []struct {
		name  string
		files map[string]string
		host  hosts.Name
	}{
		{"netlify.toml in it", map[string]string{page: "", "public/netlify.toml": ""}, hosts.Netlify},
		{"vercel.json beside it", map[string]string{page: "", "vercel.json": "{}"}, hosts.Vercel},
		{"a worker with assets", map[string]string{page: "", "wrangler.jsonc": "{\"assets\":{},/* no */}"}, hosts.CloudflareWorkers},
		{"pages", map[string]string{page: "", "wrangler.toml": "pages_build_output_dir='public'"}, hosts.CloudflarePages},
		{"a job pages", map[string]string{page: "", ".gitlab-ci.yml": "pages:\n  script: x\n"}, hosts.GitLabPages},
		{"a domain of GitHub", map[string]string{page: "", "public/CNAME": "www.example.com"}, hosts.GitHubPages},
		{"CI without pages", map[string]string{page: "", ".gitlab-ci.yml": "test:\n  script: make pages:\n"}, ""},
		{"two of them", map[string]string{page: "", "netlify.toml": "", "vercel.json": "{}"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := build.Open(filepath.Join(project(t, c.files), "public"), build.Options{Origin: address.Wire("https://www.example.com/")})
			if c.host == "" {
				var result *build.Error
				if !errors.As(err, &result) || !strings.Contains(result.Hint(), "--served-by") {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if b.Host != c.host {
				t.Errorf("got %s, want %s", b.Host, c.host)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	b := open(t, project(t, map[string]string{
		"public/index.html": "home", "public/a(b).html": "paren", "public/404.html": "away", "netlify.toml": "",
		"public/_redirects": "/old /a(b) 301\n/q x=1 /a(b) 301\nhttps://example.com/shop/* https://shop.example/:splat 301!\n",
		"public/_headers":   "/*\n  X-A: 1\n  Location: /no\n",
	}), build.Options{})
	for url, want := range map[string]string{
		"https://www.example.com/":                             "200 home",
		"https://www.example.com/a%28b%29":                     "200 paren",
		"https://www.example.com/nothing":                      "404 away",
		"https://www.example.com/old?q=%28":                    "301 /a(b)?q=%28 _redirects",
		"https://www.example.com/../../etc":                    "404 away",
		"https://www.example.com/%2e%2e%2f%2e%2e%2fetc/passwd": "404 away",
		"https://www.example.com/_redirects":                   "404 away",
		"http://www.example.com/a?b=1":                         "301 https://www.example.com/a?b=1",
		"https://example.com/a%28b":                            "301 https://www.example.com/a%28b",
		"https://example.com/shop/x":                           "301 https://shop.example/x _redirects",
		"https://www.example.com:8443/":                        "outside: its host is not that of the build",
		"https://example.net/":                                 "outside: its host is not that of the build",
		"https://www.example.com/.netlify/functions/x":         "unmodelled: not modelled: functions",
	} {
		if got := get(t, b, url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	if a, _ := b.Answer(address.Wire("https://www.example.com/")); a.Header.Get("X-A") != "1" || a.Header.Get("Location") != "" {
		t.Errorf("headers are %v", a.Header)
	}
}

// Functions, redirects to other hosts online, and options of a host.
func TestWhatIsConfigured(t *testing.T) {
	files := map[string]string{"public/index.html": "home", "public/a.html": "a", "functions/api.ts": "", "functions/x/[id].js": "", "functions/v1.0/y.js": "", "functions/.git/x": ""}
	b := open(t, project(t, files), build.Options{Host: hosts.CloudflarePages, Online: true})
	for url, want := range map[string]string{
		"https://www.example.com/api/1": "unmodelled: not modelled: functions",
		"https://www.example.com/x/1":   "unmodelled: not modelled: functions",
		"https://www.example.com/v1.0/": "unmodelled: not modelled: functions",
		"https://www.example.com/apis":  "200 home", // Pages serves a build without 404.html as a single page
		"https://www.example.com/a":     "200 a",
		"https://other.example/":        "the network",
	} {
		if got := get(t, b, url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	b = open(t, project(t, files), build.Options{Host: hosts.GitLabPages, Settings: []string{"path-prefix=/p/"}})
	if got := get(t, b, "https://www.example.com/p/a"); got != "200 a" {
		t.Errorf("below the prefix: %s", got)
	}
	b = open(t, project(t, files), build.Options{Host: hosts.Nginx, Settings: []string{"spa"}})
	if got := get(t, b, "https://www.example.com/nothing"); got != "200 home" {
		t.Errorf("a single page: %s", got)
	}
}

// A function whose code may name its addresses may answer every address, except robots.txt and
// sitemaps, which are those of the folder. A function whose code exports no config answers only
// where netlify.toml says.
func TestFunctionsThatNameTheirAddresses(t *testing.T) {
	const any = "unmodelled: not modelled: functions"
	for _, c := range []struct {
		at, code, toml string
		want           string // what /a answers
	}{
		{"netlify/edge-functions/f.ts", "export default () => new Response()\nexport const config = {path: \"/a\"}\n", "", any},
		{"netlify/edge-functions/sub/f.js", "const config = {path: '/a'}\nexport {\n  config,\n}\n", "", any},
		{"netlify/edge-functions/f.js", "export default () => fetch(config.url)\n", "", any}, // it might be
		{"netlify/edge-functions/f.js", "export default () => new Response();\nread(config);\n", "", "200 a"},
		{"netlify/functions/f.mjs", "export const config = {path: '/a'}", "", any},
		{"edge/f.ts", "export const config = {}", "[build]\nedge_functions = \"/edge\"\n", any},
		{"fns/f.ts", "export const config = {}", "[functions]\ndirectory = \"fns\"\n", any},
		{"x", "", "[build]\nfunctions = \"../elsewhere\"\n", any},
		{"fns/f.ts", "", "[build]\nfunctions = \"./fns/\"\n", "200 a"},
		{"x", "", "[[edge_functions]]\npath = \"/a*\"\n", any},
		{"netlify/functions/node_modules/m/f.js", "export const config = {}", "", "200 a"},
	} {
		dir := project(t, map[string]string{"public/index.html": "home", "public/a": "a", "public/sitemap.xml": "<urlset/>", "netlify.toml": c.toml, c.at: c.code})
		b := open(t, dir, build.Options{})
		if got := get(t, b, "https://www.example.com/a"); got != c.want {
			t.Errorf("%s %q %q: got %q", c.at, c.code, c.toml, got)
		}
		a, _ := b.File(address.Wire("https://www.example.com/sitemap.xml"))
		if a.Body == nil {
			t.Fatalf("%s: the sitemap is %+v", c.at, a)
		}
		_ = a.Body.Close()
	}
}

// What a rule file says that cannot be read, that the host refuses, or that is no text, is not known:
// the audit does not begin. A folder with the name of a rule file has no rules.
func TestRuleFilesThatSayNothing(t *testing.T) {
	text := func(s string) func(string) error {
		return func(at string) error { return os.WriteFile(at, []byte(s), 0o666) }
	}
	link := func(to string) func(string) error { return func(at string) error { return os.Symlink(to, at) } }
	long := func(at string) error { return errors.Join(os.WriteFile(at, nil, 0o666), os.Truncate(at, 128<<20+1)) }
	for _, c := range []struct {
		file string
		host hosts.Name
		make func(at string) error
		want string // a part of the error; "" where there is none
	}{
		{"netlify.toml", hosts.Netlify, text("[build]\n[[redirects\nfrom = 1\n"), "netlify.toml line 2: no TOML"},
		{"netlify.toml", hosts.Netlify, text("a = " + strings.Repeat("[", 1<<20)), "netlify.toml line 1: its values are nested too deep"},
		{"vercel.json", hosts.Vercel, text("{\n\"redirects\": [}\n"), "vercel.json line 2: no JSON"},
		{"vercel.json", hosts.Vercel, text(`{"redirects":[{"source":"/x"}]}`), "vercel.json line 1: source or destination is missing"},
		{"vercel.json", hosts.Vercel, text(`{"headers":[{"source":"/x","has":[{}],"headers":[]}]}`), ""}, // reported and ignored
		{"vercel.json", hosts.Vercel, text("{\"redirects\":[{\"source\":\"/caf\xe9\",\"destination\":\"/a\"}]}"), "vercel.json: it is not UTF-8"},
		{"_redirects", hosts.CloudflarePages, text("/x /a 301\n/caf\xe9 /a 301\n"), "_redirects line 2: it is not UTF-8"},
		{"_redirects", hosts.Netlify, text("/\x00x\x00 \x00/\x00a\x00\n\x00"), "_redirects line 1: it is not UTF-8"},
		{"_headers", hosts.Netlify, text("/*\n  X-A: caf\xe9\n"), "_headers line 2: it is not UTF-8"},
		{"_redirects", hosts.Netlify, link("../secret"), "_redirects: it is a link that leads out of the build"},
		{"_redirects", hosts.Netlify, func(at string) error { return os.Mkdir(at, 0o777) }, ""},
		{"../netlify.toml", hosts.Netlify, link("none"), "netlify.toml: it is a link"},
		{"../wrangler.json", hosts.CloudflareWorkers, text(strings.Repeat("[", 40<<20)), "its values are nested too deep"},
		{"_redirects", hosts.Netlify, long, "_redirects: it is longer than 128 MB"},
	} {
		dir := project(t, map[string]string{"public/index.html": "home", "secret": "x"})
		if err := c.make(filepath.Join(dir, "public", filepath.FromSlash(c.file))); err != nil {
			t.Skip(err)
		}
		b, err := build.Open(filepath.Join(dir, "public"), build.Options{Host: c.host, Origin: address.Wire("https://www.example.com/")})
		said := ""
		var result *build.Error
		switch {
		case errors.As(err, &result) && result.Hint() != "":
			said = result.What
		case err != nil:
			t.Fatal(err)
		default:
			_ = b.Close()
		}
		if !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s %s: got %q, want %q", c.host, c.file, said, c.want)
		}
	}
}

// Symbolic links out of the folder, and those to folders, are not followed, wherever they are:
// their content is not known.
func TestLinks(t *testing.T) {
	dir := project(t, map[string]string{"public/index.html": "home", "public/real.html": "real", "public/v2/b.html": "b",
		"secret.html": "secret", "out/a.html": "a"})
	for name, to := range map[string]string{
		"public/leak.html": "../secret.html", "public/inside.html": "real.html", "public/folder": "../out", "public/abs.html": filepath.Join(dir, "secret.html"),
		"public/latest": "v2",
	} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	const hidden = ": a link that is not followed, or cannot be read"
	b := open(t, dir, build.Options{Host: hosts.Netlify})
	for url, want := range map[string]string{
		"https://www.example.com/leak.html":     "what is at /leak.html" + hidden,
		"https://www.example.com/leak":          "what is at /leak.html" + hidden,
		"https://www.example.com/abs.html":      "what is at /abs.html" + hidden,
		"https://www.example.com/folder/a.html": "what is at /folder" + hidden,
		"https://www.example.com/folder/":       "what is at /folder" + hidden,
		"https://www.example.com/latest/b":      "what is at /latest" + hidden,
		"https://www.example.com/v2/b":          "200 b",
		"https://www.example.com/inside.html":   "200 real",
	} {
		if got := get(t, b, url); strings.TrimPrefix(got, "unmodelled: not modelled: ") != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

// --rules names files that replace those found. Their names say which rules they have.
func TestNamedRules(t *testing.T) {
	dir := project(t, map[string]string{"public/index.html": "home", "public/about.html": "about", "public/_redirects": "/old /found 301\n", "public/_headers": "/*\n  X-A: 1\n",
		"conf/_redirects": "/old /named 301\n", "conf/netlify.toml": "[build.processing.html]\npretty_urls = false\n", "conf/moved.txt": "/old /x 301\n",
		"conf/vercel.json": `{"bulkRedirectsPath":"bulk"}`, "conf/bulk/a.csv": "source,destination\n/old,/bulk\n"})
	at := func(name string) string { return filepath.Join(dir, "conf", name) }
	b := open(t, dir, build.Options{Host: hosts.Netlify, Rules: []string{at("_redirects"), at("netlify.toml")}})
	if got := get(t, b, "https://www.example.com/old"); !strings.HasPrefix(got, "301 /named ") {
		t.Errorf("got %q", got)
	}
	if got := get(t, b, "https://www.example.com/about/"); got != "200 about" {
		t.Errorf("pretty URLs are off in the netlify.toml that was named: %q", got)
	}
	b = open(t, dir, build.Options{Host: hosts.Vercel, Rules: []string{at("vercel.json")}})
	if got := get(t, b, "https://www.example.com/old"); !strings.HasPrefix(got, "307 /bulk ") {
		t.Errorf("the bulk redirects of a vercel.json that was named: %q", got)
	}
	_, err := build.Open(filepath.Join(dir, "public"), build.Options{Origin: address.Wire("https://www.example.com/"), Host: hosts.Netlify, Rules: []string{at("moved.txt")}})
	var result *build.Error
	if !errors.As(err, &result) || !strings.Contains(result.Hint(), "_redirects and _headers and netlify.toml") {
		t.Errorf("got %v", err)
	}
}
