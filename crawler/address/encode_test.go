package address_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
)

func TestEncodeValue(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"FrontPage":         "FrontPage",
		"-._~!$'()*,:@/?":   "-._~!$'()*,:@/?",
		"a b+c&d=e;f#g%h":   "a%20b%2Bc%26d%3De%3Bf%23g%25h",
		"[x]{y}|\\\"<>^`":   "%5Bx%5D%7By%7D%7C%5C%22%3C%3E%5E%60",
		"\x00\x7f\x80\xff":  "%00%7F%80%FF",
		"\xb9\xe2\xc2\xae":  "%B9%E2%C2%AE",
		"100%28":            "100%2528",
		"mod_cache\xa4\xc7": "mod_cache%A4%C7",
	} {
		if got := address.EncodeValue(in); got != want {
			t.Errorf("EncodeValue(%q) = %q, want %q", in, got, want)
		}
	}
}

// The result of EncodeValue has no second spelling, is part of a wire form, and decodes to the
// input.
func FuzzEncodeValue(f *testing.F) {
	for _, s := range append(slices.Clone(seeds), "\xa4\xc7Wiki(4)", "%zz%", "%4", "..", "/../") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		enc := address.EncodeValue(value)
		loc := "http://h.example/wiki.cgi?" + enc + "&page=" + enc
		a, err := address.Parse(loc)
		if err != nil || a.String() != loc {
			t.Fatalf("Parse(%q) = %q, %v", loc, a, err)
		}
		if b := address.Googlebot.Spell(a); b != a {
			t.Fatalf("the value %q is %q, in the googlebot spelling %q", value, a, b)
		}
		if got := address.DecodeValue(enc); got != value {
			t.Fatalf("%q encoded is %q, decoded %q", value, enc, got)
		}
		if enc := address.EncodeValue(enc); strings.Count(enc, "%") > 0 && address.DecodeValue(enc) != address.EncodeValue(value) {
			t.Fatalf("%q is decoded twice", value)
		}
	})
}

func TestCharsets(t *testing.T) {
	for _, c := range []struct{ text, label, want string }{
		{"mod_cacheでWikiを高速化(4)", "euc-jp", "mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)"},
		{"高速化", "Shift_JIS", "%8D%82%91%AC%89%BB"},
		{"高速化", "sjis", "%8D%82%91%AC%89%BB"},
		{"中文", "gbk", "%D6%D0%CE%C4"},
		{"中文", "big5", "%A4%A4%A4%E5"},
		{"한글", "euc-kr", "%C7%D1%B1%DB"},
		{"Привет", "windows-1251", "%CF%F0%E8%E2%E5%F2"},
		{"café", "latin1", "caf%E9"},
		{"café", "UTF-8", "caf%C3%A9"},
		{"日本", "iso-2022-jp", "%1B$BF%7CK%5C%1B(B"},
	} {
		b, err := address.EncodeText(c.text, c.label)
		if got := address.EncodeValue(b); err != nil || got != c.want {
			t.Errorf("%s in %s: %q, %v, want %q", c.text, c.label, got, err, c.want)
		}
		if back, err := address.DecodeText(b, c.label); err != nil || back != c.text {
			t.Errorf("%s in %s comes back as %q, %v", c.text, c.label, back, err)
		}
	}
}

func TestCharsetErrors(t *testing.T) {
	encode, decode := address.EncodeText, address.DecodeText
	for _, c := range []struct {
		do          func(text, label string) (string, error)
		text, label string
		want        string
	}{
		{encode, "a", "klingon", `charset "klingon" is unknown`},
		{encode, "a", "", `charset "" is unknown`},
		{encode, "a", "utf-16le", `charset "utf-16le" is not one that a URL can be written in`},
		{encode, "a", "iso-2022-kr", `charset "iso-2022-kr" is unknown`},
		{encode, "日本한글", "shift_jis", "there is no 한 (U+D55C) in charset shift_jis at byte 6"},
		{encode, "a\u202eb☃", "latin1", "there is no such character (U+202E) in charset windows-1252 at byte 1"},
		{encode, "ab\xa4", "euc-jp", "the byte %A4 is no text in charset utf-8 at byte 2"},
		{decode, "ab\xa4\xc7\xff\xa4", "euc-jp", "the byte %FF is no text in charset euc-jp at byte 4"},
		{decode, "ab\xa4", "euc-jp", "the byte %A4 is no text in charset euc-jp at byte 2"},
		{decode, "\xff", "utf-8", "the byte %FF is no text in charset utf-8 at byte 0"},
		{decode, "a", "ebcdic", `charset "ebcdic" is unknown`},
	} {
		_, err := c.do(c.text, c.label)
		var e *address.CharsetError
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%q in %q: %v, want %s", c.text, c.label, err, c.want)
		}
	}
}

