package hosts

import (
	"strings"

	"sitemend/crawler/rules"
)

// nginx answers like nginx with try_files $uri $uri.html $uri/ =404 and error_page 404 /404.html;
// for Plain, without $uri.html.
func (m *Model) nginx(q rules.Request) Answer {
	p, query := asked(q)
	at, ok := cleaned(p)
	if !ok {
		return Answer{Status: 400}
	}
	switch html := at + ".html"; {
	case m.site.has(at):
		return Answer{Status: 200, File: at}
	case m.name == Nginx && m.site.has(html):
		return Answer{Status: 200, File: html}
	case m.opts.SPA && !m.site.dir(at):
		return m.spa()
	case !m.site.dir(at):
		return m.site.notFound()
	case !strings.HasSuffix(at, "/"):
		return Answer{
			Status:   301,
			Location: q.Scheme + "://" + q.Host + rules.EncodePath(at) + "/" + query,
		}
	case m.site.has(at + "index.html"):
		return Answer{Status: 200, File: at + "index.html"}
	}
	return Answer{Status: 403}
}

// github answers like GitHub Pages, which has no rules (observed by others on live sites:
// slorber/trailing-slash-guide).
func (m *Model) github(q rules.Request) Answer {
	p, query := asked(q)
	at, ok := cleaned(p)
	if !ok {
		return Answer{Status: 400}
	}
	at, ok = strings.CutPrefix(at, m.opts.Prefix)
	switch html := at + ".html"; {
	case !ok || at != "" && at[0] != '/':
		return Answer{Status: 404}
	case m.site.has(at):
		return Answer{Status: 200, File: at}
	case strings.HasSuffix(at, "/") && m.site.has(at+"index.html"):
		return Answer{Status: 200, File: at + "index.html"}
	case m.site.has(html):
		return Answer{Status: 200, File: html}
	case m.site.has(at + "/index.html"):
		return Answer{Status: 301, Location: rules.EncodePath(m.opts.Prefix+at) + "/" + query}
	}
	return m.site.notFound()
}
