package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// workers serves a file as Workers with static assets do (workers-shared: html handling and
// canonical spelling, both with 307).
func (m *Model) workers(at, query string) Answer {
	p := rules.DecodeSegments(at)
	in := m.intent(p, true)
	if m.opts.Script && p != "/" && in == m.missing(p) {
		return Answer{Unmodelled: "the script of the Worker"}
	}
	if m.opts.NotFound == "single-page-application" && m.hidden["/index.html"] != "" && in == m.missing(p) {
		return hiddenAt("/index.html")
	}
	if in.to != "" {
		return Answer{Status: 307, Location: rules.EncodeComponents(in.to) + query}
	}
	if own := rules.EncodeComponents(p); in.file != "" && own != at {
		return Answer{Status: 307, Location: own + query}
	}
	return Answer{Status: in.status, File: in.file}
}

// intent is what Workers would do with a path: serve a file with a status, or redirect.
type intent struct {
	status int
	file   string
	to     string
}

// intent returns what the site's html_handling does with a path. Without redirects it returns what
// would be served at the path itself.
func (m *Model) intent(p string, redirects bool) intent {
	if m.site.has(p) && !strings.HasSuffix(p, ".html") {
		return intent{200, p, ""}
	}
	var found intent
	switch m.opts.HTML {
	case "force-trailing-slash":
		found = m.endSlash(p, true, redirects)
	case "drop-trailing-slash":
		found = m.dropSlash(p, redirects)
	case "none":
		if m.site.has(p) {
			found = intent{200, p, ""}
		}
	default:
		found = m.endSlash(p, false, redirects)
	}
	if found.status == 0 {
		return m.missing(p)
	}
	return found
}

// missing returns what Workers do where there is no file, according to not_found_handling.
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

// safe returns a redirect to a path at which the same file is served; else no intent.
func (m *Model) safe(file, to string, redirects bool) intent {
	if !redirects || !m.site.has(file) || m.site.has(to) {
		return intent{}
	}
	if there := m.intent(to, false); there.status == 200 && there.file == file {
		return intent{status: 307, to: to}
	}
	return intent{}
}

// first returns the first of list that is not zero.
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

// An assetPath is a path, with the endings removed that html_handling looks for.
type assetPath struct {
	index, indexHTML, bare, stem string // without /index, /index.html, /, .html
	isIndex, isIndexHTML         bool   // it has this ending
	isSlash, isHTML              bool
}

func cutAsset(p string) (a assetPath) {
	a.index, a.isIndex = strings.CutSuffix(p, "/index")
	a.indexHTML, a.isIndexHTML = strings.CutSuffix(p, "/index.html")
	a.bare, a.isSlash = strings.CutSuffix(p, "/")
	a.stem, a.isHTML = strings.CutSuffix(p, ".html")
	return a
}

// endSlash is auto-trailing-slash, and with force force-trailing-slash: a folder is at /folder/,
// about.html at /about, or with force at /about/.
func (m *Model) endSlash(p string, force, redirects bool) intent {
	safe := func(file, to string) intent { return m.safe(file, to, redirects) }
	end, page := "", m.serve(p+".html")
	if force {
		end, page = "/", safe(p+".html", p+"/")
	}
	var in intent
	switch a := cutAsset(p); {
	case a.isIndex:
		in = first(safe(p+".html", a.index+"/"), safe(a.index+".html", a.index+end))
	case a.isIndexHTML:
		in = first(safe(p, a.indexHTML+"/"), safe(a.indexHTML+".html", a.indexHTML+end))
	case a.isSlash && force:
		in = first(m.serve(p+"index.html"), m.serve(a.bare+".html"))
	case a.isSlash:
		in = first(m.serve(p+"index.html"), safe(a.bare+".html", a.bare))
	case a.isHTML && force:
		in = first(safe(p, a.stem+"/"), m.serve(p), safe(a.stem+"/index.html", a.stem+"/"))
	case a.isHTML:
		in = first(safe(p, a.stem), safe(a.stem+"/index.html", a.stem+"/"))
	}
	return first(in, m.serve(p), page, safe(p+"/index.html", p+"/"))
}

func (m *Model) dropSlash(p string, redirects bool) intent {
	safe := func(file, to string) intent { return m.safe(file, to, redirects) }
	var in intent
	switch a := cutAsset(p); {
	case p == "/index" || p == "/index.html":
		in = safe("/index.html", "/")
	case a.isIndex:
		in = first(safe(a.index+".html", a.index), safe(p+".html", a.index))
	case a.isIndexHTML:
		in = first(safe(p, a.indexHTML), m.serve(p), safe(a.indexHTML+".html", a.indexHTML))
	case p == "/":
		in = m.serve("/index.html")
	case a.isSlash:
		in = first(safe(a.bare+".html", a.bare), safe(p+"index.html", a.bare))
	case a.isHTML:
		in = first(safe(p, a.stem), safe(a.stem+"/index.html", a.stem))
	}
	return first(in, m.serve(p), m.serve(p+".html"), m.serve(p+"/index.html"))
}
