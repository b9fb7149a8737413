package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a title with letters that are written in several ways in one of them: accents apart
// from their letters, full and half width (NFKC). A title that is so already is not copied.
func folded(title string) string { return norm.NFKC.String(title) }

// titleParts splits a title at the signs that stand between spaces.
func titleParts(title string) []string {
	var parts []string
	var part []string
	for word := range strings.FieldsSeq(title) {
		if partsTitle(word) {
			parts, part = append(parts, strings.Join(part, " ")), nil
			continue
		}
		part = append(part, word)
	}
	return append(parts, strings.Join(part, " "))
}

// partsTitle reports whether a word of a title is a sign that parts it.
func partsTitle(word string) bool {
	c, n := utf8.DecodeRuneInString(word)
	return n == len(word) && strings.ContainsRune("|-–—·:»", c)
}

// plainWords is a text in lower case. Signs between letters stay out ("can't" is
// "cant"); others part words.
func plainWords(s string) string { return strings.Map(plainRune, s) }

// plainRune is a letter or digit in lower case, a space for any other sign, and -1 for
// one between letters. Turkish has two letters whose other case is that of another one in
// all other languages: I is that of ı, and İ that of i. All of them are an i here.
func plainRune(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return c
	case c == 'ı':
		return 'i'
	case c == '\'' || c == '’' || c == 'ʼ':
		return -1
	case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c):
		return unicode.ToLower(c)
	}
	return ' '
}

// beginnings are the first two plain words of phrases, or the one that a phrase has. Every
// title and heading is compared with all phrases, and few begin as one of them: those
// alone are taken apart.
type beginnings map[string]bool

// beginningsOf returns those of all phrases in sets, which are plain words.
func beginningsOf(sets ...map[string]bool) beginnings {
	all := beginnings{}
	for _, set := range sets {
		for phrase := range set {
			first, more, _ := strings.Cut(phrase, " ")
			if second, _, _ := strings.Cut(more, " "); second != "" {
				first += " " + second
			}
			all[first] = true
		}
	}
	return all
}

// in reports whether a part of a title may be one of the phrases: it begins as one, or its
// first two words have a digit, which may stand for another.
func (b beginnings) in(title string) bool {
	var part opening
	for word := range strings.FieldsSeq(title) {
		if partsTitle(word) {
			if part.begins(b) {
				return true
			}
			part = opening{}
		} else if part.ended < 2 {
			part.add(word)
		}
	}
	return part.begins(b)
}

// An opening is the first two plain words of a part of a title.
type opening struct {
	words [128]byte // with a space between
	size  int       // how many bytes of words there are
	first int       // the length of the first
	ended int       // words that are whole
	// unsure is set where a digit may stand for another, or there is no room for the words.
	unsure bool
}

// add adds a word of the title, which may be several plain words or none.
func (o *opening) add(word string) {
	for _, c := range word {
		if c = plainRune(c); c == ' ' {
			o.end()
		} else if c > 0 && o.ended < 2 {
			o.rune(c)
		}
	}
	o.end()
}

// rune adds a letter or digit.
func (o *opening) rune(c rune) {
	if o.size+1+utf8.UTFMax > len(o.words) {
		o.unsure = true
		return
	}
	if o.ended == 1 && o.size == o.first {
		o.words[o.size] = ' '
		o.size++
	}
	o.size += utf8.EncodeRune(o.words[o.size:], c)
	o.unsure = o.unsure || unicode.IsDigit(c)
}

// end ends a word, if there is one.
func (o *opening) end() {
	switch {
	case o.ended == 0 && o.size > 0:
		o.first, o.ended = o.size, 1
	case o.ended == 1 && o.size > o.first:
		o.ended = 2
	}
}

// begins reports whether the part begins as a phrase does.
func (o *opening) begins(b beginnings) bool {
	return o.unsure || b[string(o.words[:o.size])] || b[string(o.words[:o.first])]
}
