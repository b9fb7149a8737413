package page

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Breaks splits texts, which follow one another on a page, where a line may end: it returns the
// parts of each, which together are that text. In addresses a line may end after / ? & =, but not
// where fewer than three characters of a word would stand alone; in a long run without any of
// these, between two encoded characters. Browsers break lines after hyphens by themselves, and
// otherwise anywhere within a word. text.js has the same rule.
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

// breakPoints returns the indexes in s where a line may end.
func breakPoints(s string) (out []int) {
	at := 0
	for word := range strings.FieldsSeq(s) {
		start := at + strings.Index(s[at:], word)
		at = start + len(word)
		from := 0
		for i := range len(word) {
			if endsLine(word, i) {
				out = append(append(out, characterPoints(word[from:i+1], start+from)...), start+i+1)
				from = i + 1
			}
		}
		out = append(out, characterPoints(word[from:], start+from)...)
	}
	return out
}

// endsLine reports whether a line may end after the byte i of a word.
func endsLine(word string, i int) bool {
	if !strings.ContainsRune("/?&=", rune(word[i])) {
		return false
	}
	// What is further away is not counted: a word may have thousands of these bytes.
	const enough = fewest * utf8.UTFMax
	before, after := word[max(0, i+1-enough):i+1], word[i+1:min(len(word), i+1+enough)]
	if strings.HasSuffix(before, "://") || min(utf8.RuneCountInString(before), utf8.RuneCountInString(after)) < fewest {
		return false
	}
	return !strings.ContainsRune("/?&=", rune(after[0]))
}

// characterPoints returns the indexes between two encoded characters of a long run that begins at
// start.
func characterPoints(run string, start int) (out []int) {
	if len(run) <= longRun {
		return nil
	}
	for i := 0; i+2 < len(run); {
		if !encoded(run[i:]) {
			i++
			continue
		}
		i += characterLen(run[i:])
		if i+2 < len(run) && encoded(run[i:]) {
			out = append(out, start+i)
		}
	}
	return out
}

// characterLen returns the length of the encoded character at the beginning of run: one in UTF-8,
// else two bytes from 0x80 on, as in the older encodings of Chinese, Japanese and Korean, else one
// byte.
func characterLen(run string) int {
	var octets []byte
	for i := 0; i+2 < len(run) && len(octets) < utf8.UTFMax && encoded(run[i:]); i += 3 {
		octets = append(octets, octet(run[i:]))
	}
	r, size := utf8.DecodeRune(octets)
	if r == utf8.RuneError && len(octets) > 1 && octets[0] >= 0x80 && octets[1] >= 0x80 {
		size = 2
	}
	return 3 * size
}

// encoded reports whether s, of at least three bytes, begins with an encoded byte.
func encoded(s string) bool {
	return s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// octet returns the encoded byte at the beginning of s.
func octet(s string) byte {
	n, _ := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// pieceBreaks returns the Breaks of the texts of pieces.
func pieceBreaks(pieces []Piece) [][]string {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.Text
	}
	return Breaks(texts...)
}

// textBreaks returns the Breaks of one text.
func textBreaks(text string) []string { return Breaks(text)[0] }

// A wordPart is a part of a sentence: an address, which is kept on one line where it fits, or the
// text around one.
type wordPart struct {
	Address bool
	Text    string
}

// inSentence finds the paths and addresses in a sentence, which in Japanese has no spaces.
var inSentence = regexp.MustCompile(`(?:^|[\s\p{Hiragana}])((?:https?:/)?/[!-~]*[、。]?)`)

// wordParts separates the addresses of a sentence from its words. text.js has the same rule.
func wordParts(s string) (out []wordPart) {
	from := 0
	for _, at := range inSentence.FindAllStringSubmatchIndex(s, -1) {
		if at[2] > from {
			out = append(out, wordPart{Text: s[from:at[2]]})
		}
		out = append(out, wordPart{true, s[at[2]:at[3]]})
		from = at[3]
	}
	if from < len(s) {
		out = append(out, wordPart{Text: s[from:]})
	}
	return out
}
