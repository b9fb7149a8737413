package answers

import (
	"bytes"
	_ "embed" // notfound.txt
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SaysNotFound reports whether the title or first heading of the page says that there is no such
// page.
func (p *Page) SaysNotFound() bool { return saysNotFound(p.Title) || saysNotFound(p.Heading) }

// saysNotFound reports whether a title or heading says that there is no such page: one of its parts
// is a phrase for not found as a whole, whatever its case and punctuation, and whether 404, 410 or a
// word for error stands before or behind it, or it is 404 alone (FACTS.md). A phrase within a
// sentence says nothing.
func saysNotFound(title string) bool {
	title = norm.NFKC.String(title)
	var room [256]byte
	part, gap := room[:0], false
	for i, c := range title {
		switch p := plainRune(c); {
		case p == ' ' && strings.ContainsRune("|-–—·:»", c) && isSpace(title, i-1) && isSpace(title, i+utf8.RuneLen(c)):
			if isNotFound(part) {
				return true
			}
			part, gap = part[:0], false
		case p == ' ':
			gap = len(part) > 0
		case p >= 0:
			if gap {
				part, gap = append(part, ' '), false
			}
			part = utf8.AppendRune(part, p)
		}
	}
	return isNotFound(part)
}

func isSpace(s string, at int) bool { return at >= 0 && at < len(s) && s[at] == ' ' }

// isNotFound reports whether the words of a part of a title are a phrase for not found.
func isNotFound(words []byte) bool {
	rest := words
	for word, more, found := bytes.Cut(rest, []byte(" ")); errorWords[string(word)]; word, more, found = bytes.Cut(rest, []byte(" ")) {
		if rest = more; !found {
			return bytes.Contains(words, []byte("404"))
		}
	}
	for at := bytes.LastIndexByte(rest, ' '); at > 0 && errorWords[string(rest[at+1:])]; at = bytes.LastIndexByte(rest, ' ') {
		rest = rest[:at]
	}
	return len(rest) > 0 && notFound[string(rest)]
}

var errorWords = map[string]bool{"404": true, "410": true, "error": true, "erreur": true, "fehler": true, "errore": true, "erro": true, "fout": true, "błąd": true,
	"ошибка": true, "hata": true, "エラー": true, "404エラー": true, "エラー404": true}

// phrases are the phrases for not found by language, a line each: what the pages of large systems and
// their themes say. Words that pages which exist may have for a name are none of them.
//
//go:embed notfound.txt
var phrases string

// notFound is all of them.
var notFound = func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(phrases) {
		if !strings.HasPrefix(line, "#") {
			all[strings.Join(strings.Fields(strings.Map(plainRune, line)), " ")] = true
		}
	}
	return all
}()

// plainRune is a letter or digit in lower case, a space for any other sign, and -1
// for one between letters ("can't" is "cant"). Turkish has two letters whose other case is that of another
// one in all other languages: I is that of ı, and İ that of i. All of them are an i here.
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
