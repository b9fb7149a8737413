package address

import (
	"regexp"
	"strings"
)

// Mask replaces a user name and password.
const Mask = "***"

var (
	// userInfo matches a URL up to its user name and password, and these (RFC 3986, 3.2.1), also where
	// slashes or the scheme are missing, and where tabs and line ends stand in it, which nobody sends.
	userInfo = regexp.MustCompile(`(?i)^([\x00-\x20]*(?:[a-z][a-z0-9+.\t\r\n-]*:[/\\\t\r\n]*|[/\\][\t\r\n]*[/\\][/\\\t\r\n]*))[^/\\?#]*@`)
	inText   = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"'<>]*@`)
	anyUser  = regexp.MustCompile(`^([^/?#@:]*:[/\\]+)?[^/?#@]+@`)
)

// Masked returns an address as written, with "***" in place of its user name and password, for
// storage and display: "https://me:secret@a.example/" becomes "https://***@a.example/". Both have the
// same wire form, since Parse and Resolve drop that part. A text without it is returned unchanged. It
// need not be an HTTP address, or valid.
func Masked(loc string) string { return masked(userInfo, loc) }

func masked(user *regexp.Regexp, s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	return user.ReplaceAllString(s, "${1}"+Mask+"@")
}

// MaskedReference is Masked for a reference in the answer to a request for base: there "https:a@b"
// may be a path, which stays.
func MaskedReference(base Address, ref string) string {
	masked := Masked(ref)
	if was, _ := Resolve(base, ref); masked != ref {
		if is, _ := Resolve(base, masked); is != was {
			return ref
		}
	}
	return masked
}

// MaskedText is Masked for each address in a text, such as a tag or the refresh of a page: from its
// two slashes to white space, a quotation mark or an angle bracket.
func MaskedText(text string) string { return masked(inText, text) }

// HasUser reports whether a text that a user wrote as a URL, or as a host with or without a port,
// has user information before an @: a name, a password or a token. The URL need not be valid.
func HasUser(text string) bool { return anyUser.MatchString(text) }
