package report

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

const (
	changesName   = "changes.csv"
	changeColumns = "sitemap,line,action,listed,written,verdict,why"
)

// changeRows are the lines of changes.csv, in the form of entries.csv: one for each edit of a
// corrected sitemap, in the order of the file. listed is the address as listed; written the one
// that stands for it now, empty where it is taken out; for a merge it is the address of the entry
// that stays. Of an xhtml:link (action relink, unlink) the line is that of its tag, and verdict
// that of the entry it names. Of a lastmod (action lastmod) listed is the entry's address and
// written the date; of a part (add) listed is the sitemap that is divided. why is in the language
// of the outputs.
var changeRows = rowWriter{head: bom + changeColumns + "\r\n", line: changeLine}

func changeLine(b []byte, w *messages.Catalogue, f *audit.File, r *audit.Row) []byte {
	c := cells{b: b}
	c.text(f.Sitemap.URL)
	c.number(r.Entry.Line)
	c.text(string(r.Fix.Action))
	c.text(r.Entry.Loc)
	c.text(r.Fix.Loc)
	c.text(string(r.Verdict))
	c.text(w.FixWhy(r.Fix.Why))
	return c.end()
}
