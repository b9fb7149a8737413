package address

import "strings"

// HasUser reports whether what a user wrote for a URL, or for a host with or without a port,
// names who calls before an @: a name, a password or a token (RFC 3986, section 3.2.1). It
// needs no valid URL. An @ behind the first slash, question mark or number sign is a part of
// the path, the query or the fragment.
func HasUser(text string) bool {
	if scheme, rest, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(scheme, "/?#@") {
		if bare := strings.TrimLeft(rest, `/\`); bare != rest {
			text = bare
		}
	}
	at := strings.IndexByte(text, '@')
	return at >= 0 && !strings.ContainsAny(text[:at], "/?#")
}
