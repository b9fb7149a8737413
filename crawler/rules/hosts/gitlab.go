package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// gitlab answers like GitLab Pages: files first, then rules, then the 404 page.
func (m *Model) gitlab(q rules.Request) Answer {
	p, query := asked(q)
	d, ok := rules.DecodePath(p)
	if !ok {
		return Answer{Status: 400}
	}
	at, ok := cleaned(p)
	if !ok {
		return m.site.notFound()
	}
	inside, ok := strings.CutPrefix(at, m.opts.Prefix)
	if !ok || inside != "" && inside[0] != '/' {
		return Answer{Status: 404}
	}
	slash := strings.HasSuffix(d, "/")
	if a := m.gitlabFile(q, inside, p+"/"+query, slash); a.Status != 0 {
		return a
	}
	found, ok := match(m.rules, q)
	switch {
	case !ok:
		return m.site.notFound()
	case found.Location != "":
		return byRule(found)
	}
	if name := m.hides(found.Rewrite); name != "" {
		return hiddenAt(name)
	}
	to, _ := strings.CutPrefix(found.Rewrite, m.opts.Prefix)
	a := m.gitlabFile(q, to, p+"/"+query, strings.HasSuffix(p, "/"))
	if a.Status == 0 {
		a = m.site.notFound()
	}
	a.Rule = found.Rule
	return a
}

// gitlabFile serves a file; it returns the zero Answer where there is none. here is the target of
// the redirect for a folder without its slash.
func (m *Model) gitlabFile(q rules.Request, at, here string, slash bool) Answer {
	bare := strings.TrimSuffix(at, "/")
	switch {
	case m.site.dir(at) && slash || bare == "":
		if file := bare + "/index.html"; m.site.has(file) {
			return Answer{Status: 200, File: file}
		}
		return Answer{}
	case m.site.dir(at):
		return Answer{Status: 302, Location: "//" + q.Host + here}
	case m.site.has(bare):
		return Answer{Status: 200, File: bare}
	case m.site.has(bare + ".html"):
		return Answer{Status: 200, File: bare + ".html"}
	}
	return Answer{}
}
