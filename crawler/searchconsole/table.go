package searchconsole

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// sampled is how many lines determine the dialect and the columns of a table.
const sampled = 1000

// maxColumns is how many cells of a line are read: a line of separators must not take sixteen times
// its size.
const maxColumns = 1000

// A table is the content of a text file.
type table struct {
	rows                []Row
	unread, firstUnread int
	facts               tableFacts
	summary             bool // it has reasons, but no address: the summary report
}

// readTable reads lines as a table or a list; packed is set for one of several in a ZIP, room is
// how many rows it may have. It counts the rows before it keeps one. A table without an address has
// no rows and no error.
func readTable(lines walk, packed bool, room int) (*table, error) {
	var head []line
	size := 0
	err := lines(func(l line) bool {
		head = append(head, l)
		size += len(l.text)
		return len(head) < sampled && size < maxHead
	})
	if err != nil {
		return nil, err
	}
	d := dialectOf(head)
	cols := columnsOf(head, d)
	t := &table{}
	if cols.url < 0 || cols.pairs && packed {
		t.facts, t.summary = factsOf(head, d)
		return t, nil
	}
	n := 0
	if err := t.each(lines, d, cols, func(Row) bool { n++; return n <= room }); err != nil {
		return nil, err
	}
	if n > room {
		return nil, tooMany()
	}
	*t = table{rows: make([]Row, 0, n)}
	return t, t.each(lines, d, cols, func(r Row) bool {
		// Cells are copied so that they do not keep their lines in memory.
		r.URL, r.Crawled, r.Reason = strings.Clone(r.URL), strings.Clone(r.Crawled),
			audit.Label(strings.Clone(string(r.Reason)))
		t.rows = append(t.rows, r)
		return true
	})
}

// maxHead is how many bytes of the first lines are examined to determine the dialect.
const maxHead = 2 << 20

// each calls take for the rows of a table until take returns false, and counts lines without an
// address.
func (t *table) each(lines walk, d dialect, cols columns, take func(Row) bool) error {
	first := true
	return lines(func(l line) bool {
		if d.skip > 0 {
			d.skip--
			return true
		}
		row, ok := d.row(l, cols)
		header := first && !d.headless
		first = false
		if ok {
			return take(row)
		}
		if !header {
			if t.unread++; t.unread == 1 {
				t.firstUnread = l.n
			}
		}
		return true
	})
}

// A dialect is the syntax of a table.
type dialect struct {
	sep      byte // between cells; 0 where each line is one address
	width    int  // cells of the header; 0 without one
	headless bool
	skip     int // lines before the header
}

// row parses a line; ok is false where it has no address in the right column. An address that
// contains the separator gives a line more cells than the header: half an address does not count.
func (d *dialect) row(l line, c columns) (row Row, ok bool) {
	cells := d.cells(l.text)
	if c.url >= len(cells) || d.width > 0 && len(cells) > d.width || !isURL(cells[c.url]) {
		return row, false
	}
	row = Row{URL: cells[c.url], Line: l.n}
	if c.date >= 0 && c.date < len(cells) {
		row.Crawled = dateOf(cells[c.date])
	}
	if c.reason >= 0 && c.reason < len(cells) && !noReason(cells[c.reason]) {
		row.Reason = ReasonOf(cells[c.reason])
	}
	return row, true
}

// noReason reports whether s is the status of a page, or that of no answer, as crawlers list them:
// no search engine uses these as a reason.
func noReason(s string) bool {
	return s == "0" || len(s) == 3 && s[0] == '2' && strings.Trim(s, "0123456789") == ""
}

