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
	compile func(source string) (literal string, p *pattern)

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
		compile: cloudflareSource,
		token:   placeholder, value: longest, finish: cloudflareFinish,
	},
	Vercel:     {key: all, compile: vercelSource, token: vercelInTarget, value: vercelValue, finish: passingQuery},
	VercelBulk: {key: strings.ToLower, last: math.MaxInt32, compile: func(source string) (string, *pattern) { return source, nil }, finish: bulkFinish},
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
	for _, p := range c {
		if strings.HasPrefix(token[1:], p.name) && len(p.name) > len(name) {
			best, name = p.value+token[1+len(p.name):], p.name
		}
	}
	return best
}

func exact(token string, c captured) string {
	if i := slices.IndexFunc(c, func(p param) bool { return p.name == token[1:] }); i >= 0 {
		return c[i].value
	}
	return ""
}

// netlifySource compiles a decoded source: * and names are whole segments, and * may also end a
// longer one. Netlify dev leaves sources as written; Netlify's hosts decode both (observed by
// others: netlify/cli#8508).
func netlifySource(source string) (string, *pattern) {
	source = bare(Lenient(pathOf(source)))
	star := strings.IndexByte(source, '*')
	switch {
	case star < 0 && !strings.Contains(source, "/:"):
		return source, nil
	case source[0] == '/' && (star < 0 || star == len(source)-1 && strings.HasSuffix(source, "/*")):
		if !strings.Contains(source, "/:") {
			source = strings.Replace(source, "//*", "/*", 1) // of two slashes before a * one counts
		}
		return "", &pattern{source: source, prefix: source[:strings.IndexAny(source, ":*")]}
	}
	p := compile(source, segment, func(seg string) (expr, name string) {
		stem, star := strings.CutSuffix(seg[1:], "*")
		switch {
		case seg == "/*":
			return "(?:/(.*))?", "splat"
		case len(seg) > 2 && seg[1] == ':':
			return "/([^/]+)", seg[2:]
		case star:
			return "/" + regexp.QuoteMeta(stem) + "(?:/?(.*))?", "splat"
		}
		return regexp.QuoteMeta(seg), ""
	})
	if p != nil && !strings.HasSuffix(source, "*") {
		p.expr += "/?"
	}
	return source, p
}

// gitlabSource compiles a source: a slash matches several, and a splat matches the rest and needs
// no slash before it.
func gitlabSource(source string) (string, *pattern) {
	p := compile(source, segment, func(seg string) (expr, name string) {
		switch {
		case seg == "/":
			return "", ""
		case seg == "/*":
			return "/*(.*)/*", "splat"
		case len(seg) > 2 && seg[1] == ':' && strings.Trim(strings.ToLower(seg[2:]), "abcdefghijklmnopqrstuvwxyz") == "":
			return "/+([^/]+)", seg[2:]
		}
		return "/+" + regexp.QuoteMeta(seg[1:]), ""
	})
	if p != nil {
		p.expr, p.prefix = "(?i)"+p.expr+"/*", ""
	}
	return source, p
}

var (
	segment         = regexp.MustCompile(`/[^/]*`)
	cloudflareToken = regexp.MustCompile(`:[A-Za-z]\w*|\*`)
)

// compile returns the pattern of a source whose parts are each an expression, with a name where it
// is a placeholder; nil where it has none.
func compile(source string, part *regexp.Regexp, of func(part string) (expr, name string)) *pattern {
	p := &pattern{}
	var b strings.Builder
	last := 0
	for _, at := range part.FindAllStringIndex(source, -1) {
		expr, name := of(source[at[0]:at[1]])
		b.WriteString(regexp.QuoteMeta(source[last:at[0]]) + expr)
		if last = at[1]; name != "" && p.names == nil {
			p.prefix = strings.TrimRight(source[:at[0]+1], ":*")
		}
		if name != "" {
			p.names = append(p.names, name)
		}
	}
	if p.names == nil {
		return nil
	}
	p.expr = b.String() + regexp.QuoteMeta(source[last:])
	return p
}

// cloudflareSource compiles a source, in which names and * may stand anywhere.
func cloudflareSource(source string) (string, *pattern) {
	return source, compile(source, cloudflareToken, func(token string) (expr, name string) {
		if token == "*" {
			return "(.*)", "splat"
		}
		return "([^/]+)", token[1:]
	})
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
	if !r.keepQuery || s.query == "" {
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
