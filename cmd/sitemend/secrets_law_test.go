package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sitemend/cmd/internal/web"
)

// Whatever a web does with redirects, refreshes, canonicals, sitemaps and
// robots.txt, the user's secrets go to the origins that the user named and to those
// that these name in robots.txt, over http only where the user wrote http; and a
// stranger gets no authenticated request out of us: what only strangers name
// (here: /poison) is never asked with secrets, not as second spelling, not as
// canonical, not for the proof, and nothing that cannot exist is asked so beside it.
// Who answers over http is a stranger, too, unless the user wrote http.
func TestSecretsStayWithTheirHosts(t *testing.T) {
	carried := 0
	seeds := []uint64{405} // a whole move of a sitemap to whose path http led
	for seed := range uint64(100) {
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
	if carried < 300 {
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
	t.Helper()
	parsed, err := web.Parse(w.text, nil)
	if err != nil {
		t.Fatal(err, "\n", w.text)
	}
	s, err := parsed.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, "http://"+s.Addr())
	}
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, s.CAPEM(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"audit", "--rate", "0", "--ca", ca, "--user", "me:secret", "--header", "X-Door: 7", "--out", filepath.Join(dir, "out"), "-q",
		"--fail-on", "none"}, w.flags...)
	if w.export != "" {
		list := filepath.Join(dir, "export.csv")
		if err := os.WriteFile(list, []byte(w.export), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--search-console", list)
	}
	var out, errOut bytes.Buffer
	if code := run(t.Context(), append(args, w.target), nil, &out, &errOut); code == exitInterrupted {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	return s.Requests()
}
