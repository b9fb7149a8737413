//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"sitemend/cmd/internal/web"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Whatever a web does with redirects, refreshes, canonicals, sitemaps and
// robots.txt, the user's secrets go to the origins that the user named and to those
// that these name in robots.txt, over http only where the user wrote http; and a
// stranger gets no authenticated request out of us: what only strangers name
// (here: /poison) is never asked with secrets, not as second spelling, not as
// canonical, not for the proof, and nothing that cannot exist is asked so beside it.
// Who answers over http is a stranger, too, unless the user wrote http.
func TestLawSecretsStayWithTheirHosts(t *testing.T) {
	carried := 0
	seeds := []uint64{405} // a whole move of a sitemap to whose path http led
	for seed := range uint64(40) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		w := drawSecretWeb(rand.New(rand.NewPCG(seed, 7)))
		for _, r := range w.audit(t) {
			if r.Header.Get("Authorization") == "" && r.Header.Get("X-Door") == "" {
				continue
			}
			carried++
			origin := r.Scheme + "://" + r.Host
			if !w.named[origin] || strings.Contains(r.Target, "poison") {
				t.Errorf("seed %d: target %s: secrets went to %s\n%s", seed, w.target, r.URL(), w.text)
			}
		}
	}
	if carried < 120 {
		t.Errorf("%d requests carried secrets: that proves little", carried)
	}
}

// secretWeb is a drawn web with a site to audit and strangers around it.
type secretWeb struct {
	r      *rand.Rand
	target string
	named  map[string]bool // origins that may see secrets
	text   string
	flags  []string
	export string // of Search Console, "" for none
	poison int
}

// The origins of a secretWeb: those of the audited site, first with the ports that
// are the site's own, and those of strangers. One stranger is of the same
// registrable domain.
var (
	ownOrigins  = []string{"https://shop.example", "https://www.shop.example", "http://shop.example", "http://www.shop.example", "http://shop.example:443", "https://shop.example:8443", "http://shop.example:8080"}
	strangeOnes = []string{"https://evil.example", "http://evil.example", "https://users.shop.example", "http://users.shop.example"}
)

const cdn = "https://cdn.example" // named by the robots.txt of the site

func drawSecretWeb(r *rand.Rand) *secretWeb {
	w := &secretWeb{r: r, named: map[string]bool{"https://shop.example": true, "https://www.shop.example": true}}
	w.target = []string{"https://shop.example", "shop.example", "http://shop.example"}[r.IntN(3)]
	home := "https://shop.example"
	if w.target == "http://shop.example" {
		home = w.target
		w.named[home], w.named["http://www.shop.example"] = true, true
	}
	var b strings.Builder
	w.robots(&b, home)
	w.sitemaps(&b)
	for _, origin := range append(append(slices.Clone(ownOrigins), strangeOnes...), cdn) {
		for i := range 6 {
			w.page(&b, origin, fmt.Sprintf("/%d%%28", i))
		}
		w.list(&b, origin+"/poison.txt", 4, true)
		fmt.Fprintf(&b, "%s/poison* 200\n", origin)
	}
	w.text = b.String()
	if r.IntN(2) == 0 {
		w.flags = []string{"--fix", "temporary=replace,offsite=replace,target-offsite=replace,other-host=replace,collapsed=replace,gate=replace"}
	}
	if r.IntN(3) == 0 {
		w.export = "URL,Last crawled\n"
		for i := range 6 {
			w.export += fmt.Sprintf("http://shop.example/%d%%28,2026-01-02\n", i)
		}
	}
	return w
}

// strange reports whether an origin is that of a stranger, or of whoever is on the way
// to an own host in clear text.
func (w *secretWeb) strange(origin string) bool { return !w.named[origin] }

// robots writes the robots.txt files: that of the site may be a stranger's.
func (w *secretWeb) robots(b *strings.Builder, home string) {
	fmt.Fprint(b, "https://evil.example/robots.txt 200\n  | Sitemap: https://evil.example/map.xml\n  | Sitemap: https://shop.example/poison.xml\n")
	if w.r.IntN(3) == 0 {
		fmt.Fprintf(b, "%s/robots.txt 301 https://evil.example/robots.txt\n", home)
		return
	}
	fmt.Fprintf(b, "%s/robots.txt 200\n  | Sitemap: %s/map.xml\n  | Sitemap: http://shop.example/map.xml\n  | Sitemap: %s/map.xml\n", home, home, cdn)
	w.named[cdn], w.named["https://www.cdn.example"] = true, true
}

