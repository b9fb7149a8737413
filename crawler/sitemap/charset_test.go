package sitemap

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Each file lists the same address in another charset. A file that can be read can also be edited.
func TestCharsetsAreReadAsTheyAre(t *testing.T) {
	for name, c := range map[string]struct {
		encoding encoding.Encoding
		text     string
	}{
		"cp437":        {charmap.CodePage437, "é"},
		"IBM850":       {charmap.CodePage850, "éõ"},
		"windows-1251": {charmap.Windows1251, "д"},
	} {
		in := `<?xml version="1.0" encoding="` + name + `"?><urlset><url><loc> http://a/` + c.text + ` </loc></url></urlset>`
		file, err := c.encoding.NewEncoder().Bytes([]byte(in))
		if err != nil {
			t.Fatal(name, err)
		}
		entries, info := mustRead(t, bytes.NewReader(file), Options{})
		if len(entries) != 1 || entries[0].Loc != "http://a/"+c.text || !hasFault(info, "legacy-charset") {
			t.Errorf("%s: %v, %+v", name, entries, info)
		}
		var out bytes.Buffer
		_, err = Rewrite(bytes.NewReader(file), &out, edits("http://b/"))
		if err != nil {
			t.Errorf("%s: Rewrite: %v", name, err)
		}
		address, _ := c.encoding.NewEncoder().Bytes([]byte("http://a/" + c.text))
		if want := bytes.Replace(file, address, []byte("http://b/"), 1); !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s: it is rewritten as %q", name, out.Bytes())
		}
	}
}

// A file that is not ASCII but is read as ASCII would list addresses that nobody wrote.
func TestCharsetsThatAreRefused(t *testing.T) {
	for _, name := range []string{"ISO-2022-KR", "iso-2022-cn", "csISO2022KR", "ISO-2022-JP", "HZ-GB-2312", "UTF-7"} {
		in := `<?xml version="1.0" encoding="` + name + `"?><urlset><url><loc>http://a/` + "\x0e0!\x0f" + `</loc></url></urlset>`
		entries, info, err := readAll(strings.NewReader(in), Options{})
		var format *FormatError
		if !errors.As(err, &format) || len(entries) > 0 || !strings.Contains(format.What, strings.ToLower(name)) || !hasFault(info, strings.ToLower(name)) {
			t.Errorf("%s: %v, %v, %v", name, entries, err, info.Faults)
		}
		var out bytes.Buffer
		if _, err := Rewrite(strings.NewReader(in), &out, edits("x")); !errors.As(err, &format) || out.String() != in {
			t.Errorf("%s: Rewrite: %v, %q", name, err, out.String())
		}
	}
}

// The end of an address is found in one walk, whatever white space stands there.
func TestWhiteSpaceBehindLegacyText(t *testing.T) {
	for name, c := range map[string]struct {
		encoding encoding.Encoding
		spaces   string
	}{
		"euc-jp": {japanese.EUCJP, "\u3000\u3000 &#32;\n"}, "shift_jis": {japanese.ShiftJIS, "\u3000\u3000 "},
		"gb18030": {simplifiedchinese.GB18030, "\u00a0\u3000&#x3000;"}, "windows-1252": {charmap.Windows1252, "\u00a0\u00a0 "},
	} {
		for _, text := range []string{"http://a/", "http://a/é", "http://a/x\u3000y", "http://a/&#32;y"} {
			in, err := c.encoding.NewEncoder().Bytes([]byte(`<?xml version="1.0" encoding="` + name + `"?><urlset><url><loc>` + text + c.spaces + `</loc></url></urlset>`))
			if err != nil {
				continue // the charset has no such character
			}
			entries, _ := mustRead(t, bytes.NewReader(in), Options{})
			if want := strings.ReplaceAll(text, "&#32;", " "); len(entries) != 1 || entries[0].Loc != want {
				t.Errorf("%s: %q is read as %v", name, in, entries)
			}
		}
	}
}
