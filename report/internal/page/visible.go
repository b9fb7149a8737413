package page

import (
	"sitemend/crawler/address"
	"sitemend/report/internal/plain"
)

// Visible is plain.Visible: what a site sends is shown, never obeyed.
func Visible(s string) string { return plain.Visible(s) }

// Shown is Visible for an address as it is written (address.Shown).
func Shown(loc string) string { return Visible(address.Shown(loc)) }
