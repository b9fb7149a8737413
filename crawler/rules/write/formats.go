package write

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"sitemend/crawler/rules"
)

// A Format is one way to write rules.
type Format struct {
	Name string
	// Limit is how many rules the host accepts, Size how many bytes; 0 for no limit.
	Limit, Size int
	// Line is how many bytes a line may have; 0 for no limit.
	Line int
	// Statuses are those that the format can express.
	Statuses []int
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

	File  string                             // the name of the file in instructions
	setup func(p *Plan, file string) []Setup // nil where there is nothing to set up
	key   func(target string) string         // how the format compares; nil for bytes
	// answers reports whether the rule of a source answers a target with the same key; nil where it
	// always does.
	answers func(source, target string) bool
	refuse  func(p *Plan, x *Pair) Note // pairs that it cannot express
	size    func(x *Pair) int           // bytes of a rule, with Size
	write   func(w *output, p *Plan)
}

var (
	both      = []int{301, 308}
	permanent = []int{301}
)

// formats are all formats, in the order of the lists for users.
var formats = []*Format{
	{
		Name:     "nginx",
		Comments: true,
		File:     "moved.map",
		setup:    nginxSetup,
		Statuses: both,
		Server:   "nginx",
		refuse:   refuseNginx,
		write:    writeNginx,
	},
	{
		Name:     "apache",
		Comments: true,
		File:     "/etc/apache2/moved.txt",
		setup:    apacheSetup,
		Line:     apacheLine,
		Statuses: both,
		Server:   "apache2",
		refuse:   refuseApache,
		write:    writeApache,
	},
	{
		Name:     "htaccess",
		Comments: true,
		setup:    htaccessSetup,
		Statuses: both,
		Server:   "apache2",
		refuse:   refuseHtaccess,
		write:    writeHtaccess,
	},
	{
		Name:     "apache-alias",
		Comments: true,
		setup: said(
			"in the configuration or .htaccess; the query of a request is passed on where a target has none",
		),
		Statuses: both,
		Server:   "apache2",
		key:      decodedPath,
		refuse:   refuseAlias,
		write:    writeAlias,
	},
	{
		Name:     "caddy",
		Comments: true,
		setup:    said("in the site block, or as a file that it imports"),
		Statuses: both,
		Server:   "caddy",
		refuse:   refuseBad,
		write:    writeCaddy,
	},
	{
		Name:     "haproxy",
		Comments: true,
		File:     "/etc/haproxy/moved.map",
		setup:    haproxySetup,
		Statuses: both,
		Server:   "haproxy",
		write:    writeHAProxy,
	},
	{
		Name:     "lighttpd",
		Comments: true,
		setup: said(
			"in lighttpd.conf, with mod_redirect in server.modules; for the default of url-normalize",
		),
		Statuses: both,
		Server:   "lighttpd",
		key:      lighttpdKey,
		refuse:   refuseLighttpd,
		write:    writeLighttpd,
	},
	{
		Name:     "iis",
		Comments: true,
		setup: said(
			"in system.webServer of web.config; not tried in IIS: try some of them first",
		),
		Statuses: permanent,
		key:      strings.ToLower,
		write:    writeIIS,
	},
	{
		Name:     "cloudflare-pages",
		Comments: true,
		setup: said(
			"in _redirects of the build, above every line with * or a placeholder; the query of a request is passed on",
		),
		Limit:    rules.CloudflareStatic,
		Statuses: both,
		Reads:    rules.CloudflarePages,
		key:      octetPath,
		refuse:   refuseCloudflare,
		write:    writeCloudflare,
	},
	{
		Name:     "cloudflare-bulk",
		setup:    said("a list of Bulk Redirects: upload it as CSV"),
		Statuses: both,
		Reads:    rules.CloudflareBulk,
		PerHost:  true,
		key:      decodedPath,
		refuse:   refuseBulk,
		write:    writeBulk,
	},
	{
		Name:     "netlify",
		Comments: true,
		setup:    said("in _redirects of the build, above its other lines"),
		Statuses: permanent,
		Reads:    rules.Netlify,
		key:      slashless,
		answers:  netlifyAnswers,
		refuse:   refuseNetlify,
		write:    writeNetlify,
	},
	{
		Name:     "netlify-toml",
		Comments: true,
		setup:    said("in netlify.toml; the rules of _redirects come before these"),
		Statuses: permanent,
		Reads:    rules.NetlifyTOML,
		key:      slashless,
		answers:  netlifyAnswers,
		refuse:   refuseNetlify,
		write:    writeNetlifyTOML,
	},
	{
		Name: "vercel",
		setup: said(
			"in vercel.json; where trailingSlash is set, a source in the other form never answers",
		),
		Limit:    rules.VercelRules,
		Statuses: both,
		Reads:    rules.Vercel,
		key:      octetPath,
		refuse:   refuseVercel,
		write:    writeVercel,
	},
	{
		Name:     "vercel-bulk",
		setup:    said("the file that bulkRedirectsPath of vercel.json names"),
		Statuses: both,
		Reads:    rules.VercelBulk,
		key:      octetPath,
		refuse:   refuseVercelBulk,
		write:    writeVercelBulk,
	},
	{
		Name:     "gitlab-pages",
		setup:    said("_redirects of the build: no file of the build may be at a source"),
		Limit:    rules.GitLabRules,
		Size:     rules.GitLabSize,
		Statuses: permanent,
		Reads:    rules.GitLabPages,
		key:      gitlabKey,
		refuse:   refuseGitLab,
		size:     sizeGitLab,
		write:    writeGitLab,
	},
	{
		Name: "shopify",
		setup: said(
			"import it under URL redirects; only URLs at which nothing is published redirect",
		),
		Statuses: permanent,
		Reads:    rules.Shopify,
		key:      caseless,
		refuse:   refuseShopify,
		write:    writeShopify,
	},
	{
		Name:     "wordpress",
		setup:    said("import it in the plugin Redirection, Tools, Import"),
		Statuses: both,
		Reads:    rules.WordPress,
		key:      wordpressKey,
		refuse:   refuseWordPress,
		write:    writeWordPress,
	},
	{Name: "html", Statuses: permanent, key: pageKey, refuse: refusePage},
	{Name: "csv", Statuses: both},
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

// refuses returns why the format cannot contain a pair; "" where it can.
func (f *Format) refuses(p *Plan, x *Pair) Note {
	switch {
	case !printable(x.Source) || x.Source[0] != '/':
		return SourceLiteral
	case !printable(x.Target) || strings.HasPrefix(x.Target, "//"):
		return TargetLiteral
	}
	if f.refuse != nil {
		if note := f.refuse(p, x); note != "" {
			return note
		}
	}
	switch {
	case f.joinsSlashes(x.Source):
		return Spelling
	case f.key != nil && climbs(x.Source):
		return SourceLiteral
	}
	return ""
}

// climbs reports whether a source has dot segments, escaped or not. Servers that do not compare octets
// may resolve them: the rule of /a/%2e%2e/b would be that of /b, which may be a page.
func climbs(source string) bool {
	for part := range strings.SplitSeq(decodedPath(source), "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// joinsSlashes reports whether a source has a %2F that the format takes for a slash: its rule would
// be that of another page, whose address may not be among the pairs.
func (f *Format) joinsSlashes(source string) bool {
	path := octetPath(source)
	if f.key == nil || !strings.Contains(strings.ToLower(path), "%2f") {
		return false
	}
	slashed := strings.NewReplacer("%2F", "/", "%2f", "/").Replace(path)
	return f.key(slashed+source[len(path):]) == f.key(source)
}

// printable reports whether a text can be sent in a request line: ASCII without spaces and control
// characters.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

// Text reports whether Plan.Write writes the format. html is a file for each rule (Page), and csv
// is written by the caller, who knows more about each pair.
func (f *Format) Text() bool { return f.write != nil }

// Write writes the rules, with instructions where the format has comments.
func (p *Plan) Write(w io.Writer) error {
	out := &output{b: bufio.NewWriterSize(w, 64<<10), lines: make([]int32, 0, len(p.Pairs))}
	p.Format.write(out, p)
	p.lines = out.lines
	return out.b.Flush()
}

// Line returns the line of the written file on which the rule of Pairs[i] begins, from 1;
// 0 before Write.
func (p *Plan) Line(i int) int {
	if i >= len(p.lines) {
		return 0
	}
	return int(p.lines[i])
}

// An output is a writer that counts lines.
type output struct {
	b     *bufio.Writer
	done  int32   // complete lines so far
	lines []int32 // the line on which each rule begins
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	o.done += int32(bytes.Count(text, []byte{'\n'}))
	return o.b.Write(text)
}

// rule records that the next rule begins on the next line.
func (o *output) rule() { o.lines = append(o.lines, o.done+1) }

// A Setup is what a server needs besides the rules: where, and the text.
type Setup struct{ Where, Text string }

// Setup returns what the server or host needs to use the rules, which are at file.
func (p *Plan) Setup(file string) []Setup {
	if p.Format.setup == nil {
		return nil
	}
	return p.Format.setup(p, file)
}

// said returns a setup without a text.
func said(where string) func(*Plan, string) []Setup {
	return func(*Plan, string) []Setup { return []Setup{{where, ""}} }
}

// comment writes comments on what the file is and how it is used.
func (p *Plan) comment(w *output) {
	fmt.Fprintln(w, "#", p.head())
	for _, s := range p.Setup(p.Format.File) {
		if s.Text == "" {
			fmt.Fprintln(w, "#", s.Where)
			continue
		}
		fmt.Fprintf(w, "# %s:\n", s.Where)
		for line := range strings.SplitSeq(s.Text, "\n") {
			fmt.Fprintln(w, "#  ", line)
		}
	}
}

// head returns the first line of every file with comments.
func (p *Plan) head() string {
	host := " of paths, for the host that uses them (--host NAME names it)"
	if p.Host != "" {
		host = " for " + p.Host
	}
	what := "redirects"
	if len(p.Pairs) == 1 {
		what = "redirect"
	}
	return fmt.Sprintf(
		"%d %s%s, written by sitemend rules --for %s",
		len(p.Pairs),
		what,
		host,
		p.Format.Name,
	)
}

// query reports whether a source has a query, even an empty one.
func query(source string) bool { return strings.Contains(source, "?") }
