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
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
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
	Lang string      // one of messages.Langs: the language that the page opens in; readers can switch
	Nav  []page.Link // above the title, where the page is served; none in a file
	// Served is where the outputs lie, relative to a page that is served ("files/"): the
	// corrected files, and sitemaps.zip with all of them. "" in a file, which lies beside them.
	Served string
	// Again is the command that writes the outputs again, to be pasted; "sitemend report"
	// where it is "".
	Again string
}

// A Page is a page while it is written. It holds a few thousand rows.
type Page struct {
	w      io.Writer
	result *audit.Result
	o      Options
	parts  *template.Template
	groups *entryGroups
	cols   *columns
	found  map[audit.Group][][]page.Cell // the first rows that are not fine
	edits  *edits
	room   map[audit.Group]int // rows that are still taken, by group
	file   int
}

// New writes the beginning of the page of result to w. Every row of told is then
// to be given to Add, in order, and Close writes the rest. It returns an error
// of w or of the reported addresses of result, which it reads until ctx ends.
func New(ctx context.Context, w io.Writer, result *audit.Result, o Options) (*Page, error) {
	o.Lang = messages.Of(o.Lang).Lang()
	parts, err := page.Templates(o.Lang, o.Again)
	if err != nil {
		return nil, err
	}
	parts.Funcs(template.FuncMap{"count": func(i int) int { return i + 1 }, "bold": boldNumber})
	if parts, err = parts.Parse(asset("page.tmpl", "entries.tmpl")); err != nil {
		return nil, err
	}
	concluded := conclude.Of(result, o.Again)
	first, err := newTop(ctx, result, concluded, o)
	if err != nil {
		return nil, err
	}
	if err := parts.ExecuteTemplate(w, "top", first); err != nil {
		return nil, err
	}
	groups := newEntryGroups(result, concluded)
	p := &Page{w: w, result: result, o: o, parts: parts, groups: groups, cols: newColumns(w, result, groups), found: map[audit.Group][][]page.Cell{},
		edits: &edits{result: result, groups: groups, last: -1}, room: room(&result.Counts)}
	return p, p.addReported(ctx)
}

