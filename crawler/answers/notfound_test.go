package answers

import (
	"strings"
	"testing"
)

// A title or heading says that there is no such page where one of its parts does so
// as a whole.
func TestSaysNotFound(t *testing.T) {
	for _, s := range []string{
		"Page not found", "This page could not be found.", "Oops! That page can’t be found.", "Page Not Found – Shop", "お探しのページは見つかりません。",
		"404", "404 Not Found", "Error 404", "404 - Page not found | Shop", "404: This page could not be found.", "Shop · 404", "Page Not Found – Shop",
		"Shop » Page not found", "Shop — 410 Page no longer exists", "PAGE NOT FOUND", "Page Not Found (404)", "Seite nicht gefunden : Laden", "Erreur 404",
		"404エラー | ショップ", "ページが見つかりません | ショップ", "We couldn't find the page you were looking for - Shop", "Oups ! Cette page est introuvable.",
		"Error 404 (Not Found)!!1", "Seite nicht gefunden – Laden und Werkstatt", "Page not found | How To", "Page not found – Garden Tips",
		"SAYFA BULUNAMADI", "Sayfa bulunamadı", "SAYFA BULUNAMADI | DÜKKAN", "page non trouve\u0301e", "ＰＡＧＥ ＮＯＴ ＦＯＵＮＤ", "４０４", "４０４ ページが見つかりません",
		"ページが見つかりません ｜ ショップ", "ページか\u3099見つかりません", "HTTP 404 - Not Found",
	} {
		if !saysNotFound(s) {
			t.Errorf("%q: it does not say so", s)
		}
	}
	for _, s := range []string{
		"", "Shop", "How to repair a page not found", "The lost and not found office", "Peugeot 404", "Room 404 | Hotel",
		"Error", "410", "Error handling", "Found", "A 404-page that people like", "Not-found.com | Home", "Nothing found in translation", "Status codes: 404, 410",
		"Why “page not found” hurts | Blog", "ページが見つかりませんと表示される場合の対処法", "Is this no longer available?x", "Un-found",
		"HTTP 404 - Wikipedia", "HTTP", "HTTP 410", "-", "|",
	} {
		if saysNotFound(s) {
			t.Errorf("%q: it says so", s)
		}
	}
}

// Each phrase counts alone, in capitals, with its number and with the name of a site,
// and not in a sentence.
func TestEachPhraseForNotFound(t *testing.T) {
	for p := range strings.SplitSeq(strings.TrimSpace(phrases), "\n") {
		if !strings.HasPrefix(p, "#") {
			for _, title := range []string{p, p + ".", "404 " + p, "404 - " + p, p + " (404)", "Error 404: " + p, p + " | Shop", "Shop – " + p, "A · " + p + " · B", " " + p + "\n"} {
				if !saysNotFound(title) {
					t.Errorf("%q: it does not say so", title)
				}
			}
			for _, title := range []string{"Shop " + p, p + " Shop", "A-" + p, p + " and what to do"} {
				if saysNotFound(title) {
					t.Errorf("%q: it says so", title)
				}
			}
		}
	}
}
