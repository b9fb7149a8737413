package job_test

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/cmd/internal/job"
)

// alsoWays are how a page or a file may answer; # is its number.
var alsoWays = []string{"200", "200", "301 /to/#", "302 /to/#", "404", "301 /gone/#", "200 noindex"}

// An alsoSite is a site whose sitemaps name addresses beside what they list.
type alsoSite struct {
	*httptest.Server
	ways   []string            // of /p/0 ...
	types  []string            // of these, and of where they lead
	files  map[string]string   // sitemaps by path
	closed map[string][]string // by robot: the beginnings of paths that robots.txt forbids

	mu    sync.Mutex
	asked map[string]int // how often a crawler requested a path, but for a second look
}

func newAlsoSite(rt *rapid.T) *alsoSite {
	s := &alsoSite{files: map[string]string{}, asked: map[string]int{}}
	for range rapid.IntRange(2, 9).Draw(rt, "pages") {
		s.ways = append(s.ways, rapid.SampledFrom(alsoWays).Draw(rt, "way"))
		s.types = append(s.types, rapid.SampledFrom([]string{"text/html", "image/png", "video/mp4"}).Draw(rt, "type"))
	}
	s.closed = map[string][]string{}
	for _, robot := range []string{"Googlebot", "Googlebot-Image", "Googlebot-Video"} {
		for n := range s.ways {
			if rapid.IntRange(0, 3).Draw(rt, "closed") == 0 {
				s.closed[robot] = append(s.closed[robot], fmt.Sprintf(rapid.SampledFrom([]string{"/to/%d", "/to/%d", "/p/%d"}).Draw(rt, "what"), n))
			}
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	return s
}

func (s *alsoSite) answer(w http.ResponseWriter, r *http.Request) {
	if text, ok := s.files[r.URL.Path]; ok {
		io.WriteString(w, text)
		return
	}
	if r.URL.Path == "/robots.txt" {
		for robot, paths := range s.closed {
			fmt.Fprintf(w, "User-agent: %s\nDisallow: %s\n\n", robot, strings.Join(paths, "\nDisallow: "))
		}
		return
	}
	if r.Header.Get("Accept-Language") == "" && strings.Contains(r.Header.Get("User-Agent"), "Googlebot") {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
	}
	n, way := 0, "404"
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err == nil && n < len(s.ways) {
		way = strings.ReplaceAll(s.ways[n], "#", fmt.Sprint(n))
	} else if strings.HasPrefix(r.URL.Path, "/to/") {
		way = "200"
	}
	if f := strings.Split(strings.TrimLeft(r.URL.Path, "/"), "/"); len(f) == 2 {
		if _, err := fmt.Sscan(f[1], &n); err == nil && n < len(s.types) {
			w.Header().Set("Content-Type", s.types[n])
		}
	}
	switch f := strings.Fields(way); {
	case len(f) > 1 && f[1] == "noindex":
		w.Header().Set("X-Robots-Tag", "noindex")
		fmt.Fprintf(w, "<title>%s</title><p>%s", r.URL.Path, r.URL.Path)
	case len(f) > 1:
		http.Redirect(w, r, f[1], map[string]int{"301": 301, "302": 302}[f[0]])
	case way == "404":
		http.NotFound(w, r)
	default:
		fmt.Fprintf(w, "<title>%s</title><p>%s", r.URL.Path, r.URL.Path)
	}
}

// draw draws sitemaps in which one line is one address.
func (s *alsoSite) draw(rt *rapid.T) {
	page := func(what string) string {
		return fmt.Sprintf("%s/p/%d", s.URL, rapid.IntRange(0, len(s.ways)-1).Draw(rt, what))
	}
	for f := range rapid.IntRange(1, 2).Draw(rt, "files") {
		var b strings.Builder
		b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">` + "\n")
		for range rapid.IntRange(1, 4).Draw(rt, "urls") {
			b.WriteString("<url>\n<loc>" + page("loc") + "</loc>\n")
			for range rapid.IntRange(0, 4).Draw(rt, "links") {
				code := rapid.SampledFrom([]string{`hreflang="de"`, `hreflang="en"`, `hreflang="x-default"`, `media="handheld"`}).Draw(rt, "code")
				b.WriteString(`<xhtml:link rel="alternate" ` + code + ` href="` + page("href") + `"/>` + "\n")
			}
			for range rapid.IntRange(0, 2).Draw(rt, "images") {
				b.WriteString("<image:image><image:loc>" + page("image") + "</image:loc></image:image>\n")
			}
			for range rapid.IntRange(0, 2).Draw(rt, "videos") {
				b.WriteString("<video:video><video:content_loc>" + page("video") + "</video:content_loc></video:video>\n")
			}
			b.WriteString("</url>\n")
		}
		s.files[fmt.Sprintf("/s%d.xml", f)] = b.String() + "</urlset>\n"
	}
}

func between(line, begin, end string) string {
	_, rest, _ := strings.Cut(line, begin)
	at, _, _ := strings.Cut(rest, end)
	return at
}

func (s *alsoSite) audit(rt *rapid.T, dir string, also ...string) *job.Outcome {
	spec := specOf(dir)
	spec.Fix = []string{"merge-would-lose=replace"} // else links that differ keep an entry until they are corrected
	spec.Also = also
	for at := range s.files {
		spec.Targets = append(spec.Targets, s.URL+at)
	}
	slices.Sort(spec.Targets)
	out, err := job.Run(rt.Context(), spec, job.Env{Log: slog.New(slog.DiscardHandler), Tool: "test", NoProxy: true})
	if err != nil {
		rt.Fatal(err)
	}
	return out
}

// mostAudits is how many sites are audited, twice each: a store is written for each.
const mostAudits = 30

// TestWhatSitemapsName: the corrected sitemaps differ in nothing but lines with pages that are listed
// or named as alternates, so that images and videos stay, and none of them is one that robots.txt
// forbids; another audit of them corrects nothing more; and what is named in several ways is requested
// once, what is listed at most once more.
func TestWhatSitemapsName(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newAlsoSite(rt)
		defer s.Close()
		s.draw(rt)
		if n++; n > mostAudits {
			return
		}
		at := func(name string) string { return filepath.Join(dir, fmt.Sprint(n), name) }
		was := maps.Clone(s.files)
		out := s.audit(rt, at("first"), "alternates", "images", "videos")
		listed := fmt.Sprint(was)
		for path, n := range s.asked {
			most := 1
			if strings.Contains(listed, "<loc>"+s.URL+path+"<") {
				most = 2 // what is edited, and pages that were fine, are asked for again
			}
			if n > most && strings.HasPrefix(path, "/p/") {
				rt.Errorf("%s is requested %d times", path, n)
			}
		}
		uploaded(rt, s.files, s.URL, out, at("first"))
		s.allowed(rt, listed, s.files)
		out.Close()
		again := s.audit(rt, at("second"), "alternates", "images", "videos")
		defer again.Close()
		for _, line := range s.correctedAgain(rt, again, at("second")) {
			rt.Errorf("the corrected sitemaps are corrected again: %s\nways %v, types %v, closed %v\nfirst\n%s\nthen\n%s", line, s.ways, s.types, s.closed, fmt.Sprint(was), fmt.Sprint(s.files))
		}
	})
}

