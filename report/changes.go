package report

import (
	"bufio"
	"io"

	"sitemend/crawler/audit"
)

const changeColumns = "sitemap,line,action,listed,written,verdict,why"

var changeRows = rowWriter{head: bom + changeColumns + "\r\n", line: changeLine}

// WriteChanges writes changes.csv: a line for each entry that the corrected
// sitemaps change, in sitemap order, in the form of WriteCSV. listed is the
// address as listed; written the one that stands for it now, empty for a drop;
// for a merge it is the address of the entry that stays. Files that are not
// changed have no lines. Links (xhtml:link) that follow a replaced address have
// no lines of their own. It returns the first error of w or of told's rows.
func WriteChanges(w io.Writer, told *audit.Told) error {
	bw := bufio.NewWriter(w)
	out, err := changeRows.open(bw, told, env{})
	if err != nil {
		return err
	}
	err = each(told, func(f *audit.File, r *audit.Row) error {
		if !f.Changed {
			return nil
		}
		return edited(out.take, f, r)
	})
	if err != nil {
		return err
	}
	return bw.Flush()
}

// edited hands a row on where its entry is changed.
func edited(take sink, f *audit.File, r *audit.Row) error {
	switch r.Fix.Action {
	case audit.Replace, audit.Merge, audit.Drop:
		return take(f, r)
	}
	return nil
}

func changeLine(b []byte, f *audit.File, r *audit.Row) []byte {
	c := cells{b: b}
	c.text(f.Sitemap.URL)
	c.number(r.Entry.Line)
	c.text(string(r.Fix.Action))
	c.text(r.Entry.Loc)
	c.text(r.Fix.Loc)
	c.text(string(r.Verdict))
	c.text(r.Fix.Why)
	return c.end()
}
