package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sitemend/crawler/rules"
)

var letters = regexp.MustCompile(`:[A-Za-z]`)

// refuseCloudflare leaves out what a static line cannot express: a placeholder or * in the source,
// a query, and a path that JavaScript's URL would change.
func refuseCloudflare(_ *Plan, x *Pair) Note {
	path := x.Source
	switch {
	case query(x.Source):
		return SourceQuery
	case letters.MatchString(path) || strings.Contains(path, "*") || rules.BrowserPath(path) != path || strings.HasPrefix(path, "//") || strings.Contains(path, "#"):
		return SourceLiteral
	case strings.HasPrefix(x.Target, "http://") || rules.BrowserTarget(x.Target) != x.Target:
		return TargetLiteral
	}
	return ""
}

func writeCloudflare(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(w, "%s %s %d\n", p.Pairs[i].Source, p.Pairs[i].Target, p.Status)
	}
}

// refuseBulk leaves out what Bulk Redirects cannot express.
func refuseBulk(p *Plan, x *Pair) Note {
	switch {
	case query(x.Source):
		return SourceQuery
	case strings.ContainsAny(x.Source, "#*"):
		return SourceLiteral
	case p.Host == "" || strings.Contains(p.Host, ":"):
		return SourceLiteral
	}
	return ""
}

func writeBulk(w *output, p *Plan) {
	for i := range p.Pairs {
		w.rule()
		target := p.Pairs[i].Target
		if strings.HasPrefix(target, "/") {
			target = "https://" + p.Host + target
		}
		fmt.Fprintf(
			w,
			"\"%s\",\"%s\",%d,FALSE,FALSE,FALSE,FALSE\n",
			p.Host+quotes(p.Pairs[i].Source),
			quotes(target),
			p.Status,
		)
	}
}

// quotes doubles quotes, as CSV requires.
func quotes(s string) string { return strings.ReplaceAll(s, `"`, `""`) }

// words returns the parameters of a query in Netlify's form; nil where Netlify cannot distinguish
// them: one without a value, a name twice, characters with another meaning.
func words(query string) map[string]string {
	found := map[string]string{}
	for part := range strings.SplitSeq(query, "&") {
		name, value, ok := strings.Cut(part, "=")
		if _, twice := found[name]; !ok || twice || name == "" || value == "" ||
			strings.ContainsAny(name, "/:#!") ||
			strings.ContainsAny(value, ":#") {
			return nil
		}
		found[name] = value
	}
	return found
}

// netlifyAnswers reports whether the words of a source are all among the parameters of a target:
// Netlify ignores further parameters. Words that differ only in case or escapes count as the same,
// because it is unknown whether Netlify distinguishes them.
func netlifyAnswers(source, target string) bool {
	parameters := func(target string) []string {
		_, query, has := strings.Cut(target, "?")
		if !has {
			return nil
		}
		list := strings.Split(query, "&")
		for i, part := range list {
			part, _ = rules.DecodePath(strings.ReplaceAll(part, "+", " "))
			list[i] = strings.ToLower(part)
		}
		return list
	}
	asked := parameters(target)
	return !slices.ContainsFunc(parameters(source), func(word string) bool { return !slices.Contains(asked, word) })
}

// refuseNetlify leaves out what Netlify would read differently. The query of a request is passed on
// where the target has none, so a source with a query needs a target with one.
func refuseNetlify(_ *Plan, x *Pair) Note {
	source, q, has := strings.Cut(x.Source, "?")
	target, _, _ := strings.Cut(x.Target, "?")
	plain := decodedPath(source)
	switch {
	case has && (words(q) == nil || !strings.Contains(x.Target, "?")):
		return SourceQuery
	case strings.Contains(plain, "/:") || strings.Contains(plain, "*") || strings.HasPrefix(plain, "//") ||
		rules.BrowserPath(
			source,
		) != source || strings.HasPrefix(source, "/.netlify") || strings.Contains(source, "#"):
		return SourceLiteral
	case strings.HasPrefix(target, "//") || strings.HasPrefix(target, "/") && rules.BrowserPath(target) != target || strings.ContainsAny(x.Target, "|^`{}\"<>"):
		return TargetLiteral
	}
	return ""
}