func (w *secretWeb) sitemaps(b *strings.Builder) {
	for _, origin := range append(slices.Clone(ownOrigins), cdn) {
		strange := w.strange(origin)
		secure, twin := onHTTPS(origin)
		switch n := w.r.IntN(4); {
		case strange && n == 0:
			fmt.Fprintf(b, "%s/map.xml 301 https://shop.example/poison.txt\n", origin)
		case strange && n == 1 && twin:
			fmt.Fprintf(b, "%s/map.xml 301 %s/map.xml\n", origin, secure)
		case n == 0:
			fmt.Fprintf(b, "%s/map.xml 302 %s/map.xml\n", origin, w.stranger())
		case n == 1:
			fmt.Fprintf(b, "%s/map.xml 200\n  Content-Type: application/xml\n  | <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>%s/map.xml</loc></sitemap>"+
				"<sitemap><loc>%s/list.txt</loc></sitemap><sitemap><loc>http://www.shop.example/list.txt</loc></sitemap></sitemapindex>\n", origin, w.stranger(), origin)
		default:
			fmt.Fprintf(b, "%s/map.xml 301 /list.txt\n", origin)
		}
		w.list(b, origin+"/list.txt", 12, strange)
	}
	for _, origin := range strangeOnes {
		w.list(b, origin+"/map.xml", 12, true)
	}
}

func (w *secretWeb) list(b *strings.Builder, at string, n int, strange bool) {
	fmt.Fprintf(b, "%s 200\n  Content-Type: text/plain\n", at)
	for range n {
		fmt.Fprintf(b, "  | %s\n", w.any(strange))
	}
}

// page draws what an address answers. Half of what is asked over http is led to
// https.
func (w *secretWeb) page(b *strings.Builder, origin, path string) {
	at, strange := origin+path, w.strange(origin)
	if secure, twin := onHTTPS(origin); twin && strange && w.r.IntN(2) == 0 {
		fmt.Fprintf(b, "%s 301 %s%s\n", at, secure, path)
		return
	}
	switch to := w.any(strange); w.r.IntN(6) {
	case 0, 1:
		fmt.Fprintf(b, "%s 301 %s\n", at, to)
	case 2:
		fmt.Fprintf(b, "%s 302 %s\n", at, to)
	case 3:
		fmt.Fprintf(b, "%s 200\n  | <link rel=canonical href=\"%s\"><p>x\n", at, to)
	case 4:
		fmt.Fprintf(b, "%s 200\n  | <meta http-equiv=refresh content=\"0;url=%s\">\n", at, to)
	default:
		fmt.Fprintf(b, "%s 200\n", at)
	}
}

// onHTTPS returns the https twin of an http origin on the default port, and whether it
// is one.
func onHTTPS(origin string) (secure string, twin bool) {
	host, ok := strings.CutPrefix(origin, "http://")
	return "https://" + host, ok && !strings.Contains(host, ":")
}

func (w *secretWeb) stranger() string { return strangeOnes[w.r.IntN(len(strangeOnes))] }

// any draws an address that a page names; strangers name poison.
func (w *secretWeb) any(strange bool) string {
	switch {
	case strange && w.r.IntN(2) == 0:
		w.poison++
		if w.r.IntN(3) == 0 {
			return fmt.Sprintf("%s/poison?delete=%d%%28", ownOrigins[w.r.IntN(2)], w.poison)
		}
		return fmt.Sprintf("%s/poison/%d%%28", ownOrigins[w.r.IntN(3)], w.poison)
	case w.r.IntN(3) == 0:
		return fmt.Sprintf("%s/%d%%28", w.stranger(), w.r.IntN(6))
	}
	return fmt.Sprintf("%s/%d%%28", ownOrigins[w.r.IntN(len(ownOrigins))], w.r.IntN(6))
}