// cells splits a line. Quotes are those of RFC 4180, read line by line, so that a missing quote
// affects only its own line. Empty cells at the end, which spreadsheets add, are removed.
func (d *dialect) cells(s string) []string {
	out := d.split(s)
	for len(out) > 1 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func (d *dialect) split(s string) []string {
	if d.sep == 0 {
		s = strings.Trim(s, " \t\"'")
		if i := strings.IndexAny(s, " \t"); i >= 0 {
			s = s[:i]
		}
		return []string{s}
	}
	var out []string
	for {
		cell, rest, more := cut(s, d.sep)
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
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return b.String() + s, "", false
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if strings.HasPrefix(s, `"`) {
			b.WriteByte('"')
			s = s[1:]
			continue
		}
		_, rest, more = strings.Cut(s, string(sep))
		return b.String(), rest, more
	}
}

// dialectOf determines the dialect of a table by its first lines.
func dialectOf(head []line) dialect {
	if len(head) == 0 {
		return dialect{headless: true}
	}
	// Excel's own
	if sep, ok := strings.CutPrefix(strings.ToLower(head[0].text), "sep="); ok && len(sep) == 1 {
		d := dialectAs(head[1:], sep[0])
		d.skip = 1
		return d
	}
	best := dialect{headless: hasURL(head[0].text)}
	most, titles := 0, titlesOf(head)
	for _, sep := range []byte("\t;,|") {
		d := dialectAs(head[titles:], sep)
		if n := d.regular(head[titles:]); n > most {
			best, most = d, n
			best.skip = titles
		}
	}
	return best
}

// titlesOf counts the lines before the header. The header is the last line without an address
// before the first address, where all lines before it have fewer cells, and the line with the first
// address has no more.
func titlesOf(head []line) int {
	first := slices.IndexFunc(head, func(l line) bool { return hasURL(l.text) })
	if first < 2 || first > maxTitles {
		return 0
	}
	for _, sep := range []byte("\t;,|") {
		d := dialect{sep: sep}
		width := len(d.cells(head[first-1].text))
		if width > 1 && len(d.cells(head[first].text)) <= width &&
			!slices.ContainsFunc(head[:first-1],
				func(l line) bool { return len(d.cells(l.text)) >= width }) {
			return first - 1
		}
	}
	return 0
}

// maxTitles is how many lines may stand before the first address.
const maxTitles = 10

func dialectAs(head []line, sep byte) dialect {
	d := dialect{sep: sep}
	if len(head) == 0 {
		return d
	}
	if d.headless = hasURL(head[0].text); !d.headless {
		d.width = max(2, len(d.cells(head[0].text)))
	}
	return d
}

// regular returns how many lines consist of cells separated as in this dialect, one of them an
// address; 0 where few do. Because addresses contain commas and semicolons themselves, without a
// header a cell beside the address must be a date or a reason.
func (d *dialect) regular(head []line) int {
	if !d.headless && len(d.split(head[0].text)) < 2 {
		return 0
	}
	good := 0
	for _, l := range head {
		cells := d.cells(l.text)
		if len(d.split(l.text)) < 2 || d.width > 0 && len(cells) > d.width {
			continue
		}
		sure, torn := d.sep == '\t' || !d.headless, d.headless
		for _, c := range cells {
			sure = sure || isDate(c) || known(c)
			torn = torn && !isURL(c)
		}
		if sure && !torn {
			good++
		}
	}
	if good*2 < len(head) {
		return 0
	}
	return good
}

// factsOf reads names and values: the reason and the site. summary is set where the table is the
// report's summary.
func factsOf(head []line, d dialect) (f tableFacts, summary bool) {
	for i, l := range head {
		cells := d.cells(l.text)
		for at, c := range cells {
			switch {
			case isURL(c) || strings.HasPrefix(c, "sc-domain:"):
				f.property = c
			case known(c) && len(cells) == 2 && at == 1:
				f.reason = ReasonOf(c)
			case known(c) && len(cells) > 2:
				summary = true
			}
		}
		if len(cells) == 2 && i > 0 && f.reason == "" && issueWord(cells[0]) {
			f.reason = audit.Label(strings.ToValidUTF8(cells[1], "\uFFFD"))
		}
	}
	return f, summary
}

// issueWord reports whether s is a name for the reason in an export.
func issueWord(s string) bool {
	switch letters(s) {
	case "issue", "問題", "problem", "problème", "problema", "probleem", "문제", "问题", "問題點":
		return true
	}
	return false
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
