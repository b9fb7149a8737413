package address

import (
	"regexp"
	"strings"
)

// mask stands in the place of a name and a password.
const mask = "***"

// maxAuthority is how long the beginning of an address may be before its first slash with a name in
// front: what is longer was cut, and the "@" may be in what is missing.
const maxAuthority = 1_000

// Masked returns an address as it is written somewhere with "***" in place of the name and the
// password that it gives (RFC 3986, 3.2.1), for what is stored and shown:
// "https://me:secret@a.example/" becomes "https://***@a.example/". Both have the same wire form,
// for Parse and Resolve drop what stands there. A text that gives none is returned as it is. It
// need be no address of HTTP, and no valid one; one that is cut off in the midst of a long password
// is masked to its end.
func Masked(loc string) string { return masked("", loc) }

// MaskedReference is Masked for a reference that stands in the answer to a request for base:
// "https:a@b" is a path there where base is of https, too (WHATWG URL, "special relative or
// authority state").
func MaskedReference(base Address, ref string) string { return masked(base.Scheme(), ref) }

// masked is Masked for a reference in an answer over a scheme, "" for none.
func masked(over, ref string) string {
	start, end := authority(over, ref)
	if start == end {
		return ref
	}
	at := strings.LastIndexByte(ref[start:end], '@')
	switch {
	case at >= 0:
		return ref[:start] + mask + ref[start+at:]
	case end == len(ref) && end-start > maxAuthority:
		return ref[:start] + mask
	}
	return ref
}

// MaskedText is Masked for each address that stands in a text, such as a tag or the refresh of a
// page: from its two slashes on to white space, a quotation mark or an angle bracket.
func MaskedText(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return inText.ReplaceAllString(text, "${1}"+mask+"@")
}

var inText = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"'<>]*@`)

// authority returns where host, port and what stands before them are in ref, as browsers find them:
// tabs and line ends count as nothing, and http needs no two slashes but in an answer over the same
// scheme. start is end where ref has none.
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

// withoutControls is s without what is passed over in the beginning of a reference.
func withoutControls(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
}
