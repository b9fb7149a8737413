package html

import (
	"context"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A top is the part of the page that is known before the rows are read.
type top struct {
	*conclude.Conclusion
	Lang, Title, Policy string
	Style               template.CSS
	Nav                 []page.Link
	Host                string
	Parts               []page.Link
	Cover               messages.Sentence
	Facts               []messages.Sentence
	Segments            []page.Segment
	Two                 *twoView
	Actions             []actionView
	Lanes               []laneView
	Unseen, LetIn       []messages.Sentence // what else is not known, and how to be let in
	Evidence            []*section
	Nginx               string // what to change there
}

func newTop(ctx context.Context, result *audit.Result, c *conclude.Conclusion, o Options) (*top, error) {
	t := &top{Conclusion: c,
		Lang: o.Lang, Title: c.Title.Plain(messages.Of(o.Lang)), Policy: Policy(), Style: template.CSS(style()), Nav: o.Nav,
		Host: "sitemend", Facts: sized(result), Two: newTwoView(c.Spelling), Actions: actionViews(result, c, o),
		Nginx: serverConfig(result), Lanes: laneViews(result, c), Unseen: unseenLines(result), LetIn: letIn(result),
	}
	if len(c.Hosts) > 0 {
		t.Host = messages.Middle(c.Hosts[0], 80)
	}
	t.Cover = messages.Verbatim(t.Host)
	if !result.Info.Started.IsZero() {
		t.Cover = messages.Join(" · ", t.Cover, messages.Words(func(c *messages.Catalogue) string {
			return result.Info.Started.UTC().Format(c.Text("date"))
		}))
	}
	counts, whole := map[string]int{}, 0
	for _, s := range c.Bar {
		counts[s.Kind] = s.Count
		whole += s.Count
	}
	t.Segments = page.Bar(counts, whole)
	var err error
	t.Evidence, err = evidence(ctx, result)
	t.Parts = t.parts(result)
	return t, err
}

// sized says how much was audited.
func sized(result *audit.Result) (facts []messages.Sentence) {
	if len(result.Files) > 0 || result.Expected == nil && result.SearchConsole == nil {
		return []messages.Sentence{messages.Say("sized", "n", result.Sitemaps(), "m", result.Counts.Entries)}
	}
	return nil
}

// parts are the parts of the page that the bar on top leads to, as far as they are there.
func (t *top) parts(result *audit.Result) (out []page.Link) {
	add := func(there bool, id, key string) {
		if there {
			out = append(out, page.Link{Href: "#" + id, Text: messages.Say(key)})
		}
	}
	add(true, "summary", "summary")
	add(len(t.Lanes)+len(t.Unseen) > 0, "causes", "causes")
	for _, s := range t.Evidence {
		out = append(out, page.Link{Href: "#" + s.ID, Text: s.Heading})
	}
	add(len(result.Files) > 0, "files", "files")
	add(listed(result), "entries", "urls")
	add(edited(&result.Counts) > 0, "edits", "edits")
	return out
}

// listed reports whether there are rows: entries, or addresses that Search Console reports.
func listed(result *audit.Result) bool {
	return result.Counts.Entries > 0 || result.SearchConsole != nil
}

// edited is how many entries are replaced or removed.
func edited(c *audit.Counts) int {
	return c.Actions[audit.Replace] + c.Actions[audit.Drop] + c.Actions[audit.Merge]
}

// boldNumber is a sentence with its number as code.
func boldNumber(s messages.Sentence, n int) messages.Sentence {
	number := messages.Number(n)
	return func(c *messages.Catalogue) string { return strings.Replace(s.Plain(c), number, "`"+number+"`", 1) }
}

// A twoView is an address in its two spellings.
type twoView struct {
	Listed, Other []page.Piece
	Says          messages.Sentence // how the other one is answered
	Reads         string
}

func newTwoView(s *conclude.Spelling) *twoView {
	if s == nil {
		return nil
	}
	v := &twoView{Reads: page.Readable(s.Listed)}
	v.Listed, v.Other = page.Sides(s.Listed, s.Other)
	if len(s.Answers) > 0 && s.Answers[0] > 0 {
		v.Says = messages.Code(strconv.Itoa(s.Answers[0]))
	}
	return v
}

// An actionView is one thing to do.
type actionView struct {
	conclude.Action
	Look string // its colour, one of page.Kinds; "" for none
	Href string
	Away bool // Href leads to another site
}

func actionViews(result *audit.Result, c *conclude.Conclusion, o Options) (out []actionView) {
	for _, a := range c.Actions {
		v := actionView{Action: a, Look: map[string]string{"upload": "fix", "decide": "decide"}[a.Kind]}
		v.Command, v.Copy = page.Visible(a.Command), page.Visible(a.Copy)
		switch {
		case a.Kind == "upload":
			v.Href = corrected(result, o.Served, c.Folder, a.Target)
		case strings.HasPrefix(a.Target, "#"):
			v.Href = a.Target
		case strings.HasPrefix(a.Target, "https://search.google.com/"):
			v.Href, v.Away = a.Target, true
		} // what a site sends is no link
		out = append(out, v)
	}
	return out
}

// corrected is a link to the corrected files: the one there is, or the folder that has all of them;
// where the page is served to the archive of them.
func corrected(result *audit.Result, served, below, none string) string {
	var names []string
	for i := range result.Files {
		if name := written(result, &result.Files[i]); name != "" {
			names = append(names, name)
		}
	}
	switch {
	case served != "":
		return served + "sitemaps.zip"
	case len(names) == 0:
		return none
	case len(names) == 1:
		return relative(names[0])
	}
	return relative("sitemaps/" + below)
}

// written names the corrected file, relative to the report; "" where none was written.
func written(result *audit.Result, f *audit.File) string {
	if !f.Changed || result.NoFiles {
		return ""
	}
	return "sitemaps/" + f.Name
}

// relative is a link to a file among the outputs, whatever its name has in it.
func relative(name string) string { return (&url.URL{Path: name}).String() }

// unseenLines say what is not known beside the entries that could not be checked, and what
// helps.
func unseenLines(result *audit.Result) (out []messages.Sentence) {
	in := &result.Info
	add := func(key string, pairs ...any) { out = append(out, messages.Say(key, pairs...)) }
	for _, host := range slices.Sorted(maps.Keys(in.Abandoned)) {
		what := messages.Words(func(c *messages.Catalogue) string { return c.Fault("timeout") })
		if status := in.Abandoned[host]; status != 0 {
			what = messages.Verbatim(strconv.Itoa(status))
		}
		add("left", "host", page.Visible(host), "what", what)
	}
	for _, origin := range in.RobotsBad {
		add("robots-bad", "origin", page.Visible(origin))
	}
	for _, note := range []audit.Note{audit.NeedsJavaScript, audit.ScriptRedirect, audit.Truncated} { // of pages that are fine as far as was seen
		if n := result.Counts.Notes[note]; n > 0 {
			out = append(out, messages.Join(": ", messages.Say("entries", "n", n), page.NoteText(note)))
		}
	}
	return out
}

// letIn are the flags with which an audit is let in where this one was not.
func letIn(result *audit.Result) (out []messages.Sentence) {
	all := func(c *messages.Catalogue) []string { return c.LetIn(&result.Info, result.Counts.Unseen) }
	for i := range all(messages.Of("en")) { // it has as many in each language
		out = append(out, func(c *messages.Catalogue) string { return all(c)[i] })
	}
	return out
}
