package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"sitemend/report/messages"
)

// labelled are lines of a terminal under labels at their left: label and text.
type labelled [][2]string

// row adds a line under a label. Under the same label again, it continues the one before. Nothing
// in it steers a terminal.
func (l *labelled) row(label, text string) {
	*l = append(*l, [2]string{label, visible(text)})
}

// print writes all lines, after others.
func (l labelled) print(w io.Writer, lines ...string) error {
	wide, last := 0, ""
	for _, x := range l {
		wide = max(wide, cellsOf(x[0]))
	}
	for _, x := range l {
		label := x[0]
		if label == last {
			label = ""
		}
		last = x[0]
		lines = append(lines, strings.TrimRight(pad(label, wide+2)+x[1], " "))
	}
	return writeLines(w, lines)
}

// writeLines writes lines, each with its end.
func writeLines(w io.Writer, lines []string) error {
	bw := bufio.NewWriter(w)
	for _, line := range lines {
		bw.WriteString(line + "\n") // its error comes back with Flush
	}
	return bw.Flush()
}

// ruler measures text as terminals show it; signs of ambiguous width count as narrow, whatever the
// locale of this process is.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(s string) int { return ruler.StringWidth(s) }

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-cellsOf(s))) }

// visible returns s as it may be shown on a terminal: control characters, bytes
// that are not UTF-8, bidirectional controls and Unicode line ends are written
// out, as \x1b or \u202e. All other text stays as it is.
func visible(s string) string { return messages.Tame(s) }
