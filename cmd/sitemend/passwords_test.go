package main

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sitemend/cmd/internal/web"
)

// planted is the password that every address of passwordWeb has. It stands in base64 where raw
// octets are kept, too.
const planted = "pl4nted"

// passwordWeb names a password wherever an address may stand.
const passwordWeb = `
http://shop.example/robots.txt 200
  | Sitemap: http://me:pl4nted@shop.example/sitemap.xml
  | Sitemap: ftp://me:pl4nted@shop.example/none.xml
http://shop.example/sitemap.xml 200
  | <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
  | <url><loc>http://me:pl4nted@shop.example/fine</loc>
  | <xhtml:link rel="alternate" hreflang="en" href="http://me:pl4nted@shop.example/fine"/>
  | <xhtml:link rel="alternate" hreflang="de" href="http://me:pl4nted@shop.example/de/moved"/>
  | <xhtml:link rel="alternate" hreflang="fr" href="http://me:pl4nted@shop.example/fr/gone"/>
  | <xhtml:link rel="alternate" hreflang="uk-XX" href="//me:pl4nted@shop.example/none"/>
  | <xhtml:link rel="alternate" hreflang="it" href="http://me:pl4nted@shop.example/old"/>
  | <xhtml:link rel="alternate" hreflang="es" href="ftp://me:pl4nted@shop.example/none"/>
  | <image:image><image:loc>http://me:pl4nted@shop.example/moved.png</image:loc></image:image>
  | <image:image><image:loc>http://me:pl4nted@shop.example/gone.png</image:loc></image:image>
  | <video:video><video:thumbnail_loc>http://me:pl4nted@shop.example/moved.jpg</video:thumbnail_loc><video:content_loc>http://me:pl4nted@shop.example/gone.mp4</video:content_loc><video:player_loc>http://me:pl4nted@shop.example/player</video:player_loc></video:video>
  | </url>
  | <url><loc>http://me:pl4nted@shop.example/old</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/none</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/canonical</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/refresh</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/header</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/script</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/temporary</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/temporary</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/ loop</loc></url>
  | <url><loc>ftp://me:pl4nted@shop.example/x</loc></url>
  | <url><loc>http://me:pl4nted@[/x</loc></url>
  | <url><loc>//me:pl4nted@shop.example/relative</loc></url>
  | <url><loc>http://me:pl4nted@other.example/away</loc></url>
  | </urlset>
http://shop.example/fine 200
  | <title>Fine</title><p>Text <a href="http://me:pl4nted@shop.example/old">old</a> <a href="http://me:pl4nted@shop.example/unlisted">new</a> <a href="http://me:pl4nted@shop.example/linked-old">x</a>
http://shop.example/de/moved 301 http://me:pl4nted@shop.example/de/new
http://shop.example/old 301 http://me:pl4nted@shop.example/new
http://shop.example/new 200
http://shop.example/de/new 200
http://shop.example/moved.png 301 http://me:pl4nted@shop.example/new.png
http://shop.example/new.png 200
  Content-Type: image/png
http://shop.example/moved.jpg 301 http://me:pl4nted@shop.example/new.jpg
http://shop.example/new.jpg 200
  Content-Type: image/jpeg
http://shop.example/canonical 200
  | <link rel=canonical href="http://me:pl4nted@shop.example/new"><title>C</title><p>Text
http://shop.example/header 200
  Link: <http://me:pl4nted@shop.example/new>; rel="canonical"
http://shop.example/refresh 200
  | <meta http-equiv=refresh content="5; url=http://me:pl4nted@shop.example/new"><title>R</title><p>Text
http://shop.example/script 200
  | <script>location.href = "http://me:pl4nted@shop.example/new"</script>
http://shop.example/temporary 302 http://me:pl4nted@shop.example/new
http://shop.example/%20loop 301 http://me:pl4nted@shop.example/%20loop
http://shop.example/unlisted 200
http://shop.example/linked-old 301 http://me:pl4nted@shop.example/new
http://shop.example/player 301 ftp://me:pl4nted@shop.example/player
`

