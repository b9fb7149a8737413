// Package html writes an audit as one page that people open from disk: the
// summary, what to fix first, a row for each sitemap file, every entry with its
// trail, and what to do now, in English and Japanese.
//
// The page asks nobody for anything: style and script are inside it and named
// by their hash in a Content-Security-Policy (CSP Level 3, section 6.7.2) that
// allows nothing else. What a site sent is text in it, never markup and never a
// link. The package judges nothing, reads no file and sends no request.
package html

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// maxRows is how many entries a page shows. Over it, only those that are not
// fine, and no more of them either: a browser holds no more.
const maxRows = 1_000_000

// Options say how a page is written. The zero value writes it in English.
type Options struct {
	Lang string // one of messages.Langs: the language that the page opens in; readers can switch
	// Written names the corrected file of result.Files[file], "" where none was
	// written. nil is none at all.
	Written func(file int) string
	Nav     []page.Link // above the title, where the page is served; none in a file
	// Served is where the outputs lie, relative to a page that is served ("files/"): the
	// corrected files, and sitemaps.zip with all of them. "" in a file, which lies beside them.
	Served string
	// Again is the command that writes the outputs again, to be pasted; "sitemend report"
	// where it is "".
	Again string
	// Rules is the command that writes redirect rules of this audit, without their format;
	// "sitemend rules" where it is "".
	Rules string
}

// A Page is a page while it is written. It holds a few thousand rows.
type Page struct {
	w      io.Writer
	result *audit.Result
	o      Options
	parts  *template.Template
	cols   *columns
	found  *findings
	edits  *edits
	ends   *destinations
	// faults are those of the sitemap files: rows tell which of them the upload mends.
	faults *faultList
	room   map[audit.Group]int // rows that are still taken, by group
	file   int
}

// New writes the beginning of the page of result to w. Every row of told is then
// to be given to Add, in order, and Close writes the rest. It returns an error
// of w or of the reported addresses of result, which it reads until ctx ends.
func New(ctx context.Context, w io.Writer, result *audit.Result, o Options) (*Page, error) {
	o.Lang = messages.Of(o.Lang).Lang()
	if o.Written == nil {
		o.Written = func(int) string { return "" }
	}
	parts, err := page.Templates(o.Lang, messages.Page(), o.Again)
	if err != nil {
		return nil, err
	}
	parts.Funcs(template.FuncMap{"count": func(i int) int { return i + 1 }, "pair": func(a, b any) pair { return pair{a, b} },
		"number": func(n int, key string) number { return number{n, key} }})
	if parts, err = parts.Parse(pageTemplate + entriesTemplate + reportedTemplate + expectedTemplate + logsTemplate + linksTemplate + rulesTemplate + alsoTemplate); err != nil {
		return nil, err
	}
	concluded := conclude.Of(result, conclude.Options{Again: o.Again})
	first := newTop(result, concluded, o)
	if first.Expected, err = newExpectedView(ctx, result); err != nil {
		return nil, err
	}
	if first.Also, err = newAlsoView(ctx, result); err != nil {
		return nil, err
	}
	first.Sections = first.sections(result)
	if err := parts.ExecuteTemplate(w, "top", first); err != nil {
		return nil, err
	}
	groups := newEntryGroups(result, concluded)
	p := &Page{w: w, result: result, o: o, parts: parts, cols: newColumns(w, result, groups), found: newFindings(result, groups),
		edits: newEdits(result, groups), ends: newDestinations(), faults: newFaultList(result), room: room(&result.Counts)}
	return p, p.addReported(ctx)
}

// addReported adds the addresses of exports, before the rows of files.
func (p *Page) addReported(ctx context.Context) error {
	if p.result.SearchConsole == nil {
		return nil
	}
	for r, err := range p.result.Reported(ctx) {
		if err != nil {
			return fmt.Errorf("reported URLs: %w", err)
		}
		if err := p.cols.addReported(&r); err != nil {
			return err
		}
	}
	return nil
}

// A pair is two values for one template, a number one with the key of what it counts.
type (
	pair   struct{ A, B any }
	number struct {
		N   int
		Key string
	}
)

// Add adds a row of f, which is one of result.Files. It returns an error of w.
func (p *Page) Add(f *audit.File, r *audit.Row) error {
	for f != &p.result.Files[p.file] {
		p.file++
	}
	p.found.add(p.file, r)
	p.edits.add(p.file, r)
	p.ends.add(r)
	p.faults.see(p.file, r, p.o.Written(p.file) != "")
	g := r.Group()
	if p.room[g] <= 0 {
		return nil
	}
	p.room[g]--
	return p.cols.add(p.file, r)
}

// room shares maxRows out: all rows where they fit; else the groups that are not
// fine, the most urgent first, as long as there is room.
func room(c *audit.Counts) map[audit.Group]int {
	out := map[audit.Group]int{}
	if c.Entries <= maxRows {
		for _, g := range groupList {
			out[g] = maxRows
		}
		return out
	}
	left := maxRows
	for _, g := range []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.OtherSpelling, audit.NotChecked, audit.Corrected} {
		out[g] = min(c.Total(g), left)
		left -= out[g]
	}
	return out
}

// Close writes what stands after the rows. It returns an error of w.
func (p *Page) Close() error {
	if err := p.cols.close(); err != nil {
		return err
	}
	if err := p.parts.ExecuteTemplate(p.w, "rest", newRest(p)); err != nil {
		return err
	}
	_, err := io.WriteString(p.w, "<script>"+script()+"</script>\n</body>\n</html>\n")
	return err
}

var (
	//go:embed page/page.tmpl
	pageTemplate string
	//go:embed page/entries.tmpl
	entriesTemplate string
	//go:embed page/data.js
	dataJS string
	//go:embed page/text.js
	textJS string
	//go:embed page/trail.js
	trailJS string
	//go:embed page/table.js
	tableJS string
	//go:embed page/entries.js
	entriesJS string
	//go:embed page/entries.css
	entriesCSS string
	//go:embed page/view.js
	viewJS string
	//go:embed page/app.js
	appJS string
)

var script = sync.OnceValue(func() string {
	return page.Script(dataJS, textJS, trailJS, tableJS, entriesJS, viewJS, appJS)
})

// style is the style sheet of the report.
var style = sync.OnceValue(func() string { return page.Style() + page.EachLanguage(reportedCSS+entriesCSS) })

// Policy is the report's Content-Security-Policy: nothing but the style and the
// script whose hashes it names. A server sends it too.
func Policy() string { return policy() }

var policy = sync.OnceValue(func() string {
	return "default-src 'none'; script-src " + page.Source(script()) + "; style-src " + page.Source(style()) +
		"; base-uri 'none'; form-action 'none'"
})
