package address

import "strings"

// HasUser reports whether a text that a user wrote as a URL, or as a host with or without a port,
// has user information before an @: a name, a password or a token (RFC 3986, section 3.2.1). The
// URL need not be valid. An @ after the first slash, question mark or number sign belongs to the
// path, the query or the fragment, and one with nothing before it hides nothing.
func HasUser(text string) bool {
	if scheme, rest, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(scheme, "/?#@") {
		if bare := strings.TrimLeft(rest, `/\`); bare != rest {
			text = bare
		}
	}
	at := strings.IndexByte(text, '@')
	return at > 0 && !strings.ContainsAny(text[:at], "/?#")
}
