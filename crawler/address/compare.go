package address

import (
	"math/bits"
	"slices"
	"strings"
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

// Encoding reports whether r is an encoding reason.
func (r Reason) Encoding() bool {
	switch r {
	case HexCase, Unreserved, Reserved, Unencoded, Space, DoubleEncoded, Charset, Unicode:
		return true
	}
	return false
}

// OnlyEncoding reports whether rs is not empty and all its reasons are encoding reasons.
func OnlyEncoding(rs []Reason) bool {
	return len(rs) > 0 && !slices.ContainsFunc(rs, func(r Reason) bool { return !r.Encoding() })
}

// A set is a set of reasons, one bit for each index in sorted.
type set uint32

var sorted = []Reason{Charset, DoubleEncoded, Extension, HexCase, Host, Index, Path, PathCase, Port,
	Query, Reserved, Scheme, Slash, Space, Unencoded, Unicode, Unreserved, WWW}

const (
	isCharset set = 1 << iota
	isDouble
	isExtension
	isHexCase
	isHost
	isIndex
	isPath
	isPathCase
	isPort
	isQuery
	isReserved
	isScheme
	isSlash
	isSpace
	isUnencoded
	isUnicode
	isUnreserved
	isW3
)

// list returns the reasons of s, sorted; nil for none.
func (s set) list() []Reason {
	if s == 0 {
		return nil
	}
	rs := make([]Reason, 0, bits.OnesCount32(uint32(s)))
	for ; s != 0; s &= s - 1 {
		rs = append(rs, sorted[bits.TrailingZeros32(uint32(s))])
	}
	return rs
}

// Compare returns how a and b differ: all reasons that apply, sorted; nil exactly where a == b.
// Compare(b, a) returns the same. A difference that finer reasons fully explain is not also Path or
// Query.
func Compare(a, b Address) []Reason {
	if a == b {
		return nil
	}
	if a.IsZero() || b.IsZero() {
		return (isHost | isPath).list()
	}
	return (compareOrigins(a, b) | comparePaths(a.Path(), b.Path()) | compareQueries(a, b)).list()
}

func compareOrigins(a, b Address) (s set) {
	if a.Origin() == b.Origin() {
		return 0
	}
	if a.Scheme() != b.Scheme() {
		s |= isScheme
	}
	switch {
	case a.Host() == b.Host():
	case isWWW(a.Host(), b.Host()):
		s |= isW3
	default:
		s |= isHost
	}
	if a.Port() != b.Port() && a.EffectivePort() != b.EffectivePort() {
		s |= isPort
	}
	return s
}

func compareQueries(a, b Address) set {
	qa, hasA := a.Query()
	qb, hasB := b.Query()
	if hasA != hasB {
		return isQuery
	}
	return compareText(qa, qb, inQuery, isQuery)
}

func comparePaths(a, b string) set { return compareText(a, b, inPath, isPath) }

// compareText returns how two paths or two queries differ; other where no finer reason explains the
// whole difference.
func compareText(a, b string, in part, other set) set {
	if a == b {
		return 0
	}
	if s, ok := sameText(a, b, in); ok {
		return s
	}
	if beyondShapes(a, b) {
		return other
	}
	if s, ok := explain(a, b, in); ok {
		return s
	}
	return other
}

// part is the part of an address that a text is from, because rules of spelling differ.
type part uint8

const (
	inPath part = iota
	inQuery
)

// sameText reports whether two texts have the same bytes once decoded, and how
// their spellings differ.
func sameText(a, b string, in part) (s set, ok bool) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := tokenAt(a, i), tokenAt(b, j)
		if x.kind == raw && y == x {
			i, j = i+1, j+1
			continue
		}
		why, same := spelt(x, y, in)
		if !same {
			return 0, false
		}
		if x.kind == escaped && y.kind == escaped && a[i:i+3] != b[j:j+3] {
			why = isHexCase
		}
		s |= why
		i, j = i+int(x.len), j+int(y.len)
	}
	return s, i == len(a) && j == len(b)
}

// spelt reports whether two tokens are the same byte, and returns the reason if only one of them is
// escaped.
func spelt(x, y token, in part) (set, bool) {
	if in == inQuery && isPlusSpace(x, y) {
		return isSpace, true
	}
	switch {
	case x.value != y.value:
		return 0, false
	case x.kind == y.kind:
		return 0, true
	case in == inPath && x.value == '/':
		return 0, false
	}
	return escapeReason[x.value], true
}

func isPlusSpace(x, y token) bool {
	return x.value == '+' && x.kind == raw && y.value == ' ' ||
		y.value == '+' && y.kind == raw && x.value == ' '
}

// escapeReason is the reason for each byte that only one of two addresses escapes.
var escapeReason = func() (t [256]set) {
	for c := range t {
		switch {
		case strings.IndexByte(unreserved, byte(c)) >= 0:
			t[c] = isUnreserved
		case strings.IndexByte("!$&'()*+,;=:@/?", byte(c)) >= 0:
			t[c] = isReserved
		default:
			t[c] = isUnencoded
		}
	}
	return t
}()
