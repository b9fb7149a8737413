package address_test

import (
	"net/url"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"sitemend/crawler/address"
)

func TestReadable(t *testing.T) {
	for _, c := range []struct{ wire, text, charset string }{
		{"http://h/a(1)", "http://h/a(1)", ""},
		{"http://h/a%281%29?x=%7E", "http://h/a(1)?x=~", ""},
		{"http://h/%E9%AB%98%E9%80%9F", "http://h/高速", "utf-8"},
		{"http://h/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29", "http://h/wiki/wiki.cgi?mod_cacheでWikiを高速化(4)", "euc-jp"},
		{"http://xn--wgv71a119e.example/", "http://日本語.example/", ""},
		{"http://h:8080/?q=100%25", "http://h:8080/?q=100%25", ""},
		{"http://h/a%20b%0A%00c", "http://h/a%20b%0A%00c", ""},
		{"http://h/%E2%80%AEgpj.exe", "http://h/%E2%80%AEgpj.exe", "utf-8"},                       // right-to-left override
		{"http://h/a%E2%80%8Bb%C2%A0c%E3%85%A4", "http://h/a%E2%80%8Bb%C2%A0c%E3%85%A4", "utf-8"}, // zero width, no-break space, filler
		{"http://h/%FF%FE", "http://h/%FF%FE", ""},
		{"http://h/%E9%AB%98/?q=%B9%E2%C2%AE%A4%CE", "http://h/高/?q=高速の", "euc-jp"},
		{"http://h/100%", "http://h/100%", ""},
		{"plain %E3%81%A7 text", "plain で text", "utf-8"},
		{"", "", ""},
	} {
		got := address.Readable(c.wire)
		if got.Text != c.text || got.Charset != c.charset {
			t.Errorf("Readable(%s) = %q %q, want %q %q", c.wire, got.Text, got.Charset, c.text, c.charset)
		}
		if got.Confidence < 0 || got.Confidence > 1 {
			t.Errorf("Readable(%s): confidence %v", c.wire, got.Confidence)
		}
	}
}

// Words as they occur in the paths of old sites, in each charset.
func TestReadableGuesses(t *testing.T) {
	for name, words := range map[string][]string{
		"euc-jp":       {"高速化", "お問い合わせ", "日本語", "カテゴリ", "東京の天気", "会社案内"},
		"shift_jis":    {"高速化", "お問い合わせ", "日本語", "カテゴリ", "表示", "ソフトウェア"},
		"iso-2022-jp":  {"高速化", "日本語"},
		"gbk":          {"中文网站", "新闻中心", "联系我们", "产品展示"},
		"big5":         {"中文網站", "最新消息", "關於我們", "產品介紹"},
		"euc-kr":       {"한국어", "고객센터", "회사소개", "공지사항"},
		"windows-1252": {"café", "Müller", "señor", "Straße", "à-propos", "déjà-vu"},
		"windows-1251": {"новости", "Москва", "о-компании"},
		"koi8-r":       {"новости", "контакты"},
		"windows-1253": {"επικοινωνία", "ειδήσεις"},
		"windows-1250": {"příběh", "łódź-miasto", "zaměstnání"},
		"windows-1255": {"חדשות", "שלום"},
		"windows-1256": {"اتصل", "الاخبار"},
	} {
		charset, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			b, err := charset.NewEncoder().String(word)
			if err != nil {
				t.Fatal(err)
			}
			got := address.Readable("http://h.example/" + url.PathEscape(b))
			if got.Text != "http://h.example/"+word || got.Charset != name {
				t.Errorf("%s in %s reads %q in %s (%.2f)", word, name, got.Text, got.Charset, got.Confidence)
			}
		}
	}
}

func TestToUnicodeHost(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"h.example", "h.example"},
		{"xn--wgv71a119e.example", "日本語.example"},
		{"xn--bcher-kva.example", "bücher.example"},
		{"xn--a", "xn--a"},               // decodes to nothing
		{"xn--a-ecp.ru", "xn--a-ecp.ru"}, // not in its one form
		{"[::1]", "[::1]"},
	} {
		if got := address.ToUnicodeHost(c.host); got != c.want {
			t.Errorf("ToUnicodeHost(%s) = %s, want %s", c.host, got, c.want)
		}
	}
}
