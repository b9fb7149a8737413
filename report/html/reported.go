package html

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

var (
	//go:embed page/reported.tmpl
	reportedTemplate string
	//go:embed page/reported.css
	reportedCSS string
	//go:embed page/reported.js
	reportedJS string
)

// firstReported is how many reported addresses stand in the page itself.
const firstReported = 200

// A reportedView is the section of what Search Console reports.
type reportedView struct {
	Headline, Rest page.Phrase
	Remarks        []page.Phrase
	Ends           []endView
	Heads          reportedHeads
	Reasons        []reasonView
	Files          []page.Phrase
	Rows           []reportedRow
	Shown          int
	More           bool // there are more than those
	Config         template.JS
	Data           template.HTML // compressed chunks of all rows
}

// reportedHeads are the heads of the section's columns.
type reportedHeads struct{ Count, End, Do, Reason, ByReason page.Phrase }

// An endView is what becomes of some of the addresses: Kind is the colour of its bar, which
// is Width wide.
type endView struct {
	Kind, Width        string
	Count              int
	Title, Short, Text page.Phrase
}

// A reasonView is a reason of Google with its addresses, in all and by end.
type reasonView struct {
	Name  page.Phrase
	Count int
	Cells []countView
}

type countView struct {
	Name  page.Phrase
	Count int
}

// endKinds are the colours of what becomes of addresses; the others are quiet.
var endKinds = map[audit.Upshot]string{audit.UpshotFixed: "fix", audit.UpshotDecide: "decide", audit.UpshotUnseen: "unseen"}

// spoken is a sentence in each language.
func spoken(s conclude.Sentence) page.Phrase {
	return page.Marked(func(c *messages.Catalogue) string { return s.In(c) })
}

// conclude fills in what the addresses come to.
func (v *reportedView) conclude(r *conclude.Reported) {
	v.Headline, v.Rest = spoken(r.Headline), spoken(r.Rest)
	v.Heads = reportedHeads{spoken(r.Heads.Count), spoken(r.Heads.End), spoken(r.Heads.Do), spoken(r.Heads.Reason), spoken(r.Heads.ByReason)}
	for _, x := range r.Remarks {
		v.Remarks = append(v.Remarks, spoken(x))
	}
	for _, x := range r.Exports {
		v.Files = append(v.Files, spoken(x))
	}
	most := 0
	for _, e := range r.Ends {
		most = max(most, e.Count)
	}
	for _, e := range r.Ends {
		v.Ends = append(v.Ends, endView{cmp.Or(endKinds[e.Upshot], "quiet"), fmt.Sprintf("%.2f%%", 100*float64(e.Count)/float64(most)),
			e.Count, spoken(e.Title), spoken(e.Short), spoken(e.Text)})
	}
	for _, x := range r.Reasons {
		row := reasonView{Name: spoken(x.Name), Count: x.Count}
		for i, n := range x.Counts {
			row.Cells = append(row.Cells, countView{v.Ends[i].Short, n})
		}
		v.Reasons = append(v.Reasons, row)
	}
}

// A classView is one class.
type classView struct {
	Class audit.Class
	Group audit.Group
	Icon  string
	Name  page.Phrase
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

func newClassView(c audit.Class) classView {
	v := classView{Class: c}
	v.Group, v.Icon = classLook(c)
	v.Name = page.Marked(func(w *messages.Catalogue) string { return w.Class(c).Name })
	return v
}

// newReportedView returns nil where the audit has no export. It reads all
// reported addresses once; an error of theirs ends it.
func newReportedView(ctx context.Context, told *audit.Result) (*reportedView, error) {
	sc := told.SearchConsole
	if sc == nil {
		return nil, nil
	}
	v := &reportedView{}
	v.conclude(conclude.ReportedOf(told))
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

func newReportedRow(r *audit.ReportedRow) reportedRow {
	row := reportedRow{classView: newClassView(r.Class), URL: page.Middle(page.Shown(r.Entry.Loc), 300), Verdict: r.Verdict, Statuses: page.Statuses(r.Trail), Do: adviceText(r)}
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
