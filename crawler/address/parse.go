package address

import "strings"

// maxInput limits the length of inputs: offsets must fit, and one byte may become three.
const maxInput = 1 << 29

// Classes of bytes in a wire form's path and query.
const (
	keep   = iota // stays as it is
	encode        // becomes %XX
	slash         // "/" or a backslash
	query         // "?"
	hash          // "#"
)

// classOf is the class of each byte in a path. In a query a backslash is encoded, and "/" and "?"
// stay.
var classOf = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c <= 0x20, c >= 0x7F, strings.IndexByte("\"<>^`{|}", byte(c)) >= 0:
			t[c] = encode
		case c == '/', c == '\\':
			t[c] = slash
		case c == '?':
			t[c] = query
		case c == '#':
			t[c] = hash
		}
	}
	return t
}()

const upperHex = "0123456789ABCDEF"

// Parse returns the address that loc names, in wire form. It ignores ASCII white space around it.
// loc must be an absolute http or https URL; as in browsers the slashes after the scheme may be
// backslashes, or too few or too many (WHATWG URL, "special authority slashes state"). User,
// password and fragment are dropped. The error is a *SyntaxError.
//
// Where loc is in wire form already, Parse does not allocate, and the Address shares the memory of
// loc.
func Parse(loc string) (Address, error) {
	s := strings.Trim(loc, " \t\n\v\f\r")
	if a, ok := clean(s); ok {
		return a, nil
	}
	a, err := parse(s)
	if err != nil {
		offset := strings.Index(loc, s)
		return Address{}, &SyntaxError{Input: loc, Pos: err.Pos + offset, Why: err.Why}
	}
	return a, nil
}

// clean returns the address of a text that is in wire form. It may return false for one that is;
// then parse gives the same result.
func clean(s string) (Address, bool) {
	start := hostStart(s)
	if start == 0 || len(s) > maxInput {
		return Address{}, false
	}
	host := start
	for host < len(s) && plainHost[s[host]] {
		host++
	}
	if host == start || endsInNumber(s[start:host]) && !isIPv4(s[start:host]) {
		return Address{}, false
	}
	auth, ok := cleanPort(s, start, host)
	if !ok || auth == len(s) || s[auth] != '/' {
		return Address{}, false
	}
	path, ok := cleanTarget(s, auth)
	if !ok || hasDots(s[auth:path]) {
		return Address{}, false
	}
	return Address{wire: s, host: int32(host), auth: int32(auth), path: int32(path)}, true
}

// cleanPort returns where the authority ends whose port begins at i.
func cleanPort(s string, start, i int) (int, bool) {
	if i == len(s) || s[i] != ':' {
		return i, true
	}
	end := i + 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	port, why := portOf(s[i+1:end], s[:start-len("://")])
	return end, why == "" && len(port) == end-i-1 && port != ""
}

// cleanTarget returns where the path that begins at i ends; false if path or query contain a byte
// that a wire form cannot.
func cleanTarget(s string, i int) (int, bool) {
	path := len(s)
	for ; i < len(s); i++ {
		switch classOf[s[i]] {
		case encode, hash:
			return 0, false
		case slash:
			if s[i] == '\\' {
				return 0, false
			}
		case query:
			path = min(path, i)
		}
	}
	return path, true
}

// hasDots reports whether a path has a segment "." or "..".
func hasDots(path string) bool {
	for {
		i := strings.Index(path, "/.")
		if i < 0 {
			return false
		}
		path = path[i+1:]
		rest := strings.TrimPrefix(path[1:], ".")
		if rest == "" || rest[0] == '/' {
			return true
		}
	}
}

// parse is Parse for a text that is not in wire form yet.
func parse(s string) (Address, *SyntaxError) {
	if len(s) > maxInput {
		return Address{}, &SyntaxError{Pos: maxInput, Why: "more than 512 MiB"}
	}
	scheme, rest, err := cutScheme(s)
	if err != nil {
		return Address{}, err
	}
	return parseAuthority(scheme, s, rest)
}

// cutScheme returns the scheme of an absolute URL and the index of the rest.
func cutScheme(s string) (scheme string, rest int, err *SyntaxError) {
	n := schemeLen(s)
	if n == 0 {
		why := "no scheme: not an absolute URL"
		if s == "" {
			why = "nothing there"
		}
		return "", 0, &SyntaxError{Pos: 0, Why: why}
	}
	switch {
	case strings.EqualFold(s[:n], "http"):
		return "http", n + 1, nil
	case strings.EqualFold(s[:n], "https"):
		return "https", n + 1, nil
	}
	return "", 0, &SyntaxError{Pos: 0, Why: "scheme is neither http nor https"}
}

// schemeLen returns the length of the scheme (RFC 3986, 3.1); 0 for none.
func schemeLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

// parseAuthority parses authority, path and query of s from byte i on, where there may be any
// number of slashes.
func parseAuthority(scheme, s string, i int) (Address, *SyntaxError) {
	for i < len(s) && classOf[s[i]] == slash {
		i++
	}
	end := i
	for end < len(s) && classOf[s[end]] < slash {
		end++
	}
	var stack [512]byte
	b := append(append(stack[:0], scheme...), "://"...)
	b, err := appendAuthority(b, s, i, end, scheme)
	if err != nil {
		return Address{}, err
	}
	auth := len(b)
	b, path := appendTarget(b, s[end:])
	return written(b, auth, path), nil
}

// written returns the address whose wire form is in b.
func written(b []byte, auth, path int) Address {
	wire := string(b)
	return place(wire, hostStart(wire), auth, path)
}

// appendTarget appends path and query of ref after the authority in b; ref may be empty, lack its
// first slash, and have a fragment. It also returns where the path ends.
func appendTarget(b []byte, ref string) ([]byte, int) {
	auth := len(b)
	path, rest := splitPath(ref)
	if path != "" && classOf[path[0]] == slash {
		path = path[1:]
	}
	b = appendPath(append(b, '/'), auth, path)
	return appendQuery(b, rest), len(b)
}

// splitPath splits a reference before its query or fragment.
func splitPath(ref string) (path, rest string) {
	for i := 0; i < len(ref); i++ {
		if k := classOf[ref[i]]; k == query || k == hash {
			return ref[:i], ref[i:]
		}
	}
	return ref, ""
}

// appendPath appends the segments of path, the first without its slash, after text that ends with a
// slash, and resolves the literal dot segments (RFC 3986, 5.2.4). The path begins at b[auth].
func appendPath(b []byte, auth int, path string) []byte {
	for i := 0; ; {
		end := i
		for end < len(path) && classOf[path[end]] != slash {
			end++
		}
		last := end == len(path)
		switch seg := path[i:end]; seg {
		case ".":
		case "..":
			b = pop(b, auth)
		default:
			b = appendEncoded(b, seg)
			if !last {
				b = append(b, '/')
			}
		}
		if last {
			return b
		}
		i = end + 1
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

// appendQuery appends the query of rest, which begins with "?" if there is one, and drops the
// fragment.
func appendQuery(b []byte, rest string) []byte {
	if rest == "" || rest[0] != '?' {
		return b
	}
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		rest = rest[:i]
	}
	return appendEncoded(b, rest)
}

// appendEncoded appends s, with bytes that a wire form does not contain as %XX in upper case.
func appendEncoded(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; classOf[c] == encode || c == '\\' {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
