package hosts

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"sitemend/crawler/rules"
)

// vercelOptions reads the other settings of a vercel.json that affect answers. Text that is not
// JSON, or a value of another type than in Vercel's schema, is a fault: the build fails.
func (m *Model) vercelOptions(name string, text []byte) {
	var c struct {
		CleanURLs     bool              `json:"cleanUrls"`
		TrailingSlash *bool             `json:"trailingSlash"`
		Routes        []json.RawMessage `json:"routes"`
		Builds        []json.RawMessage `json:"builds"`
		Rewrites      []json.RawMessage `json:"rewrites"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\uFEFF")), &c); err != nil {
		m.headers.Faults = append(m.headers.Faults, rules.Fault{File: name, Why: err.Error() + ": the build fails", Fails: true})
		return
	}
	m.opts.CleanURLs, m.opts.TrailingSlash = m.opts.CleanURLs || c.CleanURLs, c.TrailingSlash
	if len(c.Routes) > 0 {
		m.unmodelled = "routes of vercel.json"
	}
	if len(c.Builds) > 0 {
		m.unmodelled = "builds of vercel.json"
	}
	m.rewrites = len(c.Rewrites) > 0
}

// Redirects that vercel build makes from cleanUrls and trailingSlash.
var (
	vercelIndex   = regexp.MustCompile(`^/(?:(.+)/)?index(?:\.html)?/?$`)
	vercelHTML    = regexp.MustCompile(`^/(.*)\.html/?$`)
	vercelKnown   = regexp.MustCompile(`^/\.well-known(?:/.*)?$`)
	vercelNoSlash = regexp.MustCompile(`^/((?:[^/]+/)*[^/.]+)$`)
	vercelFile    = regexp.MustCompile(`^/((?:[^/]+/)*[^/]+\.\w+)/$`)
	vercelSlash   = regexp.MustCompile(`^/(.*)/$`)
)

// vercel answers like Vercel: bulk redirects, clean addresses, slashes, redirects of vercel.json,
// files, the 404 page.
func (m *Model) vercel(q rules.Request) Answer {
	p, query := asked(q)
	if m.unmodelled != "" {
		return Answer{Unmodelled: m.unmodelled}
	}
	if strings.HasPrefix(p, "/api/") {
		return Answer{Unmodelled: "functions"}
	}
	if found, ok := match(m.bulk, q); ok {
		return byRule(found)
	}
	fields := m.headers.Fields(q.Host, p)
	if m.rootIndex(p) {
		return Answer{Unmodelled: p + " with cleanUrls and trailingSlash"}
	}
	if to := m.vercelClean(p); to != "" {
		return Answer{Status: 308, Location: to + query}
	}
	if found, ok := match(m.rules, q); ok {
		return byRule(found)
	}
	a := m.vercelFile(p)
	if a.Status == 404 && m.rewrites {
		return Answer{Unmodelled: "rewrites of vercel.json"}
	}
	a.Fields = fields
	return a
}

// rootIndex reports whether a path is the index of the root where cleanUrls and trailingSlash are
// both set: vercel build writes a redirect to // for it, and what Vercel's edge does with that is
// not known.
func (m *Model) rootIndex(p string) bool {
	if !m.opts.CleanURLs || m.opts.TrailingSlash == nil || !*m.opts.TrailingSlash {
		return false
	}
	g := vercelIndex.FindStringSubmatch(p)
	return g != nil && g[1] == ""
}

// vercelClean returns where cleanUrls and trailingSlash redirect a path to; "" where they do not.
func (m *Model) vercelClean(p string) string {
	force := m.opts.TrailingSlash != nil && *m.opts.TrailingSlash
	end := ""
	if force {
		end = "/"
	}
	if m.opts.CleanURLs {
		if g := vercelIndex.FindStringSubmatch(p); g != nil {
			return "/" + g[1] + end
		}
		if g := vercelHTML.FindStringSubmatch(p); g != nil {
			return "/" + g[1] + end
		}
	}
	switch {
	case m.opts.TrailingSlash == nil || force && vercelKnown.MatchString(p):
	case force && vercelNoSlash.MatchString(p):
		return p + "/"
	case force && vercelFile.MatchString(p):
		return strings.TrimSuffix(p, "/")
	case !force && p != "/" && vercelSlash.MatchString(p):
		return strings.TrimSuffix(p, "/")
	}
	return ""
}

func (m *Model) vercelFile(p string) Answer {
	at, ok := cleaned(p)
	if !ok {
		return m.site.notFound()
	}
	bare, slash := strings.CutSuffix(at, "/")
	lenient := m.opts.CleanURLs || m.opts.TrailingSlash != nil && *m.opts.TrailingSlash
	switch index := bare + "/index.html"; {
	case m.site.has(bare) && (!slash || lenient):
		return Answer{Status: 200, File: bare}
	case m.opts.CleanURLs && m.site.has(bare+".html") && (!slash || !m.site.has(index)):
		return Answer{Status: 200, File: bare + ".html"}
	case m.site.has(index):
		return Answer{Status: 200, File: index}
	}
	return m.site.notFound()
}
