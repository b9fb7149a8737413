package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleParts splits a title at the signs that stand between spaces.
func titleParts(title string) []string {
	var parts []string
	var part []string
	for _, word := range strings.Fields(title) {
		if partsTitle(word) {
			parts, part = append(parts, strings.Join(part, " ")), nil
			continue
		}
		part = append(part, word)
	}
	return append(parts, strings.Join(part, " "))
}

// partsTitle tells whether a word of a title is a sign that parts it.
func partsTitle(word string) bool {
	c, n := utf8.DecodeRuneInString(word)
	return n == len(word) && strings.ContainsRune("|-–—·:»", c)
}

// plainWords is a text in lower case. Signs between letters stay out ("can't" is
// "cant"); others part words.
func plainWords(s string) string { return strings.Map(plainRune, s) }

// plainRune is a letter or digit in lower case, a space for any other sign, and -1 for
// one between letters.
func plainRune(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return c
	case c == '\'' || c == '’' || c == 'ʼ':
		return -1
	case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c):
		return unicode.ToLower(c)
	}
	return ' '
}

// beginnings are the plain words with which phrases begin. Every title and heading is
// compared with all phrases, and few begin as one of them: those alone are taken apart.
type beginnings map[string]bool

// beginningsOf returns those of all phrases in sets, which are plain words.
func beginningsOf(sets ...map[string]bool) beginnings {
	all := beginnings{}
	for _, set := range sets {
		for phrase := range set {
			first, _, _ := strings.Cut(phrase, " ")
			all[first] = true
		}
	}
	return all
}

// in tells whether a part of a title may be one of the phrases: its first word begins
// one, or has a digit, which may stand for another.
func (b beginnings) in(title string) bool {
	begins := true
	for word := range strings.FieldsSeq(title) {
		if partsTitle(word) {
			begins = true
			continue
		}
		if !begins {
			continue
		}
		var room [64]byte
		first, digit := firstPlain(room[:0], word)
		if digit || b[string(first)] {
			return true
		}
		begins = len(first) == 0 // nothing but signs
	}
	return false
}

// firstPlain appends the first of the plain words of a text, and tells whether it has a
// digit.
func firstPlain(to []byte, s string) (word []byte, digit bool) {
	for _, c := range s {
		switch c = plainRune(c); {
		case c > 0 && c != ' ':
			to = utf8.AppendRune(to, c)
			digit = digit || unicode.IsDigit(c)
		case c == ' ' && len(to) > 0:
			return to, digit
		}
	}
	return to, digit
}
