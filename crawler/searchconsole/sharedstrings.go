package searchconsole

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
)

// richText collects the text of a string that may have parts in several formats, without the
// phonetic text that Japanese cells have (ECMA-376 18.4.6, rPh).
type richText struct {
	strings.Builder
	inT      bool
	phonetic bool
}

func (r *richText) reset() { r.Builder.Reset(); r.inT, r.phonetic = false, false }

func (r *richText) start(name string) {
	switch name {
	case "t":
		r.inT = true
	case "rPh":
		r.phonetic = true
	}
}

func (r *richText) end(name string) {
	switch name {
	case "t":
		r.inT = false
	case "rPh":
		r.phonetic = false
	}
}

func (r *richText) add(text []byte) {
	if r.inT && !r.phonetic {
		r.Write(text)
	}
}

func (r *richText) String() string { return unescape(r.Builder.String()) }

var escapedChar = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescape resolves escapes such as _x000D_, which stand for what XML cannot contain (ECMA-376
// 22.9.2.19, ST_Xstring).
func unescape(s string) string {
	return escapedChar.ReplaceAllStringFunc(s, func(escape string) string {
		code, _ := strconv.ParseUint(escape[2:6], 16, 16) // four hex digits
		return string(rune(code))
	})
}

// sharedStrings reads the strings that cells share, and keeps those that the cells refer to.
type sharedStrings struct {
	w    *book
	n    int // of the open string, from 0
	text richText
}

func (s *sharedStrings) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if t.Name.Local == "si" {
			s.text.reset()
		}
		s.text.start(t.Name.Local)
	case xml.CharData:
		s.text.add(t)
	case xml.EndElement:
		s.text.end(t.Name.Local)
		if t.Name.Local == "si" {
			if s.w.isNamed(s.n) {
				s.w.shared[s.n] = s.text.String()
			}
			s.n++
		}
	}
	return nil
}

// styles reads which cell styles show a number as a date.
type styles struct {
	w      *book
	custom map[string]bool // numbers of formats of the workbook's own
	inXfs  bool
}

func (s *styles) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "numFmt":
			if s.custom == nil {
				s.custom = map[string]bool{}
			}
			s.custom[value(t, "numFmtId")] = dateFormat(value(t, "formatCode"))
		case "cellXfs":
			s.inXfs = true
		case "xf":
			if s.inXfs {
				id := value(t, "numFmtId")
				dated, own := s.custom[id]
				s.w.dates = append(s.w.dates, own && dated || !own && builtInDate(id))
			}
		}
	case xml.EndElement:
		if t.Name.Local == "cellXfs" {
			s.inXfs = false
		}
	}
	return nil
}

// builtInDate reports whether id is a date format that every workbook has (ECMA-376 18.8.30),
// including those of East Asia.
func builtInDate(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 31 || n == 36 ||
		n >= 50 && n <= 58)
}

// dateFormat reports whether a format shows a year or a day: "yyyy-mm-dd", but not
// "0.0" or "[Red]0".
func dateFormat(code string) bool {
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '"':
			i = skipTo(code, i, '"')
		case '[':
			i = skipTo(code, i, ']')
		case '\\', '_', '*':
			i++
		case 'y', 'Y', 'd', 'D':
			return true
		}
	}
	return false
}

// skipTo returns the index of end after from, or that of the last byte.
func skipTo(s string, from int, end byte) int {
	if n := strings.IndexByte(s[from+1:], end); n >= 0 {
		return from + 1 + n
	}
	return len(s)
}
