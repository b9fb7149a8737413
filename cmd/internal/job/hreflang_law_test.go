package job_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/cmd/internal/job"
)

// A setSite is a site of pages in several languages, at /LANG/PAGE. /old/LANG/PAGE and
// /older/LANG/PAGE redirect there for good, /once/LANG/PAGE for now; /retired/xx/PAGE leads to the
// English page, and /gone/LANG/PAGE is not there.
type setSite struct {
	*httptest.Server
	files map[string]string
	// whole is set where each page names all of its set by addresses that lead there for good, and
	// none has another canonical.
	whole bool
	// canonicals are the pages, of those not listed, that name one in any language as their
	// canonical, by path.
	canonicals map[string]string
}

// setLanguages are the languages of the pages.
var setLanguages = []string{"de", "en", "fr", "es", "nl"}

// pageOf is the number of a page of a set: that in another language is found by no rule.
func pageOf(lang string, set int) int { return 10*set + slices.Index(setLanguages, lang) }

func newSetSite() *setSite {
	s := &setSite{files: map[string]string{}, canonicals: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, listed := s.files[r.URL.Path]
		begin, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case listed:
			io.WriteString(w, text)
		case begin == "old" || begin == "older":
			http.Redirect(w, r, "/"+rest, http.StatusMovedPermanently)
		case begin == "once":
			http.Redirect(w, r, "/"+rest, http.StatusFound)
		case begin == "retired":
			http.Redirect(w, r, "/en/"+rest[strings.Index(rest, "/")+1:], http.StatusMovedPermanently)
		case slices.Contains(setLanguages, begin) && rest != "" && strings.Trim(rest, "0123456789") == "":
			fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
			if to := s.canonicals[r.URL.Path]; to != "" {
				fmt.Fprintf(w, "<link rel=canonical href=%s>", to)
			}
			fmt.Fprintf(w, "<p>%s", r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	return s
}

// spelled draws how a page is named.
func (s *setSite) spelled(rt *rapid.T, ways []string, lang string, set int) string {
	way := rapid.SampledFrom(ways).Draw(rt, "spelled")
	root := rapid.SampledFrom([]string{s.URL, s.URL, s.URL, "HTTP" + strings.TrimPrefix(s.URL, "http")}).Draw(rt, "root")
	return root + fmt.Sprintf(way, lang, pageOf(lang, set))
}

// draw draws sitemaps of sets: each page names all of its set, but for what is left out.
func (s *setSite) draw(rt *rapid.T) {
	files := make([]strings.Builder, rapid.IntRange(1, 4).Draw(rt, "files"))
	locs := rapid.SampledFrom([][]string{{"/%s/%d"}, {"/%s/%d"}, {"/%s/%d", "/old/%s/%d"}}).Draw(rt, "locs")
	ways := append(rapid.SliceOfN(rapid.SampledFrom([]string{"/old/%s/%d", "/older/%s/%d", "/once/%s/%d", "/gone/%s/%d", "/./%s/%d"}), 0, 2).Draw(rt, "ways"), "/%s/%d", "/%s/%d")
	missing := rapid.SampledFrom([]int{0, 0, 8}).Draw(rt, "missing")
	s.whole = missing == 0 && !strings.Contains(fmt.Sprint(ways), "/once/") && !strings.Contains(fmt.Sprint(ways), "/gone/")
	retired := rapid.IntRange(0, 3).Draw(rt, "retired") == 0
	replaced := retired && rapid.Bool().Draw(rt, "retired is listed")
	for set := range rapid.IntRange(1, 2).Draw(rt, "sets") {
		langs := setLanguages[:rapid.IntRange(2, 3).Draw(rt, "languages")]
		only := rapid.SampledFrom([]string{"", "", langs[0], langs[1]}).Draw(rt, "not listed")
		if only != "" && rapid.Bool().Draw(rt, "canonical") {
			to := rapid.SampledFrom(setLanguages).Draw(rt, "as canonical")
			s.canonicals[fmt.Sprintf("/%s/%d", only, pageOf(only, set))] = fmt.Sprintf("/%s/%d", to, pageOf(to, set))
			s.whole = false
		}
		listed := slices.DeleteFunc(slices.Clone(langs), func(lang string) bool { return lang == only })
		if replaced && only == "en" { // else it is merged once the sets are the same, in another audit
			listed, s.whole = append(listed, "it"), false // afterwards no sitemap lists that address
		}
		for _, lang := range listed {
			b := &files[rapid.IntRange(0, len(files)-1).Draw(rt, "file")]
			loc := s.URL + fmt.Sprintf("/retired/it/%d", pageOf("en", set))
			if lang != "it" {
				loc = s.spelled(rt, locs, lang, set)
			}
			b.WriteString("<url>\n<loc>" + loc + "</loc>\n")
			for _, to := range langs {
				if missing > 0 && rapid.IntRange(0, missing).Draw(rt, "left out") == 0 {
					continue
				}
				fmt.Fprintf(b, `<xhtml:link rel="alternate" hreflang="%s" href="%s"/>`+"\n", to, s.spelled(rt, ways, to, set))
			}
			if retired {
				fmt.Fprintf(b, `<xhtml:link rel="alternate" hreflang="it" href="%s/retired/it/%d"/>`+"\n", s.URL, pageOf("en", set))
			}
			b.WriteString("</url>\n")
		}
	}
	for n := range files {
		if files[n].Len() > 0 {
			s.files[fmt.Sprintf("/s%d.xml", n)] = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n" + files[n].String() + "</urlset>\n"
		}
	}
}

// alternateFaults are the faults of alternates by name and page, and those of which not every page
// is listed by name alone. Of sets that are not whole, that pages do not agree has one name, and
// the set stands for the page: where one of them is named now, it is seen that another one is not.
func (s *setSite) alternateFaults(out *job.Outcome) map[string]string {
	faults, names := map[string]string{}, map[string]bool{}
	for i := range out.Result.Files {
		for _, f := range out.Result.Files[i].Sitemap.Faults {
			alternate := strings.HasPrefix(f.Key, "hreflang-") || strings.HasPrefix(f.Key, "alternate-")
			switch {
			case alternate && len(f.Args) > 0:
				page, _ := url.Parse(f.Args[0])
				name, at := f.Name, strings.TrimPrefix(strings.Replace(page.Path, "/retired/it/", "/en/", 1), "/old")
				if !s.whole && slices.Contains(agreement, name) {
					number, _ := strconv.Atoi(at[strings.LastIndex(at, "/")+1:])
					name, at = agreement[0], fmt.Sprint("/", number/10)
				}
				faults[name+" "+at], names[f.Name] = fmt.Sprintf("%s %v", f.Key, f.Args), true
			case alternate || f.Key == "more-places" && names[f.Name]:
				faults[f.Name] = f.Key
			}
		}
	}
	return faults
}

// disagreed reports whether it was known that pages of sets which are not whole do not agree: then
// how many more places there are says nothing new.
func (s *setSite) disagreed(name string, before map[string]string) bool {
	for at := range before {
		if !s.whole && slices.Contains(agreement, name) && strings.HasPrefix(at, agreement[0]) {
			return true
		}
	}
	return false
}

// agreement are the names of faults that are about what the pages of a set say of one another.
var agreement = []string{"No return tags", "Alternates disagree", "Alternates without the page itself"}

// TestCorrectedSetsHaveNoNewFault: once the corrected sitemaps are uploaded, an audit finds no
// fault of alternates that the first one did not find, and nothing to correct.
func TestCorrectedSetsHaveNoNewFault(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newSetSite()
		defer s.Close()
		s.draw(rt)
		if n++; n > 2*mostAudits {
			return
		}
		as := &alsoSite{Server: s.Server, files: s.files}
		at := func(name string) string { return filepath.Join(dir, fmt.Sprint(n), name) }
		was := fmt.Sprint(s.files)
		out := as.audit(rt, at("first"), "alternates")
		before := s.alternateFaults(out)
		uploaded(rt, s.files, s.URL, out, at("first"))
		out.Close()
		again := as.audit(rt, at("second"), "alternates")
		defer again.Close()
		for at, said := range s.alternateFaults(again) {
			name, _, _ := strings.Cut(at, " /")
			if before[at] == "" && before[name] == "" && !(said == "more-places" && s.disagreed(name, before)) {
				rt.Errorf("a new fault: %s: %s\nbefore: %v\n%s\ncorrected\n%s", at, said, before, was, fmt.Sprint(s.files))
			}
		}
		if names := strings.Join(again.Written.Files, " "); strings.Contains(names, "sitemaps/") {
			rt.Errorf("the corrected sitemaps are corrected again: %s\n%s\nfirst\n%s", names, was, fmt.Sprint(s.files))
		}
	})
}

// uploaded lets a site serve what an audit wrote.
func uploaded(t interface{ Fatal(...any) }, files map[string]string, root string, out *job.Outcome, dir string) {
	for i := range out.Result.Files {
		if f := &out.Result.Files[i]; f.Changed {
			text, err := os.ReadFile(filepath.Join(dir, "out", "sitemaps", filepath.FromSlash(f.Name)))
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(f.Sitemap.URL, root)] = string(text)
		}
	}
}
