package rules

import (
	"iter"
	"strings"
)

const byteOrderMark = "\uFEFF"

// lines yields the lines of a text with their numbers, without a byte order mark, line ends and
// white space around them.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(strings.TrimPrefix(text, byteOrderMark), "\n") {
			n++
			if !yield(n, strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// words returns the words of a line up to one that begins with #.
func words(line string) []string {
	all := strings.Fields(line)
	for i, w := range all {
		if w[0] == '#' {
			return all[:i]
		}
	}
	return all
}

// status parses a status as JavaScript's Number does for usual input.
func status(word string) (int, bool) {
	if word == "" || len(word) > 3 {
		return 0, false
	}
	n := 0
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return 0, false
		}
		n = n*10 + int(word[i]-'0')
	}
	return n, true
}
