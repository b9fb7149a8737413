package address

import (
	"regexp"
	"slices"
	"strings"
)

// Mask replaces a user name and password.
const Mask = "***"

// maxAuthority is how many bytes an address may have before its first slash where a user name
// precedes: a longer one was truncated, and the "@" may be in the missing part.
const maxAuthority = 1_000

// Masked returns an address as written, with "***" in place of its user name and password (RFC
// 3986, 3.2.1), for storage and display: "https://me:secret@a.example/" becomes
// "https://***@a.example/". Both have the same wire form, since Parse and Resolve drop that part. A
// text without it is returned unchanged. It need not be an HTTP address, or valid; one that was
// truncated within a long password is masked to its end.
func Masked(loc string) string { return masked("", loc) }

// MaskedReference is Masked for a reference in the answer to a request for base: there "https:a@b"
// is a path where base is https, too (WHATWG URL, "special relative or authority state").
func MaskedReference(base Address, ref string) string { return masked(base.Scheme(), ref) }

// masked is Masked for a reference in an answer over a scheme; "" for no answer.
func masked(over, ref string) string {
	start, end := authority(over, ref)
	if start == end {
		return withoutScheme(ref)
	}
	at := strings.LastIndexByte(ref[start:end], '@')
	switch {
	case at >= 0:
		return ref[:start] + Mask + ref[start+at:]
	case end == len(ref) && end-start > maxAuthority:
		return ref[:start] + Mask
	}
	return ref
}

// withoutScheme masks the password of an address whose scheme was forgotten: "me:secret@a.example/". The name stays: it
// reads as a scheme that is none, in both.
func withoutScheme(ref string) string {
	first := ref[:strings.IndexAny(ref+"/", `/\?#`)]
	name, rest, found := strings.Cut(first, ":")
	at := strings.LastIndexByte(rest, '@')
	if !found || at < 1 || name == "" || schemeLen(name+":") != len(name) || slices.ContainsFunc(mailboxes, func(s string) bool { return strings.EqualFold(s, name) }) {
		return ref
	}
	return name + ":" + Mask + ref[len(name)+1+at:]
}

// mailboxes are the schemes whose addresses have a name before an "@", and no slashes; in http and https, which need
// none, it is a part of the path where no password is found.
var mailboxes = []string{"mailto", "sip", "sips", "xmpp", "acct", "im", "pres", "mid", "cid", "news", "sms", "urn", "data", "javascript", "http", "https"}

// MaskedText is Masked for each address in a text, such as a tag or the refresh of a page: from its
// two slashes to white space, a quotation mark or an angle bracket.
func MaskedText(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return inText.ReplaceAllString(text, "${1}"+Mask+"@")
}

var inText = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"'<>]*@`)

// authority returns where the authority of ref begins and ends, as browsers find it: they ignore
// tabs and line ends, and http needs no two slashes except in an answer over the same scheme. start
// equals end where ref has none.
func authority(over, ref string) (start, end int) {
	if strings.IndexByte(ref, '@') < 0 && len(ref) <= maxAuthority {
		return 0, 0
	}
	first := strings.IndexAny(ref, `/\?#`)
	if first < 0 {
		first = len(ref)
	}
	scheme := ref[:first]
	if colon := strings.IndexByte(scheme, ':'); colon >= 0 {
		scheme = scheme[:colon+1]
	}
	start = len(scheme)
	slashes := 0
	for ; start < len(ref); start++ {
		if c := ref[start]; c == '/' || c == '\\' {
			slashes++
		} else if strings.IndexByte("\t\r\n", c) < 0 {
			break
		}
	}
	scheme = withoutControls(scheme)
	web := (strings.EqualFold(scheme, "http:") || strings.EqualFold(scheme, "https:")) &&
		!strings.EqualFold(scheme, over+":")
	if !web && (slashes < 2 || scheme != "" && (schemeLen(scheme) == 0 || schemeLen(scheme) != len(scheme)-1)) {
		return 0, 0
	}
	end = start + strings.IndexAny(ref[start:]+"/", `/\?#`)
	return start, end
}

// withoutControls returns s without what browsers ignore at the beginning of a reference.
func withoutControls(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
}
