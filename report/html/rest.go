package html

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A rest is the part of the page that follows the rows.
type rest struct {
	Listed       bool // there are entries, or addresses that Search Console reports
	Cut          bool // only findings are in the table
	CutOff       int  // findings that are not in it either
	Limit        int
	Shown        int
	Findings     []finding
	Edits        *editsView // nil for none
	Destinations *destinationsView
	Server       *serverView
	Files        filesView
	backView
	Attached, Crawled page.Phrase
	Footer            []page.Phrase
	Agent             string
	// Verdicts are all that there are, of entries of this audit or not.
	Verdicts []*audit.Facts
	Config   template.JS
}

// shownBack is how many addresses that came back are shown.
const shownBack = 20

// A backView is what the last audit dropped and is fine again.
type backView struct {
	Back     audit.CameBackList
	BackAt   []backAt
	BackMore int
}

type backAt struct{ Loc, Place string }

func newBackView(result *audit.Result) backView {
	v := backView{Back: result.Back}
	for _, x := range result.Back.Addresses[:min(shownBack, len(result.Back.Addresses))] {
		v.BackAt = append(v.BackAt, backAt{page.Shown(x.Loc), page.Visible(x.Sitemap)})
	}
	v.BackMore = result.Back.Unlisted - len(v.BackAt)
	return v
}

// A finding is the first rows of one group of the table.
type finding struct {
	entryGroup
	number int
	Rows   []page.Row
}

func newRest(p *Page) rest {
	result, o, found := p.result, p.o, p.found
	r := rest{
		Listed: result.Counts.Entries > 0 || result.SearchConsole != nil, Cut: result.Counts.Entries > maxRows, Limit: maxRows, Edits: p.edits.view(),
		Destinations: p.ends.view(), Server: newServerView(result), Files: newFilesView(result, o), backView: newBackView(result),
		Crawled: crawled(result), Footer: footer(result), Agent: page.Visible(result.Info.Agent),
	}
	for _, list := range [][]fileView{r.Files.First, r.Files.More} {
		for i := range list {
			list[i].Fold = p.edits.fold(list[i].N)
		}
	}
	r.Files.Faults = p.faults.view(r.Files.Upload && uploaded(result))
	if n := written(result, o); n > 0 {
		r.Attached = say("attached", "n", n)
	}
	for _, v := range verdictList {
		r.Verdicts = append(r.Verdicts, v.Facts())
	}
	if r.Cut {
		r.CutOff = max(0, result.Counts.Entries-result.Counts.Total(audit.Fine)-result.Counts.Total(audit.LeftOut)-maxRows)
	}
	r.Findings, r.Shown = found.list()
	r.Config = template.JS(config(result, o, p.cols))
	return r
}

// list returns the most urgent rows by group, those that need a decision before all
// others, and how many they are.
func (f *findings) list() (out []finding, shown int) {
	for _, g := range urgency {
		some := slices.Clone(f.rows[g][:min(len(f.rows[g]), firstRows-shown)])
		slices.SortStableFunc(some, func(a, b foundRow) int { return cmp.Compare(a.group, b.group) })
		for _, row := range some {
			if n := len(out); n == 0 || out[n-1].number != row.group {
				out = append(out, finding{entryGroup: f.groups.list[row.group], number: row.group})
			}
			out[len(out)-1].Rows = append(out[len(out)-1].Rows, row.Row)
		}
		shown += len(some)
	}
	return out, shown
}

// config is what the page's script needs beside the rows: the words of the
// columns, both catalogues, the causes. JSON in which < > & are escaped, so that
// nothing in it can end the element it stands in.
func config(result *audit.Result, o Options, cols *columns) []byte {
	files := make([]string, len(result.Files))
	for i := range result.Files {
		files[i] = page.Visible(result.Files[i].Sitemap.URL)
	}
	var scripted audit.Lane // the lane of which nobody knows that it is clean
	if result.Counts.NeedScript() {
		scripted = laneClean
	}
	b, err := json.Marshal(map[string]any{
		"rows": cols.rows, "bytes": [][]string{bytes1, bytes2, bytes4}, "texts": texts,
		"verdicts": verdictList, "groups": cols.groups.keys(), "folded": cols.groups.folded, "lanes": slices.Concat(audit.Lanes(), quietLanes), "quiet": quietLanes, "actions": actionList, "labels": labels(),
		"langs":    messages.Langs(),
		"decided":  cols.decided.list,
		"statuses": cols.statuses.list, "reasons": cols.reasons.list, "notes": cols.notes.list,
		"files": files, "reported": cols.reported, "console": result.SearchConsole != nil, "googles": cols.googles.list, "origin": cols.origin(), "would": cols.groups.would, "script": scripted, "say": scriptTexts(), "words": json.RawMessage(messages.JSON()),
		"logs":  logDays(result),
		"again": messages.Again("sitemend report", page.Visible(o.Again)),
		"model": address.ModelDate,
	})
	if err != nil {
		return []byte("null") // cannot happen: strings and numbers only
	}
	return b
}

