package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// labelled are lines of a terminal: some as they are, then some under labels at their left.
type labelled struct {
	top   []string
	below [][2]string // label and text
}

func (l *labelled) line(text string) { l.top = append(l.top, text) }

// row adds a line under a label. Under the same label again, it continues the one before. Nothing
// in it steers a terminal.
func (l *labelled) row(label, text string) {
	l.below = append(l.below, [2]string{label, visible(text)})
}

// print writes all lines.
func (l *labelled) print(w io.Writer) error {
	lines, wide, last := l.top, 0, ""
	for _, x := range l.below {
		wide = max(wide, cellsOf(x[0]))
	}
	for _, x := range l.below {
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
