package address

import "strings"

// Resolve returns the address that ref, found at base, leads to. It follows RFC 3986, 5.2, and the
// practice of browsers (WHATWG URL): white space and controls around ref are ignored, tabs and line
// ends in it removed; before the query a backslash is a slash; "///host" is read as "//host";
// "http:path" with an http base is relative. Only literal "." and ".." are dot segments. The
// fragment is dropped, so a fragment alone and an empty ref give base itself.
//
// An invalid ref, such as one with a scheme other than http and https, gives a *SyntaxError. With
// the zero base, ref must be absolute.
func Resolve(base Address, ref string) (Address, error) {
	s := tidy(ref)
	a, err := resolve(base, s)
	if err != nil {
		return Address{}, &SyntaxError{Input: ref, Pos: untidy(ref, err.Pos), Why: err.Why}
	}
	return a, nil
}

// withoutInner removes each byte for which inner returns true.
var withoutInner = strings.NewReplacer("\t", "", "\r", "", "\n", "")

// tidy removes what browsers remove before they parse a reference.
func tidy(ref string) string {
	start, end := outer(ref)
	return withoutInner.Replace(ref[start:end])
}

// untidy returns the index in ref of byte pos of the tidied reference.
func untidy(ref string, pos int) int {
	start, end := outer(ref)
	for i := start; i < end; i++ {
		if inner(ref[i]) {
			continue
		}
		if pos == 0 {
			return i
		}
		pos--
	}
	return end
}

// outer returns where ref begins and ends without white space and controls around it.
func outer(ref string) (start, end int) {
	end = len(ref)
	for start < end && ref[start] <= ' ' {
		start++
	}
	for end > start && ref[end-1] <= ' ' {
		end--
	}
	return start, end
}

func inner(c byte) bool { return c == '\t' || c == '\r' || c == '\n' }

// resolve is Resolve for a tidied reference.
func resolve(base Address, s string) (Address, *SyntaxError) {
	rest := 0
	if schemeLen(s) > 0 || base.IsZero() {
		if a, ok := clean(s); ok {
			return a, nil
		}
		scheme, n, err := cutScheme(s)
		if err != nil {
			return Address{}, err
		}
		if scheme != base.Scheme() {
			return parseAuthority(scheme, s, n)
		}
		rest = n
	}
	if len(s) > maxInput/2 || len(base.wire) > maxInput/2 {
		return Address{}, &SyntaxError{Pos: 0, Why: "more than 256 MiB"}
	}
	if rest+1 < len(s) && classOf[s[rest]] == slash && classOf[s[rest+1]] == slash {
		return parseAuthority(base.Scheme(), s, rest)
	}
	return relative(base, s[rest:]), nil
}

// relative resolves a reference that has neither scheme nor host (RFC 3986,
// 5.2.2).
func relative(base Address, ref string) Address {
	if ref == "" || ref[0] == '#' || ref == base.Target() { // most often a page names itself
		return base
	}
	var stack [512]byte
	auth := int(base.auth)
	b := append(stack[:0], base.Origin()...)
	path, rest := splitPath(ref)
	switch {
	case path == "":
		b = append(b, base.Path()...)
	case classOf[path[0]] == slash:
		b, end := appendTarget(b, ref)
		return written(b, auth, end)
	default:
		dir := base.Path()
		b = append(b, dir[:strings.LastIndexByte(dir, '/')+1]...)
		b = appendPath(b, auth, path)
	}
	return written(appendQuery(b, rest), auth, len(b))
}
