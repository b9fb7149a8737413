package audit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPhrase is longer than any title that has a phrase for not found.
const maxPhrase = 300

// saysNotFound reports whether the title or first heading of the page says that there is no such
// page.
func (p *Page) saysNotFound() bool { return saysNotFound(p.Title) || saysNotFound(p.Heading) }

// saysNotFound reports whether a title or heading says that there is no such page: one of its parts
// is a phrase for not found as a whole, whatever its case and punctuation, and whether 404, 410 or a
// word for error stands before or behind it, or it is 404 alone (FACTS.md). A phrase within a
// sentence says nothing.
func saysNotFound(title string) bool {
	if title == "" || len(title) > 4*maxPhrase {
		return false
	}
	var words []string // of a part, as far as phrases have them
	may := true
	for word := range strings.FieldsSeq(norm.NFKC.String(title)) {
		if partsTitle(word) {
			if may && isNotFound(words) {
				return true
			}
			words, may = words[:0], true
			continue
		}
		for w := range strings.FieldsSeq(plainWords(word)) {
			may = may && (phraseWords[w] || strings.Contains(w, "404"))
			if may {
				words = append(words, w)
			}
		}
	}
	return may && isNotFound(words)
}

// isNotFound reports whether the words of a part of a title are a phrase for not found.
func isNotFound(words []string) bool {
	is404 := func(w string) bool { return strings.Contains(w, "404") }
	if slices.ContainsFunc(words, is404) && !slices.ContainsFunc(words, func(w string) bool { return !isErrorWord(w) }) {
		return true
	}
	for len(words) > 0 && isErrorWord(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && isErrorWord(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return notFound[strings.Join(words, " ")]
}

func isErrorWord(w string) bool { return errorWords[w] }

var errorWords = setOf("404", "410", "error", "erreur", "fehler", "errore", "erro", "fout", "błąd", "ошибка", "hata", "エラー", "404エラー", "エラー404")

// notFoundPhrases are the phrases for not found, as plain words, by language: what
// the pages of large systems and their themes say. Words that pages which exist may
// have for a name are none of them.
var notFoundPhrases = map[string][]string{
	"en": {
		"not found", "page not found", "file not found", "product not found", "this page could not be found", "the page could not be found",
		"the page you requested was not found", "the requested page could not be found", "the requested page was not found",
		"the page you are looking for could not be found", "the page you were looking for could not be found", "the page you are looking for was not found",
		"page does not exist", "this page does not exist", "page doesnt exist", "this page doesnt exist", "the page you are looking for does not exist",
		"the page you are looking for doesnt exist", "the page you were looking for doesnt exist", "the page youre looking for doesnt exist",
		"page no longer exists", "this page no longer exists", "no longer available", "this page is no longer available", "this product is no longer available",
		"nothing found", "oops that page cant be found", "that page cant be found", "this page cant be found", "the requested page cant be found",
		"oops page not found", "sorry page not found", "page cannot be found", "the page cannot be found", "this page cannot be found",
		"page was not found", "the page was not found", "page could not be found", "we couldnt find that page", "we couldnt find the page you were looking for",
		"we couldnt find the page youre looking for", "sorry this page isnt available", "this page isnt available", "post not found", "article not found",
		"not found 1", // Google's own: "Error 404 (Not Found)!!1"
		"item not found", "category not found", "file or directory not found", "the resource cannot be found", "object not found",
	},
	"de": {"nicht gefunden", "seite nicht gefunden", "diese seite existiert nicht", "die seite existiert nicht", "seite existiert nicht", "die seite wurde nicht gefunden",
		"diese seite wurde nicht gefunden", "seite wurde nicht gefunden", "die angeforderte seite wurde nicht gefunden", "produkt nicht gefunden", "artikel nicht gefunden",
		"hoppla diese seite konnte nicht gefunden werden", "diese seite konnte nicht gefunden werden", "die seite konnte nicht gefunden werden", "nichts gefunden"},
	"fr": {"page non trouvée", "page introuvable", "cette page est introuvable", "oups cette page est introuvable", "cette page nexiste pas",
		"la page nexiste pas", "la page demandée est introuvable", "la page demandée nexiste pas", "la page que vous recherchez nexiste pas", "produit introuvable"},
	"es": {"página no encontrada", "no encontrado", "no se encontró la página", "no se ha encontrado la página", "la página no existe", "esta página no existe", "página no existe",
		"vaya no se ha podido encontrar esa página", "producto no encontrado", "la página solicitada no existe"},
	"it": {"pagina non trovata", "pagina inesistente", "la pagina non esiste", "questa pagina non esiste", "la pagina richiesta non esiste", "prodotto non trovato", "oops non è stato possibile trovare questa pagina"},
	"pt": {"página não encontrada", "não encontrado", "esta página não existe", "a página não existe", "a página não foi encontrada", "página inexistente", "produto não encontrado"},
	"nl": {"pagina niet gevonden", "niet gevonden", "deze pagina bestaat niet", "deze pagina is niet gevonden", "de pagina kon niet worden gevonden", "product niet gevonden"},
	"pl": {"strona nie znaleziona", "nie znaleziono strony", "nie znaleziono", "strona nie istnieje", "strona nie została znaleziona", "ta strona nie istnieje"},
	"ru": {"страница не найдена", "не найдено", "такой страницы не существует", "страница не существует", "товар не найден"},
	"tr": {"sayfa bulunamadı", "aradığınız sayfa bulunamadı", "bulunamadı", "ürün bulunamadı"},
	"sv": {"sidan hittades inte", "sidan kunde inte hittas", "sidan finns inte"},
	"da": {"siden blev ikke fundet", "siden findes ikke", "siden kunne ikke findes"},
	"nb": {"siden ble ikke funnet", "fant ikke siden", "siden finnes ikke"},
	"fi": {"sivua ei löydy", "sivua ei löytynyt"},
	"cs": {"stránka nenalezena", "stránka nebyla nalezena", "stránka neexistuje"},
	"hu": {"az oldal nem található", "oldal nem található"},
	"ro": {"pagina nu a fost găsită", "pagină negăsită", "pagina nu există"},
	"uk": {"сторінку не знайдено", "сторінка не знайдена", "сторінки не існує"},
	"vi": {"không tìm thấy trang", "trang không tồn tại"},
	"id": {"halaman tidak ditemukan", "tidak ditemukan"},
	"ja": {"ページが見つかりません", "ページが見つかりませんでした", "お探しのページは見つかりません", "お探しのページは見つかりませんでした", "お探しのページが見つかりません", "お探しのページが見つかりませんでした",
		"指定されたページは存在しません", "指定されたページが見つかりません", "指定されたページが見つかりませんでした", "ページは存在しません", "ページが存在しません", "このページは存在しません",
		"お探しのページは存在しません", "商品が見つかりません", "商品が見つかりませんでした", "該当するページが見つかりません", "ご指定のページは見つかりませんでした", "ご指定のページが見つかりません", "記事が見つかりませんでした"},
	"zh": {"页面不存在", "找不到页面", "页面未找到", "未找到页面", "找不到网页", "您访问的页面不存在", "抱歉 您访问的页面不存在", "找不到網頁", "找不到頁面", "頁面不存在", "找不到此頁面", "您訪問的頁面不存在"},
	"ko": {"페이지를 찾을 수 없습니다", "요청하신 페이지를 찾을 수 없습니다", "존재하지 않는 페이지입니다", "찾을 수 없는 페이지입니다", "페이지가 존재하지 않습니다"},
}

// notFound is all of them, and phraseWords their words and those for error.
var notFound, phraseWords = func() (all, words map[string]bool) {
	all, words = map[string]bool{}, map[string]bool{}
	for w := range errorWords {
		words[w] = true
	}
	for _, phrases := range notFoundPhrases {
		for _, p := range phrases {
			plain := strings.Fields(plainWords(p))
			all[strings.Join(plain, " ")] = true
			for _, w := range plain {
				words[w] = true
			}
		}
	}
	return all, words
}()

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

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
