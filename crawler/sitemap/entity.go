package sitemap

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// resolve appends b to dst with XML's five entities and the character references resolved (XML 1.0,
// 4.6 and 4.1). Any other reference stays as written.
func resolve(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		r, n := reference(b)
		if n == 0 {
			dst = append(dst, '&')
			n = 1
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		b = b[n:]
	}
}

// reference returns the character that the reference at the start of b stands
// for, and its length in bytes; 0 for a reference that XML does not know without a DTD.
func reference(b []byte) (rune, int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 2 {
		return 0, 0
	}
	switch string(b[1:end]) {
	case "amp":
		return '&', end + 1
	case "apos":
		return '\'', end + 1
	case "gt":
		return '>', end + 1
	case "lt":
		return '<', end + 1
	case "quot":
		return '"', end + 1
	}
	if b[1] != '#' {
		return 0, 0
	}
	r, ok := number(b[2:end])
	if !ok {
		return 0, 0
	}
	return r, end + 1
}

// number reads the digits of a character reference: "12354" or "x3042".
func number(b []byte) (rune, bool) {
	base := rune(10)
	if len(b) > 0 && b[0] == 'x' {
		base, b = 16, b[1:]
	}
	r := rune(0)
	for _, c := range b {
		d := digit(c)
		if d >= base || r > utf8.MaxRune {
			return 0, false
		}
		r = r*base + d
	}
	return r, len(b) > 0 && xmlChar(r)
}

func digit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 99
}

// xmlChar reports whether XML allows a character (XML 1.0, 2.2).
func xmlChar(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= utf8.MaxRune
}

// loose returns the first "&" in b that begins no reference, with what follows it, at most 12
// bytes; nil for none. named is set where it looks like an entity that a DTD might declare.
func loose(b []byte) (at int, ref []byte, named bool) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '&')
		if i < 0 {
			return 0, nil, false
		}
		at = from + i
		if _, n := reference(b[at:]); n == 0 {
			ref = b[at:min(len(b), at+12)]
			end := bytes.IndexByte(ref, ';')
			if end > 1 {
				ref = ref[:end+1]
			}
			return at, ref, end > 1 && nameStart[ref[1]]
		}
		from = at + 1
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "'", "&apos;", "<", "&lt;", ">", "&gt;", `"`,
	"&quot;")

// write returns the text to write in place of f so that it reads as loc. tag is the self-closing
// tag of a formEmpty.
func (f form) write(loc string, tag []byte) string {
	switch f {
	case formText:
		return escaper.Replace(loc)
	case formTextToCDATA:
		return escaper.Replace(loc) + "<![CDATA["
	case formCDATA:
		return splitCDATA(loc)
	case formCDATAToText:
		return splitCDATA(loc) + "]]>"
	case formBare:
		return `"` + escaper.Replace(loc) + `"`
	case formEmpty:
		name, _ := tagName(tag)
		open := strings.TrimSuffix(string(tag), "/>")
		return open + ">" + escaper.Replace(loc) + "</" + string(name) + ">"
	}
	return loc
}

// splitCDATA splits each "]]>" in loc, so that it does not end the section it is written into.
func splitCDATA(loc string) string {
	return strings.ReplaceAll(loc, "]]>", "]]]]><![CDATA[>")
}
