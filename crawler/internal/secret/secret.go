// Package secret finds secrets in what a service says, however they are written there: services
// and proxies quote requests back in messages, in forms, in JSON and in HTML.
package secret

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

const (
	// window is how many letters and digits of a secret give it away: a message may be cut.
	window = 12
	// shortest is the shortest secret that is looked for; a shorter one would be in any text.
	shortest = 6
	// layers is how many escapings on top of one another are taken off.
	layers = 4
)

// token is the beginning of a JSON Web Token: base64url of {" and what follows.
var token = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{16}`)

// withheld stands in place of a text that holds a secret.
const withheld = "(the message repeats a secret, and is not shown)"

// Withhold returns text, or a remark in its place where text holds one of secrets, or 12 letters
// and digits in a row of one: as it is, percent-encoded (RFC 3986, section 2.1), escaped as in
// JSON (RFC 8259, section 7) or HTML, in any case and with any signs in between. Secrets of fewer
// than six letters and digits are not looked for. A JSON Web Token (RFC 7519) is a secret,
// whoever made it.
func Withhold(text string, secrets ...string) string {
	in := text
	for range layers {
		if token.MatchString(in) {
			return withheld
		}
		for _, s := range secrets {
			if holds(bare(in), bare(s)) || holds(bare(in), bare(unescaped(s))) {
				return withheld
			}
		}
		in = unescaped(in)
	}
	return text
}

// holds reports whether text holds secret or a part of it that is long enough.
func holds(text, secret string) bool {
	if len(secret) < shortest {
		return false
	}
	n := min(window, len(secret))
	for i := range len(secret) - n + 1 {
		if strings.Contains(text, secret[i:i+n]) {
			return true
		}
	}
	return false
}

// bare is s without all but its letters and digits, in lower case.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, s)
}

var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[bfnrt]`)

// unescaped is s with one layer of escapes taken off. What escapes no ASCII is left out: bare
// would do so.
func unescaped(s string) string {
	return html.UnescapeString(escape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseUint(strings.TrimLeft(e, `%\ux`), 16, 16)
		if err != nil || n > 0x7F {
			return ""
		}
		return string(rune(n))
	}))
}
