package address

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Variant is an address in another spelling.
type Variant struct {
	Name string // what differs, in words: "( literal in the query"
	Address
}

// changeable are the bytes that some programs write literally and others as %XX: literal ones and
// escapes, each of a path and of a query. They are the reserved ones (RFC 3986, 2.2) that delimit
// nothing there, the unreserved ones, the brackets, and a bare "%". In a query "&", "=" and ";" are
// delimiters: encoded they make a different query; "+" and %20 are a space.
var changeable = map[bool][2]string{
	false: {"!$&'()*+,;=:@~[]%", "!$'()*,:@/?~[]%+"},
	true:  {unreserved + "!$&'()*+,;=:@[]", unreserved + "!$'()*,:@/?[] "},
}

// Variants returns the addresses that differ from a in one point of encoding: the spelling of one
// character of path or query, or of all letters and digits; the case of the digits of escapes; the
// Unicode normal form; the charset. The first one changes all characters and digits at once, if there
// are several.
func Variants(a Address) (list []Variant) {
	keep := func(hex hexCase) [2]*rule { return [2]*rule{{hex: hex}, {hex: hex, query: true}} }
	add := func(name string, b Address) {
		if b != a {
			list = append(list, Variant{name, b})
		}
	}
	all := keep(asGiven)
	query, _ := a.Query()
	for in, text := range [2]string{a.Path(), query} {
		seen := map[string]bool{}
		for _, t := range tokens(text, false) {
			chars, name := t.alike(in)
			if chars == "" || seen[name] {
				continue
			}
			seen[name] = true
			one := keep(asGiven)
			for _, c := range []byte(chars) {
				if t.escaped {
					one[in].literal[c], all[in].literal[c] = true, true
				} else {
					one[in].encode[c], all[in].encode[c] = true, true
				}
			}
			add(name, respell(a, one[0], one[1]))
		}
	}
	for _, hex := range []hexCase{upper, lower} {
		r := keep(hex)
		b := respell(a, r[0], r[1])
		if b != a && all[0].hex == asGiven {
			all[0].hex, all[1].hex = hex, hex
		}
		add("hex in "+[]string{upper: "upper", lower: "lower"}[hex]+" case", b)
	}
	if len(list) > 1 {
		list = append([]Variant{{"all encodings at once", respell(a, all[0], all[1])}}, list...)
	}
	add("text in Unicode's NFC", InForm(a, norm.NFC))
	add("text in Unicode's NFD", InForm(a, norm.NFD))
	utf, _ := InUTF8(a)
	add("text in UTF-8", utf)
	return list
}

// alike returns the characters that a server is likely to treat as that of the token, and what their
// change is called; "" where they have no other spelling.
func (t token) alike(in int) (chars, name string) {
	chars = string(rune(t.value))
	if !strings.Contains(changeable[t.escaped][in], chars) {
		return "", ""
	}
	word, is := chars, "encoded"
	if t.escaped {
		is = "literal"
	}
	switch {
	case in == 1 && t == token{value: '+'}:
		word, is = "a space", "as %20"
	case t.value == ' ':
		word, is = "a space", "as +"
	case t.escaped && isAlphanumeric(t.value):
		chars, word = unreserved[:62], "letters and digits"
	}
	return chars, word + " " + is + " in the " + []string{"path", "query"}[in]
}
