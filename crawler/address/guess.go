package address

import (
	"slices"
	"strings"
)

// guess returns the legacy charset in which texts are the most plausible, and the confidence: it
// depends on their plausibility, the lead over the next charset with another result, and the amount
// of text. It returns no charset where none is plausible.
func guess(texts [][]byte, host string) (charset, float64) {
	var best charset
	var bestText string
	var first, second float64
	chars := 0
	for _, c := range charsets {
		worth, n, text := c.worth(texts)
		if worth == 0 {
			continue
		}
		if slices.Contains(homes[c.name], host[strings.LastIndexByte(host, '.')+1:]) {
			worth += 0.1
		}
		switch {
		case worth > first:
			if text != bestText {
				second = first
			}
			best, bestText, first, chars = c, text, worth, n
		case text != bestText:
			second = max(second, worth)
		}
	}
	if first < 0.3 {
		return charset{}, 0
	}
	few := float64(chars) / (float64(chars) + 0.5)
	return best, min(1, first) * min(1, 0.5+2*(first-second)) * few
}

// homes are the top level domains under which a charset is common.
var homes = map[string][]string{
	"euc-jp": {"jp"}, "shift_jis": {"jp"}, "gbk": {"cn"}, "big5": {"tw", "hk"}, "euc-kr": {"kr"},
	"windows-1251": {"ru", "ua", "by", "bg", "su"}, "koi8-r": {"ru", "su"},
	"windows-1253": {"gr", "cy"},
	"windows-1254": {"tr"}, "windows-1255": {"il"},
	"windows-1250": {"pl", "cz", "sk", "hu", "si", "hr", "ro"},
	"windows-1257": {"lt", "lv", "ee"}, "windows-874": {"th"},
}

// worth returns how plausible the characters beyond ASCII of all texts are, from 0 to 1, how many
// there are, and the decoded texts. It returns 0 where they are not valid in this charset.
func (c charset) worth(texts [][]byte) (worth float64, n int, decoded string) {
	weigh := weighers[c.name]
	if weigh == nil {
		return 0, 0, ""
	}
	var all strings.Builder
	sum := 0.0
	for _, t := range texts {
		text, ok := c.decode(t)
		if !ok {
			return 0, 0, ""
		}
		all.Write(text)
		for l := newLetters(c, t, text); l.next(); {
			sum += weigh(l)
			n++
		}
	}
	if n == 0 {
		return 0, 0, ""
	}
	return sum / float64(n), n, all.String()
}

// letters iterates over the characters beyond ASCII of a text, each with its neighbours and its
// first byte in the charset.
type letters struct {
	c     charset
	src   []byte
	runes []rune
	i     int // index of the character in runes
	lead  byte
}

func newLetters(c charset, src, text []byte) *letters {
	return &letters{c: c, src: src, runes: []rune(string(text)), i: -1}
}

func (l *letters) next() bool {
	for l.i+1 < len(l.runes) {
		l.i++
		if len(l.src) > 0 {
			l.lead = l.src[0]
			l.src = l.src[l.c.size(l.src):]
		}
		if l.runes[l.i] >= 0x80 {
			return true
		}
	}
	return false
}

func (l *letters) rune() rune { return l.runes[l.i] }

// beside returns the character d places away; 0 beyond the ends.
func (l *letters) beside(d int) rune {
	if k := l.i + d; k >= 0 && k < len(l.runes) {
		return l.runes[k]
	}
	return 0
}
