package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// workers serves a file as Workers with static assets do (workers-shared, html
// handling and canonical spelling, both by 307).
func (m *Model) workers(at, query string) Answer {
	p := rules.DecodeSegments(at)
	in := m.intent(p, true)
	if m.opts.Script && p != "/" && in == m.missing(p) {
		return Answer{Unmodelled: "the script of the Worker"}
	}
	if in.to != "" {
		return Answer{Status: 307, Location: rules.EncodeComponents(in.to) + query}
	}
	if own := rules.EncodeComponents(p); in.file != "" && own != at {
		return Answer{Status: 307, Location: own + query}
	}
	return Answer{Status: in.status, File: in.file}
}

// intent is what Workers are about to do with a path: serve a file with a status, or
// redirect.
type intent struct {
	status int
	file   string
	to     string
}

// intent looks at a path by the html_handling of the site. Without redirects it
// says what would be served at the path itself.
func (m *Model) intent(p string, redirects bool) intent {
	if m.site.has(p) && !strings.HasSuffix(p, ".html") {
		return intent{200, p, ""}
	}
	var found intent
	switch m.opts.HTML {
	case "force-trailing-slash":
		found = m.forceSlash(p, redirects)
	case "drop-trailing-slash":
		found = m.dropSlash(p, redirects)
	case "none":
		if m.site.has(p) {
			found = intent{200, p, ""}
		}
	default:
		found = m.autoSlash(p, redirects)
	}
	if found.status == 0 {
		return m.missing(p)
	}
	return found
}

// missing is what Workers do where there is no file, by not_found_handling.
func (m *Model) missing(p string) intent {
	switch m.opts.NotFound {
	case "404-page":
		a := m.nearest(p, false)
		return intent{404, a.File, ""}
	case "single-page-application":
		if m.site.has("/index.html") {
			return intent{200, "/index.html", ""}
		}
	}
	return intent{404, "", ""}
}

// safe returns a redirect to a path at which the same file is served, else nothing.
func (m *Model) safe(file, to string, redirects bool) intent {
	if !redirects || !m.site.has(file) || m.site.has(to) {
		return intent{}
	}
	if there := m.intent(to, false); there.status == 200 && there.file == file {
		return intent{status: 307, to: to}
	}
	return intent{}
}

// first returns the first of some intents that is one.
func first(list ...intent) intent {
	for _, in := range list {
		if in.status != 0 {
			return in
		}
	}
	return intent{}
}

func (m *Model) serve(file string) intent {
	if m.site.has(file) {
		return intent{200, file, ""}
	}
	return intent{}
}

func (m *Model) autoSlash(p string, redirects bool) intent {
	safe := func(file, to string) intent { return m.safe(file, to, redirects) }
	var in intent
	index, isIndex := strings.CutSuffix(p, "/index")
	indexHTML, isIndexHTML := strings.CutSuffix(p, "/index.html")
	bare, slash := strings.CutSuffix(p, "/")
	stem, html := strings.CutSuffix(p, ".html")
	switch {
	case isIndex:
		in = first(safe(p+".html", index+"/"), safe(index+".html", index))
	case isIndexHTML:
		in = first(safe(p, indexHTML+"/"), safe(indexHTML+".html", indexHTML))
	case slash:
		in = first(m.serve(p+"index.html"), safe(bare+".html", bare))
	case html:
		in = first(safe(p, stem), safe(stem+"/index.html", stem+"/"))
	}
	return first(in, m.serve(p), m.serve(p+".html"), safe(p+"/index.html", p+"/"))
}

func (m *Model) forceSlash(p string, redirects bool) intent {
	safe := func(file, to string) intent { return m.safe(file, to, redirects) }
	var in intent
	index, isIndex := strings.CutSuffix(p, "/index")
	indexHTML, isIndexHTML := strings.CutSuffix(p, "/index.html")
	bare, slash := strings.CutSuffix(p, "/")
	stem, html := strings.CutSuffix(p, ".html")
	switch {
	case isIndex:
		in = first(safe(p+".html", index+"/"), safe(index+".html", index+"/"))
	case isIndexHTML:
		in = first(safe(p, indexHTML+"/"), safe(indexHTML+".html", indexHTML+"/"))
	case slash:
		in = first(m.serve(p+"index.html"), m.serve(bare+".html"))
	case html:
		in = first(safe(p, stem+"/"), m.serve(p), safe(stem+"/index.html", stem+"/"))
	}
	return first(in, m.serve(p), safe(p+".html", p+"/"), safe(p+"/index.html", p+"/"))
}

func (m *Model) dropSlash(p string, redirects bool) intent {
	safe := func(file, to string) intent { return m.safe(file, to, redirects) }
	var in intent
	index, isIndex := strings.CutSuffix(p, "/index")
	indexHTML, isIndexHTML := strings.CutSuffix(p, "/index.html")
	bare, slash := strings.CutSuffix(p, "/")
	stem, html := strings.CutSuffix(p, ".html")
	switch {
	case p == "/index" || p == "/index.html":
		in = safe("/index.html", "/")
	case isIndex:
		in = first(safe(index+".html", index), safe(p+".html", index))
	case isIndexHTML:
		in = first(safe(p, indexHTML), m.serve(p), safe(indexHTML+".html", indexHTML))
	case p == "/":
		in = m.serve("/index.html")
	case slash:
		in = first(safe(bare+".html", bare), safe(p+"index.html", bare))
	case html:
		in = first(safe(p, stem), safe(stem+"/index.html", stem))
	}
	return first(in, m.serve(p), m.serve(p+".html"), m.serve(p+"/index.html"))
}
