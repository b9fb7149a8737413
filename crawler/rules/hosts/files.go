package hosts

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"sitemend/crawler/rules"
)

// A Site is the files of a build, by name.
type Site struct {
	files    map[string]string // names by their form
	dirs     map[string]bool
	caseless bool // the host ignores case
}

// NewSite returns the site that has files of these names, with slashes, without a leading one
// ("folder/index.html").
func NewSite(names []string) *Site {
	s := &Site{files: make(map[string]string, len(names)), dirs: map[string]bool{"/": true}}
	for _, name := range names {
		name = "/" + name
		s.files[name] = name
		if lower := strings.ToLower(name); s.files[lower] == "" {
			s.files[lower] = name
		}
		for dir := path.Dir(name); !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	return s
}

// form returns a name as the host compares it.
func (s *Site) form(name string) string {
	if s.caseless {
		return strings.ToLower(name)
	}
	return name
}

// find returns the file that answers to a name, which is given in two parts; "" for none.
func (s *Site) find(stem, suffix string) string {
	name := stem + suffix
	if s.files[name] == name {
		return name
	}
	if s.caseless {
		return s.files[strings.ToLower(name)]
	}
	return ""
}

// dir reports whether there is a folder of this name, with or without a trailing slash.
func (s *Site) dir(name string) bool { return name == "/" || s.dirs[strings.TrimSuffix(name, "/")] }

// cleaned decodes a path and resolves its dots and double slashes; it returns false for a malformed
// escape or a NUL.
func cleaned(p string) (string, bool) {
	d, ok := rules.DecodePath(p)
	if !ok || strings.IndexByte(d, 0) >= 0 {
		return "", false
	}
	if strings.HasPrefix(d, "/") && !strings.Contains(d, "//") && !strings.Contains(d, "/.") {
		return d, true
	}
	slash := strings.HasSuffix(d, "/") || strings.HasSuffix(d, "/.") || strings.HasSuffix(d, "/..")
	d = path.Clean("/" + d)
	if slash && d != "/" {
		d += "/"
	}
	return d, true
}

// A step is one thing that a host looks for at a path without its slash at the end: a file with a
// suffix, or a folder.
type step struct {
	slash  bool   // the path has, or has not, a slash at its end
	suffix string // of the file; "/" for a folder
	status int    // 200 for the file; a redirect to the path with its slash changed; 0 for nothing more
}

// A host is how a host answers.
type host struct {
	rulesFirst bool                                   // rules precede files even where they are not forced
	first      func(*Model, rules.Request) Answer     // what precedes both; nil for nothing
	steps      func(*Model) []step                    // the first that finds something answers
	badPath    int                                    // the status of a malformed path
	location   func(q rules.Request, p string) string // of a redirect to a decoded path
}

// always is the steps of a host without settings.
func always(steps ...step) func(*Model) []step { return func(*Model) []step { return steps } }

var (
	index   = step{true, "/index.html", 200}
	exact   = step{false, "", 200}
	html    = step{false, ".html", 200}
	folders = []step{{false, "/", 301}, index, {true, "/", 403}}
	// clean is how Pages, and Workers by default, answer: a folder is at /folder/, about.html at
	// /about.
	clean = func(status int) func(*Model) []step {
		return always(index, step{true, ".html", status}, exact, html, step{false, "/index.html", status})
	}
)

// hosts are all hosts. Redirects of Netlify and GitHub were observed by others (elm-pages#340,
// slorber/trailing-slash-guide).
var hosts = map[Name]host{
	Netlify: {
		location: encoded,
		first: func(_ *Model, q rules.Request) (a Answer) {
			if strings.HasPrefix(q.Target, "/.netlify/") {
				a.Unmodelled = "functions"
			}
			return a
		},
		steps: func(m *Model) []step {
			if m.opts.PrettyURLsOff {
				return []step{exact, html, {true, ".html", 200}, {false, "/index.html", 200}, index}
			}
			return []step{exact, {true, ".html", 301}, html, {false, "/index.html", 301}, index}
		},
	},
	CloudflarePages:   {rulesFirst: true, first: (*Model).worker, steps: clean(308), location: components},
	CloudflareWorkers: {rulesFirst: true, first: (*Model).worker, steps: clean(307), location: components},
	Vercel:            {rulesFirst: true, first: (*Model).vercel, steps: vercelSteps, location: encoded},
	GitHubPages:       {steps: always(exact, index, html, step{false, "/index.html", 301}), badPath: 400, location: encoded},
	GitLabPages: {
		steps: always(index, step{true, "/", 0}, step{false, "/", 302}, exact, step{true, "", 200}, html, step{true, ".html", 200}), badPath: 400,
		location: func(q rules.Request, _ string) string {
			p, _ := asked(q)
			p, _ = rules.DecodePath(p)
			return (&url.URL{Host: q.Host, Path: strings.TrimPrefix(p, "/") + "/"}).String() // spelled as Go does
		},
	},
	Nginx: {steps: always(append([]step{exact, html}, folders...)...), badPath: 400, location: absolute},
	Plain: {steps: always(append([]step{exact}, folders...)...), badPath: 400, location: absolute},
}

func encoded(_ rules.Request, p string) string { return rules.EncodePath(p) }

func components(_ rules.Request, p string) string { return rules.EncodeComponents(p) }

func absolute(q rules.Request, p string) string {
	return q.Scheme + "://" + q.Host + rules.EncodePath(p)
}

// file returns what the files of the site answer at a path; the zero Answer where there is none.
func (m *Model) file(q rules.Request, p string) Answer {
	at, ok := cleaned(p)
	if m.cloudflare() {
		at, ok = m.cloudflarePath(p), true
		if m.name == CloudflarePages && strings.Contains(p, "//") { // whether Pages merges the slashes is not known
			return Answer{Unmodelled: "the file at a URL with //"}
		}
	}
	if !ok {
		return Answer{Status: m.badPath}
	}
	at, ok = strings.CutPrefix(at, m.opts.Prefix)
	if !ok || at != "" && at[0] != '/' {
		return Answer{Status: 404}
	}
	a := Answer{}
	if m.cloudflare() {
		if a.Location = m.cloudflareName(at); a.Location != "" {
			a.Status = m.look[1].status
		}
	}
	bare, slash := strings.CutSuffix(at, "/")
	for _, s := range m.look {
		if a.Location != "" || slash != s.slash {
			continue
		}
		file := m.site.find(bare, s.suffix)
		if file == "" && (s.suffix != "/" || at != "" && !m.site.dir(at)) {
			continue
		}
		switch a.Status = s.status; {
		case s.status == 200:
			a.File = file
		case s.status/100 == 3 && slash:
			a.Location = bare
		case s.status/100 == 3:
			a.Location = bare + "/"
		}
		break
	}
	if a.Location != "" {
		_, query := asked(q)
		a.Location = m.location(q, m.opts.Prefix+a.Location) + query
	}
	return a
}

// missing returns the answer where there is neither a file nor a rule.
func (m *Model) missing(p string) Answer {
	switch {
	case m.opts.Script && p != "/":
		return Answer{Unmodelled: "the script of the Worker"}
	case m.rewrites:
		return Answer{Unmodelled: "rewrites of vercel.json"}
	case m.name == CloudflarePages || m.opts.NotFound == "404-page":
		return m.nearest(p)
	case m.opts.NotFound == "single-page-application":
		return m.home()
	case m.name == CloudflareWorkers:
		return Answer{Status: 404}
	}
	return m.notFound()
}

// notFound returns a 404, with the 404 page at the root of the site where there is one.
func (m *Model) notFound() Answer { return Answer{Status: 404, File: m.site.find("/404.html", "")} }

// home returns the home page for missing pages; a 404 where the site has none.
func (m *Model) home() Answer {
	const home = "/index.html"
	switch {
	case m.site.find(home, "") != "":
		return Answer{Status: 200, File: home}
	case m.hidden[home] != "":
		return hiddenAt(home)
	}
	return m.notFound()
}

// nearest returns the 404 page in the folder of a path or above it. Without one at the top Pages
// answers with the home page.
func (m *Model) nearest(p string) Answer {
	for dir := m.cloudflarePath(p); dir != ""; {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		switch page := dir + "/404.html"; {
		case m.site.find(page, "") != "":
			return Answer{Status: 404, File: page}
		case m.hidden[page] != "": // the file may be that page, or not
			return hiddenAt(page)
		}
	}
	if m.name == CloudflarePages {
		return m.home()
	}
	return Answer{Status: 404}
}

func (m *Model) cloudflare() bool { return m.name == CloudflarePages || m.name == CloudflareWorkers }

// worker returns the answer of a script beside the files of Pages.
func (m *Model) worker(rules.Request) (a Answer) {
	if name := "/_worker.js"; m.site.find(name, "") != "" || m.site.dir(name) || m.hidden[name] != "" {
		a.Unmodelled = "_worker.js"
	}
	return a
}

// cloudflarePath returns the name that Pages or Workers look for at a path.
func (m *Model) cloudflarePath(p string) string {
	p = rules.BrowserPath(p)
	if m.name == CloudflareWorkers {
		return rules.DecodeSegments(p)
	}
	if d, ok := rules.DecodePath(p); ok {
		return d
	}
	return p
}

// cleanNames are ends of names, of the file that is to be there ("" for any), and of the clean
// address.
var cleanNames = map[Name][][3]string{
	CloudflarePages: {{"/index", "", "/"}, {"/index/", "", "/"}, {"/index.html", "/index.html", "/"}, {".html", ".html", ""}},
	CloudflareWorkers: {{"/index", "/index.html", "/"}, {"/index", ".html", ""}, {"/index.html", "/index.html", "/"},
		{"/index.html", ".html", ""}, {".html", ".html", ""}, {".html", "/index.html", "/"}},
}

// cloudflareName returns the clean address of a name of a file; "" where it is one.
func (m *Model) cloudflareName(p string) string {
	there := m.site.find(p, "") != "" || m.site.find(p, "index.html") != ""
	for _, x := range cleanNames[m.name] {
		stem, ok := strings.CutSuffix(p, x[0])
		switch {
		case !ok, there && !strings.HasSuffix(p, ".html"), x[1] != "" && m.site.find(stem, x[1]) == "":
		case x[2] != "", stem != "" && m.site.find(stem, "") == "":
			return stem + x[2]
		}
	}
	return ""
}

// Redirects that vercel build makes from cleanUrls and trailingSlash.
var (
	vercelIndex   = regexp.MustCompile(`^/(?:(.+)/)?index(?:\.html)?/?$`)
	vercelHTML    = regexp.MustCompile(`^/(.*)\.html/?$`)
	vercelKnown   = regexp.MustCompile(`^/\.well-known(?:/.*)?$`)
	vercelNoSlash = regexp.MustCompile(`^/((?:[^/]+/)*[^/.]+)$`)
	vercelFile    = regexp.MustCompile(`^/((?:[^/]+/)*[^/]+\.\w+)/$`)
)

// vercel returns what precedes the redirects of a vercel.json: bulk redirects, clean addresses,
// slashes.
func (m *Model) vercel(q rules.Request) Answer {
	p, query := asked(q)
	if found, ok := m.before.Match(q); ok {
		return Answer{Rule: found.Rule, Status: found.Status, Location: found.Location}
	}
	if strings.HasPrefix(p, "/api/") {
		return Answer{Unmodelled: "functions"}
	}
	set := m.opts.TrailingSlash != nil
	force, to := set && *m.opts.TrailingSlash, ""
	index, page := vercelIndex.FindStringSubmatch(p), vercelHTML.FindStringSubmatch(p)
	switch {
	case m.opts.CleanURLs && index != nil && index[1] == "" && force:
		// vercel build writes a redirect to //, and what Vercel's edge does with that is not known.
		return Answer{Unmodelled: p + " with cleanUrls and trailingSlash"}
	case m.opts.CleanURLs && index != nil:
		to = "/" + index[1]
	case m.opts.CleanURLs && page != nil:
		to = "/" + page[1]
	case !set || force && vercelKnown.MatchString(p):
	case force && vercelNoSlash.MatchString(p):
		to = p
	case (force && vercelFile.MatchString(p) || !force && p != "/") && strings.HasSuffix(p, "/"):
		return Answer{Status: 308, Location: strings.TrimSuffix(p, "/") + query}
	}
	if to == "" {
		return Answer{}
	}
	if force {
		to += "/"
	}
	return Answer{Status: 308, Location: to + query}
}

func vercelSteps(m *Model) []step {
	unslashed, folder := step{true, "", 200}, step{false, "/index.html", 200}
	switch {
	case m.opts.CleanURLs:
		return []step{exact, unslashed, html, folder, index, {true, ".html", 200}}
	case m.opts.TrailingSlash != nil && *m.opts.TrailingSlash:
		return []step{exact, unslashed, folder, index}
	}
	return []step{exact, folder, index}
}
