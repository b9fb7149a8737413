package rules

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Format identifies a kind of rule file.
type Format string

// The formats that can be read.
const (
	CloudflarePages   Format = "cloudflare-pages" // _redirects of Pages and of Workers with assets
	CloudflareHeaders Format = "cloudflare-headers"
	Netlify           Format = "netlify" // _redirects
	NetlifyHeaders    Format = "netlify-headers"
	NetlifyTOML       Format = "netlify-toml" // netlify.toml, [[redirects]] and [[headers]]
	Vercel            Format = "vercel"       // vercel.json, redirects and headers
	VercelBulk        Format = "vercel-bulk"  // a CSV of bulkRedirectsPath
	GitLabPages       Format = "gitlab-pages" // _redirects
)

// files is how a file of each format is read, and the dialect of its rules.
var files = map[Format]struct {
	dialect Format
	read    func(s *Set, name, text string) error
}{
	Netlify:           {Netlify, lines(func() lineReader { return netlifyLine }).read},
	NetlifyHeaders:    {Netlify, headerLines{most: MaxAddress}.read},
	NetlifyTOML:       {Netlify, readNetlifyTOML},
	CloudflarePages:   {CloudflarePages, lines(cloudflareLine).read},
	CloudflareHeaders: {CloudflarePages, headerLines{most: cloudflareText, rules: 100}.read},
	Vercel:            {Vercel, readVercel},
	VercelBulk:        {VercelBulk, readVercelBulk},
	GitLabPages:       {GitLabPages, lines(gitlabLine).read},
}

// A dialect is how a host compares the sources of rules and writes their targets.
type dialect struct {
	// form is what is compared of the path of a request, nil for its bytes; false where the host
	// refuses it. key is what is compared of a form with literal sources. last inverts the numbers
	// of rules where of two with the same source the last one counts.
	form func(path string) (string, bool)
	key  func(form string) string
	last int32
	// compile returns a literal source in its form, or the pattern of another source.
	compile func(r *Rule) (literal string, p *pattern)

	// token is a placeholder of a target, and value what takes its place.
	token *regexp.Regexp
	value func(token string, c captured) string
	// finish returns where a rule leads whose target has its values: Location, or Rewrite.
	finish func(r *Rule, target string, s subject, pattern bool) (location, rewrite string)
}

var dialects = map[Format]*dialect{
	Netlify: {
		form: func(path string) (string, bool) { return Lenient(path), true }, key: bare,
		compile: netlifySource, token: placeholder, value: longest, finish: netlifyFinish,
	},
	CloudflarePages: {
		form: func(path string) (string, bool) { return BrowserPath(path), true }, key: all,
		compile: func(r *Rule) (string, *pattern) { return cloudflareSource(r.Source) },
		token:   placeholder, value: longest, finish: cloudflareFinish,
	},
	Vercel:     {key: all, compile: vercelSource, token: vercelInTarget, value: vercelValue, finish: passingQuery},
	VercelBulk: {key: strings.ToLower, last: math.MaxInt32, compile: func(r *Rule) (string, *pattern) { return r.Source, nil }, finish: bulkFinish},
	GitLabPages: {
		form: DecodePath, key: GitLabKey,
		compile: gitlabSource, token: regexp.MustCompile(`:[A-Za-z]+`), value: exact, finish: gitlabFinish,
	},
}

// all is the key of a form that is compared byte for byte.
func all(form string) string { return form }

// Values of placeholders. Those that the source does not have stay, but at GitLab.
var placeholder = regexp.MustCompile(`:[A-Za-z]\w*`)

// longest takes the longest name of the source with which a token begins: ":splatx" contains
// ":splat".
func longest(token string, c captured) string {
	best, name := token, ""
	for i, n := range c.names {
		if strings.HasPrefix(token[1:], n) && len(n) > len(name) {
			best, name = c.values[i]+token[1+len(n):], n
		}
	}
	return best
}

func exact(token string, c captured) string {
	if i := slices.Index(c.names, token[1:]); i >= 0 {
		return c.values[i]
	}
	return ""
}

// netlifySource compiles a decoded source: * and names are whole segments, and * may also end a
// longer one. Netlify dev leaves sources as written; Netlify's hosts decode both (observed by
// others: netlify/cli#8508).
func netlifySource(r *Rule) (string, *pattern) {
	source := bare(Lenient(r.path()))
	if !strings.Contains(source, "*") && !strings.Contains(source, "/:") {
		return source, nil
	}
	p := compile(source, func(seg string) (expr, name string) {
		stem, star := strings.CutSuffix(seg, "*")
		switch {
		case seg == "*":
			return "(?:/(.*))?", "splat"
		case len(seg) > 1 && seg[0] == ':':
			return "/([^/]+)", seg[1:]
		case star:
			return "/" + regexp.QuoteMeta(stem) + "(?:/?(.*))?", "splat"
		}
		return "/" + regexp.QuoteMeta(seg), ""
	})
	if p != nil && !strings.HasSuffix(source, "*") {
		p.expr += "/?"
	}
	return source, p
}

