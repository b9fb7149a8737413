package page

import (
	"strings"
	"unicode/utf8"
)

// Breaks cuts texts, which stand one after the other on a page, where a line may end: of each the
// parts, which together are that text. In addresses that is after / ? & =, but not where fewer
// than three characters of a word would stand alone; in a long run without any of them between
// two encoded octets. Browsers end lines after hyphens by themselves, and else anywhere within a
// word. text.js has the same rule.
func Breaks(texts ...string) [][]string {
	points := breakPoints(strings.Join(texts, ""))
	out := make([][]string, len(texts))
	start := 0
	for i, text := range texts {
		from := 0
		for len(points) > 0 && points[0] <= start+len(text) {
			out[i] = append(out[i], text[from:points[0]-start])
			from, points = points[0]-start, points[1:]
		}
		out[i] = append(out[i], text[from:])
		start += len(text)
	}
	return out
}

const (
	fewest  = 3  // characters of a word on a line
	longRun = 36 // bytes that hardly fit on a line of a table
)

// breakPoints are the places in s where a line may end.
func breakPoints(s string) (out []int) {
	at := 0
	for word := range strings.FieldsSeq(s) {
		start := at + strings.Index(s[at:], word)
		at = start + len(word)
		from := 0
		for i := range len(word) {
			if endsLine(word, i) {
				out = append(append(out, octetPoints(word[from:i+1], start+from)...), start+i+1)
				from = i + 1
			}
		}
		out = append(out, octetPoints(word[from:], start+from)...)
	}
	return out
}

// endsLine reports whether a line may end after the byte i of a word.
func endsLine(word string, i int) bool {
	if !strings.ContainsRune("/?&=", rune(word[i])) {
		return false
	}
	before, after := word[:i+1], word[i+1:]
	if strings.HasSuffix(before, "://") || min(utf8.RuneCountInString(before), utf8.RuneCountInString(after)) < fewest {
		return false
	}
	return !strings.ContainsRune("/?&=", rune(after[0]))
}

// octetPoints are the places between two encoded octets of a long run, which begins at start.
func octetPoints(run string, start int) (out []int) {
	if len(run) <= longRun {
		return nil
	}
	for i := 3; i+2 < len(run); i++ {
		if encoded(run[i-3:]) && encoded(run[i:]) {
			out = append(out, start+i)
		}
	}
	return out
}

// encoded reports whether s, of three bytes or more, begins with an encoded octet.
func encoded(s string) bool {
	return s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// pieceBreaks is Breaks of the texts of pieces.
func pieceBreaks(pieces []Piece) [][]string {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.Text
	}
	return Breaks(texts...)
}

// textBreaks is Breaks of one text.
func textBreaks(text string) []string { return Breaks(text)[0] }
