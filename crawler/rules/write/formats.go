package write

import (
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/rules"
)

// A Format is one way to write rules: what a rule of it can express, and how it is written.
type Format struct {
	Name string
	// Statuses are those that the format can express.
	Statuses []int
	// Limit is how many rules the host accepts, Size how many bytes, Line how many bytes of a rule;
	// 0 for no limit.
	Limit, Size, Line int
	// Server is the program that can verify the rules, "" for none: nginx, apache2, caddy, haproxy,
	// lighttpd.
	Server string
	// Reads is the format in which package rules can read the rules again; "" for none.
	Reads rules.Format
	// PerHost is set where the rules themselves name their host.
	PerHost bool
	// Comments is set where the file begins with comments on how to use it; else Setup returns
	// that.
	Comments bool

	file  string // the name of the file in instructions
	setup []Setup

	// key returns what the format compares of a target; nil for all of its bytes.
	key   func(target string) string
	query bool // a source may have a query
	// source are texts that a source must not have, in the form that plain (decodedPath if nil)
	// makes of it; target those that a target must not have; shadowed those of sources that
	// something else answers.
	plain                    func(target string) string
	source, target, shadowed *regexp.Regexp
	part, text               int // how many bytes a segment of a source, or a source or target, may have; 0 for no limit

	// head, row and foot are the file. row is for Sprintf with the source, the target and the
	// status, and sep stands between rows, a line feed if ""; a format without row is not one text.
	head, row, sep, foot string
	from, to             func(p *Plan, i int) string // source and target of a pair as in row; nil for as they are
}

var (
	both      = []int{301, 308}
	permanent = []int{301}
)

// Texts that more than one format cannot have.
var (
	// stripped is the end of a target that mod_rewrite removes: a final ?, also of its query or
	// fragment, or a final & of its query (splitout_queryargs, observed in 2.4.71). The rule would
	// lead elsewhere, or to its own source for ever.
	stripped = regexp.MustCompile(`\?$|\?([^#]*&)?(#|$)`)
	notText  = regexp.MustCompile(`\x{FFFD}`) // not UTF-8
	pattern  = regexp.MustCompile(`\*|/:|^/\.netlify`)
)

// fileName is how many bytes the name of a file may have (NAME_MAX of Linux). Apache answers 403 to
// a longer one before it reads .htaccess.
const fileName = 255

// behindTLS says how Apache, which makes every Location absolute, names the scheme that clients use.
const behindTLS = " (with ServerName https://HOST where a proxy ends TLS)"

// slashes is the setup for sources with an encoded slash.
var slashes = Setup{Where: "in the configuration of the server, for the sources with %2F", Text: "{slashes}"}

