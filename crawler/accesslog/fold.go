package accesslog

import (
	"maps"
	"slices"
	"strings"
)

// A sign is one byte of a target and its spelling.
type sign struct {
	octet byte
	as    spelling
}

// A spelling is a way to write a byte.
type spelling uint8

const (
	literal spelling = iota
	upper            // %E3, and %28, which has no letters
	lower            // %e3
	plus             // + for a space, in a query
)

// signs splits a path or a query into bytes. Escapes are resolved once, unless decoded says that
// they were before; what is no escape stands for itself.
func signs(text string, query, decoded bool) []sign {
	out := make([]sign, 0, len(text))
	for i := 0; i < len(text); i++ {
		s := sign{text[i], literal}
		switch {
		case s.octet == '+' && query:
			s = sign{' ', plus}
		case s.octet == '%' && !decoded:
			if v, ok := octet(text[i+1:]); ok {
				s = sign{v, upper}
				if text[i+1] >= 'a' || text[i+2] >= 'a' {
					s.as = lower
				}
				i += 2
			}
		}
		out = append(out, s)
	}
	return out
}

// Fold returns a text that is the same for all spellings of a target, and for a few other targets:
// it reads a + in the path, escaped or not, as a space. Differ decides which of them are spellings
// of each other. An escaped slash in a path is not a slash. decoded says that the escapes of the
// path were resolved before.
func Fold(target string, decoded bool) string {
	path, query, hasQuery := strings.Cut(target, "?")
	out := make([]byte, 0, len(target))
	for _, s := range signs(path, false, decoded) {
		switch {
		case s.octet == '/' && s.as != literal:
			out = append(out, "%2F"...)
		case s.octet == '+':
			out = append(out, ' ')
		default:
			out = append(out, s.octet)
		}
	}
	if hasQuery {
		out = append(out, '?')
	}
	for _, s := range signs(query, true, false) {
		out = append(out, s.octet)
	}
	return string(out)
}

// Differ returns in what two spellings of one address differ: "hex-case", "space", the characters
// that only one of them escapes, and "octets" for those above ASCII and control characters. ok is
// false where they are not spellings of the same address: with escapes resolved once, and + read as
// a space in a query, they are not equal. An escaped slash in a path is not a slash.
func Differ(a, b string) (in []string, ok bool) {
	if a == b {
		return nil, true
	}
	path1, query1, has1 := strings.Cut(a, "?")
	path2, query2, has2 := strings.Cut(b, "?")
	found := map[string]bool{}
	if has1 != has2 || !differ(found, path1, path2, true) || !differ(found, query1, query2, false) {
		return nil, false
	}
	if len(found) == 0 { // %eB and %Eb
		found["hex-case"] = true
	}
	return slices.Sorted(maps.Keys(found)), true
}

// differ adds the differences between two paths or queries; it returns false where they are not
// spellings of the same.
func differ(found map[string]bool, a, b string, path bool) bool {
	one, other := signs(a, !path, false), signs(b, !path, false)
	if len(one) != len(other) {
		return false
	}
	for i, x := range one {
		y := other[i]
		switch {
		case x.octet != y.octet:
			return false
		case x.as == y.as:
		case path && x.octet == '/' && (x.as == literal || y.as == literal):
			return false
		case x.octet == ' ':
			found["space"] = true
		case x.as != literal && y.as != literal:
			found["hex-case"] = true
		case x.octet > ' ' && x.octet < 0x7f:
			found[string(rune(x.octet))] = true
		default:
			found["octets"] = true
		}
	}
	return true
}
