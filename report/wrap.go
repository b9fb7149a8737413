package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// aCommand is where a command begins: it stays in one piece, so that it can be pasted.
var aCommand = regexp.MustCompile(`sitemend (audit|report|probe|inspect|submit|rules|logs|diff)\b`)

// wrap splits a line into lines of at most first cells, then rest: at spaces, and between the
// letters of Japanese, where no stop may begin a line. What has no such place, and a command,
// stays whole. With 0 cells and less it is one line.
func wrap(text string, first, rest int) (lines []string) {
	if first <= 0 || cellsOf(text) <= first {
		return []string{text}
	}
	command := ""
	if at := aCommand.FindStringIndex(text); at != nil {
		text, command = text[:at[0]], text[at[0]:]
	}
	room := first
	for cellsOf(text) > room {
		at := breakIn(text, room)
		if at == len(text) {
			break
		}
		lines = append(lines, strings.TrimRight(text[:at], " "))
		text, room = strings.TrimLeft(text[at:], " "), rest
	}
	if command != "" && cellsOf(text)+cellsOf(command) > room && strings.TrimSpace(text) != "" {
		lines, text = append(lines, strings.TrimRight(text, " ")), ""
	}
	return append(lines, text+command)
}

// breakIn is the last place of text at which a line of so many cells may end, else the first
// one; the end of the text where there is none.
func breakIn(text string, cells int) int {
	best, wide := 0, false
	for at, r := range text {
		before := r == ' ' || wide || ruler.RuneWidth(r) == 2
		switch {
		case at == 0 || !before || strings.ContainsRune("、。」)・", r) || strings.TrimSpace(text[:at]) == "" || opens(text[:at]):
		case cellsOf(text[:at]) <= cells:
			best = at
		case best == 0:
			return at
		default:
			return best
		}
		wide = ruler.RuneWidth(r) == 2
	}
	if best == 0 || cellsOf(text) <= cells {
		return len(text)
	}
	return best
}

// opens reports whether text ends with what opens a bracket.
func opens(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r == '「' || r == '('
}