// correctedAgain returns the lines that an audit of corrected sitemaps corrects.
func (s *alsoSite) correctedAgain(rt *rapid.T, out *job.Outcome, dir string) (lines []string) {
	has := maps.Clone(s.files)
	uploaded(rt, has, s.URL, out, dir)
	for name, text := range s.files {
		for line := range strings.Lines(text) {
			if !strings.Contains(has[name], line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// allowed holds the lines of the copies that no original has: they list or name a page that robots.txt
// allows.
func (s *alsoSite) allowed(rt *rapid.T, was string, files map[string]string) {
	for _, text := range files {
		for line := range strings.Lines(text) {
			at := between(line, `href="`, `"`) + between(line, "<loc>", "<")
			path := strings.TrimPrefix(at, s.URL)
			forbidden := slices.ContainsFunc(s.closed["Googlebot"], func(p string) bool { return strings.HasPrefix(path, p) })
			if !strings.Contains(was, line) && (at == "" || forbidden) {
				rt.Errorf("%s is written", line)
			}
		}
	}
}

// specOf is an audit as quick as loopback is.
func specOf(dir string, targets ...string) job.Spec {
	return job.Spec{
		Order: job.Order{RateGiven: true, Parallel: 16, Backoff: []time.Duration{},
			Asking: job.Asking{As: "googlebot", MaxHops: 10, Timeout: 30 * time.Second, Robots: "obey", AllowPrivate: true}},
		Targets: targets, Out: filepath.Join(dir, "out"), Formats: []string{"jsonl"}, Lang: "en",
		Spelling: "googlebot", MaxDrop: "100%", FailOn: []string{"none"},
	}
}
