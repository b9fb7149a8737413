package write

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// pageName returns the file that answers a path on a host with pretty addresses, such as GitHub
// Pages: old.html for /old and
// /old.html, old/index.html for /old/.
func pageName(source string) string {
	plain := strings.TrimPrefix(decodedPath(source), "/")
	switch {
	case plain == "" || strings.HasSuffix(plain, "/"):
		return plain + "index.html"
	case path.Ext(plain) == ".html" || path.Ext(plain) == ".htm":
		return plain
	}
	return plain + ".html"
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
