package searchconsole

import (
	"bytes"

	"golang.org/x/text/encoding/unicode"
)

// decode returns a text file as UTF-8 without a byte order mark. Bytes of
// another charset stay: addresses are ASCII in nearly all of them. The error
// says that it is no text.
func decode(data []byte) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(data, []byte("\xEF\xBB\xBF")); ok {
		data = rest
	} else if endian, ok := utf16(data); ok {
		out, err := unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Bytes(data)
		if err != nil {
			return nil, notText()
		}
		data = out
	}
	if bytes.IndexByte(data[:min(len(data), 4096)], 0) >= 0 {
		return nil, notText()
	}
	return data, nil
}

func notText() error {
	return &FormatError{"this is neither a ZIP nor a text", "give the ZIP or the CSV that Search Console exports, or a list of URLs"}
}

// utf16 tells UTF-16 by its byte order mark, or by the zero half of its first
// characters, which are ASCII in every table of addresses.
func utf16(data []byte) (unicode.Endianness, bool) {
	if len(data) < 4 {
		return false, false
	}
	switch {
	case data[0] == 0xFF && data[1] == 0xFE, data[0] != 0 && data[1] == 0 && data[2] != 0 && data[3] == 0:
		return unicode.LittleEndian, true
	case data[0] == 0xFE && data[1] == 0xFF, data[0] == 0 && data[1] != 0 && data[2] == 0 && data[3] != 0:
		return unicode.BigEndian, true
	}
	return false, false
}
