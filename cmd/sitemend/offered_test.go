package main

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// offeredCode are the pieces of code of a page and of Markdown that are commands.
var offeredCode = regexp.MustCompile("(?:<code[^>]*>|`)(sitemend [^<`]+)(?:</code>|`)")

// Each command that the page and the summary of an audit offer is one that the program takes,
// in whatever state the site is.
func TestOfferedCommandsAreTaken(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	for name, answers := range map[string]map[string]int{
		"the brake":      {"ok": 20, "gone": 20},
		"redirects":      {"ok": 20, "moved": 20},
		"mostly refused": {"moved": 20, "refused": 40},
		"all refused":    {"refused": 30},
		"a password":     {"ok": 20, "password": 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			site := httptest.NewServer(answering(answers))
			defer site.Close()
			var out, errOut strings.Builder // its status says whether it saw the site
			run(t.Context(), []string{"audit", site.URL, "--allow-private", "--rate", "0", "--fail-on", "none", "--format", "html,md", "--lang", "en"}, strings.NewReader(""), &out, &errOut)
			list, _ := mustRun(t, exitOK, "list")
			id := regexp.MustCompile(`\d{8}T\d{6}Z`).FindString(list)
			run(t.Context(), []string{"report", id, "--store", filepath.Join("sitemend-out", "audits.db"), "--out", "named", "--format", "html,md", "--lang", "en"}, strings.NewReader(""), &out, &errOut)
			n := 0
			usual := filepath.Join("sitemend-out", strings.Replace(strings.TrimPrefix(site.URL, "http://"), ":", "_", 1))
			for _, file := range []string{usual + "/report.html", usual + "/summary.md", "named/report.html", "named/summary.md"} {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("%v\n%s", err, errOut.String())
				}
				for _, m := range offeredCode.FindAllStringSubmatch(strings.ReplaceAll(string(text), "<wbr>", ""), -1) {
					n++
					if err := taken(html.UnescapeString(m[1])); err != nil {
						t.Errorf("%s: %s: %v", file, m[1], err)
					}
				}
			}
			if n == 0 {
				t.Error("no command is offered")
			}
		})
	}
}

// answering is a site whose sitemap lists so many entries of each kind.
func answering(kinds map[string]int) http.Handler {
	answers := map[string]int{"ok": 200, "new": 200, "gone": 404, "moved": 301, "refused": 403, "password": 401}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case kind == "sitemap.xml":
			fmt.Fprint(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				for i := range kinds[kind] {
					fmt.Fprintf(w, "<url><loc>http://%s/%s/%d</loc></url>\n", r.Host, kind, i)
				}
			}
			fmt.Fprint(w, "</urlset>")
		case answers[kind] == 0:
			http.NotFound(w, r)
		case kind == "moved":
			http.Redirect(w, r, strings.Replace(r.URL.Path, "moved", "new", 1), http.StatusMovedPermanently)
		default:
			w.WriteHeader(answers[kind])
			fmt.Fprintf(w, "<title>%s</title><p>page %s", r.URL.Path, r.URL.Path)
		}
	})
}

// taken returns an error where the program does not take the flags and arguments of a command
// as a shell reads them.
func taken(line string) error {
	words, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.TrimPrefix(line, "sitemend ")).Output()
	if err != nil {
		return err
	}
	c, args, err := newRoot(stdio{}).Find(strings.Split(strings.TrimSuffix(string(words), "\n"), "\n"))
	if err != nil {
		return err
	}
	if err := c.ParseFlags(args); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}
