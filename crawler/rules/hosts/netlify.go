package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// netlify answers like Netlify: rules with ! first, then files, then the other rules.
func (m *Model) netlify(q rules.Request) Answer {
	p, _ := asked(q)
	if strings.HasPrefix(p, "/.netlify/") {
		return Answer{Unmodelled: "functions"}
	}
	file := m.netlifyFile(q)
	found, ok := match(m.rules, q)
	switch {
	case !ok || !found.Rule.Force && file.Status != 0 && found.Unmodelled == "":
		if file.Status == 0 {
			file = m.site.notFound()
		}
		return m.netlifyFields(q, file)
	case found.Unmodelled != "" || found.Location != "":
		return byRule(found)
	case !strings.HasPrefix(found.Rewrite, "/"):
		return Answer{Rule: found.Rule, Unmodelled: "a proxy"}
	}
	if name := m.hides(found.Rewrite); name != "" {
		return hiddenAt(name)
	}
	to := m.netlifyFile(rules.Request{Scheme: q.Scheme, Host: q.Host, Target: found.Rewrite})
	if to.File == "" {
		to = m.site.notFound()
	} else {
		to.Status = found.Status
	}
	to.Rule, to.Location = found.Rule, ""
	return m.netlifyFields(q, to)
}

// netlifyFile looks for a file, ignoring case; it returns the zero Answer where there is none. With
// Pretty URLs an additional or missing slash is a redirect (observed by others; that it is a 301:
// elm-pages#340).
func (m *Model) netlifyFile(q rules.Request) Answer {
	p, query := asked(q)
	at, ok := cleaned(p)
	if !ok {
		return Answer{}
	}
	slash := strings.HasSuffix(at, "/")
	bare := strings.TrimSuffix(at, "/")
	plain, html, index := m.site.folded(
		bare,
	), m.site.folded(
		bare+".html",
	), m.site.folded(
		bare+"/index.html",
	)
	switch {
	case plain != "" && !slash:
		return Answer{Status: 200, File: plain}
	case html != "" && slash && !m.opts.PrettyURLsOff:
		return Answer{Status: 301, Location: rules.EncodePath(bare) + query, File: html}
	case html != "":
		return Answer{Status: 200, File: html}
	case index != "" && !slash && !m.opts.PrettyURLsOff:
		return Answer{Status: 301, Location: rules.EncodePath(bare) + "/" + query, File: index}
	case index != "":
		return Answer{Status: 200, File: index}
	}
	return Answer{}
}

// netlifyFields adds the headers for the path that was requested and for that of the file.
func (m *Model) netlifyFields(q rules.Request, a Answer) Answer {
	if a.Location != "" {
		a.File = ""
		return a
	}
	p, _ := asked(q)
	a.Fields = m.headers.Fields(q.Host, p)
	if a.File == "" || a.File == p {
		return a
	}
	for _, f := range m.headers.Fields(q.Host, a.File) {
		if !hasField(a.Fields, f) {
			a.Fields = append(a.Fields, f)
		}
	}
	return a
}

func hasField(fields []rules.Field, f rules.Field) bool {
	for _, g := range fields {
		if g == f {
			return true
		}
	}
	return false
}
