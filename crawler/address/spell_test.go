package address_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"sitemend/crawler/address"
)

func TestSpell(t *testing.T) {
	for _, c := range [][5]string{ // wire form, googlebot, rfc3986, whatwg, and the kinds of googlebot
		{"/a", "/a", "/a", "/a", ""},
		{"/wiki.cgi?x%a4%C7%284%29", "/wiki.cgi?x%A4%C7(4)", "/wiki.cgi?x%A4%C7%284%29", "/wiki.cgi?x%a4%C7%284%29", "( ) hex-case"},
		{"/%21%24%27%28%29%2a%2c%40%2d%2e%5f%7e", "/!$'()*,@-._~", "/%21%24%27%28%29%2A%2C%40-._~", "/%21%24%27%28%29%2a%2c%40%2d%2e%5f%7e", "! $ ' ( ) * , - . @ _ ~"},
		{"/%26%2b%3a%3d%3b%2f%3f%23%25", "/%26%2B%3A%3D%3B%2F%3F%23%25", "/%26%2B%3A%3D%3B%2F%3F%23%25", "/%26%2b%3a%3d%3b%2f%3f%23%25", "hex-case"},
		{"/&+:=;", "/&+:=;", "/&+:=;", "/&+:=;", ""},
		{"/[a]?[b]", "/%5Ba%5D?%5Bb%5D", "/[a]?[b]", "/[a]?[b]", "[ ]"},
		{"/'?'", "/'?'", "/'?'", "/'?%27", ""},
		{"/%41?%7E", "/A?~", "/A?~", "/%41?%7E", "A ~"},
		{"/%%32%38", "/%%328", "/%%328", "/%%32%38", "8"},
		{"/%4%31", "/%4%31", "/%4%31", "/%4%31", ""},
		{"/%4g%31", "/%4g1", "/%4g1", "/%4g%31", "1"},
		{"/a/%2e%2e/b", "/a/%2E%2E/b", "/b", "/b", "hex-case"},
		{"/a/.%2e", "/a/.%2E", "/", "/", "hex-case"},
		{"/%2e%2e%2e", "/...", "/...", "/%2e%2e%2e", "."},
		{"//a//%2E?", "//a//%2E?", "//a//?", "//a//?", ""},
	} {
		a := address.Wire("http://h" + c[0])
		for i, s := range []address.Spelling{address.None, address.Googlebot, address.RFC3986, address.WHATWG} {
			if got := s.Spell(a).Target(); got != c[i] {
				t.Errorf("%s spells %s as %s, want %s", s, c[0], got, c[i])
			}
		}
		if got := strings.Join(address.Googlebot.Kinds(a), " "); got != c[4] {
			t.Errorf("kinds of %s are %q, want %q", c[0], got, c[4])
		}
	}
	if kinds := address.RFC3986.Kinds(address.Wire("http://h/a/%2e")); fmt.Sprint(kinds) != "[.]" {
		t.Errorf("a dot segment that is resolved is of the kinds %v", kinds)
	}
}

func TestVariants(t *testing.T) {
	for in, want := range map[string]string{
		"/": "", "/a-b.c_d": "", "/x?a%3Db%26c%3Bd%2Be": "hex in lower case /x?a%3db%26c%3bd%2be", "/%41%34": "letters and digits literal in the path /A4",
		"/%28a)?b=(":                "all encodings at once /(a%29?b=%28; ( literal in the path /(a)?b=(; ) encoded in the path /%28a%29?b=(; ( encoded in the query /%28a)?b=%28",
		"/d+e?a=b&d+%20":            "all encodings at once /d%2Be?a=b&d%20+; + encoded in the path /d%2Be?a=b&d+%20; a space as %20 in the query /d+e?a=b&d%20%20; a space as + in the query /d+e?a=b&d++",
		"/%%341?%zz":                "all encodings at once /%25%341?%25zz; % encoded in the path /%25%341?%zz; % encoded in the query /%%341?%25zz",
		"/.%2e/[":                   "all encodings at once /.%2E/%5B; [ encoded in the path /.%2e/%5B; hex in upper case /.%2E/[",
		"/caf%C3%A9":                "hex in lower case /caf%c3%a9; text in Unicode's NFD /cafe%CC%81",
		"/caf%65%CC%81?a=%CC%B8b":   "all encodings at once /cafe%cc%81?a=%cc%b8b; letters and digits literal in the path /cafe%CC%81?a=%CC%B8b; hex in lower case /caf%65%cc%81?a=%cc%b8b; text in Unicode's NFC /caf%C3%A9?a=%CC%B8b",
		"/wiki?mod%A4%C7Wiki%A4%F2": "hex in lower case /wiki?mod%a4%c7Wiki%a4%f2; text in UTF-8 /wiki?mod%E3%81%A7Wiki%E3%82%92",
		"/%83e%83X%83g?%83e=":       "text in UTF-8 /%E3%83%86%E3%82%B9%E3%83%88?%E3%83%86=",
	} {
		var got []string
		for _, v := range address.Variants(mustParse(t, "http://h.example"+in)) {
			got = append(got, v.Name+" "+v.Target())
			isWire(t, v.Address)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, s, want)
		}
	}
}

