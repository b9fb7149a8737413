package write

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"sitemend/crawler/rules"
)

// pageName returns the file that answers a path on a host with pretty addresses, such as GitHub
// Pages: old.html for /old, old/index.html for /old/.
func pageName(source string) string {
	plain := strings.TrimPrefix(decodedPath(source), "/")
	switch {
	case plain == "" || strings.HasSuffix(plain, "/"):
		return plain + "index.html"
	case path.Ext(plain) == ".html":
		return plain
	}
	return plain + ".html"
}

// pageKey returns what such a host compares: /old and /old.html are one page, and so are /old/ and
// /old/index.html.
func pageKey(target string) string { return pageName(target) }

// refusePage leaves out sources that no file can answer, and the page with which hosts answer for
// missing addresses.
func refusePage(_ *Plan, x *Pair) Note {
	plain, ok := rules.DecodePath(octetPath(x.Source))
	name := pageName(x.Source)
	switch ext := path.Ext(plain); {
	case query(x.Source):
		return SourceQuery
	case !ok || strings.ContainsAny(plain, "\\:*?\"<>|\x00\r\n") || path.Clean("/"+name) != "/"+name || strings.Contains(strings.ToLower(x.Source), "%2f"):
		return SourceLiteral
	case path.Base(name) == "404.html":
		return Shadowed
	case slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > fileName }):
		return Limit
	case ext != "" && ext != ".html" && ext != ".htm" && len(ext) <= 5: // a file of another type
		return SourceLiteral
	}
	return ""
}

// Page returns the file that redirects a pair on a host without rules: its name, with slashes, and
// its text. A refresh without a delay counts as a permanent redirect for Google (Search docs,
// "301-redirects"); the canonical has the same target.
func Page(x Pair) (name, text string) {
	to := html.EscapeString(x.Target)
	return pageName(x.Source), fmt.Sprintf(`<!DOCTYPE html>
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="%s">
<meta http-equiv="refresh" content="0; url=%s">
<p>This page has moved: <a href="%s">%s</a></p>
`, to, to, to, to)
}

// IsPage reports whether a text is that of the Page of some pair with that source.
func IsPage(source, text string) bool {
	_, rest, _ := strings.Cut(text, `<link rel="canonical" href="`)
	target, _, found := strings.Cut(rest, `"`)
	_, page := Page(Pair{Source: source, Target: html.UnescapeString(target)})
	return found && page == text
}