// formats are all formats, in the order of the lists for users.
var formats = []*Format{
	{
		// nginx takes the hash directives once in a block and only before its first map. A key that
		// is a string ignores case, so only what nothing else equals in that way is one.
		Name: "nginx", Statuses: both, Server: "nginx", Comments: true, file: "moved.map", query: true,
		setup: []Setup{
			{
				Where: "in the http block before its first map; where it has these already, raise those to as much instead",
				Text:  "{hash}",
			},
			{Where: "in the http block", Text: "{dollar}map $request_uri $sitemend_to { include {file}; }"},
			{
				Where: "in each server block that it is for, before its locations",
				Text:  "absolute_redirect off;\nif ($sitemend_to) { return {status} $sitemend_to; }",
			},
		},
		row: "\"%[1]s\" \"%[2]s\";", from: nginxKey, to: target("$", "${sitemend_dollar}"),
	},
	{
		// The value of the map is split at its ?: since 2.4.60 a ? from a map is not allowed in a
		// result (403). Apache reads a line in pieces of 1,023 bytes (REWRITE_MAX_TXT_MAP_LINE); the
		// rest would be a line, and so a rule, of its own.
		Name: "apache", Statuses: both, Server: "apache2", Comments: true, file: "/etc/apache2/moved.txt", query: true,
		Line: 1023, target: stripped,
		setup: []Setup{{Where: "in the configuration of the server or virtual host" + behindTLS, Text: `RewriteEngine On
RewriteMap sitemend "txt:{file}"
RewriteCond %{THE_REQUEST} "^[A-Z]+ (/[^ ]*) HTTP/"
RewriteCond ${sitemend:%1} "^([^?]*)\?(.*)$"
RewriteRule ^ "%1?%2" [R={status},L,NE]
RewriteCond %{THE_REQUEST} "^[A-Z]+ (/[^ ]*) HTTP/"
RewriteCond ${sitemend:%1} "^([^?]+)$"
RewriteRule ^ "%1" [R={status},L,NE,QSD]`}, slashes},
		row: "%[1]s %[2]s",
	},
	{
		Name: "htaccess", Statuses: both, Server: "apache2", Comments: true, query: true,
		target: stripped, part: fileName,
		setup: []Setup{{Where: "in the .htaccess of the root, before other rules" + behindTLS}, slashes},
		head:  "RewriteEngine On\n",
		row:   "RewriteCond %%{THE_REQUEST} \"^[A-Z]+ %s HTTP/\"\nRewriteRule ^ \"%s\" [R=%d,L,NE,QSD]",
		from:  source(regexp.QuoteMeta), to: target("%", `\%`, "$", `\$`),
	},
	{
		// RedirectMatch compares the decoded path, and escapes the path of a target again.
		Name: "apache-alias", Statuses: both, Server: "apache2", Comments: true,
		setup: []Setup{{Where: "in the configuration or .htaccess; the query of a request is passed on where a target has none" + behindTLS}},
		key:   decodedPath, target: regexp.MustCompile(`^[^?#]*[%\[\]]`),
		row: "RedirectMatch %[3]d \"^%[1]s$\" \"%[2]s\"", from: source(func(s string) string { return regexp.QuoteMeta(decodedPath(s)) }), to: target("$", `\$`),
	},
	{
		Name: "caddy", Statuses: both, Server: "caddy", Comments: true, query: true,
		setup: []Setup{{Where: "in the site block, or as a file that it imports"}},
		head:  "map {uri} {sitemend_to} {\n\tdefault \"\"\n", row: "\t`%[1]s` `%[2]s`",
		foot: "}\n@sitemend_moved expression `{sitemend_to} != \"\"`\nredir @sitemend_moved {sitemend_to} {status}\n",
	},
	{
		Name: "haproxy", Statuses: both, Server: "haproxy", Comments: true, file: "/etc/haproxy/moved.map", query: true,
		setup: []Setup{{
			Where: "in the frontend",
			Text:  "http-request redirect location %[pathq,map_str({file})] code {status} if { pathq,map_str({file}) -m found }",
		}},
		row: "%[1]s %[2]s",
	},
	{
		// lighttpd compares the form of a target that url-normalize makes by default, and writes the
		// escapes of a target in upper case.
		Name: "lighttpd", Statuses: both, Server: "lighttpd", Comments: true, query: true,
		setup: []Setup{{Where: "in lighttpd.conf, with mod_redirect in server.modules; for the default of url-normalize"}},
		key:   lighttpdKey, plain: rules.Lenient, source: notText, target: regexp.MustCompile(`%(?:[a-f]|.[a-f])`),
		head: "url.redirect-code = {status}\nurl.redirect += (\n", row: "  \"^%[1]s\" => \"%[2]s\"", sep: ",\n", foot: ")\n",
		from: lighttpdRegexp, to: target("%", "%%", "$", "$$"),
	},
	{
		Name: "iis", Statuses: permanent, Comments: true, query: true, key: strings.ToLower,
		setup: []Setup{{Where: "in system.webServer of web.config; not tried in IIS: try some of them first"}},
		head: "<!-- {head}\n     put both elements into system.webServer of web.config; written after the documentation of\n" +
			"     URL Rewrite 2.1 and not tried in IIS: try some of them first -->\n<rewrite>\n  <rewriteMaps>\n    <rewriteMap name=\"sitemend\" defaultValue=\"\">\n",
		row:  "      <add key=\"%[1]s\" value=\"%[2]s\" />",
		from: source(strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace), to: target("&", "&amp;", "'", "&#39;"),
		foot: `    </rewriteMap>
  </rewriteMaps>
  <rules>
    <rule name="sitemend" stopProcessing="true">
      <match url=".*" />
      <conditions>
        <add input="{sitemend:{UNENCODED_URL}}" pattern="(.+)" />
      </conditions>
      <action type="Redirect" url="{C:1}" redirectType="Permanent" appendQueryString="false" />
    </rule>
  </rules>
</rewrite>
`,
	},
	{
		Name: "cloudflare-pages", Statuses: both, Reads: rules.CloudflarePages, Comments: true, Limit: rules.CloudflareStatic,
		Line:  2000 - len(" 301"),
		setup: []Setup{{Where: "in _redirects of the build, above every line with * or a placeholder; the query of a request is passed on"}},
		key:   octetPath, plain: octetPath, source: regexp.MustCompile(`\*|:[A-Za-z]`), target: regexp.MustCompile(`^http:|\?[^#]*'`),
		row: "%s %s %d",
	},
	{
		Name: "cloudflare-bulk", Statuses: both, PerHost: true,
		setup: []Setup{{Where: "a list of Bulk Redirects: upload it as CSV"}},
		key:   decodedPath, source: regexp.MustCompile(`\*`),
		row:  "\"%s\",\"%s\",%d,FALSE,FALSE,FALSE,FALSE",
		from: func(p *Plan, i int) string { return p.Host + p.Pairs[i].Source },
		to: func(p *Plan, i int) string {
			if to := p.Pairs[i].Target; to[0] != '/' {
				return to
			}
			return "https://" + p.Host + p.Pairs[i].Target
		},
	},
	{
		// A rule with ! takes precedence over a file that was left behind.
		Name: "netlify", Statuses: permanent, Reads: rules.Netlify, Comments: true,
		setup: []Setup{{Where: "in _redirects of the build, above its other lines"}},
		key:   slashless, source: pattern,
		row: "%s %s %d!",
	},
	{
		Name: "netlify-toml", Statuses: permanent, Reads: rules.NetlifyTOML, Comments: true,
		setup: []Setup{{Where: "in netlify.toml; the rules of _redirects come before these"}},
		key:   slashless, source: pattern,
		row: "[[redirects]]\n  from = \"%s\"\n  to = \"%s\"\n  status = %d\n  force = true\n",
	},
	{
		Name: "vercel", Statuses: both, Reads: rules.Vercel, Limit: rules.VercelRules, text: 4096,
		setup: []Setup{{Where: "in vercel.json; where trailingSlash is set, a source in the other form never answers"}},
		key:   octetPath, plain: octetPath, target: regexp.MustCompile(`:[A-Za-z_]|\$\w`),
		head: "{\n  \"redirects\": [\n", foot: "  ]\n}\n", sep: ",\n",
		row:  "    { \"source\": \"%s\", \"destination\": \"%s\", \"statusCode\": %d }",
		from: source(strings.NewReplacer("[", `\\[`, "(", `\\(`, ")", `\\)`, ":", `\\:`, "*", `\\*`, "+", `\\+`).Replace),
	},
	{
		Name: "vercel-bulk", Statuses: both, Reads: rules.VercelBulk, text: 2048,
		setup: []Setup{{Where: "the file that bulkRedirectsPath of vercel.json names"}},
		key:   octetPath, plain: octetPath,
		head: "source,destination,statusCode,caseSensitive,preserveQueryParams\n", row: "\"%s\",\"%s\",%d,true,false",
	},
	{
		// GitLab Pages uses sources as they are and compares them with decoded paths, and of a target
		// it sends only the path, decoded. Comments would count towards the size.
		Name: "gitlab-pages", Statuses: permanent, Reads: rules.GitLabPages, Limit: rules.GitLabRules, Size: rules.GitLabSize,
		setup:  []Setup{{Where: "_redirects of the build: no file of the build may be at a source"}},
		key:    func(target string) string { return rules.GitLabKey(decodedPath(target)) },
		source: regexp.MustCompile(`[*%\s\p{Z}\x{85}\x{FFFD}]|/[:.]|^(/[^/]*){25}`),
		target: regexp.MustCompile(`^[^/]|[%?#*$]|:[A-Za-z]|//|/\.|^(/[^/]*){26}`),
		row:    "%s %s %d", from: source(decodedPath),
	},
	{
		Name: "shopify", Statuses: permanent,
		setup:    []Setup{{Where: "import it under URL redirects; only URLs at which nothing is published redirect"}},
		key:      func(target string) string { return strings.ToLower(slashless(target)) },
		shadowed: regexp.MustCompile(`^/((apps|application|cart|carts|orders|services|shop)(/|$)|(products|collections|collections/all)/?$)`),
		head:     "Redirect from,Redirect to\n", row: "\"%[1]s\",\"%[2]s\"",
	},
	{
		// The plugin decodes a source once when it imports it, and removes what still looks encoded.
		Name: "wordpress", Statuses: both, query: true,
		setup: []Setup{{Where: "import it in the plugin Redirection, Tools, Import"}},
		key:   wordpressKey, source: regexp.MustCompile(`%[a-fA-F0-9]{2}|\?|[<>]`),
		head: "source,target,regex,code\n", row: "\"%s\",\"%s\",0,%d",
	},
	{
		// GitHub Pages and the like have no rules, but pages that lead on; a file of another type
		// would be none.
		Name: "html", Statuses: permanent, part: fileName - len(".html"),
		key: pageName, plain: pageName, source: regexp.MustCompile(`[:*<>|\x{FFFD}]|\.[^/.]{1,4}\.html$`), shadowed: regexp.MustCompile(`(^|/)404\.html$`),
	},
	{Name: "csv", Statuses: both, query: true},
}

// Names returns the names of the formats, in the order of the lists for users.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// ByName returns the format with a name; nil for none.
func ByName(name string) *Format {
	if i := slices.IndexFunc(formats, func(f *Format) bool { return f.Name == name }); i >= 0 {
		return formats[i]
	}
	return nil
}

// Text reports whether Plan.Write writes the format. html is a file for each rule (Page), and csv
// is written by the caller, who knows more about each pair.
func (f *Format) Text() bool { return f.row != "" }
