package probe

import (
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// Spellings returns the spellings of a that a probe requests, in order, each once and without a, and
// as yet without answers: those of common programs, those with one difference in encoding, and those
// in the neighbourhood of a that a server may take for the same: with or without a slash at the end,
// and in another letter case.
func Spellings(a address.Address) []Answer {
	var list []Answer
	add := func(name string, url address.Address) {
		if i := slices.IndexFunc(list, func(s Answer) bool { return s.URL == url }); i >= 0 {
			list[i].Names = append(list[i].Names, name)
		} else if url != a && len(url.String()) <= address.MaxLength {
			list = append(list, Answer{Names: []string{name}, URL: url})
		}
	}
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		add(string(s), s.Spell(a))
	}
	for _, v := range address.Variants(a) {
		add(v.Name, v.Address)
	}
	switch path := strings.TrimRight(a.Path(), "/"); {
	case path == "": // the root always has a slash
	case path == a.Path():
		add("a slash at the end of the path", withPath(a, path+"/"))
	default:
		add("no slash at the end of the path", withPath(a, path))
	}
	lower := withPath(a, inCase(a.Path(), strings.ToLower))
	add("the path in lower case", lower)
	if lower == a {
		add("the path in upper case", withPath(a, inCase(a.Path(), strings.ToUpper)))
	}
	return list
}

var letters = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[A-Za-z]+`)

// inCase sets the case of the literal letters of a path.
func inCase(path string, set func(string) string) string {
	return letters.ReplaceAllStringFunc(path, func(s string) string {
		if s[0] == '%' {
			return s
		}
		return set(s)
	})
}

func withPath(a address.Address, path string) address.Address {
	return address.Wire(a.Origin() + path + strings.TrimPrefix(a.Target(), a.Path()))
}
