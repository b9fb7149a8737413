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
	Cut       bool // only findings are in the table
	CutOff    int  // findings that are not in it either
	Limit     int
	Shown     int
	Findings  []finding
	Edits     *editsView // nil for none
	Flow      *flow
	Spellings *spellingsView
	Unseen    unseenView
	backView
	Steps  []page.Phrase
	Footer []page.Phrase
	Agent  string
	// Verdicts are all that there are, of entries of this audit or not.
	Verdicts []*audit.Facts
	Config   template.JS
}

// shownBack is how many addresses that came back are shown.
const shownBack = 20

// A backView is what earlier audits took out and is fine again.
type backView struct {
	Back     audit.CameBackList
	BackAt   []backAt
	BackMore int
}

type backAt struct{ Loc, Place string }

func newBackView(told *audit.Result) backView {
	v := backView{Back: told.Back}
	for _, x := range told.Back.Addresses[:min(shownBack, len(told.Back.Addresses))] {
		v.BackAt = append(v.BackAt, backAt{page.Shown(x.Loc), page.Visible(x.Sitemap)})
	}
	v.BackMore = told.Back.Unlisted - len(v.BackAt)
	return v
}

// A finding is the first rows of one group of the table.
type finding struct {
	entryGroup
	number int
	Rows   []page.Row
}

func newRest(p *Page) rest {
	told, o, found := p.told, p.o, p.found
	r := rest{
		Cut: told.Counts.Entries > maxRows, Limit: maxRows, Edits: p.edits.view(),
		Flow: found.flow.picture(o.Lang), Spellings: newSpellingsView(told), Unseen: newUnseenView(told), backView: newBackView(told), Steps: steps(told), Footer: footer(told), Agent: page.Visible(told.Info.Agent),
	}
	for _, v := range verdictList {
		r.Verdicts = append(r.Verdicts, v.Facts())
	}
	if r.Cut {
		r.CutOff = max(0, told.Counts.Entries-told.Counts.Total(audit.Fine)-told.Counts.Total(audit.LeftOut)-maxRows)
	}
	r.Findings, r.Shown = found.list()
	r.Config = template.JS(config(told, o, p.cols))
	return r
}

// list returns the most urgent rows by group, and how many they are.
func (f *findings) list() (out []finding, shown int) {
	for _, g := range urgency {
		for _, row := range f.rows[g][:min(len(f.rows[g]), firstRows-shown)] {
			i, found := slices.BinarySearchFunc(out, row.group, func(x finding, n int) int { return cmp.Compare(x.number, n) })
			if !found {
				out = slices.Insert(out, i, finding{entryGroup: f.groups.list[row.group], number: row.group})
			}
			out[i].Rows = append(out[i].Rows, row.Row)
		}
		shown += min(len(f.rows[g]), firstRows-shown)
	}
	return out, shown
}

