package sitemap

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// invisible contains the characters that nobody sees in an address: spaces outside ASCII, characters
// without a width, and marks of the direction of text. The joiners U+200C and U+200D, which words of
// some languages need, are not among them.
var invisible = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0085, Hi: 0x0085, Stride: 1}, {Lo: 0x00A0, Hi: 0x00A0, Stride: 1}, {Lo: 0x00AD, Hi: 0x00AD, Stride: 1},
	{Lo: 0x061C, Hi: 0x061C, Stride: 1}, {Lo: 0x1680, Hi: 0x1680, Stride: 1}, {Lo: 0x180E, Hi: 0x180E, Stride: 1},
	{Lo: 0x2000, Hi: 0x200B, Stride: 1}, {Lo: 0x200E, Hi: 0x200F, Stride: 1}, {Lo: 0x2028, Hi: 0x202F, Stride: 1},
	{Lo: 0x205F, Hi: 0x2064, Stride: 1}, {Lo: 0x2066, Hi: 0x206F, Stride: 1}, {Lo: 0x3000, Hi: 0x3000, Stride: 1},
	{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1},
}, LatinOffset: 3}

// invisibles adds the faults of characters around or in an address that nobody sees. It reports
// whether one is in the address: there it is requested, around it it is not.
func (r *reading) invisibles(f *found, loc []byte) (within bool) {
	say := func(key string, c rune) {
		if c != 0 && r.faults.wants(invisibleCharacter, mild) {
			r.faults.add(invisibleCharacter, f.line, f.column, mild, key, fmt.Sprintf("U+%04X", c), excerpt(loc))
		}
	}
	say("invisible-before", f.before)
	say("invisible-behind", f.after)
	if ascii(loc) {
		return false
	}
	for i := 0; i < len(loc); {
		c, n := utf8.DecodeRune(loc[i:])
		if i += n; !unicode.Is(invisible, c) {
			continue
		}
		switch i {
		case n:
			say("invisible-start", c)
		case len(loc):
			say("invisible-end", c)
		default:
			say("invisible-within", c)
		}
		return true
	}
	return false
}