// Any bytes give a text, or an error with an index in them.
func FuzzDecodeText(f *testing.F) {
	for _, label := range []string{"utf-8", "euc-jp", "shift_jis", "iso-2022-jp", "gb18030", "big5", "koi8-r", "?"} {
		f.Add("\xa4\xc7\x1b$B9b\x1b(B\x8f\x81\x30", label)
	}
	f.Fuzz(func(t *testing.T, octets, label string) {
		text, err := address.DecodeText(octets, label)
		var e *address.CharsetError
		if err == nil {
			if bad := address.InvalidUTF8(text); bad >= 0 {
				t.Fatalf("%q in %q is %q", octets, label, text)
			}
			return
		}
		if !errors.As(err, &e) || e.Pos >= len(octets) || text != "" {
			t.Fatalf("%q in %q: %q, %v", octets, label, text, err)
		}
		if _, err := address.DecodeText(octets[:max(0, e.Pos)], label); e.Pos > 0 && errors.As(err, &e) && e.Pos < 0 {
			t.Fatalf("%q in %q: %v", octets, label, err)
		}
	})
}

func TestGuessCharset(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "", "caf\xc3\xa9s d'\xc3\xa9t\xc3\xa9": "utf-8",
		"mod_cache\xa4\xc7Wiki\xa4\xf2\xb9\xe2\xc2\xae\xb2\xbd(4)": "euc-jp", "\x1b$BF|K\\8l\x1b(B": "iso-2022-jp",
	} {
		if got, sure := address.GuessCharset(in, ""); got != want || sure < 0 || sure > 1 {
			t.Errorf("GuessCharset(%q) = %q, %v, want %q", in, got, sure, want)
		}
	}
}

func TestChoices(t *testing.T) {
	for in, want := range map[string]string{
		"/":                        "",
		"/a-b.c_d":                 "",
		"/%28a)?b=(1%29":           "path %28 (; path ) %29; query ( %28; query %29 )",
		"/a=b&c;d+e":               "path = %3D; path & %26; path ; %3B; path + %2B",
		"/x?a=b&c;d+e%20f":         "query + %20; query %20 +",
		"/x?a%3Db%26c%3Bd%2Be":     "",
		"/%2F%3F%23%25":            "",
		"/x?%2F?/%3F":              "query %2F /; query ? %3F; query / %2F; query %3F ?",
		"/%7Eu~/%41%e3[%5d":        "path %7E ~; path ~ %7E; path %41 A; path [ %5B; path %5d ]",
		"/%2e%2e/.%2e/%2ex?%2e":    "path %2e .; query %2e .",
		"/100%/%%341?%zz":          "path % %25; path % %25; query % %25",
		"/%E6%97%A5%20x":           "",
		"/a:b@c'd*e!f$g,h?:@'!$*,": "path : %3A; path @ %40; path ' %27; path * %2A; path ! %21; path $ %24; path , %2C; query : %3A; query @ %40; query ' %27; query ! %21; query $ %24; query * %2A; query , %2C",
	} {
		a := mustParse(t, "http://h.example"+in)
		var got []string
		for _, c := range address.Choices(a) {
			where := "path"
			if c.Query {
				where = "query"
			}
			got = append(got, where+" "+c.Spelt+" "+c.Other)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s: %s\nwant %s", in, s, want)
		}
	}
}

