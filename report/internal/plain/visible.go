package plain

import "unicode"

// Visible returns s as valid UTF-8 without hidden characters: bytes that are not UTF-8 become \xE9,
// and invisible characters and those that change the reading direction (controls, bidirectional
// marks, zero-width and line separators, see Unicode UAX #9 and UTS #39) become \u202E. The text of
// a site is shown, and has no effect.
func Visible(s string) string { return form.Of(s) }

var form = Form{Hidden: hidden, Byte: `\x%02X`, ASCII: `\u%04X`, Rune: `\u%04X`}

// hidden reports whether r is invisible: controls, format characters (bidirectional ones among
// them), line separators, private and unassigned code points. A space other than U+0020 is hidden
// too.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || unicode.Is(unicode.Variation_Selector, r)
}
