package page

import (
	"sitemend/crawler/address"
	"sitemend/report/messages"
)

// Visible is messages.Visible: what a site sends is shown, never obeyed.
func Visible(s string) string { return messages.Visible(s) }

// Shown is Visible for an address as it is written (address.Shown).
func Shown(loc string) string { return Visible(address.Shown(loc)) }