// A password in an address of a site stands in its sitemaps alone, as fetched and as corrected: in
// no output of any format, on no page of serve, in nothing that is printed or logged, and not in
// the store.
func TestPasswordsOfAddressesAreNowhere(t *testing.T) {
	parsed, err := web.Parse(passwordWeb, nil)
	must(t, err)
	s, err := parsed.Start()
	must(t, err)
	defer s.Close()
	t.Setenv("HTTP_PROXY", "http://"+s.Addr())
	dir := t.TempDir()
	at := filepath.Join(dir, "out")
	sitemend := func(args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &errOut); code > 1 {
			t.Errorf("%v ends with %d: %s", args, code, errOut.String())
		}
		withoutPassword(t, strings.Join(args, " "), out.Bytes())
		withoutPassword(t, strings.Join(args, " "), errOut.Bytes())
	}
	audit := func(args ...string) {
		sitemend(append([]string{"audit", "-v", "--rate", "0", "--out", at, "--fresh", "--fail-on", "none", "--format",
			"html,csv,jsonl,xlsx,junit,sarif,md", "--also", "alternates,images,videos", "--links", "--max-drop", "100%"}, args...)...)
		lookThrough(t, at)
	}
	export := filepath.Join(dir, "export.csv")
	mustWrite(t, export, []byte("URL,Last crawled\nhttp://me:pl4nted@shop.example/exported,2026-01-02\n"))
	expect := filepath.Join(dir, "expect.csv")
	mustWrite(t, expect, []byte("http://shop.example/old,http://shop.example/new\nhttp://shop.example/gone,http://shop.example/new\n"))
	audit("http://shop.example", "--search-console", export, "--expect", expect)
	audit("http://shop.example")
	sitemend("diff", "--out", at, "--lang", "en")
	sitemend("list", "--out", at)
	sitemend("report", "--out", at, "--fail-on", "none", "--format", "html,jsonl")
	lookThrough(t, at)
	if pages := lookAtPages(t, serving(t, dir)); pages < 3 {
		t.Errorf("%d pages of serve were looked at", pages)
	}
}

func withoutPassword(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, secret := range []string{planted, "cGw0bnRlZ", "wbDRudGVk", "BsNG50ZW"} { // and in base64, by its place
		if i := bytes.Index(text, []byte(secret)); i >= 0 {
			t.Errorf("%s: %q", where, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// lookThrough looks through all files of a folder but the sitemaps, as fetched and as corrected.
func lookThrough(t *testing.T, dir string) {
	t.Helper()
	looked := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == "sitemaps" || name == "originals" || strings.HasSuffix(name, ".spool") {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked[name] = true
		withoutPassword(t, name, text)
		if strings.HasSuffix(name, ".xlsx") {
			lookIntoZip(t, name, text)
		}
		return nil
	})
	must(t, err)
	for _, name := range []string{"report.html", "entries.csv", "entries.jsonl", "entries.xlsx", "junit.xml", "sarif.json", "summary.md", "summary.json", "changes.csv", "also.csv", "links.csv", "audits.db"} {
		if !looked[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if store, err := os.ReadFile(filepath.Join(dir, "audits.db")); err != nil || !bytes.Contains(store, []byte("***@shop.example")) {
		t.Errorf("the store cannot be looked through as it is: %v", err)
	}
	copied, err := os.ReadFile(filepath.Join(dir, "sitemaps", "shop.example", "sitemap.xml"))
	if err != nil || !bytes.Contains(copied, []byte("<loc>http://me:pl4nted@shop.example/fine</loc>")) {
		t.Errorf("the corrected sitemap is not as listed where nothing is corrected: %v\n%s", err, copied)
	}
}

func lookIntoZip(t *testing.T, name string, text []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		part, err := io.ReadAll(r)
		must(t, err)
		withoutPassword(t, name+": "+f.Name, part)
	}
}

var pageLink = regexp.MustCompile(`(?:href|action|src)="([^"#]*)`)

// lookAtPages looks at the pages that lead to one another from root on, downloads of sitemaps
// aside, and returns how many these are.
func lookAtPages(t *testing.T, root string) int {
	t.Helper()
	from, err := url.Parse(root)
	must(t, err)
	seen, todo := map[string]bool{root: true}, []*url.URL{from}
	for n := 0; n < len(todo) && n < 200; n++ {
		at := todo[n]
		_, body := getStatus(t, at.String())
		withoutPassword(t, at.Path, []byte(body))
		for _, m := range pageLink.FindAllStringSubmatch(body, -1) {
			to, err := at.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil || to.Host != from.Host || seen[to.String()] || strings.Contains(to.Path, "/sitemaps/") || strings.Contains(to.Path, "/originals/") {
				continue
			}
			seen[to.String()] = true
			todo = append(todo, to)
		}
	}
	return len(todo)
}