// writeNetlify writes rules with !, so that they take precedence over files that were left behind.
func writeNetlify(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		source, q, _ := strings.Cut(p.Pairs[i].Source, "?")
		fmt.Fprint(w, source)
		found := words(q)
		for _, name := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(w, " %s=%s", name, found[name])
		}
		fmt.Fprintf(w, " %s %d!\n", p.Pairs[i].Target, p.Status)
	}
}

func writeNetlifyTOML(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		source, q, _ := strings.Cut(p.Pairs[i].Source, "?")
		fmt.Fprintf(
			w,
			"[[redirects]]\n  from = %s\n  to = %s\n  status = %d\n  force = true\n",
			jsonText(source),
			jsonText(p.Pairs[i].Target),
			p.Status,
		)
		found := words(q)
		var list []string
		for _, name := range slices.Sorted(maps.Keys(found)) {
			list = append(list, jsonText(name)+" = "+jsonText(found[name]))
		}
		if list != nil {
			fmt.Fprintf(w, "  query = {%s}\n", strings.Join(list, ", "))
		}
		fmt.Fprintln(w)
	}
}

// jsonText returns a text as a string of JSON and TOML. Texts here are printable ASCII.
func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

var inDestination = regexp.MustCompile(`:[A-Za-z_]|\$[0-9A-Za-z_]`)

// refuseVercel leaves out sources with a query: has would match further queries, and the query is
// passed on.
func refuseVercel(_ *Plan, x *Pair) Note {
	switch {
	case query(x.Source):
		return SourceQuery
	case inDestination.MatchString(strings.TrimPrefix(strings.TrimPrefix(x.Target, "https:"), "http:")):
		return TargetLiteral
	}
	return ""
}

