package address

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// maxInput limits the length of inputs: offsets must fit, and one byte may become three.
const maxInput = 1 << 28

const upperHex = "0123456789ABCDEF"

// Parse returns the address that loc names, in wire form. It ignores ASCII white space around it.
// loc must be an absolute http or https URL; as in browsers the slashes after the scheme may be
// backslashes, or too few or too many (WHATWG URL, "special authority slashes state"). User,
// password and fragment are dropped. The error says why loc is no such URL.
//
// Where loc is in wire form already, Parse does not allocate, and the Address shares the memory of
// loc.
func Parse(loc string) (Address, error) { return resolve(Address{}, strings.Trim(loc, " \t\n\v\f\r")) }

// Resolve returns the address that ref, found at base, leads to. It follows RFC 3986, 5.2, and the
// practice of browsers (WHATWG URL): white space and controls around ref are ignored, tabs and line
// ends in it removed; before the query a backslash is a slash; "///host" is read as "//host";
// "http:path" with an http base is relative. Only literal "." and ".." are dot segments. The
// fragment is dropped, so a fragment alone and an empty ref give base itself.
//
// With the zero base, ref must be absolute.
func Resolve(base Address, ref string) (Address, error) {
	return resolve(base, withoutInner.Replace(strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })))
}

var withoutInner = strings.NewReplacer("\t", "", "\r", "", "\n", "")

// isWire reports that a text is in wire form. It is a fast check, and returns false for some that are.
func isWire(s string) bool {
	start := hostStart(s)
	if start == 0 {
		return false
	}
	host, target := cutAny(s[start:], "/")
	if target == "" || len(s) > maxInput || strings.Contains(target, "/.") {
		return false
	}
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || port[0] == '0' || n == 80 || n == 443 {
			return false
		}
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && c != '-' && c != '.' || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	for i := range len(target) {
		if encoded[target[i]] || target[i] == '#' {
			return false
		}
	}
	top := name[strings.LastIndexByte(name, '.')+1:]
	if top == "" || !isDigit(top[0]) {
		return top != ""
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// resolve is Resolve for a reference that is read as it is.
func resolve(base Address, s string) (a Address, err error) {
	if isWire(s) {
		return Wire(s), nil
	}
	scheme, rest := cutScheme(s)
	why := ""
	switch {
	case len(s) > maxInput:
		why = "more than 256 MiB"
	case scheme == "" && base.IsZero():
		why = "no scheme: not an absolute URL"
	case scheme != "" && scheme != "http" && scheme != "https":
		why = "scheme is neither http nor https"
	case scheme != "" && scheme != base.Scheme(), len(rest) > 1 && isSlash(rest[0]) && isSlash(rest[1]):
		a, why = parseAuthority(cmp.Or(scheme, base.Scheme()), rest, s)
	case rest == "" || rest[0] == '#':
		a = base
	default:
		var stack [512]byte
		a = join(append(stack[:0], base.Origin()...), base.Path(), rest, base.wire)
	}
	if why != "" {
		return Address{}, fmt.Errorf("%s: %.200q", why, Masked(s))
	}
	return a, nil
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// cutScheme splits a URL behind its scheme (RFC 3986, 3.1), which is in lower case; "" for none.
func cutScheme(s string) (scheme, rest string) {
	before, after, found := strings.Cut(s, ":")
	if !found {
		return "", s
	}
	scheme = strings.ToLower(before)
	if len(scheme) != len(before) || // a letter that is not ASCII became one
		strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" || strings.IndexAny(scheme, "abcdefghijklmnopqrstuvwxyz") != 0 {
		return "", s
	}
	return scheme, after
}

// cutAny splits s before the first of some characters.
func cutAny(s, chars string) (before, rest string) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// parseAuthority parses what follows the scheme of the URL s: any number of slashes, authority, path
// and query. User and password, which precede the last "@", are dropped.
func parseAuthority(scheme, rest, s string) (a Address, why string) {
	host, target := cutAny(strings.TrimLeft(rest, `/\`), `/\?#`)
	host = host[strings.LastIndexByte(host, '@')+1:]
	port := ""
	if c := strings.LastIndexByte(host, ':'); c > strings.LastIndexByte(host, ']') {
		host, port = host[:c], host[c+1:]
	}
	if host, why = hostOf(host); why == "" {
		port, why = portOf(port, scheme)
	}
	if why != "" {
		return Address{}, why
	}
	var stack [512]byte
	b := append(append(append(stack[:0], scheme...), "://"...), host...)
	return join(append(b, port...), "/", target, s), ""
}

// join returns the address of a reference without scheme and authority to a path of the origin in b
// (RFC 3986, 5.2.2). It shares the memory of wire where that is the result.
func join(b []byte, base, ref, wire string) Address {
	auth := len(b)
	path, rest := cutAny(ref, "?#")
	switch {
	case path == "":
		b = append(b, base...)
	case isSlash(path[0]):
		b = appendPath(append(b, '/'), auth, path[1:])
	default:
		b = appendPath(append(b, base[:strings.LastIndexByte(base, '/')+1]...), auth, path)
	}
	end := len(b)
	query, _, _ := strings.Cut(rest, "#")
	return written(appendEncoded(b, query), auth, end, wire)
}

// written returns the address whose wire form is in b; it shares the memory of wire where that is the same.
func written(b []byte, auth, path int, wire string) Address {
	if string(b) != wire {
		wire = string(b)
	}
	return place(wire, hostStart(wire), auth, path)
}

// appendPath appends the segments of path, the first without its slash, after text that ends with a
// slash, and resolves the literal dot segments (RFC 3986, 5.2.4). The path begins at b[auth].
func appendPath(b []byte, auth int, path string) []byte {
	if !strings.HasPrefix(path, ".") && !strings.Contains(path, "/.") && strings.IndexByte(path, '\\') < 0 {
		return appendEncoded(b, path)
	}
	for {
		seg, rest := cutAny(path, `/\`)
		switch seg {
		case ".":
		case "..":
			b = pop(b, auth)
		default:
			b = appendEncoded(b, seg)
			if rest != "" {
				b = append(b, '/')
			}
		}
		if rest == "" {
			return b
		}
		path = rest[1:]
	}
}

// pop removes the last segment; the text ends with a slash before and after.
func pop(b []byte, auth int) []byte {
	n := len(b) - 1
	for n > auth && b[n-1] != '/' {
		n--
	}
	return b[:max(n, auth+1)]
}

// appendEncoded appends s, with bytes that a wire form does not contain as %XX in upper case.
func appendEncoded(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; encoded[c] {
			b = appendEscape(b, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

// encoded are the bytes of a path or query that become %XX.
var encoded = func() (t [256]bool) {
	for c := range t {
		t[c] = c <= 0x20 || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}", byte(c)) >= 0
	}
	return t
}()
