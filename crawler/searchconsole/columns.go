package searchconsole

import (
	"slices"
	"strings"
)

// columns are the indexes of the columns that are read; -1 for none.
type columns struct {
	url, date, reason int
	pairs             bool // names and values: the export's properties
}

// columnsOf finds the columns by the content of their cells. It uses headers, which may be in any
// language, only to choose between several columns of a kind.
func columnsOf(head []line, d dialect) columns {
	var urls, dates, reasons counts
	var distinct [countedColumns]map[string]bool
	c := columns{-1, -1, -1, false}
	n := 0
	for i, l := range head {
		if i < d.skip {
			continue
		}
		n++
		for at, cell := range d.cells(l.text) {
			switch {
			case isURL(cell):
				urls.add(at)
				if at < countedColumns {
					if distinct[at] == nil {
						distinct[at] = map[string]bool{}
					}
					distinct[at][cell] = true
				}
			case isDate(cell):
				dates.add(at)
			case known(cell):
				reasons.add(at)
			}
		}
	}
	if c.url = urls.most(0, c); c.url < 0 {
		return c
	}
	names := d.names(head)
	c.url = addressColumn(urls, distinct, names, c.url)
	c.date = dateColumn(dates, names, urls[c.url]/10, c) // missing for what was never crawled
	c.reason = reasons.most(urls[c.url]/2, c)
	if c.reason < 0 {
		c.reason = named(names, c)
	}
	c.pairs = c.url == 1 && n <= 20 && dates.total()+reasons[0] == 0 && d.sep != 0 &&
		urls[0] == 0 && urls[1]*2 < n+1 && d.width <= 2
	return c
}

// addressColumn returns the column with the addresses that the table is about: each row may also
// contain a property, the page with the link, or the target of a redirect. most is the column with
// the most addresses.
func addressColumn(urls counts, distinct [countedColumns]map[string]bool, names []string,
	most int) int {
	best, score := most, -1
	for at, n := range urls {
		if 2*n < urls[most] || n == 0 {
			continue
		}
		s := len(distinct[at])
		if at < len(names) {
			switch names[at] {
			case "url", "address", "page", "pageurl", "inspectionurl", "loc":
				s += sampled
			}
		}
		if s > score {
			best, score = at, s
		}
	}
	return best
}

// dateColumn returns the column of the times of crawling; -1 for none.
func dateColumn(dates counts, names []string, least int, taken columns) int {
	for at, name := range names[:min(len(names), len(dates))] {
		switch {
		case strings.Contains(name, "crawl") && dates[at] > 0:
			for other := range dates {
				if other != at {
					dates[other] = 0
				}
			}
			return dates.most(least, taken)
		case name == "datadate" || name == "lastmodified" ||
			strings.HasPrefix(name, "discovered") || strings.HasPrefix(name, "first"):
			dates[at] = 0
		case name == "date" && slices.Contains(names, "page"): // a table of clicks
			dates[at] = 0
		}
	}
	return dates.most(least, taken)
}

// names returns the headers of the columns, letters only; nil where there are none.
func (d *dialect) names(head []line) []string {
	if d.headless || d.skip >= len(head) {
		return nil
	}
	names := d.cells(head[d.skip].text)
	for i := range names {
		names[i] = letters(names[i])
	}
	return names
}

// counts counts cells by their column.
type counts [countedColumns]int

// countedColumns is how many columns are recognized by their cells.
const countedColumns = 64

func (c *counts) add(at int) {
	if at < len(c) {
		c[at]++
	}
}

func (c *counts) total() (n int) {
	for _, x := range c {
		n += x
	}
	return n
}

// most returns the column with the most cells, more than least and other than that of the
// addresses; -1 for none.
func (c *counts) most(least int, taken columns) int {
	best := -1
	for at, n := range c {
		if n > least && at != taken.url && (best < 0 || n > c[best]) {
			best = at
		}
	}
	return best
}

// named finds the column of reasons by its header, where its cells are not known: other tools use
// words of their own.
func named(names []string, c columns) int {
	for at, name := range names {
		switch name {
		case "reason", "issue", "issuetype", "error", "errortype", "httpcode", "httpstatus",
			"httpstatuscode", "statuscode", "responsecode", "grund", "raison", "motivo", "理由", "問題":
			if at != c.url && at != c.date {
				return at
			}
		}
	}
	return -1
}
