package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"sitemend/report/messages"
)

// A Table is facts side by side: it stands in the report and on the pages of serve. On a phone each
// row is a record with the names of its columns.
type Table struct {
	ID, Class string
	Name      messages.Sentence // its caption; where Headed its heading, too
	Headed    bool
	Expert    bool // for experts alone
	Columns   []Column
	Rows      [][]Cell
	Foot      []Cell
	Rest      *Table            // more rows, folded under its Name
	More      messages.Sentence // where what is not shown can be found
}

// A Column is the head of a column. That of numbers is narrow.
type Column struct {
	Name   messages.Sentence
	Num    bool
	Screen bool // not on paper
}

// Class is what the style calls a cell of the column.
func (c Column) Class() string {
	switch {
	case c.Num:
		return "num"
	case c.Screen:
		return "np"
	}
	return "lab"
}

// Texts are columns of text.
func Texts(names ...messages.Sentence) (out []Column) {
	for _, n := range names {
		out = append(out, Column{Name: n})
	}
	return out
}

// A Cell is what a row has in a column.
type Cell struct {
	Text  messages.Sentence
	Small []messages.Sentence // below Text
	Bar   []Segment
	Links []Link
	List  *Folded

	Of   Column // set by Row
	Head bool   // set by Row: it names the row
	Zero bool   // a number that is 0
}

// A Folded list is folded under its name.
type Folded struct {
	Name, More messages.Sentence
	Items      []string
}

// TextCell is a cell with text; small stands below it, but for what says nothing.
func TextCell(text messages.Sentence, small ...messages.Sentence) Cell {
	return Cell{Text: text, Small: slices.DeleteFunc(small, func(p messages.Sentence) bool { return p == nil })}
}

// CountCell is a cell with a number.
func CountCell(n int) Cell {
	if n == 0 {
		return Cell{Text: messages.Verbatim("–"), Zero: true}
	}
	return Cell{Text: messages.Verbatim(messages.Number(n))}
}

// Row places cells in the columns of t. The first that is no number names the row.
func (t *Table) Row(cells ...Cell) []Cell {
	named := false
	for i := range cells {
		cells[i].Of = t.Columns[i]
		cells[i].Head = !named && !t.Columns[i].Num
		named = named || cells[i].Head
	}
	return cells
}

// Add adds a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, t.Row(cells...)) }

// Fold leaves the first rows and folds the others.
func (t *Table) Fold(first int) {
	if len(t.Rows) > first {
		t.Rest = &Table{Class: t.Class, Name: messages.Say("more", "n", len(t.Rows)-first), Columns: t.Columns, Rows: t.Rows[first:]}
		t.Rows = t.Rows[:first]
	}
}

// labels are the attributes that label a cell where a table is too narrow for a head.
func labels(p messages.Sentence) template.HTMLAttr {
	var b strings.Builder
	for _, lang := range messages.Langs() {
		fmt.Fprintf(&b, ` data-%s="%s"`, lang, template.HTMLEscapeString(p.Plain(messages.Of(lang))))
	}
	return template.HTMLAttr(b.String())
}

// A Segment is a part of a bar: its kind, which has a colour, and where it stands, in percent.
type Segment struct {
	Kind, X, W string
	Gap        bool // before it
}

// leastWidth is the least width of a segment, in percent: two pixels of the narrowest bar.
const leastWidth = 0.4

// Kinds are what segments, lanes and actions have colours for, in the order in which they stand in a bar.
var Kinds = []string{"clean", "fix", "decide", "unseen", "quiet"}

// Bar lays out counts by kind on a bar that holds whole. What is drawn wider than it is, so that it
// is seen, the widest segment gives.
func Bar(counts map[string]int, whole int) (out []Segment) {
	widths, widest, excess := map[string]float64{}, "", 0.0
	for _, kind := range Kinds {
		if counts[kind] <= 0 || whole <= 0 {
			continue
		}
		w := float64(counts[kind]) * 100 / float64(whole)
		widths[kind] = max(w, leastWidth)
		excess += widths[kind] - w
		if widths[kind] > widths[widest] {
			widest = kind
		}
	}
	widths[widest] -= excess
	x := 0.0
	for _, kind := range Kinds {
		if w := widths[kind]; w > 0 {
			out = append(out, Segment{kind, percent(x), percent(w), x > 0})
			x += w
		}
	}
	return out
}

func percent(x float64) string { return fmt.Sprintf("%.3f%%", x) }
