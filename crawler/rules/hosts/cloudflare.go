package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// cloudflare answers like the asset servers of Pages and Workers: rules always precede files.
func (m *Model) cloudflare(q rules.Request) Answer {
	raw, query := asked(q)
	at := rules.BrowserPath(raw)
	if m.site.has("/_worker.js") || m.site.dir("/_worker.js") || m.hidden["/_worker.js"] != "" {
		return Answer{Unmodelled: "_worker.js"}
	}
	found, ok := match(m.rules, q)
	if ok && found.Location != "" {
		return m.headed(q, at, byRule(found))
	}
	if ok {
		at = found.Rewrite
		if name := m.hides(at); name != "" {
			return hiddenAt(name)
		}
	}
	var a Answer
	switch {
	case m.name == CloudflareWorkers:
		a = m.workers(at, query)
	case strings.Contains(at, "//"): // whether Pages merges the slashes is not known
		return Answer{Unmodelled: "the file at a URL with //"}
	default:
		a = m.pages(at, query)
	}
	if a.Unmodelled != "" {
		return a
	}
	if ok {
		a.Rule = found.Rule
	}
	return m.headed(q, rules.BrowserPath(raw), a)
}

// headed adds the headers for the path that was requested.
func (m *Model) headed(q rules.Request, at string, a Answer) Answer {
	a.Fields = m.headers.Fields(q.Host, at)
	return a
}

// pages serves a file as Pages does (pages-shared, asset-server handler): it redirects to clean
// addresses with 308, serves the nearest 404.html upward, and without one at the top the home page
// for every other address.
func (m *Model) pages(at, query string) Answer {
	p := at
	if d, ok := rules.DecodePath(at); ok {
		p = d
	}
	to := func(p string) Answer {
		return Answer{Status: 308, Location: rules.EncodeComponents(p) + query}
	}
	ok := func(p string) Answer { return Answer{Status: 200, File: p} }
	if bare, slash := strings.CutSuffix(p, "/"); slash {
		switch {
		case m.site.has(p + "index.html"):
			return ok(p + "index.html")
		case strings.HasSuffix(p, "/index/"):
			return to(strings.TrimSuffix(p, "index/"))
		case m.site.has(bare + ".html"):
			return to(bare)
		}
		return m.nearest(p, true)
	}
	stem, html := strings.CutSuffix(p, ".html")
	switch {
	case m.site.has(p) && html && strings.HasSuffix(stem, "/index"):
		return to(strings.TrimSuffix(stem, "index"))
	case m.site.has(p) && html && !m.site.has(stem) && stem != "/":
		return to(stem)
	case m.site.has(p):
		return ok(p)
	case strings.HasSuffix(p, "/index"):
		return to(strings.TrimSuffix(p, "index"))
	case m.site.has(p + ".html"):
		return ok(p + ".html")
	case m.site.has(p + "/index.html"):
		return to(p + "/")
	}
	return m.nearest(p, true)
}

// nearest returns the 404 page in the folder of a path or above it. spa reports whether a site
// without one answers with its home page.
func (m *Model) nearest(p string, spa bool) Answer {
	for dir := p; dir != ""; {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		switch page := dir + "/404.html"; {
		case m.site.has(page):
			return Answer{Status: 404, File: page}
		case spa && m.hidden[page] != "": // the file may be that page, or not
			return hiddenAt(page)
		}
	}
	if spa {
		return m.spa()
	}
	return Answer{Status: 404}
}

// spa returns the home page for missing pages; a 404 where the site has none.
func (m *Model) spa() Answer {
	const home = "/index.html"
	switch {
	case m.site.has(home):
		return Answer{Status: 200, File: home}
	case m.hidden[home] != "":
		return hiddenAt(home)
	}
	return m.site.notFound()
}
