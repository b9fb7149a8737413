package html

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

var (
	//go:embed page/reported.tmpl
	reportedTemplate string
	//go:embed page/reported.js
	reportedJS string
)

// firstReported is how many reported addresses stand in the page itself.
const firstReported = 200

// A reportedView is the section of what Search Console reports.
type reportedView struct {
	Sentence page.Phrase
	Remarks  []page.Phrase
	Files    []page.Phrase
	Classes  []classView
	Rows     []reportedRow
	Shown    int
	More     bool // there are more than those
	Config   template.JS
	Data     template.HTML // compressed chunks of all rows
}

// A classView is one class with its count.
type classView struct {
	Class      audit.Class
	Group      audit.Group
	Icon       string
	Name, What page.Phrase
	Count      int
}

// A reportedRow is one reported address for people without JavaScript.
type reportedRow struct {
	classView
	URL      string
	About    []page.Phrase // Google's reason, and when it was there
	Verdict  audit.Verdict
	Statuses string
	Do, In   page.Phrase
	Sitemaps []string
}

// classLook is the colour and the icon of a class.
func classLook(c audit.Class) (audit.Group, string) {
	switch c {
	case audit.InSitemapNeedsYou:
		return audit.NeedsDecision, "g-needs-you"
	case audit.NotInSitemapBroken:
		return audit.OtherSpelling, "not-found"
	case audit.InSitemapCorrected:
		return audit.Corrected, "g-corrected"
	case audit.FineNow:
		return audit.Fine, "g-fine"
	case audit.RedirectsAsItShould:
		return audit.Fine, "moved"
	}
	return audit.NotChecked, "g-not-checked"
}

func newClassView(c audit.Class, n int) classView {
	v := classView{Class: c, Count: n}
	v.Group, v.Icon = classLook(c)
	v.Name = page.Marked(func(w *messages.Catalogue) string { return w.Class(c).Name })
	v.What = page.Marked(func(w *messages.Catalogue) string { return w.Class(c).What })
	return v
}

// newReportedView returns nil where the audit has no export. It reads all
// reported addresses once; an error of theirs ends it.
func newReportedView(ctx context.Context, told *audit.Result) (*reportedView, error) {
	sc := told.SearchConsole
	if sc == nil {
		return nil, nil
	}
	v := &reportedView{Sentence: page.AsIs(func(c *messages.Catalogue) string { return c.Sentence(sc) })}
	v.remark(sc)
	for _, c := range audit.Classes() {
		if sc.Classes[c] > 0 {
			v.Classes = append(v.Classes, newClassView(c, sc.Classes[c]))
		}
	}
	first := map[audit.Class][]reportedRow{}
	cols := newReportedColumns()
	for r, err := range told.Reported(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reported addresses: %w", err)
		}
		if len(first[r.Class]) < firstReported {
			first[r.Class] = append(first[r.Class], newReportedRow(&r))
		}
		cols.add(&r)
	}
	for _, c := range audit.Classes() {
		v.Rows = append(v.Rows, first[c]...)
	}
	v.Rows = v.Rows[:min(len(v.Rows), firstReported)]
	v.Shown, v.More = len(v.Rows), sc.Addresses > len(v.Rows)
	var err error
	v.Data, v.Config, err = cols.close(sc)
	return v, err
}

// remark says what is not known, and which files the addresses come from.
func (v *reportedView) remark(sc *audit.SearchConsole) {
	if sc.Unread > 0 {
		v.Remarks = append(v.Remarks, page.AsIs(func(c *messages.Catalogue) string { return c.ReportedCount("unread", sc.Unread) }))
	}
	for _, x := range sc.Exports {
		name := page.Visible(filepath.Base(x.Name))
		v.Files = append(v.Files, say("reported-file", "name", name, "n", x.Addresses))
		for _, f := range x.Faults {
			_, text := sitemapFaultText(f)
			v.Remarks = append(v.Remarks, page.Plain(func(c *messages.Catalogue) string { return name + ": " + text.In(c.Lang()) }))
		}
	}
}

func newReportedRow(r *audit.ReportedRow) reportedRow {
	row := reportedRow{classView: newClassView(r.Class, 0), URL: page.Middle(page.Shown(r.Entry.Loc), 300), Verdict: r.Verdict, Statuses: page.Statuses(r.Trail), Do: adviceText(r)}
	if reason := r.Entry.Reported.Reason; reason != "" {
		row.About = append(row.About, page.AsIs(func(c *messages.Catalogue) string { return c.Why(reason) }))
	}
	if at := r.Entry.Reported.Crawled; at != "" {
		row.About = append(row.About, say("reported-crawled", "date", page.Visible(at)))
	}
	row.In = say("reported-listed")
	if r.Join == audit.BySpelling {
		row.In = say("reported-otherwise")
	}
	for _, s := range r.Sitemaps {
		row.Sitemaps = append(row.Sitemaps, page.Visible(s))
	}
	return row
}

