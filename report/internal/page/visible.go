package page

import (
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/report/internal/plain"
)

// Visible is plain.Visible: what a site sends is shown, never obeyed.
func Visible(s string) string { return plain.Visible(s) }

// Shown is Visible for an address as it is written (address.Shown).
func Shown(loc string) string { return Visible(address.Shown(loc)) }

// Middle shortens s to at most max characters by leaving out its middle, so
// that both the host and the last segment of an address stay readable.
func Middle(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	rs := []rune(s)
	tail := max * 2 / 5
	return string(rs[:max-tail-1]) + "…" + string(rs[len(rs)-tail:])
}
