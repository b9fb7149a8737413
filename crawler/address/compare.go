package address

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Reason is a way in which two addresses differ, in the contract's words.
type Reason string

// The reasons. Those of the first group are encoding reasons: the two spell the same address
// differently.
const (
	HexCase       Reason = "hex-case"       // %e3 against %E3
	Unreserved    Reason = "unreserved"     // %7E against ~
	Reserved      Reason = "reserved"       // %28 against (
	Unencoded     Reason = "unencoded"      // [ against %5B, or a bare % against %25
	Space         Reason = "space"          // + against %20 in a query
	DoubleEncoded Reason = "double-encoded" // %2528 against %28
	Charset       Reason = "charset"        // the same text in a legacy charset and in UTF-8
	Unicode       Reason = "unicode"        // NFC against NFD

	Scheme    Reason = "scheme"
	WWW       Reason = "www"       // the www. label alone
	Host      Reason = "host"      // any other difference of hosts
	Port      Reason = "port"      // ports to dial; http's 80 against https's 443 does not count
	Slash     Reason = "slash"     // a slash at the end
	PathCase  Reason = "path-case" // upper against lower case letters
	Index     Reason = "index"     // /index.html, .htm or .php against the directory
	Extension Reason = "extension" // .html or .php against none
	Path      Reason = "path"      // any other difference of paths
	Query     Reason = "query"     // any other difference of queries
)

// Reasons are all reasons, sorted.
var Reasons = [...]Reason{Charset, DoubleEncoded, Extension, HexCase, Host, Index, Path, PathCase, Port, Query, Reserved, Scheme, Slash, Space, Unencoded, Unicode, Unreserved, WWW}

// encoding are the encoding reasons.
var encoding = []Reason{HexCase, Unreserved, Reserved, Unencoded, Space, DoubleEncoded, Charset, Unicode}

// OnlyEncoding reports whether rs is not empty and all its reasons are encoding reasons.
func OnlyEncoding(rs []Reason) bool {
	return len(rs) > 0 && !slices.ContainsFunc(rs, func(r Reason) bool { return !slices.Contains(encoding, r) })
}

// Compare returns how a and b differ: all reasons that apply, sorted; nil exactly where a == b.
// Compare(b, a) returns the same. A difference that finer reasons fully explain is not also Path or
// Query.
func Compare(a, b Address) []Reason {
	if a == b {
		return nil
	}
	if a.IsZero() || b.IsZero() {
		return []Reason{Host, Path}
	}
	var rs []Reason
	if a.Scheme() != b.Scheme() {
		rs = append(rs, Scheme)
	}
	switch {
	case a.Host() == b.Host():
	case isWWW(a.Host(), b.Host()):
		rs = append(rs, WWW)
	default:
		rs = append(rs, Host)
	}
	if a.Port() != b.Port() && a.EffectivePort() != b.EffectivePort() {
		rs = append(rs, Port)
	}
	rs = with(rs, compareText(a.Path(), b.Path(), inPath)...)
	x, hasX := a.Query()
	if y, hasY := b.Query(); hasX != hasY {
		rs = with(rs, Query)
	} else {
		rs = with(rs, compareText(x, y, inQuery)...)
	}
	slices.Sort(rs)
	return rs
}

// with adds reasons to others, each once; "" is none.
func with(rs []Reason, more ...Reason) []Reason {
	for _, r := range more {
		if r != "" && !slices.Contains(rs, r) {
			rs = append(rs, r)
		}
	}
	return rs
}

// part is the part of an address that a text is from, because rules of spelling differ.
type part uint8

const (
	inPath part = iota
	inQuery
)

// compareText returns how two paths or two queries differ: Path or Query where no finer reason explains
// the whole difference.
func compareText(a, b string, in part) []Reason {
	if a == b {
		return nil
	}
	for _, nested := range []bool{true, false} {
		if nested && !strings.Contains(a, "%25") && !strings.Contains(b, "%25") {
			continue
		}
		x, y, rs := tokens(a, nested), tokens(b, nested), []Reason(nil)
		if in == inPath {
			x, y, rs = sameEnds(x, y)
		}
		if why, same := sameBytes(x, y, in); same {
			return with(rs, why...)
		}
		if in == inPath && len(x) == len(y) {
			if why, same := sameBytes(lowered(x), lowered(y), in); same {
				return with(append(rs, PathCase), why...)
			}
		}
		if why, same := sameText(x, y, in); same {
			return with(rs, why...)
		}
	}
	return []Reason{[2]Reason{Path, Query}[in]}
}

