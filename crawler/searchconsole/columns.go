package searchconsole

import (
	"regexp"
	"slices"
	"strings"
)

// A column is what the cells of a column are in the sample.
type column struct {
	name           string // the header, letters only
	urls           int
	distinct       map[string]bool // addresses
	dates, reasons int
}

// The headers that choose between several columns of a kind, letters only.
var (
	ofURLs    = regexp.MustCompile(`^(url|address|page|pageurl|inspectionurl|loc)$`)
	ofReasons = regexp.MustCompile(`^(reason|issue|issuetype|error|errortype|httpcode|httpstatus|httpstatuscode|statuscode|responsecode|grund|raison|motivo|理由|問題)$`)
	notOfDays = regexp.MustCompile(`^(datadate|lastmodified|discovered.*|first.*)$`) // dates of something else than a crawl
)

// columns finds the columns of a table by the content of their cells. It uses headers, which may be
// in any language, only to choose between several columns of a kind, and for reasons in the words
// of another tool.
func (t *table) columns(head []line) {
	cols := t.count(head)
	t.url, t.date, t.reason = -1, -1, -1
	most, best := 0, 0
	for i := range cols {
		most = max(most, cols[i].urls)
	}
	// Each row may also contain a property, the page with the link, or the target of a redirect.
	for i := range cols {
		c := &cols[i]
		score := len(c.distinct)
		if ofURLs.MatchString(c.name) {
			score += sampled
		}
		if c.urls > 0 && 2*c.urls >= most && score > best {
			t.url, best = i, score
		}
	}
	if t.url < 0 {
		return
	}
	clicks := slices.ContainsFunc(cols, func(c column) bool { return c.name == "page" })
	t.date = t.most(cols, func(c *column) int {
		switch {
		case c.dates <= cols[t.url].urls/10: // what was never crawled has none
			return 0
		case strings.Contains(c.name, "crawl"):
			return c.dates + sampled
		case notOfDays.MatchString(c.name) || c.name == "date" && clicks:
			return 0
		}
		return c.dates
	})
	t.reason = t.most(cols, func(c *column) int {
		switch {
		case c.reasons > cols[t.url].urls/2:
			return c.reasons + 1
		case ofReasons.MatchString(c.name) && c.dates == 0:
			return 1
		}
		return 0
	})
}

// count counts the cells of the sample by their column.
func (t *table) count(head []line) (cols []column) {
	for i, l := range head {
		cells := t.cells(l.text)
		for len(cols) < len(cells) {
			cols = append(cols, column{distinct: map[string]bool{}})
		}
		for at, cell := range cells {
			c := &cols[at]
			_, dated := dateOf(cell)
			switch {
			case i < t.header:
			case i == t.header:
				c.name = letters(cell)
			case isURL(cell):
				c.urls++
				c.distinct[cell] = true
			case dated:
				c.dates++
			case known(cell):
				c.reasons++
			}
		}
	}
	return cols
}

// most returns the first column with the highest score, other than that of the addresses; -1 where
// all have 0.
func (t *table) most(cols []column, score func(*column) int) int {
	best, at := 0, -1
	for i := range cols {
		if n := score(&cols[i]); n > best && i != t.url {
			best, at = n, i
		}
	}
	return at
}

// pairs reports whether a table of an archive has names and values: the properties of an export,
// of which a sitemap is one.
func (t *table) pairs(head []line) bool {
	cols := t.count(head)
	return t.url == 1 && t.date < 0 && t.width == 2 && cols[0].urls == 0 && 2*cols[1].urls < len(head)
}
