package sitemap

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// 0x5C ends characters of Shift_JIS, GBK and Big5.
func TestServedCharset(t *testing.T) {
	const japan, china = "表 ソース 予定 てすと テスト", "功 許 中文"
	lines := func(s string) string { return "http://a/" + strings.ReplaceAll(s, " ", "\r\nhttp://a/") + "\r\n" }
	tagged := func(s string) string {
		return "<urlset><url><loc>http://a/" + strings.ReplaceAll(s, " ", "</loc></url><url><loc>http://a/") + "</loc></url></urlset>"
	}
	for _, c := range []struct {
		name, served string
		in           encoding.Encoding
		text, want   string
	}{
		{"text", "text/plain; charset=Shift_JIS", japanese.ShiftJIS, lines(japan), "shift_jis"},
		{"XML", "text/xml;charset=\"Shift_JIS\"", japanese.ShiftJIS, tagged(japan), "shift_jis"},
		{"alias", "text/plain; charset=CP932", japanese.ShiftJIS, lines(japan), "shift_jis"},
		{"euc-jp", "text/plain; charset=EUC-JP", japanese.EUCJP, lines(japan), "euc-jp"},
		{"gbk", "text/plain; charset=gb2312", simplifiedchinese.GBK, lines("功 許 中文 联通"), "gbk"},
		{"big5", "text/plain; charset=big5", traditionalchinese.Big5, lines(china), "big5"},
		{"Latin", "text/plain; charset=iso-8859-1", charmap.Windows1252, lines("é"), "windows-1252"},
		{"UTF-8 all the same", "text/plain; charset=Shift_JIS", encoding.Nop, lines(japan), ""},
		{"damaged UTF-8", "text/plain; charset=iso-8859-1", encoding.Nop, lines(japan) + "http://a/\xff\r\n", ""},
		{"byte order mark", "text/plain; charset=iso-8859-1", encoding.Nop, "\ufeff" + lines("\xe9"), ""},
		{"declared otherwise", "text/xml; charset=iso-8859-1", japanese.EUCJP, `<?xml version="1.0" encoding="euc-jp"?>` + tagged(japan), ""},
		{"declared as UTF-8", "text/xml; charset=Shift_JIS", japanese.ShiftJIS, `<?xml version="1.0" encoding="UTF-8"?>` + tagged(japan), "shift_jis"},
		{"UTF-8", "text/plain; charset=utf-8", japanese.ShiftJIS, lines(japan), ""},
		{"unknown", "text/plain; charset=x-none", japanese.ShiftJIS, lines(japan), ""},
		{"none", "text/plain", japanese.ShiftJIS, lines(japan), ""},
	} {
		file, err := c.in.NewEncoder().Bytes([]byte(c.text))
		if err != nil && c.in != encoding.Nop {
			t.Fatal(c.name, err)
		}
		if c.in == encoding.Nop {
			file = []byte(c.text)
		}
		got, err := ServedCharset(iotest.OneByteReader(bytes.NewReader(file)), c.served)
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if c.want == "" {
			continue
		}
		entries, info := mustRead(t, bytes.NewReader(file), Options{Charset: got})
		var out bytes.Buffer
		change := edits("http://b/")
		change.Charset = got
		_, err = Rewrite(bytes.NewReader(file), &out, change)
		first, _ := c.in.NewEncoder().String(entries[0].Loc)
		if !strings.Contains(c.text, entries[0].Loc) || info.Charset != c.want || hasFault(info, "not UTF-8") {
			t.Errorf("%s: %+v, %+v", c.name, entries, info)
		}
		if want := strings.Replace(string(file), first, "http://b/", 1); err != nil || out.String() != want {
			t.Errorf("%s: rewritten as %q, not %q (%v)", c.name, out.String(), want, err)
		}
	}
}
