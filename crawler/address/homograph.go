package address

import (
	"slices"
	"strings"
	"unicode"
)

// Homograph reports whether a host, in wire form, could be mistaken for another one in its own
// script: its letters are of scripts that no language mixes, or all of them look like Latin ones
// (UTS #39, "Restriction-Level Detection" and "Confusable Detection"; Chromium's policy for IDNs).
// Such a host is displayed as xn--, as in browsers. It returns true for some harmless hosts, and
// false for every host without xn--.
func Homograph(host string) bool {
	if !strings.Contains(host, "xn--") {
		return false
	}
	u, err := names.ToUnicode(host)
	if err != nil {
		return false
	}
	labels := strings.Split(u, ".")
	top := labels[len(labels)-1]
	return slices.ContainsFunc(labels,
		func(l string) bool { return !isASCII(l) && deceives([]rune(l), top) })
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

// scripts are those that are distinguished, the common ones first.
var scripts = append([]*unicode.RangeTable{unicode.Latin, unicode.Han, unicode.Hiragana,
	unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Thai,
	unicode.Devanagari, unicode.Armenian, unicode.Georgian}, otherScripts()...)

func otherScripts() (others []*unicode.RangeTable) {
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" {
			others = append(others, table)
		}
	}
	return others
}

// together are the sets of scripts that a language mixes in one word.
var together = [][]*unicode.RangeTable{
	{unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana},
	{unicode.Latin, unicode.Han, unicode.Bopomofo},
	{unicode.Latin, unicode.Han, unicode.Hangul},
}

// likeLatin are the letters of a script that look like Latin ones, and the top level domains under
// which words in that script are expected.
var likeLatin = []struct {
	script  *unicode.RangeTable
	letters string
	tops    []string
}{
	{unicode.Cyrillic, "асԁеһіјӏорԛѕԝхуъьҽпгѵѡкмтвнб", []string{"ru", "su", "bg", "by", "kz", "kg", "mk", "mn", "rs", "tj", "ua", "uz"}},
	{unicode.Greek, "αικνρυωηοτχγβεμ", []string{"gr", "cy"}},
	{unicode.Armenian, "ագզէլհյոսւօ", []string{"am"}},
	{unicode.Georgian, "იოყძხჽჿ", []string{"ge"}},
}

// deceives reports whether a label could be mistaken for another one.
func deceives(label []rune, top string) bool {
	var used []*unicode.RangeTable
	for i, r := range label {
		if oddLatin(r, top) || strokes(label, i) {
			return true
		}
		at := slices.IndexFunc(scripts,
			func(s *unicode.RangeTable) bool { return unicode.Is(s, r) })
		if at >= 0 && !slices.Contains(used, scripts[at]) {
			used = append(used, scripts[at])
		}
	}
	if len(used) > 1 {
		return !slices.ContainsFunc(together, func(set []*unicode.RangeTable) bool {
			return !slices.ContainsFunc(used,
				func(s *unicode.RangeTable) bool { return !slices.Contains(set, s) })
		})
	}
	for _, l := range likeLatin {
		if len(used) == 1 && used[0] == l.script && isASCII(top) && !slices.Contains(l.tops, top) {
			return !slices.ContainsFunc(label,
				func(r rune) bool { return r > 0x7f && !strings.ContainsRune(l.letters, r) })
		}
	}
	return false
}

// oddLatin reports whether a letter is a Latin one of phonetics or old writing, which looks like an
// ASCII letter, or a dotless i where no language has that.
func oddLatin(r rune, top string) bool {
	switch {
	case r == 'ı':
		return !slices.Contains([]string{"tr", "az", "kz"}, top)
	case r < 0x250 || !unicode.Is(unicode.Latin, r):
		return false
	}
	return r < 0x1e00 || r > 0x1eff // except the letters of Vietnamese and similar ones
}

// strokes reports whether the i-th character, next to a Latin letter, looks like a slash, a line or
// another delimiter of an address.
func strokes(label []rune, i int) bool {
	if !strings.ContainsRune("ノソゾンーㄧ丶丿一丨〇〳", label[i]) {
		return false
	}
	latin := func(i int) bool {
		return i >= 0 && i < len(label) && unicode.Is(unicode.Latin, label[i])
	}
	return latin(i-1) || latin(i+1)
}
