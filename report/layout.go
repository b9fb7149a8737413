package report

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// labeled is a line under a label.
type labeled struct {
	label, text string
	// shorter say less than text, which only counts, the least last: a terminal has the first one
	// that fits into a line, else the last one, on several. A sentence has none.
	shorter []string
	// cut makes the text of a row of a table, in so many cells, and what stands below it, "" for
	// nothing; nil for a line.
	cut func(cells int) (text, below string)
	// asides stand at the right of a row in a column of their own: the first that there is room
	// for, or none.
	asides []string
}

// lines are all lines as the terminal shows them.
func (t *terminal) lines() (out []string) {
	for _, line := range t.top {
		out = append(out, t.wrap(line, t.o.Width)...)
	}
	labels := t.labels()
	for rest := t.below; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].label == rest[0].label {
			n++
		}
		for i, text := range t.run(rest[:n], cmp.Or(t.o.Width, usualWidth)-labels-2) {
			label := ""
			if i == 0 {
				label = rest[0].label
			}
			out = append(out, strings.TrimRight(pad(label, labels+2)+text, " "))
		}
		rest = rest[n:]
	}
	return out
}

// wrap splits a line into lines of so many cells at most, and counts those behind the first.
func (t *terminal) wrap(text string, cells int) []string {
	lines := wrap(text, cells, cells)
	t.wrapped += len(lines) - 1
	return lines
}

// labels is how wide the column of labels is.
func (t *terminal) labels() int {
	wide := t.least
	for _, l := range t.below {
		wide = max(wide, cellsOf(l.label))
	}
	return wide
}

// run are the texts of the lines under one label, where there is room for so many cells.
func (t *terminal) run(run []labeled, room int) (out []string) {
	wide, aside, below := 0, 0, make([]string, len(run))
	for i := range run {
		if l := &run[i]; l.cut != nil && len(l.asides) > 0 {
			aside = max(aside, 3+cellsOf(l.asides[len(l.asides)-1]))
		}
	}
	for i := range run {
		if l := &run[i]; l.cut != nil {
			cells := min(room-aside, longLine)
			if cells < leastText { // nothing stands beside it
				cells = min(room, longLine)
			}
			if t.o.Width == 0 {
				cells = longLine
			}
			l.text, below[i] = l.cut(cells)
			wide = max(wide, cellsOf(l.text))
		}
	}
	for i := range run {
		switch l := &run[i]; {
		case l.cut != nil && t.o.Width == 0: // nothing ends a line there
			out = append(out, l.beside(wide, math.MaxInt))
		case l.cut != nil:
			out = append(out, l.beside(wide, room))
		case t.o.Width > 0:
			out = append(out, t.wrap(l.fitting(room), room)...)
		default:
			out = append(out, l.text)
		}
		if below[i] != "" {
			out = append(out, below[i])
			t.wrapped++
		}
	}
	return out
}

// beside is a row of a table whose texts have so many cells, with the first of what stands
// aside that there is room for.
func (l *labeled) beside(wide, room int) string {
	for _, aside := range l.asides {
		if wide+3+cellsOf(aside) <= room {
			return pad(l.text, wide) + "   " + aside
		}
	}
	return l.text
}

// fitting is the first text that has so many cells at most, else the last.
func (l *labeled) fitting(cells int) string {
	text := l.text
	for _, s := range l.shorter {
		if cellsOf(text) <= cells {
			break
		}
		text = s
	}
	return text
}

// print writes all lines.
func (t *terminal) print(w io.Writer) error { return writeLines(w, t.lines()) }

func writeLines(w io.Writer, lines []string) error {
	bw := bufio.NewWriter(w)
	for _, line := range lines {
		bw.WriteString(line + "\n") // its error comes back with Flush
	}
	return bw.Flush()
}

// leastLabel is how wide the column of labels is in a summary, whatever they are.
const leastLabel = 8

// longText is about how wide the text of a row is at most, so that something may stand beside
// it.
const longText = 72

// leastText is how wide the text of a row is at least where something stands beside it.
const leastText = 24

// usualWidth is the width of a line beyond which nothing stands beside it, where the terminal
// does not say how wide it is.
const usualWidth = 100

// longLine is about how wide the text of a row is at most.
const longLine = 96

// ruler measures text as terminals show it; signs of ambiguous width count as
// narrow, whatever the locale of this process is.
var ruler = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(s string) int { return ruler.StringWidth(color.ReplaceAllString(s, "")) }

// color is what begins and ends a colour.
var color = regexp.MustCompile("\x1b\\[[0-9]+m")

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cellsOf(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cellsOf(s))) + s
}