// Any of the choices give a wire form that differs from the other for encoding reasons only, and
// the same choices again restore the address.
func TestChooseLaw(t *testing.T) {
	alphabet := []string{"a", "4", "/", "?", "&", "=", "+", "%", "%28", "(", ")", "%2e", ".", "%20", "~", "%7e", "[", "%5B", "%E3", "%34", ";", ":", "'", "%2F"}
	rapid.Check(t, func(t *rapid.T) {
		a, err := address.Parse("http://h.example/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 12).Draw(t, "target"), ""))
		if err != nil {
			t.Fatal(err)
		}
		var some []address.Choice
		for _, c := range address.Choices(a) {
			if rapid.Bool().Draw(t, c.Spelt) {
				some = append(some, c)
			}
		}
		b := address.Choose(a, some)
		if p, err := address.Parse(b.String()); err != nil || p != b || address.Wire(b.String()) != b {
			t.Fatalf("%s with %v: %s is no wire form (%v)", a, some, b, err)
		}
		reasons := address.Compare(a, b)
		if address.OnlyEncoding(reasons) != (len(some) > 0) {
			t.Fatalf("%s with %v: %s differs in %v", a, some, b, reasons)
		}
	})
}

func TestSpellHex(t *testing.T) {
	a := mustParse(t, "http://h.example/%e3%82%Ab/%zz%2528?%aF%")
	for upper, want := range map[bool]string{
		true:  "http://h.example/%E3%82%AB/%zz%2528?%AF%",
		false: "http://h.example/%e3%82%ab/%zz%2528?%af%",
	} {
		if got := address.SpellHex(a, upper).String(); got != want {
			t.Errorf("SpellHex(%s, %v) = %s, want %s", a, upper, got, want)
		}
	}
}

func TestInUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"/wiki.cgi?mod%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29": "/wiki.cgi?mod%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96%284%29 euc-jp",
		"/%8d%82%91%ac%89%bb/%83e%83X%83g?%83e=%28":              "/%e9%ab%98%e9%80%9f%e5%8c%96/%e3%83%86%e3%82%b9%e3%83%88?%e3%83%86=%28 shift_jis",
		"/%E9%AB%98?%28":    "/%E9%AB%98?%28 ",
		"/plain?a=(b)":      "/plain?a=(b) ",
		"/%1B$B9b%1B(B?":    "/%E9%AB%98? iso-2022-jp",
		"/%1B$B9b%1B(B/%F0": "/%1B$B9b%1B(B/%F0 ", // two charsets
	} {
		got, from := address.InUTF8(mustParse(t, "http://h.example"+in))
		if s := got.Target() + " " + from; s != want {
			t.Errorf("%s: %s, want %s", in, s, want)
		}
		isWire(t, got)
	}
}

func TestInForm(t *testing.T) {
	for _, c := range [][3]string{ // as given, composed, decomposed
		{"/caf%C3%A9?%C3%A9=(1)", "/caf%C3%A9?%C3%A9=(1)", "/cafe%CC%81?e%CC%81=(1)"},
		{"/caf%65%cc%81%7e", "/caf%c3%a9%7e", "/caf%65%cc%81%7e"},
		{"/%E3%82%AB%E3%82%99/", "/%E3%82%AC/", "/%E3%82%AB%E3%82%99/"},
		{"/x?a=%CC%B8b", "/x?a=%CC%B8b", "/x?a=%CC%B8b"},
		{"/%A4%C7", "/%A4%C7", "/%A4%C7"},
	} {
		a := mustParse(t, "http://h.example"+c[0])
		nfc, nfd := address.InForm(a, true), address.InForm(a, false)
		if nfc.Target() != c[1] || nfd.Target() != c[2] {
			t.Errorf("%s: %s, %s, want %s, %s", c[0], nfc.Target(), nfd.Target(), c[1], c[2])
		}
		isWire(t, nfc)
		isWire(t, nfd)
	}
}

// For any address the results are wire forms and do not change when converted again.
func FuzzEncodeText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		a, err := address.Parse(loc)
		if err != nil {
			return
		}
		utf, _ := address.InUTF8(a)
		isWire(t, utf)
		if again, _ := address.InUTF8(utf); again != utf {
			t.Fatalf("%s, then %s, then %s", a, utf, again)
		}
		for _, composed := range []bool{true, false} {
			b := address.InForm(a, composed)
			isWire(t, b)
			if c := address.InForm(b, composed); c != b {
				t.Fatalf("%s, then %s, then %s", a, b, c)
			}
		}
	})
}