// sameEnds removes the slashes at the ends of two paths, and an index page or an extension that only
// one of them has. It returns how these differ.
func sameEnds(x, y []token) (_, _ []token, rs []Reason) {
	index := []string{"/index.html", "/index.htm", "/index.php"}
	xTrimmed, yTrimmed := x[:len(x)-slashes(x)], y[:len(y)-slashes(y)]
	n, m := endsIn(xTrimmed, index...), endsIn(yTrimmed, index...)
	switch {
	case (n > 0) == (m > 0) || endsIn(x, "/index")+endsIn(y, "/index") > 0:
	case n > 0:
		x, rs = xTrimmed[:len(xTrimmed)-n+1], []Reason{Index}
	default:
		y, rs = yTrimmed[:len(yTrimmed)-m+1], []Reason{Index}
	}
	n, m = slashes(x), slashes(y)
	if n != m {
		rs = append(rs, Slash)
	}
	x, y = x[:len(x)-n], y[:len(y)-m]
	if n, m = extension(x), extension(y); (n > 0) != (m > 0) {
		x, y, rs = x[:len(x)-n], y[:len(y)-m], append(rs, Extension)
	}
	return x, y, rs
}

// endsIn returns the length of the ending that a path has, in any case; 0 for none.
func endsIn(ts []token, endings ...string) int {
	for _, e := range endings {
		n := max(len(ts)-len(e), 0)
		if slices.EqualFunc(ts[n:], []byte(e), func(t token, c byte) bool { return t.value|0x20 == c }) {
			return len(e)
		}
	}
	return 0
}

func extension(ts []token) int {
	n := endsIn(ts, ".html", ".php")
	if slashes(ts[:len(ts)-n]) > 0 || n == len(ts) {
		return 0
	}
	return n
}

// slashes returns how many slashes a path ends with.
func slashes(ts []token) (n int) {
	for n < len(ts) && ts[len(ts)-1-n] == (token{value: '/'}) {
		n++
	}
	return n
}

// sameBytes reports whether two texts have the same bytes, and how their spellings differ.
func sameBytes(x, y []token, in part) (rs []Reason, same bool) {
	if len(x) != len(y) {
		return nil, false
	}
	for i := range x {
		why, same := x[i].differs(y[i], in)
		if !same {
			return nil, false
		}
		rs = with(rs, why[:]...)
	}
	return rs, true
}

// differs reports whether two tokens are the same byte, and how their spellings differ.
func (t token) differs(o token, in part) (why [2]Reason, same bool) {
	plus := token{value: '+'}
	switch {
	case in == inQuery && (t == plus && o.value == ' ' || o == plus && t.value == ' '):
		why[0] = Space
	case t.value != o.value, in == inPath && t.value == '/' && t.escaped != o.escaped:
		return why, false
	case t.escaped != o.escaped:
		why[0] = escapeReason(t.value)
	case t.hex != o.hex && t.hex[0] > 0 && o.hex[0] > 0:
		why[0] = HexCase
	}
	if t.depth != o.depth {
		why[1] = DoubleEncoded
	}
	return why, true
}

// sameText reports whether two texts with different bytes are the same words, piece by piece: in two
// Unicode normal forms, or in a legacy charset and in UTF-8.
func sameText(x, y []token, in part) (rs []Reason, same bool) {
	beyond := func(t token) bool { return t.value >= utf8.RuneSelf }
	if !slices.ContainsFunc(x, beyond) && !slices.ContainsFunc(y, beyond) {
		return nil, false
	}
	xs, ys := pieces(x), pieces(y)
	if len(xs) != len(ys) {
		return nil, false
	}
	for i := range xs {
		why, same := sameBytes(xs[i], ys[i], in)
		if !same {
			why, same = sameWords(xs[i], ys[i], in)
		}
		if !same {
			return nil, false
		}
		rs = with(rs, why...)
	}
	return rs, true
}

func sameWords(x, y []token, in part) (rs []Reason, same bool) {
	xValid, yValid := utf8.Valid(values(x)), utf8.Valid(values(y))
	switch {
	case xValid && yValid:
		rs, same = sameBytes(inForm(x, norm.NFC), inForm(y, norm.NFC), in)
		return with(rs, Unicode), same
	case !xValid && !yValid:
		return nil, false
	case yValid:
		x, y = y, x
	}
	x = inForm(x, norm.NFC)
	for _, c := range charsets {
		if text, ok := c.toUTF8(y); ok {
			if rs, same = sameBytes(x, inForm(text, norm.NFC), in); same {
				return with(rs, Charset), true
			}
		}
	}
	return nil, false
}

// escapeReason is the reason for a byte that only one of two addresses escapes.
func escapeReason(c byte) Reason {
	switch {
	case strings.IndexByte(unreserved, c) >= 0:
		return Unreserved
	case strings.IndexByte("!$&'()*+,;=:@/?", c) >= 0:
		return Reserved
	}
	return Unencoded
}
