package address

import (
	"strings"
	"unicode"
)

// distinct are the scripts whose letters look like no Latin ones.
var distinct = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Arabic,
	unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Common, unicode.Inherited}

// Homograph reports whether a host, in wire form, could be mistaken for another one in its own
// script: a label has Latin letters and others, letters of a script that looks like Latin under a
// domain that is not in that script, or Latin letters that no language of today has. Such a host is
// displayed as xn--, as in browsers. It returns true for some harmless hosts, and false for every host
// without xn--.
func Homograph(host string) bool {
	u, err := names.ToUnicode(host)
	if isASCII(u) {
		return false
	}
	plainTop := isASCII(u[strings.LastIndexByte(u, '.')+1:])
	for label := range strings.SplitSeq(u, ".") {
		latin, other := false, false
		for _, r := range label {
			switch {
			case r < 0x80:
				latin = latin || unicode.IsLetter(r)
			case unicode.Is(unicode.Latin, r) && r != 'ı' && (r < 0x250 || 0x1e00 <= r && r <= 0x1eff):
				latin = true
			case plainTop && !unicode.In(r, distinct...), unicode.Is(unicode.Latin, r):
				return true
			default:
				other = true
			}
		}
		if latin && other {
			return true
		}
	}
	return err != nil
}

// Shown returns an address as it is written, for display; in wire form where its host as written
// could be mistaken for another one.
func Shown(text string) string {
	if isASCII(text) {
		return text
	}
	if a, err := Parse(text); err == nil && Homograph(a.Host()) {
		return a.String()
	}
	return text
}
