package audit

import (
	_ "embed" // notfound.txt
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// saysNotFound reports whether the title or first heading of the page says that there is no such
// page.
func (p *Page) saysNotFound() bool { return saysNotFound(p.Title) || saysNotFound(p.Heading) }

// saysNotFound reports whether a title or heading says that there is no such page: one of its parts
// is a phrase for not found as a whole, whatever its case and punctuation, and whether 404, 410 or a
// word for error stands before or behind it, or it is 404 alone (FACTS.md). A phrase within a
// sentence says nothing.
func saysNotFound(title string) bool {
	for part := range strings.SplitSeq(strings.Map(plainRune, byParts.Replace(norm.NFKC.String(title))), "\n") {
		if isNotFound(strings.Fields(part)) {
			return true
		}
	}
	return false
}

// byParts ends the lines of a title, in which each space is one, where its parts end.
var byParts = strings.NewReplacer(" | ", "\n", " - ", "\n", " – ", "\n", " — ", "\n", " · ", "\n", " : ", "\n", " » ", "\n")

// isNotFound reports whether the words of a part of a title are a phrase for not found.
func isNotFound(words []string) bool {
	from := slices.IndexFunc(words, func(w string) bool { return !errorWords[w] })
	if from < 0 {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "404") })
	}
	end := len(words)
	for errorWords[words[end-1]] {
		end--
	}
	return notFound[strings.Join(words[from:end], " ")]
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

// plainRune is a letter or digit in lower case, a space for any other sign but the end of a line, and -1
// for one between letters ("can't" is "cant"). Turkish has two letters whose other case is that of another
// one in all other languages: I is that of ı, and İ that of i. All of them are an i here.
func plainRune(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '\n':
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
