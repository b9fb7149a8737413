package address

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A charset is a legacy charset of old URLs. The names are those of the WHATWG Encoding Standard.
type charset struct {
	name   string
	enc    encoding.Encoding
	single bool // every byte is a character
	// length returns how many bytes the character that begins with lead takes; nil for charsets of
	// single bytes and those with shifts.
	length func(lead byte) int
}

var charsets = []charset{
	{name: "euc-jp", enc: japanese.EUCJP, length: eucJPLength},
	{name: "shift_jis", enc: japanese.ShiftJIS, length: shiftJISLength},
	{name: "iso-2022-jp", enc: japanese.ISO2022JP},
	{name: "gbk", enc: simplifiedchinese.GBK, length: pairLength},
	{name: "big5", enc: traditionalchinese.Big5, length: pairLength},
	{name: "euc-kr", enc: korean.EUCKR, length: pairLength},
	{name: "windows-1252", enc: charmap.Windows1252, single: true},
	{name: "windows-1251", enc: charmap.Windows1251, single: true},
	{name: "windows-1250", enc: charmap.Windows1250, single: true},
	{name: "windows-1253", enc: charmap.Windows1253, single: true},
	{name: "windows-1254", enc: charmap.Windows1254, single: true},
	{name: "windows-1255", enc: charmap.Windows1255, single: true},
	{name: "windows-1256", enc: charmap.Windows1256, single: true},
	{name: "windows-1257", enc: charmap.Windows1257, single: true},
	{name: "windows-1258", enc: charmap.Windows1258, single: true},
	{name: "windows-874", enc: charmap.Windows874, single: true},
	{name: "koi8-r", enc: charmap.KOI8R, single: true},
	{name: "iso-8859-2", enc: charmap.ISO8859_2, single: true},
	{name: "gb18030", enc: simplifiedchinese.GB18030},
}

// decode returns text as UTF-8; ok is false where it is not valid in this charset.
func (c charset) decode(text []byte) (utf []byte, ok bool) {
	utf, err := c.enc.NewDecoder().Bytes(text)
	if err != nil || bytes.ContainsRune(utf, utf8.RuneError) {
		return nil, false
	}
	return utf, true
}

// width returns how many bytes a character takes in this charset; 1 where the charset lacks it.
func (c charset) width(char []byte) int {
	if c.single {
		return 1
	}
	b, err := c.enc.NewEncoder().Bytes(char)
	if err != nil {
		return 1
	}
	return len(b)
}

// size returns how many bytes of text its first character takes.
func (c charset) size(text []byte) int {
	if c.length == nil {
		return 1
	}
	return min(c.length(text[0]), len(text))
}

func eucJPLength(lead byte) int {
	if lead == 0x8F {
		return 3
	}
	return pairLength(lead)
}

func shiftJISLength(lead byte) int {
	if lead >= 0xA0 && lead <= 0xDF {
		return 1
	}
	return pairLength(lead)
}

func pairLength(lead byte) int {
	if lead >= 0x80 {
		return 2
	}
	return 1
}