// gitlabSource compiles a source: a slash matches several, and a splat matches the rest and needs
// no slash before it.
func gitlabSource(r *Rule) (string, *pattern) {
	p := compile(r.Source, func(seg string) (expr, name string) {
		switch {
		case seg == "":
			return "", ""
		case seg == "*":
			return "/*(.*)/*", "splat"
		case len(seg) > 1 && seg[0] == ':' && strings.Trim(strings.ToLower(seg[1:]), "abcdefghijklmnopqrstuvwxyz") == "":
			return "/+([^/]+)", seg[1:]
		}
		return "/+" + regexp.QuoteMeta(seg), ""
	})
	if p != nil {
		p.expr, p.prefix = "(?i)"+p.expr+"/*", ""
	}
	return r.Source, p
}

// compile returns the pattern of a source whose segments are each an expression, with a name where
// it is a placeholder; nil where it has none.
func compile(source string, segment func(seg string) (expr, name string)) *pattern {
	p := &pattern{}
	var b strings.Builder
	end := 0 // of what is before the first placeholder
	for _, seg := range strings.Split(source, "/")[1:] {
		expr, name := segment(seg)
		b.WriteString(expr)
		switch {
		case name != "":
			p.names = append(p.names, name)
		case p.names == nil:
			end += 1 + len(seg)
		}
	}
	if p.names == nil {
		return nil
	}
	if end > 0 && source[end-1] != '/' {
		end++ // the segment is matched whole, or the match ends with it
	}
	p.expr, p.prefix = b.String(), source[:end]
	return p
}

var cloudflareToken = regexp.MustCompile(`:[A-Za-z]\w*|\*`)

// cloudflareSource compiles a source, in which names and * may stand anywhere.
func cloudflareSource(source string) (string, *pattern) {
	p := &pattern{}
	var b strings.Builder
	last := 0
	for _, at := range cloudflareToken.FindAllStringIndex(source, -1) {
		name, expr := source[at[0]+1:at[1]], "([^/]+)"
		if name == "" {
			name, expr = "splat", "(.*)"
		}
		if last == 0 {
			p.prefix = source[:at[0]]
		}
		b.WriteString(regexp.QuoteMeta(source[last:at[0]]) + expr)
		p.names, last = append(p.names, name), at[1]
	}
	if p.names == nil {
		return source, nil
	}
	p.expr = b.String() + regexp.QuoteMeta(source[last:])
	return "", p
}

func cloudflareFinish(r *Rule, target string, s subject, pattern bool) (location, rewrite string) {
	path, query, fragment := splitTarget(target)
	if pattern && strings.HasPrefix(path, "/") {
		path = merged(path)
	}
	if r.Status == 200 {
		return "", path
	}
	if strings.HasPrefix(path, "//") { // another host, with the scheme of the request
		path = s.Scheme + ":" + path
	}
	path, query, fragment = splitTarget(withQuery(path+query+fragment, s))
	return path + strings.ReplaceAll(query, "'", "%27") + fragment, "" // as WHATWG has it
}

func netlifyFinish(r *Rule, target string, s subject, _ bool) (location, rewrite string) {
	if !r.Redirects() {
		path, _, _ := splitTarget(target)
		return "", path
	}
	path, query, fragment := splitTarget(encoded(target, "\"<>^`{|}"))
	if strings.HasPrefix(path, "/") {
		path = BrowserPath(path)
	}
	return withQuery(path+query+fragment, s), ""
}

func passingQuery(_ *Rule, target string, s subject, _ bool) (location, rewrite string) {
	return withQuery(target, s), ""
}

func bulkFinish(r *Rule, target string, s subject, _ bool) (location, rewrite string) {
	if !r.needs.keepQuery || s.query == "" {
		return target, ""
	}
	path, query, fragment := splitTarget(target)
	return path + "?" + strings.TrimPrefix(strings.TrimPrefix(query, "?")+"&"+s.query, "&") + fragment, ""
}

// gitlabFinish sends only the path of the target, decoded: its query and fragment are lost.
func gitlabFinish(r *Rule, target string, _ subject, _ bool) (location, rewrite string) {
	to, _, _ := splitTarget(merged(target))
	to = Lenient(to)
	if r.Status == 200 {
		return "", to
	}
	if strings.Contains(to, "/.") {
		slash := strings.HasSuffix(to, "/")
		if to = path.Clean(to); slash && to != "/" {
			to += "/"
		}
	}
	return nonASCII.ReplaceAllStringFunc(to, func(s string) string { return strings.ToLower(encoded(s, "")) }), ""
}

var nonASCII = regexp.MustCompile(`[^\x00-\x7F]+`)

// GitLabKey returns the form of a decoded path that GitLab Pages compares: the same literal rule
// answers two paths with the same key. Case, double slashes and slashes at the end do not count.
func GitLabKey(path string) string {
	return strings.ToUpper(strings.TrimRight(merged(path), "/"))
}
