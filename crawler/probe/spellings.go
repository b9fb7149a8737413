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
	do  func(address.Address) address.Address
	why address.Reason
	// The words for it. name is the changed form in the table. char is the character concerned, ""
	// for none, and where is "in the path" or "in the query" with it.
	name, char, where string
	// is describes the spelling in the changed form, and was that in the given form, either after
	// the character ("literal", "encoded") or alone ("hex digits in upper case").
	is, was string
	// topic is what does not matter where both have the same answer; "" for a character, where it
	// is the spelling.
	topic string
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
	add := func(name string, url address.Address, t *respelling) {
		for i := range list {
			if list[i].URL == url {
				list[i].Names = append(list[i].Names, name)
				if t != nil {
					list[i].twist = t
				}
				return
			}
		}
		if b, err := address.Parse(url.String()); url != a && err == nil && b == url && len(b.String()) <= audit.MaxAddress {
			list = append(list, Answer{Names: []string{name}, URL: url, twist: t})
		}
	}
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		add(string(s), s.Spell(a), nil)
	}
	ts := twists(a)
	if all := together(a, ts); countEncoding(ts) > 1 {
		add("all encodings at once", all, nil)
	}
	for i := range ts {
		add(ts[i].name, ts[i].do(a), &ts[i])
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
		if ts[i].char != "" || ts[i].why == address.HexCase {
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
		form, other := "NFC", "NFD"
		if !composed {
			form, other = other, form
		}
		ts = append(ts, respelling{why: address.Unicode, name: "text in Unicode's " + form,
			is: "text in Unicode's " + form, was: "text in Unicode's " + other,
			topic: "Unicode's normal form",
			do:    func(a address.Address) address.Address { return address.InForm(a, composed) }})
	}
	if _, from := address.InUTF8(a); from != "" {
		ts = append(ts, respelling{why: address.Charset, name: "text in UTF-8", is: "text in UTF-8",
			was:   "text in " + strings.ToUpper(from),
			topic: "the charset (" + strings.ToUpper(from) + " or UTF-8)",
			do: func(a address.Address) address.Address {
				b, _ := address.InUTF8(a)
				return b
			}})
	}
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
	t := respelling{do: k.do, why: c.Why, char: k.char, is: "literal", was: "encoded",
		where: "in the path"}
	if k.query {
		t.where = "in the query"
	}
	if k.raw {
		t.is, t.was = t.was, t.is
	}
	if c.Why == address.Space {
		t.is, t.was = "as "+c.Other, "as "+c.Spelt
		t.char = "a space"
	}
	t.name = t.char + " " + t.is + " " + t.where
	return t
}

func hexTwists() []respelling {
	var ts []respelling
	for _, upper := range []bool{true, false} {
		is, was := "upper", "lower"
		if !upper {
			is, was = was, is
		}
		ts = append(ts, respelling{why: address.HexCase, name: "hex in " + is + " case",
			is:  "hex digits in " + is + " case",
			was: "hex digits in " + was + " case", topic: "hex case",
			do: func(a address.Address) address.Address { return address.SpellHex(a, upper) }})
	}
	return ts
}

// slashTwist adds a slash at the end of a path, or removes it. The root always has one.
func slashTwist(a address.Address) respelling {
	adds := !strings.HasSuffix(a.Path(), "/")
	t := respelling{why: address.Slash, topic: "a slash at the end of the path",
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
	t.is, t.was = "no slash at the end of the path", "a slash at the end of the path"
	if adds {
		t.is, t.was = t.was, t.is
	}
	t.name = t.is
	return t
}

// caseTwist converts the letters of a path to lower case, or to upper case where they are in lower
// case.
func caseTwist(a address.Address) respelling {
	upper := mapPath(a, false) == a
	t := respelling{why: address.PathCase, is: "the path in lower case",
		was: "the letter case of the path as given", topic: "letter case in the path",
		do: func(a address.Address) address.Address { return mapPath(a, upper) }}
	if upper {
		t.is, t.was = "the path in upper case", "the path in lower case"
	}
	t.name = t.is
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