func TestEncode(t *testing.T) {
	for in, want := range map[string]string{
		"-._~!$'()*,:@/?": "-._~!$'()*,:@/?", "a b+c&d=e;f#g%h": "a%20b%2Bc%26d%3De%3Bf%23g%25h", "[x]{y}|\\\"<>^`": "%5Bx%5D%7By%7D%7C%5C%22%3C%3E%5E%60",
		"\x00\x7f\x80\xff": "%00%7F%80%FF", "100%28": "100%2528",
	} {
		if got := address.EncodeValue(in); got != want || address.DecodeValue(got) != in {
			t.Errorf("EncodeValue(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[[2]string]string{ // text and charset; "" where the charset lacks it
		{"mod_cacheでWikiを高速化(4)", "euc-jp"}: "mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)", {"café", "latin1"}: "caf%E9", {"日本", "iso-2022-jp"}: "%1B$BF%7CK%5C%1B(B",
		{"a", "klingon"}: "", {"a", "utf-16le"}: "", {"a", "iso-2022-kr"}: "", {"日本한글", "shift_jis"}: "", {"ab\xa4", "euc-jp"}: "",
	} {
		if b, ok := address.EncodeText(in[0], in[1]); address.EncodeValue(b) != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", in, address.EncodeValue(b), ok, want)
		}
	}
}

func TestReadable(t *testing.T) {
	for wire, want := range map[string]address.Text{
		"http://h/a?b=c": {Text: "http://h/a?b=c"}, "http://h/%28a%29": {Text: "http://h/(a)"}, "http://h/%E9%AB%98": {Text: "http://h/高", Charset: "utf-8"},
		"http://h/a%20b%0A%00c?q=100%25": {Text: "http://h/a%20b%0A%00c?q=100%25"}, "http://h/%FF%81%80": {Text: "http://h/%FF%81%80"}, "http://xn--wgv71a119e.example/": {Text: "http://xn--wgv71a119e.example/"},
		"http://h/%E2%80%AEgpj.exe":                {Text: "http://h/%E2%80%AEgpj.exe", Charset: "utf-8"},            // right-to-left override
		"http://h/a%E2%80%8Bb%C2%A0c%E3%85%A4":     {Text: "http://h/a%E2%80%8Bb%C2%A0c%E3%85%A4", Charset: "utf-8"}, // zero width, no-break space, filler
		"http://h/%E9%AB%98/?q=%B9%E2%C2%AE%A4%CE": {Text: "http://h/高/?q=高速の", Charset: "euc-jp"},                   // each its own
		"plain %E3%81%A7 text":                     {Text: "plain で text", Charset: "utf-8"},
	} {
		if got := address.Readable(wire); got != want {
			t.Errorf("Readable(%s) = %q, want %q", wire, got, want)
		}
	}
	for name, words := range map[string]string{ // as they occur in the paths of old sites
		"euc-jp": "高速化 お問い合わせ 日本語 カテゴリ 東京の天気 会社案内", "shift_jis": "高速化 お問い合わせ 日本語 カテゴリ 表示 ソフトウェア",
		"gbk": "中文网站 新闻中心 联系我们 产品展示", "big5": "中文網站 最新消息 關於我們 產品介紹", "euc-kr": "한국어 고객센터 회사소개 공지사항",
		"windows-1252": "café Müller señor Straße à-propos déjà-vu", "windows-1250": "příběh łódź-miasto zaměstnání",
		"windows-1251": "новости Москва о-компании", "koi8-r": "новости контакты", "windows-1253": "επικοινωνία ειδήσεις", "windows-1255": "חדשות שלום", "windows-1256": "اتصل الاخبار",
	} {
		charset, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(words) {
			b, _ := charset.NewEncoder().String(word)
			if got := address.Readable("http://h.example/" + address.EncodeValue(b)); got != (address.Text{Text: "http://h.example/" + word, Charset: name}) {
				t.Errorf("%s in %s reads %q in %s", word, name, got.Text, got.Charset)
			}
		}
	}
}

// A host that is not ASCII may look like another one: it is shown as it is sent.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"http://аррӏе.com/é": "http://xn--80ak6aa92e.com/%C3%A9", "HTTPS://h.example/é": "HTTPS://h.example/é", "not a url é": "not a url é", `HTTP:\\аррӏе.com`: "http://xn--80ak6aa92e.com/", "": "",
	} {
		if got := address.Shown(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}