// scriptTexts are the texts that the script itself says: a third of all.
var scriptTexts = sync.OnceValue(func() messages.Texts {
	said := map[string]bool{}
	for quoted := range strings.SplitSeq(script(), "'") {
		said[quoted] = true
	}
	for _, rest := range strings.Split(pageTemplate+entriesTemplate, `data-t="`)[1:] {
		key, _, _ := strings.Cut(rest, `"`)
		said[key] = true
	}
	madeUp := []string{"end-", "chip-", "none-", "index-", "agrees-"}
	out := messages.Texts{}
	for lang, texts := range messages.Page() {
		out[lang] = maps.Clone(texts)
		maps.DeleteFunc(out[lang], func(key, _ string) bool {
			begins := func(begin string) bool { return strings.HasPrefix(key, begin) }
			return !said[key] && !slices.ContainsFunc(madeUp, begins)
		})
	}
	return out
})

// labels are Search Console's names for what we saw, by verdict; that of error depends on
// the status, and the script finds it.
func labels() map[audit.Verdict]audit.Label {
	out := map[audit.Verdict]audit.Label{}
	for _, v := range verdictList {
		if l := v.Facts().Label; l != "" {
			out[v] = l
		}
	}
	return out
}

// unseenLines say what is not known beside the entries that could not be checked, and what
// helps.
func unseenLines(result *audit.Result) (out []page.Phrase) {
	in, left := &result.Info, "left"
	if result.Counts.Unseen[string(audit.FaultAbandoned)] == 0 { // each of their entries was requested
		left = "left-whole"
	}
	for _, host := range byCount(in.Abandoned) {
		what := say("left-none")
		if in.Abandoned[host] != 0 {
			what = say("left-status", "n", in.Abandoned[host])
		}
		out = append(out, say(left, "host", page.Visible(host), "what", what))
	}
	for _, origin := range in.RobotsBad {
		key := "robots-bad"
		switch {
		case slices.Contains(in.RobotsDown, origin):
			key = "robots-down"
		case result.Counts.Unseen[audit.RobotsWhy(429)] > 0 && len(in.RobotsBad) == 1:
			key = "robots-429"
		}
		out = append(out, say(key, "origin", page.Visible(origin)))
	}
	for _, origin := range result.NeverGone() {
		out = append(out, say("never-gone", "origin", page.Visible(origin)))
	}
	for _, note := range audit.OpenNotes() {
		if n := result.Counts.Notes[note]; n > 0 {
			out = append(out, say("open-"+string(note), "n", n))
		}
	}
	if in.Proxy {
		out = append(out, say("proxy"))
	}
	return out
}

// letIn are the flags with which an audit is let in where this one was not.
func letIn(result *audit.Result) []page.Phrase {
	ways := page.List(func(c *messages.Catalogue) []string {
		return c.LetIn(&result.Info, result.Counts.Unseen)
	})
	if len(ways) > 0 {
		ways = append([]page.Phrase{say("let-in")}, ways...)
	}
	return ways
}

// byCount returns the keys of m, the largest number first, then by name.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
}

// identity is as what the audit crawled.
func identity(result *audit.Result) page.Phrase {
	return page.Marked(func(c *messages.Catalogue) string { return c.Crawler(&result.Info) })
}

// written is how many corrected files there are to upload: not a copy of one that was read only in
// part.
func written(result *audit.Result, o Options) (n int) {
	for i := range result.Files {
		if o.Written(i) != "" && !result.Files[i].Sitemap.InPart() {
			n++
		}
	}
	return n
}

// crawled is the line that says how the audit was made.
func crawled(result *audit.Result) page.Phrase {
	if result.Info.NoFetch {
		return say("files-only")
	}
	return say("crawled", "as", identity(result), "at", page.Stamp(result.Info.Started))
}

func footer(result *audit.Result) []page.Phrase {
	in := &result.Info
	requests := say("n-requests", "n", in.Requests)
	if in.Least {
		requests = say("n-requests-least", "n", in.Requests)
	}
	out := []page.Phrase{requests}
	if in.AltSpellingRequests > 0 {
		out = append(out, say("n-second", "n", in.AltSpellingRequests))
	}
	out = append(out, page.Took(in.Duration))
	if in.Tool != "" {
		out = append(out, page.Raw("sitemend "+page.Visible(in.Tool)))
	}
	if in.ID != "" {
		out = append(out, say("audit-id", "id", in.ID))
	}
	return append(out, say("model", "date", address.ModelDate))
}
