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

// signs splits a target into bytes. Escapes are resolved once; what is no escape stands for itself.
// The first ? and an escaped slash of a path are signs of kinds of their own, since neither is
// another spelling of the byte.
func signs(target string) (path, query []sign, hasQuery bool) {
	before, after, hasQuery := strings.Cut(target, "?")
	path = one(before, false)
	if hasQuery {
		query = one(after, true)
	}
	return path, query, hasQuery
}

func one(text string, query bool) []sign {
	out := make([]sign, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '+' && query {
			out = append(out, sign{' ', plus})
			continue
		}
		if c == '%' && i+2 < len(text) {
			if v, ok := octet(text[i+1], text[i+2]); ok {
				as := upper
				if text[i+1] >= 'a' || text[i+2] >= 'a' {
					as = lower
				}
				out = append(out, sign{v, as})
				i += 2
				continue
			}
		}
		out = append(out, sign{c, literal})
	}
	return out
}

// Fold returns a text that is the same for all spellings of a target, and for a few other targets:
// it reads a + in the path, escaped or not, as a space. Differ decides which of them are spellings
// of each other. decoded says that the escapes of the path were resolved before.
func Fold(target string, decoded bool) string {
	before, after, hasQuery := strings.Cut(target, "?")
	var b strings.Builder
	fold(&b, before, !decoded, true)
	if hasQuery {
		b.WriteByte('?')
		fold(&b, after, true, false)
	}
	return b.String()
}

func fold(b *strings.Builder, text string, resolve, path bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if resolve && c == '%' && i+2 < len(text) {
			if v, ok := octet(text[i+1], text[i+2]); ok {
				switch {
				case path && v == '/':
					b.WriteString("%2F")
				case path && v == '+': // like a literal one
					b.WriteByte(' ')
				default:
					b.WriteByte(v)
				}
				i += 2
				continue
			}
		}
		if c == '+' {
			c = ' '
		}
		b.WriteByte(c)
	}
}

// Differ returns in what two spellings of one address differ: "hex-case", "space", the characters
// that only one of them escapes, and "octets" for those above ASCII and control characters. ok is
// false where they are not spellings of the same address: with escapes resolved once, and + read as
// a space in a query, they are not equal. An escaped slash in a path is not a slash.
func Differ(a, b string) (in []string, ok bool) {
	if a == b {
		return nil, true
	}
	path1, query1, has1 := signs(a)
	path2, query2, has2 := signs(b)
	if has1 != has2 || len(path1) != len(path2) || len(query1) != len(query2) {
		return nil, false
	}
	found := map[string]bool{}
	if !differ(found, path1, path2, true) || !differ(found, query1, query2, false) {
		return nil, false
	}
	if len(found) == 0 { // %eB and %Eb
		found["hex-case"] = true
	}
	return slices.Sorted(maps.Keys(found)), true
}

// differ adds the differences between two texts of equal length.
func differ(found map[string]bool, a, b []sign, path bool) bool {
	for i := range a {
		x, y := a[i], b[i]
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