// audit runs the command and returns what the web was asked.
func (w *secretWeb) audit(t *testing.T) []web.Request {
	s := serveWeb(t, w.text, nil)
	defer s.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, "http://"+s.Addr())
	}
	dir := t.TempDir()
	mustWrite(t, filepath.Join(dir, "ca.pem"), s.CAPEM())
	mustWrite(t, filepath.Join(dir, "export.csv"), []byte(w.export))
	args := append([]string{"audit", "--rate", "0", "--ca", filepath.Join(dir, "ca.pem"), "--user", "me:secret", "--header", "X-Door: 7", "--out", filepath.Join(dir, "out"), "--fail-on", "none"}, w.flags...)
	if w.export != "" {
		args = append(args, "--search-console", filepath.Join(dir, "export.csv"))
	}
	if status, _, said := sitemend(t.Context(), append(args, w.target)...); status == exitInterrupted {
		t.Fatal(said)
	}
	return s.Requests()
}

// planted is the password that every address of passwordWeb has, and what base64, in which raw octets
// are kept, makes of it.
var planted = []string{"pl4nted", "cGw0bnRlZ", "wbDRudGVk", "BsNG50ZW"}

// passwordWeb names a password wherever an address may stand.
const passwordWeb = `
http://shop.example/robots.txt 200
  | Sitemap: http://me:pl4nted@shop.example/sitemap.xml
  | Sitemap: ftp://me:pl4nted@shop.example/none.xml
http://shop.example/sitemap.xml 200
  | <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
  | <url><loc>http://me:pl4nted@shop.example/fine</loc>
  | <xhtml:link rel="alternate" hreflang="en" href="http://me:pl4nted@shop.example/fine"/>
  | <xhtml:link rel="alternate" hreflang="de" href="http://me:pl4nted@shop.example/moved/1"/>
  | <xhtml:link rel="alternate" hreflang="uk-XX" href="//me:pl4nted@shop.example/none"/>
  | <image:image><image:loc>http://me:pl4nted@shop.example/gone.png</image:loc></image:image>
  | <video:video><video:thumbnail_loc>http://me:pl4nted@shop.example/moved/2</video:thumbnail_loc><video:content_loc>http://me:pl4nted@shop.example/gone.mp4</video:content_loc></video:video>
  | </url>
  | <url><loc>http://me:pl4nted@shop.example/moved/3</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/none</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/canonical</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/header</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/refresh</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/script</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/temporary</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/temporary</loc></url>
  | <url><loc>http://me:pl4nted@shop.example/ loop</loc></url>
  | <url><loc>ftp://me:pl4nted@shop.example/x</loc></url>
  | <url><loc>http://me:pl4nted@[/x</loc></url>
  | </urlset>
http://shop.example/fine 200
  | <title>Fine</title><p>Text <a href="http://me:pl4nted@shop.example/moved/3">old</a> <a href="http://me:pl4nted@shop.example/unlisted">new</a>
http://shop.example/moved/* 301 http://me:pl4nted@shop.example/new
http://shop.example/new 200
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
`

// A password in an address of a site stands in its sitemaps alone, as fetched and as corrected: in
// no output of any format, on no page of serve, in nothing that is printed or logged, and not in
// the store.
func TestLawPasswordsOfAddressesAreNowhere(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://"+serveWeb(t, passwordWeb, nil).Addr())
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	said := func(args ...string) {
		t.Helper()
		status, printed, errOut := sitemend(t.Context(), args...)
		if status > exitFound {
			t.Errorf("%v ends with %d: %s", args, status, errOut)
		}
		withoutPassword(t, strings.Join(args, " "), []byte(printed+errOut))
	}
	export, expect := filepath.Join(dir, "export.csv"), filepath.Join(dir, "expect.csv")
	mustWrite(t, export, []byte("URL,Last crawled\nhttp://me:pl4nted@shop.example/exported,2026-01-02\n"))
	mustWrite(t, expect, []byte("http://shop.example/moved/3,http://shop.example/new\nhttp://shop.example/gone,http://shop.example/new\n"))
	audit := []string{"audit", "-v", "--rate", "0", "--out", out, "--fresh", "--fail-on", "none", "--format", "html,csv,jsonl,xlsx,junit,sarif,md",
		"--also", "alternates,images,videos", "--links", "--max-drop", "100%", "http://shop.example"}
	said(append(audit, "--search-console", export, "--expect", expect)...)
	lookThrough(t, out)
	said(audit...)
	said("diff", "--out", out, "--lang", "en")
	said("list", "--out", out)
	lookThrough(t, out)
	root := serving(t, dir)
	_, list := getStatus(t, root)
	for _, m := range regexp.MustCompile(`href="[^"#]*(audits/[^"#/]+/)`).FindAllStringSubmatch(list, -1) {
		for _, page := range []string{"", "files/jsonl", "files/links.csv", "search?q=shop"} {
			_, text := getStatus(t, root+m[1]+page)
			withoutPassword(t, page, []byte(list+text))
		}
	}
}