// addReported adds the addresses of exports, before the rows of files.
func (p *Page) addReported(ctx context.Context) error {
	if p.result.SearchConsole == nil {
		return nil
	}
	for r, err := range p.result.SearchConsole.Rows(ctx) {
		if err != nil {
			return fmt.Errorf("reported URLs: %w", err)
		}
		if err := p.cols.addReported(&r); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a row of f, which is one of result.Files. It returns an error of w.
func (p *Page) Add(f *audit.File, r *audit.Row) error {
	for f != &p.result.Files[p.file] {
		p.file++
	}
	p.find(r)
	p.edits.add(p.file, r)
	g := r.Group()
	if p.room[g] <= 0 {
		return nil
	}
	p.room[g]--
	return p.cols.add(p.file, r)
}

// firstRows is how many findings the page holds without its script.
const firstRows = 200

// urgency is the order of the groups among the findings, and of those of which a page has the rows
// where it has not all.
var urgency = []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.OtherSpelling, audit.NotChecked, audit.Corrected}

// find keeps what the page says without its script of r, where it is one of the first of its group: it
// is not known yet how many more urgent ones come.
func (p *Page) find(r *audit.Row) {
	if g := r.Group(); slices.Contains(urgency, g) && len(p.found[g]) < firstRows {
		place := page.Visible(p.result.Files[p.file].Sitemap.URL) + ":" + strconv.Itoa(r.Entry.Line)
		url := page.TextCell(messages.Code(messages.Middle(page.Shown(r.Entry.Loc), 110)))
		p.found[g] = append(p.found[g], append([]page.Cell{url}, page.Facts(r, place)...))
	}
}

// findings are the most urgent rows; nil for none.
func (p *Page) findings() *page.Table {
	t := &page.Table{Name: messages.Say("urls"), Class: "even", Columns: append(page.Texts(messages.Say("col-listed")), page.FactColumns()...)}
	for _, g := range urgency {
		for _, cells := range p.found[g][:min(len(p.found[g]), firstRows-len(t.Rows))] {
			t.Add(cells...)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// room shares maxRows out: all rows where they fit; else the groups that are not
// fine, the most urgent first, as long as there is room.
func room(c *audit.Counts) map[audit.Group]int {
	out, left, groups := map[audit.Group]int{}, maxRows, urgency
	if c.Entries <= maxRows {
		groups = audit.Groups()
	}
	for _, g := range groups {
		out[g] = min(c.Total(g), left)
		left -= out[g]
	}
	return out
}

// A rest is the part of the page that follows the rows.
type rest struct {
	Listed   bool // there are rows
	Cut      []messages.Sentence
	Findings *page.Table
	Edits    *editsView
	Files    *section
	Crawled  messages.Sentence
	Footer   messages.Sentence
	Agent    string
	Config   template.JS
}

// Close writes what stands after the rows. It returns an error of w.
func (p *Page) Close() error {
	if err := p.cols.close(); err != nil {
		return err
	}
	result := p.result
	r := rest{Listed: listed(result), Edits: p.edits.view(), Files: filesSection(result, p.o.Served),
		Crawled: crawled(result), Footer: footer(&result.Info), Agent: page.Visible(result.Info.Agent), Findings: p.findings(), Config: template.JS(p.config())}
	if c := &result.Counts; c.Entries > maxRows {
		r.Cut = append(r.Cut, messages.Say("cut", "n", maxRows))
		if n := c.Entries - c.Total(audit.Fine) - c.Total(audit.LeftOut) - maxRows; n > 0 {
			r.Cut = append(r.Cut, moreIn("entries.csv", n, 0))
		}
	}
	if err := p.parts.ExecuteTemplate(p.w, "rest", r); err != nil {
		return err
	}
	_, err := io.WriteString(p.w, "<script>"+script()+"</script>\n</body>\n</html>\n")
	return err
}

// crawled is the line that says how the audit was made.
func crawled(result *audit.Result) messages.Sentence {
	if result.Info.NoFetch {
		return nil
	}
	return messages.Say("crawled", "as", messages.Words(func(c *messages.Catalogue) string { return c.Crawler(&result.Info) }), "at", page.Stamp(result.Info.Started))
}

// footer is what experts know an audit by.
func footer(in *audit.Info) messages.Sentence {
	facts := []messages.Sentence{messages.Say("n-requests", "n", in.Requests), messages.Took(in.Duration)}
	if in.Tool != "" {
		facts = append(facts, messages.Verbatim("sitemend "+page.Visible(in.Tool)))
	}
	if in.ID != "" {
		facts = append(facts, messages.Verbatim(in.ID))
	}
	return messages.Join(" · ", facts...)
}

// config is what the page's script needs beside the rows: the words of the
// columns, both catalogues, the causes. JSON in which < > & are escaped, so that
// nothing in it can end the element it stands in.
func (p *Page) config() []byte {
	result, cols, labels := p.result, p.cols, map[audit.Verdict]audit.Label{}
	for _, v := range verdictList {
		labels[v] = v.Facts().Label // that of error depends on the status, and the script finds it
	}
	files := make([]string, len(result.Files))
	for i := range result.Files {
		files[i] = page.Visible(result.Files[i].Sitemap.URL)
	}
	b, _ := json.Marshal(map[string]any{ // of strings and numbers alone, it fails nowhere
		"rows": cols.rows, "bytes": [][]string{bytes1, bytes2, bytes4}, "texts": texts, "verdicts": verdictList, "actions": actionList, "labels": labels,
		"groups": p.groups.list, "folded": p.groups.folded, "lanes": append(audit.Lanes(), laneClean),
		"decided":  cols.decisions(),
		"statuses": cols.statuses.list, "reasons": cols.reasons.list, "notes": cols.notes.list, "googles": cols.googles.list,
		"files": files, "reported": cols.reported, "console": result.SearchConsole != nil, "origin": siteOrigin(result),
		"langs": messages.Langs(), "chips": chips(result), "words": scriptWords(), "again": messages.Again("sitemend report", page.Visible(p.o.Again)),
	})
	return b
}

// scriptWords are the words of the script by language: those of rows, and of Texts what is named in its source.
var scriptWords = sync.OnceValue(func() map[string]map[string]any {
	all, source := map[string]map[string]any{}, strings.NewReplacer(`"`, "'").Replace(script()+asset("page.tmpl"))
	for _, lang := range messages.Langs() {
		c, texts := messages.Of(lang), map[string]string{}
		for key, text := range c.Texts {
			if begin, _, _ := strings.Cut(key, "-"); strings.Contains(source, "'"+key+"'") || strings.Contains(source, "'"+begin+"-' +") {
				texts[key] = text
			}
		}
		all[lang] = map[string]any{"verdicts": c.Verdicts, "actions": c.Actions, "reasons": c.Reasons, "notes": c.Notes, "faults": c.Faults,
			"labels": c.Labels, "whys": c.Whys, "texts": texts}
	}
	return all
})

// chips are what lanes are called, where not by themselves: as over the causes ("lane-unseen"). Of an
// audit that writes no sitemap, nothing is fixed.
func chips(result *audit.Result) map[audit.Lane]string {
	out := map[audit.Lane]string{}
	for _, lane := range audit.Lanes() {
		out[lane] = string(lane)
	}
	if !result.Writes() {
		out[audit.Upload] = "would"
	}
	switch {
	case result.Counts.NeedScript(): // nobody knows that the others are clean
		out[laneClean] = "unseen"
	case result.Counts.Total(audit.OtherSpelling) > 0:
		out[laneClean] = "clean"
	}
	return out
}

// assets are the templates, the style and the scripts of the page.
//
//go:embed page
var assets embed.FS

// asset is the text of files of assets.
func asset(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		text, _ := assets.ReadFile("page/" + name) // a test keeps them whole
		b.Write(text)
	}
	return b.String()
}

var script = sync.OnceValue(func() string {
	return page.Script(asset("data.js", "text.js", "trail.js", "table.js", "entries.js", "view.js", "app.js"))
})

// style is the style sheet of the report.
var style = sync.OnceValue(func() string { return page.Style() + page.EachLanguage(asset("entries.css")) })

// Policy is the report's Content-Security-Policy: nothing but the style and the
// script whose hashes it names. A server sends it too.
var Policy = sync.OnceValue(func() string {
	return "default-src 'none'; script-src " + page.Source(script()) + "; style-src " + page.Source(style()) +
		"; base-uri 'none'; form-action 'none'"
})
