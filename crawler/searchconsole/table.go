package searchconsole

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

const (
	sampled    = 200 // lines that show how a table is written, and its columns
	maxTitles  = 10  // lines before the first address
	maxColumns = 256 // cells of a line that are read
)

// A table is how a table is written and which of its columns are read; -1 for none.
type table struct {
	sep               byte // between cells; 0 where each line is one address
	header            int  // index of the header in the sample; -1 without one
	width             int  // cells of the header; 0 without one
	url, date, reason int
}

// table reads lines as a table or a list; packed is set for one of several in an archive.
func (x *reading) table(lines iter.Seq2[line, error], packed bool) error {
	var head []line
	var t *table
	decide := func() error {
		t = tableOf(head)
		if t.columns(head); t.url < 0 || packed && t.pairs(head) {
			t.url = -1
			x.facts(head, t)
		}
		for _, l := range head[t.header+1:] {
			if err := x.row(l, t); err != nil {
				return err
			}
		}
		return nil
	}
	for l, err := range lines {
		switch {
		case err != nil:
			return err
		case t != nil:
			err = x.row(l, t)
		default:
			if head = append(head, l); len(head) == sampled {
				err = decide()
			}
		}
		if err != nil {
			return err
		}
	}
	if t == nil {
		return decide()
	}
	return nil
}

// row adds a line; one without an address in the right column is unread. An address that contains
// the separator gives a line more cells than the header: half an address does not count.
func (x *reading) row(l line, t *table) error {
	if t.url < 0 {
		return nil
	}
	cells := t.cells(l.text)
	if t.url >= len(cells) || t.width > 0 && len(cells) > t.width || !isURL(cells[t.url]) {
		if x.Unread++; x.Unread == 1 {
			x.FirstUnread = l.n
		}
		return nil
	}
	// Cells are copied so that they do not keep their lines in memory.
	r := Row{URL: strings.Clone(cells[t.url]), Line: l.n}
	if t.date >= 0 && t.date < len(cells) {
		r.Crawled, _ = dateOf(cells[t.date])
	}
	if t.reason >= 0 && t.reason < len(cells) && !noReason(cells[t.reason]) {
		r.Reason = ReasonOf(cells[t.reason])
	}
	if x.Rows = append(x.Rows, r); len(x.Rows) > maxRows {
		return &FormatError{fmt.Sprintf("it has more than %d lines", maxRows), "split it into several files; --search-console can be given more than once"}
	}
	if x.text += len(r.URL) + len(r.Reason); x.text > MaxSize { // cells of a workbook share a text
		return tooLarge(MaxSize)
	}
	return nil
}

// noReason reports whether s is the status of a page, or that of no answer, as crawlers list them:
// no search engine uses these as a reason.
func noReason(s string) bool {
	return s == "0" || len(s) == 3 && s[0] == '2' && strings.Trim(s, "0123456789") == ""
}

// facts reads a table of names and values, which has the reason, or a summary.
func (x *reading) facts(head []line, t *table) {
	for i, l := range head {
		cells := t.cells(l.text)
		at := slices.IndexFunc(cells, known)
		switch {
		case len(cells) > 2:
			x.summary = x.summary || at >= 0
		case at == 1:
			x.reason = ReasonOf(cells[1])
		case len(cells) == 2 && i == 1 && x.other == "": // Search Console writes it first
			if _, dated := dateOf(cells[0]); !dated {
				x.other = ReasonOf(cells[1])
			}
		}
	}
}

// tableOf determines how a table is written by its first lines: the separator is the one that most
// of the lines have, and the header the widest line before the first address.
func tableOf(head []line) *table {
	first := slices.IndexFunc(head, func(l line) bool { return hasURL(l.text) })
	if first < 0 || first > maxTitles {
		first = min(len(head), 1)
	}
	best, most := &table{header: min(first, 1) - 1}, 0
	for _, sep := range []byte("\t;,|") {
		t := &table{sep: sep, header: -1}
		for i, l := range head[:first] {
			if n := len(t.cells(l.text)); n > t.width {
				t.header, t.width = i, n
			}
		}
		if n := t.regular(head[t.header+1:]); n > most {
			best, most = t, n
		}
	}
	return best
}

// regular returns how many lines consist of cells separated as in this table; 0 where few do.
// Because addresses contain commas and semicolons themselves, without a header one cell must be a
// whole address and another a date or a reason.
func (t *table) regular(lines []line) int {
	good := 0
	for _, l := range lines {
		cells := t.cells(l.text)
		if len(t.split(l.text)) < 2 || t.width > 0 && len(cells) > t.width {
			continue
		}
		if t.width > 1 || slices.ContainsFunc(cells, isURL) && (t.sep == '\t' || slices.ContainsFunc(cells, telling)) {
			good++
		}
	}
	if good*2 < len(lines) || t.width == 1 {
		return 0
	}
	return max(good, t.width) // a header alone
}

// telling reports whether a cell is a date or a known reason.
func telling(s string) bool {
	_, dated := dateOf(s)
	return dated || known(s)
}

// cells splits a line. Quotes are those of RFC 4180, read line by line, so that a missing quote
// affects only its own line. Empty cells at the end, which spreadsheets add, are removed.
func (t *table) cells(s string) []string {
	out := t.split(s)
	for len(out) > 1 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func (t *table) split(s string) []string {
	if t.sep == 0 {
		s = strings.Trim(s, " \t\"'")
		if i := strings.IndexAny(s, " \t"); i >= 0 {
			s = s[:i]
		}
		return []string{s}
	}
	var out []string
	for {
		cell, rest, more := cut(s, t.sep)
		out = append(out, strings.TrimSpace(cell))
		if !more || len(out) == maxColumns {
			return out
		}
		s = rest
	}
}

// cut takes the first cell off a line.
func cut(s string, sep byte) (cell, rest string, more bool) {
	if !strings.HasPrefix(s, `"`) {
		return strings.Cut(s, string(sep))
	}
	var b strings.Builder
	for s = s[1:]; ; {
		text, after, closed := strings.Cut(s, `"`)
		b.WriteString(text)
		if !closed {
			return b.String(), "", false
		}
		if !strings.HasPrefix(after, `"`) {
			_, rest, more = strings.Cut(after, string(sep))
			return b.String(), rest, more
		}
		b.WriteByte('"')
		s = after[1:]
	}
}

func hasURL(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "http://") || strings.Contains(s, "https://")
}

// isURL reports whether a cell is an absolute http or https URL.
func isURL(s string) bool {
	if len(s) < len("http://x") || s[0]|0x20 != 'h' || !hasURL(s[:min(len(s), len("https://"))]) {
		return false
	}
	_, err := address.Parse(s)
	return err == nil
}