// adviceText is what to do, the address in it as code.
func adviceText(r *audit.ReportedRow) page.Phrase {
	return page.Each(func(c *messages.Catalogue) []page.Run {
		text, pairs := c.AdviceParts(r)
		values := make([]any, len(pairs))
		for i, p := range pairs {
			values[i] = page.Visible(p)
			if i > 0 && pairs[i-1] == "do" { // ours, with code in it
				text = strings.ReplaceAll(text, "{do}", p)
			}
		}
		return page.Runs(strings.ReplaceAll(text, "{to}", "`{to}`"), c.Lang(), values...)
	})
}

// reportedColumns takes reported addresses and writes them as chunks of
// compressed columns, which page/reported.js reads.
type reportedColumns struct {
	cols                                      map[string][]any
	n                                         int
	rows, size                                int // of the chunk so far; size is bytes of addresses
	reasons, statuses, sitemaps, whys, advice *dict
	decided                                   decisions
	html                                      strings.Builder
	zip                                       *gzip.Writer
	err                                       error
}

func newReportedColumns() *reportedColumns {
	c := &reportedColumns{cols: map[string][]any{}, reasons: newDict(), statuses: newDict(), sitemaps: newDict(), whys: newDict(), advice: newDict()}
	c.zip, _ = gzip.NewWriterLevel(nil, 5) // 5 is a valid level
	return c
}

func (c *reportedColumns) add(r *audit.ReportedRow) {
	put := func(name string, v any) { c.cols[name] = append(c.cols[name], v) }
	put("url", page.Shown(r.Entry.Loc))
	put("reason", c.reasons.index(page.Visible(string(r.Entry.Reported.Reason))))
	put("crawled", page.Visible(r.Entry.Reported.Crawled))
	put("class", slices.Index(audit.Classes(), r.Class))
	put("verdict", int(verdictIndex[r.Verdict]))
	put("statuses", c.statuses.index(page.Statuses(r.Trail)))
	put("advice", c.advice.index(string(r.Advice)))
	put("to", page.Visible(r.To))
	files := make([]string, len(r.Sitemaps))
	for i, s := range r.Sitemaps {
		files[i] = page.Visible(s) // holds no line end
	}
	put("sitemaps", c.sitemaps.index(strings.Join(files, "\n")))
	put("otherwise", r.Join == audit.BySpelling)
	put("decided", c.decided.index(messages.DecidedOf(r)))
	put("why", c.whys.index(page.Visible(r.UnseenBy())))
	c.n++
	c.rows++
	c.size += len(r.Entry.Loc) + len(r.To)
	if c.rows == chunkRows || c.size >= chunkBytes {
		c.flush()
	}
}

// flush writes a chunk, as columns.element does.
func (c *reportedColumns) flush() {
	data, err := json.Marshal(c.cols)
	if err != nil && c.err == nil {
		c.err = err
	}
	var packed bytes.Buffer
	c.zip.Reset(&packed)
	c.zip.Write(data) // a Buffer takes all
	c.zip.Close()
	fmt.Fprintf(&c.html, "<script type=\"text/plain\" class=\"reported-rows\">%s</script>\n", base64.StdEncoding.EncodeToString(packed.Bytes()))
	clear(c.cols)
	c.rows, c.size = 0, 0
}

// close returns the chunks, and what the script needs beside them.
func (c *reportedColumns) close(sc *audit.SearchConsole) (template.HTML, template.JS, error) {
	if c.rows > 0 {
		c.flush()
	}
	var looks [][2]string
	for _, class := range audit.Classes() {
		g, icon := classLook(class)
		looks = append(looks, [2]string{string(g), icon})
	}
	config, err := json.Marshal(map[string]any{
		"count": c.n, "classes": audit.Classes(), "looks": looks, "counts": sc.Classes, "verdicts": verdictList, "words": json.RawMessage(messages.ReportedJSON()),
		"unread": sc.Unread > 0, "reasons": c.reasons.list, "statuses": c.statuses.list, "advice": c.advice.list, "sitemaps": c.sitemaps.list, "decided": c.decided.list, "whys": c.whys.list,
	})
	if err == nil {
		err = c.err
	}
	return template.HTML(c.html.String()), template.JS(config), err
}
