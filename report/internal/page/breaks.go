package page

import "regexp"

// lineEnd matches where a line may end within an address: after / ? & =, not before one more of
// them and not after the scheme. text.js has the same rule.
var lineEnd = regexp.MustCompile(`[^/?&=:][/?&=]+|^[?&=]+`)

// breaks splits text where a line may end.
func breaks(text string) (out []string) {
	from := 0
	for _, at := range lineEnd.FindAllStringIndex(text, -1) {
		out = append(out, text[from:at[1]])
		from = at[1]
	}
	return append(out, text[from:])
}