func withoutPassword(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, secret := range planted {
		if i := bytes.Index(text, []byte(secret)); i >= 0 {
			t.Errorf("%s: %q", where, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// lookThrough looks through all files of a folder but the sitemaps, as fetched and as corrected.
func lookThrough(t *testing.T, dir string) {
	t.Helper()
	files := readAll(t, dir)
	for name, text := range files {
		top, _, _ := strings.Cut(name, "/")
		if top == "sitemaps" || top == "originals" || strings.HasSuffix(top, ".spool") {
			continue
		}
		withoutPassword(t, name, text)
		if strings.HasSuffix(name, ".xlsx") {
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
	}
	if len(files) < 14 || !bytes.Contains(files["audits.db"], []byte("***@shop.example")) {
		t.Errorf("%d files; the store cannot be looked through as it is", len(files))
	}
	if copied := files["sitemaps/shop.example/sitemap.xml"]; !bytes.Contains(copied, []byte("<loc>http://me:pl4nted@shop.example/fine</loc>")) {
		t.Errorf("the corrected sitemap is not as listed where nothing is corrected:\n%s", copied)
	}
}

// No flag of any command repeats or keeps the password of an address that is given to it.
func TestLawNoFlagRepeatsAPassword(t *testing.T) {
	t.Chdir(t.TempDir())
	const address = "http://u:pl4nted@127.0.0.1:1/a"
	mustWrite(t, "list.txt", []byte("http://127.0.0.1:1/a\n"))
	mustWrite(t, "map.csv", []byte(address+","+address+"b\n"))
	tries := [][]string{{"logs", address}, {"audit", "--expect", "map.csv"}, {"rules", "map.csv", "--for", "nginx"}, {"audit", address}}
	base := map[string][]string{
		"audit": {"audit", "-q", "--rate", "0", "list.txt"}, "rules": {"rules", "--for", "nginx"}, "probe": {"probe", "http://127.0.0.1:1/"},
		"logs": {"logs", "list.txt"}, "submit": {"submit", "--dry-run"},
	}
	takesAddress := regexp.MustCompile(`URL|ORIGIN|HOST|ADDR|FROM=TO`)
	files := []string{"search-console", "expect", "access-log", "bot-ranges"} // that somebody may give an address
	for _, c := range newRoot(stdio{}).Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); base[c.Name()] != nil && (takesAddress.MatchString(value) || slices.Contains(files, f.Name)) {
				for _, value := range []string{address, "u:pl4nted@127.0.0.1=b.example", "u:pl4nted@127.0.0.1:80:127.0.0.1"} {
					if value == address || !slices.Contains(files, f.Name) {
						tries = append(tries, append(slices.Clone(base[c.Name()]), "--"+f.Name+"="+value))
					}
				}
			}
		})
	}
	if len(tries) < 20 {
		t.Errorf("only %d flags take an address", len(tries))
	}
	for _, args := range tries {
		status, out, errOut := sitemend(t.Context(), args...)
		if status == exitOK {
			t.Errorf("%q is taken", args)
		}
		withoutPassword(t, strings.Join(args, " ")+" says", []byte(out+errOut))
		for name, text := range readAll(t, ".") {
			if name != "map.csv" {
				withoutPassword(t, strings.Join(args, " ")+" keeps", append(text, name...))
			}
		}
	}
}