// config is what the page's script needs beside the rows: the words of the
// columns, both catalogues, the causes. JSON in which < > & are escaped, so that
// nothing in it can end the element it stands in.
func config(told *audit.Result, o Options, cols *columns) []byte {
	files := make([]string, len(told.Files))
	for i := range told.Files {
		files[i] = page.Visible(told.Files[i].Sitemap.URL)
	}
	b, err := json.Marshal(map[string]any{
		"rows": cols.rows, "bytes": [][]string{bytes1, bytes2, bytes4}, "texts": texts,
		"verdicts": verdictList, "groups": cols.groups.keys(), "folded": cols.groups.folded, "lanes": slices.Concat(audit.Lanes(), quietLanes), "quiet": quietLanes, "actions": actionList, "labels": labels(),
		"decided":  cols.decided.list,
		"statuses": cols.statuses.list, "reasons": cols.reasons.list, "notes": cols.notes.list,
		"files": files, "reported": cols.reported, "googles": cols.googles.list, "origin": cols.origin(), "would": told.Info.Partial || told.Info.NoFetch, "say": scriptTexts(), "words": json.RawMessage(messages.JSON()),
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
	out := messages.Texts{}
	for lang, texts := range messages.Page() {
		out[lang] = maps.Clone(texts)
		maps.DeleteFunc(out[lang], func(key, _ string) bool {
			madeUp := slices.ContainsFunc([]string{"end-", "chip-", "none-"}, func(begin string) bool { return strings.HasPrefix(key, begin) })
			return !madeUp && !strings.Contains(script(), "'"+key+"'") && !strings.Contains(pageTemplate+entriesTemplate, `data-t="`+key+`"`)
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

// An unseenView is what could not be checked, and what helps.
type unseenView struct {
	Counts []unseenCount
	Lines  []page.Phrase
}

// Any reports whether there is anything to say.
func (u unseenView) Any() bool { return len(u.Counts)+len(u.Lines) > 0 }

type unseenCount struct {
	Count int
	Why   page.Phrase
}

func newUnseenView(told *audit.Result) unseenView {
	u := unseenView{Counts: unseenCounts(&told.Counts)}
	in := &told.Info
	for _, host := range byCount(in.Abandoned) {
		what := say("left-none")
		if in.Abandoned[host] != 0 {
			what = say("left-status", "n", in.Abandoned[host])
		}
		u.Lines = append(u.Lines, say("left", "host", page.Visible(host), "what", what))
	}
	for _, origin := range in.RobotsBad {
		key := "robots-bad"
		if slices.Contains(in.RobotsDown, origin) {
			key = "robots-down"
		}
		u.Lines = append(u.Lines, say(key, "origin", page.Visible(origin)))
	}
	for _, origin := range told.NeverGone() {
		u.Lines = append(u.Lines, say("never-gone", "origin", page.Visible(origin)))
	}
	for _, origin := range byCount(in.Rules.UnaskedSections) {
		u.Lines = append(u.Lines, say("unasked-sections", "origin", page.Visible(origin), "n", in.Rules.UnaskedSections[origin]))
	}
	for _, note := range audit.OpenNotes() {
		if n := told.Counts.Notes[note]; n > 0 {
			u.Lines = append(u.Lines, say("open-"+string(note), "n", n))
		}
	}
	ways := page.List(func(c *messages.Catalogue) []string { return c.LetIn(in, told.Counts.Unseen) })
	if len(ways) > 0 {
		u.Lines = append(append(u.Lines, say("let-in")), ways...)
	}
	if in.Proxy {
		u.Lines = append(u.Lines, say("proxy"))
	}
	return u
}

// unseenCounts tells why rows could not be seen, the most frequent first: a
// status, a fault in words, a bot protection's name.
func unseenCounts(c *audit.Counts) (out []unseenCount) {
	for _, why := range byCount(c.Unseen) {
		out = append(out, unseenCount{c.Unseen[why], unseenText(why)})
	}
	return out
}

// unseenText is one of the reasons that Counts.Unseen has.
func unseenText(why string) page.Phrase {
	if why == string(audit.Unsteady) {
		return say("unsteady")
	}
	if p := page.FaultText(why); p.In("en") != why {
		return p
	}
	return page.Raw(page.Visible(why))
}

// steps say what to do now, as far as the audit gives cause to.
func steps(told *audit.Result) (out []page.Phrase) {
	if told.Clean() {
		return []page.Phrase{say("now-clean")}
	}
	if !told.Info.Partial && !told.Info.NoFetch {
		if slices.ContainsFunc(told.Files, func(f audit.File) bool { return f.Changed && !f.Moved && f.MergeInto == "" }) {
			out = append(out, say("now-1"), say("now-2"))
		}
		if slices.ContainsFunc(told.Files, func(f audit.File) bool { return f.Changed && f.MergeInto != "" }) {
			out = append(out, say("now-merge"))
		}
		if slices.ContainsFunc(told.Files, func(f audit.File) bool { return f.Changed && f.Moved }) {
			out = append(out, say("now-moved"))
		}
	}
	switch {
	case len(out) > 0:
	case told.AllSettled():
		out = append(out, say("now-settled"))
	case told.AllFine():
		out = append(out, say("now-open"))
	default:
		out = append(out, say("now-none"))
	}
	v := told.Counts.Verdicts
	if v[audit.Loop]+v[audit.TooManyRedirects]+v[audit.NotFound]+v[audit.Error] > 0 {
		out = append(out, say("now-3"))
	}
	if v[audit.Moved]+v[audit.Respelled]+v[audit.Temporary]+v[audit.Homepage]+v[audit.Offsite] > 0 {
		out = append(out, say("now-4"))
	}
	return out
}

func footer(told *audit.Result) []page.Phrase {
	in := &told.Info
	out := []page.Phrase{say("asked-how", "as", page.Marked(func(c *messages.Catalogue) string { return c.Identity(in.Identity) }))}
	if in.NoFetch {
		out = []page.Phrase{say("files-only")}
	}
	out = append(out, say("n-requests", "n", in.Requests))
	if in.AltSpellingRequests > 0 {
		out = append(out, say("n-second", "n", in.AltSpellingRequests))
	}
	if s := page.Stamp(in.Started); s != "" {
		out = append(out, page.Raw(s))
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

// ruleSigns writes the arrow of a rule as one sign.
func ruleSigns(rule string) string { return strings.ReplaceAll(rule, " -> ", " → ") }
