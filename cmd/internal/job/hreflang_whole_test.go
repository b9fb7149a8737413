package job_test

import (
	"encoding/xml"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
)

// addressOf draws an address from which a page can be reached, one in five an old one.
func (s *setSite) addressOf(r *rand.Rand, lang string, set int) string {
	way := []string{"/old/%s/%d", "/older/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d", "/%s/%d"}[r.IntN(10)]
	return s.URL + fmt.Sprintf(way, lang, set)
}

// fill makes a sitemap for each language, of sets that are whole but for old addresses anywhere.
func (s *setSite) fill(r *rand.Rand, sets int) {
	for _, lang := range setLanguages {
		var b strings.Builder
		b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
		for set := range sets {
			fmt.Fprintf(&b, "<url>\n<loc>%s</loc>\n", s.addressOf(r, lang, set))
			for _, to := range setLanguages {
				fmt.Fprintf(&b, `<xhtml:link rel="alternate" hreflang="%s" href="%s"/>`+"\n", to, s.addressOf(r, to, set))
			}
			b.WriteString("</url>\n")
		}
		s.files["/"+lang+".xml"] = b.String() + "</urlset>\n"
	}
}

// languageCode is a hreflang as Google takes it: a language, maybe a script, maybe a country.
var languageCode = regexp.MustCompile(`^([a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?|x-default)$`)

// faultsOfSets reads sitemaps with another parser, holds all pages in memory, and says what is
// wrong with their alternates: Google Search Central, "Localized versions of your pages".
func faultsOfSets(t *testing.T, files map[string]string) (wrong []string, links int) {
	type urlset struct {
		URLs []struct {
			Loc   string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
			Links []struct {
				Rel  string `xml:"rel,attr"`
				Lang string `xml:"hreflang,attr"`
				Href string `xml:"href,attr"`
			} `xml:"http://www.w3.org/1999/xhtml link"`
		} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	pages := map[string]map[string]string{} // of each page, the addresses by code
	for name, text := range files {
		var s urlset
		if err := xml.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(name, err)
		}
		for _, u := range s.URLs {
			set := map[string]string{}
			for _, l := range u.Links {
				links++
				if l.Rel != "alternate" || !languageCode.MatchString(l.Lang) || set[l.Lang] != "" {
					wrong = append(wrong, fmt.Sprintf("%s: %+v", u.Loc, l))
				}
				set[l.Lang] = l.Href
			}
			if pages[u.Loc] != nil {
				wrong = append(wrong, u.Loc+" is listed twice")
			}
			pages[u.Loc] = set
		}
	}
	for page, set := range pages {
		self := false
		for lang, to := range set {
			self = self || to == page
			if pages[to] == nil || pages[to][lang] != to || fmt.Sprint(pages[to]) != fmt.Sprint(set) {
				wrong = append(wrong, fmt.Sprintf("%s names %s as %s, which names %v", page, to, lang, pages[to]))
			}
		}
		if !self {
			wrong = append(wrong, page+" does not name itself")
		}
	}
	return wrong, links
}

// TestLargeSetsAreWholeOnceCorrected: a validator that has nothing of ours finds nothing wrong with
// the corrected sitemaps of 2,000 pages in five languages, which named old addresses in every fifth
// place. SITEMEND_SETS is how many pages of each language there are in place of 400.
func TestLargeSetsAreWholeOnceCorrected(t *testing.T) {
	sets := 400
	if n, err := strconv.Atoi(os.Getenv("SITEMEND_SETS")); err == nil {
		sets = n
	}
	s, dir := newSetSite(), t.TempDir()
	defer s.Close()
	s.fill(rand.New(rand.NewPCG(1, 2)), sets)
	if wrong, _ := faultsOfSets(t, s.files); len(wrong) < sets {
		t.Fatalf("%d faults to begin with", len(wrong))
	}
	spec := specOf(dir, "")
	spec.Also, spec.FailOn, spec.Formats = []string{"alternates"}, []string{"none"}, []string{"jsonl"}
	for _, lang := range setLanguages {
		spec.Targets = append(spec.Targets, s.URL+"/"+lang+".xml")
	}
	out, err := job.Run(t.Context(), spec, job.Env{Log: slog.New(slog.DiscardHandler), Tool: "test", NoProxy: true})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	uploaded(t, s.files, s.URL, out, dir)
	wrong, links := faultsOfSets(t, s.files)
	if want := sets * len(setLanguages) * len(setLanguages); links != want {
		t.Errorf("%d links, want %d", links, want)
	}
	if len(wrong) > 0 {
		t.Errorf("%d faults, the first:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
}
