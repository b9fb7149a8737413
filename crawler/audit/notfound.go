package audit

import (
	_ "embed" // notfound.txt
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPhrase is longer than any title that has a phrase for not found.
const maxPhrase = 1200

// saysNotFound reports whether the title or first heading of the page says that there is no such
// page.
func (p *Page) saysNotFound() bool { return saysNotFound(p.Title) || saysNotFound(p.Heading) }

// saysNotFound reports whether a title or heading says that there is no such page: one of its parts
// is a phrase for not found as a whole, whatever its case and punctuation, and whether 404, 410 or a
// word for error stands before or behind it, or it is 404 alone (FACTS.md). A phrase within a
// sentence says nothing.
func saysNotFound(title string) bool {
	if title == "" || len(title) > maxPhrase {
		return false
	}
	var words []string // of a part
	for word := range strings.FieldsSeq(norm.NFKC.String(title) + " |") {
		if sign, n := utf8.DecodeRuneInString(word); n == len(word) && strings.ContainsRune("|-–—·:»", sign) {
			if isNotFound(words) {
				return true
			}
			words = words[:0]
			continue
		}
		words = slices.AppendSeq(words, strings.FieldsSeq(strings.Map(plainRune, word)))
	}
	return false
}

// isNotFound reports whether the words of a part of a title are a phrase for not found.
func isNotFound(words []string) bool {
	own := func(w string) bool { return !slices.Contains(errorWords, w) }
	from := slices.IndexFunc(words, own)
	if from < 0 {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "404") })
	}
	to := len(words)
	for !own(words[to-1]) {
		to--
	}
	return notFound[strings.Join(words[from:to], " ")]
}

var errorWords = []string{"404", "410", "error", "erreur", "fehler", "errore", "erro", "fout", "błąd", "ошибка", "hata", "エラー", "404エラー", "エラー404"}

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

// plainRune is a letter or digit in lower case, a space for any other sign, and -1 for
// one between letters ("can't" is "cant"). Turkish has two letters whose other case is that of another
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
