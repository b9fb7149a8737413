package searchconsole

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// decode returns a text file as UTF-8 without a byte order mark. Bytes of another charset stay:
// addresses are ASCII in nearly all of them. The error is a *FormatError where the file is not
// text, else that of r.
func decode(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) {
		if _, err := b.Discard(3); err != nil {
			return nil, err
		}
	} else if endian, ok := utf16(head); ok {
		b = bufio.NewReader(unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Reader(b))
	}
	head, err = b.Peek(b.Size())
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, notText()
	}
	return b, nil
}

func notText() error {
	return &FormatError{"this is neither a ZIP nor a text",
		"give the ZIP or the CSV that Search Console exports, or a list of URLs"}
}

// utf16 recognizes UTF-16 by its byte order mark, or by the zero half of its first
// characters, which are ASCII in every table of addresses.
func utf16(data []byte) (unicode.Endianness, bool) {
	if len(data) < 4 {
		return false, false
	}
	switch {
	case data[0] == 0xFF && data[1] == 0xFE,
		data[0] != 0 && data[1] == 0 && data[2] != 0 && data[3] == 0:
		return unicode.LittleEndian, true
	case data[0] == 0xFE && data[1] == 0xFF,
		data[0] == 0 && data[1] != 0 && data[2] == 0 && data[3] != 0:
		return unicode.BigEndian, true
	}
	return false, false
}
