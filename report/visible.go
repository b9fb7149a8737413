package report

import "sitemend/report/messages"

// visible returns s as it may be shown on a terminal: control characters, bytes
// that are not UTF-8, bidirectional controls and Unicode line ends are written
// out, as \x1b or \u202e. All other text stays as it is.
func visible(s string) string { return messages.Tame(s) }