var vercelEscape = strings.NewReplacer(
	"(",
	`\(`,
	")",
	`\)`,
	":",
	`\:`,
	"*",
	`\*`,
	"+",
	`\+`,
	"?",
	`\?`,
	"{",
	`\{`,
	"}",
	`\}`,
	`\`,
	`\\`,
)

func writeVercel(w *output, p *Plan) {
	fmt.Fprint(w, "{\n  \"redirects\": [\n")
	for i := range p.Pairs {
		w.rule()
		comma := ","
		if i == len(p.Pairs)-1 {
			comma = ""
		}
		fmt.Fprintf(
			w,
			"    { \"source\": %s, \"destination\": %s, \"statusCode\": %d }%s\n",
			jsonText(vercelEscape.Replace(p.Pairs[i].Source)),
			jsonText(p.Pairs[i].Target),
			p.Status,
			comma,
		)
	}
	fmt.Fprint(w, "  ]\n}\n")
}

// vercelBulkText is how many bytes a source or target of a bulk file may have.
const vercelBulkText = 2048

func refuseVercelBulk(_ *Plan, x *Pair) Note {
	switch {
	case query(x.Source):
		return SourceQuery
	case strings.HasPrefix(x.Source, "//") || len(x.Source) > vercelBulkText:
		return SourceLiteral
	case len(x.Target) > vercelBulkText:
		return TargetLiteral
	}
	return ""
}

func writeVercelBulk(w *output, p *Plan) {
	fmt.Fprintln(w, "source,destination,statusCode,caseSensitive,preserveQueryParams")
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(
			w,
			"\"%s\",\"%s\",%d,true,false\n",
			quotes(p.Pairs[i].Source),
			quotes(p.Pairs[i].Target),
			p.Status,
		)
	}
}

// refuseGitLab leaves out what GitLab Pages would read differently: it uses sources as they are and
// compares them with decoded paths, and of a target it sends only the path, decoded.
func refuseGitLab(_ *Plan, x *Pair) Note {
	source, ok := rules.DecodePath(octetPath(x.Source))
	_, again := rules.DecodePath(source) // GitLab parses the source as an address
	target, whole := rules.DecodePath(x.Target)
	switch {
	case query(x.Source):
		return SourceQuery
	case !ok || !again || strings.Contains(source, "*") || strings.Contains(source, "/:") ||
		strings.ContainsFunc(source, unicode.IsSpace) || hasControl(source) || // a word ends at any space
		strings.Contains(source, "//") || strings.Contains(source, "/.") || strings.HasPrefix(source, `/\`) ||
		strings.Count(source, "/") > rules.GitLabSegments:
		return SourceLiteral
	case !strings.HasPrefix(x.Target, "/") || !whole || target != x.Target || strings.ContainsAny(x.Target, "?#*$") ||
		letters.MatchString(x.Target) || strings.Contains(x.Target, "//") || strings.HasPrefix(x.Target, `/\`) ||
		path.Clean(x.Target) != strings.TrimSuffix(x.Target, "/") && x.Target != "/" ||
		strings.Count(x.Target, "/") > rules.GitLabSegments:
		return TargetLiteral
	}
	return ""
}

// hasControl reports whether a text has an ASCII control character.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func gitlabLine(x *Pair, status int) string {
	source, _ := rules.DecodePath(x.Source)
	return fmt.Sprintf("%s %s %d\n", source, x.Target, status)
}

func sizeGitLab(x *Pair) int { return len(gitlabLine(x, 301)) }

// writeGitLab writes no comments, which count towards the 64 KB.
func writeGitLab(w *output, p *Plan) {
	for i := range p.Pairs {
		w.rule()
		fmt.Fprint(w, gitlabLine(&p.Pairs[i], p.Status))
	}
}

// reserved are paths from which Shopify does not redirect.
var reserved = []string{"/apps", "/application", "/cart", "/carts", "/orders", "/services", "/shop"}

func refuseShopify(_ *Plan, x *Pair) Note {
	path := strings.TrimSuffix(x.Source, "/")
	switch {
	case query(x.Source):
		return SourceQuery
	case path == "/products" || path == "/collections" || path == "/collections/all":
		return Shadowed
	case slices.ContainsFunc(reserved, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") }):
		return Shadowed
	case strings.Contains(x.Source, "#"):
		return SourceLiteral
	}
	return ""
}

func writeShopify(w *output, p *Plan) {
	fmt.Fprintln(w, "Redirect from,Redirect to")
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(w, "\"%s\",\"%s\"\n", quotes(p.Pairs[i].Source), quotes(p.Pairs[i].Target))
	}
}

var stillEncoded = regexp.MustCompile(`%[a-fA-F0-9]{2}`)

// refuseWordPress leaves out sources that the plugin changes when it imports them: it decodes a
// source once and removes what still looks encoded, and HTML.
func refuseWordPress(_ *Plan, x *Pair) Note {
	source, _ := rules.DecodePath(x.Source)
	target, _, _ := strings.Cut(x.Target, "#")
	switch {
	case stillEncoded.MatchString(source) || strings.ContainsAny(source, "<>\"\\\x00\r\n") || strings.HasPrefix(source, "//") || strings.Count(source, "?") > strings.Count(x.Source, "?"):
		return SourceLiteral
	case strings.ContainsAny(target, "<>\"`{}"):
		return TargetLiteral
	}
	return ""
}

func writeWordPress(w *output, p *Plan) {
	fmt.Fprintln(w, "source,target,regex,code")
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(
			w,
			"\"%s\",\"%s\",0,%d\n",
			quotes(p.Pairs[i].Source),
			quotes(p.Pairs[i].Target),
			p.Status,
		)
	}
}
