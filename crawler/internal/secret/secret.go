// Package secret finds secrets in the messages of services, however they are escaped: services and
// proxies quote requests back in text, forms, JSON and HTML.
package secret

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// window is how many consecutive letters and digits of a secret count as the secret: a message
	// may be cut.
	window = 12
	// shortest is the length of the shortest secret that is searched for; a shorter one would occur
	// in any text.
	shortest = 6
	// layers is how many nested escapings are removed.
	layers = 4
)

// token matches the beginning of a JSON Web Token: base64url of {" and the next characters.
var token = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{16}`)

// withheld replaces a text that contains a secret.
const withheld = "(the message repeats a secret, and is not shown)"

// Withhold returns text, or a remark in its place where text contains one of secrets (In) or a JSON
// Web Token (RFC 7519), which is always a secret.
func Withhold(text string, secrets ...string) string {
	if In(text, secrets...) {
		return withheld
	}
	in := text
	for range layers {
		if token.MatchString(in) {
			return withheld
		}
		in = unescaped(in)
	}
	return text
}

// In reports whether text contains one of secrets, or 12 consecutive letters and digits of one: as
// it is, in hexadecimal, in base64 of either alphabet (RFC 4648), also with a prefix, and each of
// these percent-encoded (RFC 3986, section 2.1), escaped as in JSON (RFC 8259, section 7) or HTML,
// in any case and with any signs in between. Secrets of fewer than six letters and digits are
// ignored.
func In(text string, secrets ...string) bool {
	all := forms(secrets)
	for range layers {
		shown := bare(text)
		for _, form := range all {
			size := min(len(form), window)
			for i := range len(form) - size + 1 {
				if strings.Contains(shown, form[i:i+size]) {
					return true
				}
			}
		}
		text = unescaped(text)
	}
	return false
}

// forms returns the letters and digits that reveal one of secrets.
func forms(secrets []string) (all []string) {
	for _, s := range secrets {
		s = armour.ReplaceAllString(s, "")
		for _, s := range slices.Compact([]string{s, unescaped(s)}) {
			if len(bare(s)) < shortest {
				continue
			}
			all = append(all, bare(s), hex.EncodeToString([]byte(s)))
			for at := range 3 { // offset of the secret in a group of three bytes
				groups := s[at : at+(len(s)-at)/3*3]
				all = append(all, bare(base64.RawStdEncoding.EncodeToString([]byte(groups))))
			}
		}
	}
	return slices.DeleteFunc(all, func(form string) bool { return len(form) < shortest })
}

// armour matches the lines around every PEM key (RFC 7468), which are not secret.
var armour = regexp.MustCompile(`-----[A-Z ]*-----`)

// bare returns the letters and digits of s, in lower case.
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

// unescaped returns s with one layer of escapes removed. Escapes of characters outside ASCII are
// dropped, as bare would drop those.
func unescaped(s string) string {
	return html.UnescapeString(escape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseUint(strings.TrimLeft(e, `%\ux`), 16, 16)
		if err != nil || n > 0x7F {
			return ""
		}
		return string(rune(n))
	}))
}
