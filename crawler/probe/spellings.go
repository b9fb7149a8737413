package probe

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A respelling is one way to change the spelling of an address. Applying it twice is the same as
// once, for it sets a form.
type respelling struct {
	do   func(address.Address) address.Address
	why  address.Reason
	name string // the changed form: "( literal in the query"
	byte bool   // it concerns one character
}

// Spellings returns the other spellings of an address that a probe requests, in order, each once
// and without a.
func Spellings(a address.Address) []address.Address {
	var list []address.Address
	for _, s := range spellings(a) {
		list = append(list, s.URL)
	}
	return list
}

// spellings returns the spellings of a that a probe requests, each once and without a: those of
// common programs, all changes at once, then each single change.
func spellings(a address.Address) []Answer {
	var list []Answer
	add := func(name string, url address.Address) {
		for i := range list {
			if list[i].URL == url {
				list[i].Names = append(list[i].Names, name)
				return
			}
		}
		if b, err := address.Parse(url.String()); url != a && err == nil && b == url && len(b.String()) <= audit.MaxAddress {
			list = append(list, Answer{Names: []string{name}, URL: url})
		}
	}
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		add(string(s), s.Spell(a))
	}
	ts := twists(a)
	if all := together(a, ts); countEncoding(ts) > 1 {
		add("all encodings at once", all)
	}
	for i := range ts {
		add(ts[i].name, ts[i].do(a))
	}
	return list
}

// together applies all changes of the encoding of bytes at once.
func together(a address.Address, ts []respelling) address.Address {
	b := address.Choose(a, address.Choices(a))
	for i := range ts {
		if ts[i].why == address.HexCase {
			return ts[i].do(b)
		}
	}
	return b
}

func countEncoding(ts []respelling) int {
	n := 0
	for i := range ts {
		if ts[i].byte || ts[i].why == address.HexCase {
			n++
		}
	}
	return n
}

// twists returns the single changes that can be made to a.
func twists(a address.Address) []respelling {
	ts := byteTwists(a)
	ts = append(ts, hexTwists()...)
	for _, composed := range []bool{true, false} {
		ts = append(ts, respelling{why: address.Unicode, name: "text in Unicode's " + map[bool]string{true: "NFC", false: "NFD"}[composed],
			do: func(a address.Address) address.Address { return address.InForm(a, composed) }})
	}
	ts = append(ts, respelling{why: address.Charset, name: "text in UTF-8", do: func(a address.Address) address.Address {
		b, from := address.InUTF8(a)
		if from == "" {
			return a
		}
		return b
	}})
	ts = append(ts, slashTwist(a), caseTwist(a))
	return slices.DeleteFunc(ts, func(t respelling) bool { return t.do(a) == a })
}

// byteTwists returns the changes of single characters: each changes all occurrences of a character
// with one spelling to the other.
func byteTwists(a address.Address) []respelling {
	var ts []respelling
	seen := map[byteKind]bool{}
	for _, c := range address.Choices(a) {
		k := kindOf(c)
		if seen[k] {
			continue
		}
		seen[k] = true
		ts = append(ts, k.twist(c))
	}
	return ts
}

// byteKind is a set of bytes that are changed together.
type byteKind struct {
	char  string
	query bool
	raw   bool // it is literal, or a "+" for a space
}

// alphanumerics is the character of all escaped letters and digits.
const alphanumerics = "letters and digits"

func kindOf(c address.Choice) byteKind {
	k := byteKind{char: c.Char, query: c.Query, raw: len(c.Spelt) == 1}
	if c.Why == address.Unreserved && isAlphanumeric(c.Char) {
		k.char = alphanumerics
	}
	return k
}

func isAlphanumeric(char string) bool {
	return len(char) == 1 && (char[0]|0x20 >= 'a' && char[0]|0x20 <= 'z' ||
		char[0] >= '0' && char[0] <= '9')
}

func (k byteKind) do(a address.Address) address.Address {
	return address.Choose(a, slices.DeleteFunc(address.Choices(a),
		func(c address.Choice) bool { return kindOf(c) != k }))
}

// twist returns the change of all bytes like c.
func (k byteKind) twist(c address.Choice) respelling {
	is, where, char := "literal", "in the path", k.char
	if k.raw {
		is = "encoded"
	}
	if k.query {
		where = "in the query"
	}
	if c.Why == address.Space {
		is, char = "as "+c.Other, "a space"
	}
	return respelling{do: k.do, why: c.Why, byte: true, name: char + " " + is + " " + where}
}

func hexTwists() []respelling {
	var ts []respelling
	for _, upper := range []bool{true, false} {
		ts = append(ts, respelling{why: address.HexCase, name: "hex in " + map[bool]string{true: "upper", false: "lower"}[upper] + " case",
			do: func(a address.Address) address.Address { return address.SpellHex(a, upper) }})
	}
	return ts
}

// slashTwist adds a slash at the end of a path, or removes it. The root always has one.
func slashTwist(a address.Address) respelling {
	adds := !strings.HasSuffix(a.Path(), "/")
	t := respelling{why: address.Slash, name: "no slash at the end of the path",
		do: func(a address.Address) address.Address {
			path := strings.TrimRight(a.Path(), "/")
			switch {
			case path == "":
				return a
			case adds:
				path = strings.TrimSuffix(a.Path(), "/") + "/"
			}
			return withPath(a, path)
		}}
	if adds {
		t.name = "a slash at the end of the path"
	}
	return t
}

// caseTwist converts the letters of a path to lower case, or to upper case where they are in lower
// case.
func caseTwist(a address.Address) respelling {
	upper := mapPath(a, false) == a
	t := respelling{why: address.PathCase, name: "the path in lower case",
		do: func(a address.Address) address.Address { return mapPath(a, upper) }}
	if upper {
		t.name = "the path in upper case"
	}
	return t
}

// mapPath sets the case of the literal letters of a path.
func mapPath(a address.Address, upper bool) address.Address {
	path := []byte(a.Path())
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path):
			i += 2 // an escape, or something like one
		case upper && c >= 'a' && c <= 'z', !upper && c >= 'A' && c <= 'Z':
			path[i] ^= 0x20
		}
	}
	return withPath(a, string(path))
}

func withPath(a address.Address, path string) address.Address {
	if path == a.Path() {
		return a
	}
	return address.Wire(a.Origin() + path + a.Target()[len(a.Path()):])
}
