package html

import (
	"context"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// Kinds of a lane, of an action and of a part of a bar: the colour that they have.
const (
	kindClean  = "clean"
	kindFix    = "fix"
	kindDecide = "decide"
	kindUnseen = "unseen"
	kindQuiet  = "quiet"
)

// A top is the part of the page that is known before the rows are read.
type top struct {
	*conclude.Conclusion
	Lang, Title, Policy string
	Style               template.CSS
	Nav                 []page.Link
	Host                string
	Parts               []page.Link
	Cover               page.Phrase
	Facts               []page.Phrase
	Proof               []clauses
	Segments            []page.Segment
	Two                 *twoView
	Actions             []actionView
	Checks              *checksView
	Lanes               []laneView
	Unseen, LetIn       []page.Phrase // what else is not known, and how to be let in
	Evidence            []*section
}

func newTop(ctx context.Context, result *audit.Result, c *conclude.Conclusion, o Options) (*top, error) {
	t := &top{Conclusion: c,
		Lang: o.Lang, Title: c.Title.Plain(messages.Of(o.Lang)), Policy: Policy(), Style: template.CSS(style()), Nav: o.Nav,
		Host: hostName(result), Facts: sized(result), Proof: clausesOf(c.Proof), Two: newTwoView(result, c.Spelling), Actions: actionViews(result, c, o),
		Lanes: laneViews(result, c), Unseen: unseenLines(result), LetIn: letIn(result),
	}
	t.Cover = say("cover", "host", t.Host)
	if !result.Info.Started.IsZero() {
		t.Cover = page.Join(" · ", t.Cover, page.Plain(func(c *messages.Catalogue) string {
			return result.Info.Started.UTC().Format(messages.Page().Of(c.Lang(), "date"))
		}))
	}
	counts, whole := map[string]int{}, 0
	for _, s := range c.Bar {
		counts[s.Kind] = s.Count
		whole += s.Count
	}
	t.Segments = page.Bar(counts, whole)
	if c.State == conclude.Clean || c.State == conclude.FileFaults {
		t.Checks = newChecksView(result, c.Watch())
	}
	var err error
	t.Evidence, err = evidence(ctx, result)
	t.Parts = t.parts(result)
	return t, err
}

// sized says how much was audited.
func sized(result *audit.Result) (facts []page.Phrase) {
	add := func(there bool, key string, pairs ...any) {
		if there {
			facts = append(facts, say(key, pairs...))
		}
	}
	add(len(result.Files) > 0 || result.Expected == nil && result.SearchConsole == nil, "sized", "n", result.Sitemaps(), "m", result.Counts.Entries)
	add(result.Unread() > 0, "sized-unread", "n", result.Unread())
	if result.Expected != nil {
		add(true, "sized-expected", "n", result.Expected.Addresses)
	}
	if result.SearchConsole != nil {
		add(true, "sized-reported", "n", result.SearchConsole.Addresses)
	}
	return facts
}

// parts are the parts of the page that the bar on top leads to, as far as they are there.
func (t *top) parts(result *audit.Result) (out []page.Link) {
	add := func(there bool, id, key string) {
		if there {
			out = append(out, page.Link{Href: "#" + id, Text: say(key)})
		}
	}
	add(true, "summary", "summary")
	add(t.Checks != nil, "checks", "nav-checks")
	add(len(t.Lanes)+len(t.Unseen) > 0, "causes", "causes")
	for _, s := range t.Evidence {
		add(true, s.ID, "nav-"+s.ID)
	}
	add(serverConfig(result) != nil, "server", "nav-server")
	add(len(result.Files) > 0, "files", "nav-files")
	add(listed(result), "entries", "entries")
	add(edited(result) > 0, "edits", "nav-edits")
	return out
}

// listed reports whether there are rows: entries, or addresses that Search Console reports.
func listed(result *audit.Result) bool {
	return result.Counts.Entries > 0 || result.SearchConsole != nil
}

// edited is how many entries are replaced or removed.
func edited(result *audit.Result) int {
	a := result.Counts.Actions
	return a[audit.Replace] + a[audit.Drop] + a[audit.Merge]
}

// hostName names what was audited: the host of the first target, or what was given.
func hostName(result *audit.Result) string {
	if len(result.Info.Targets) == 0 {
		return "sitemend"
	}
	name := page.Shown(result.Info.Targets[0])
	if a, err := address.Parse(result.Info.Targets[0]); err == nil {
		name = page.Visible(address.ToUnicodeHost(a.HostPort()))
	}
	return page.Middle(name, 80)
}

// A clauses is a sentence in one language, in pieces between which a line may end.
type clauses struct {
	Lang  string
	Parts []page.Phrase
}

func clausesOf(s conclude.Sentence) (out []clauses) {
	for _, lang := range messages.Langs() {
		c := clauses{Lang: lang}
		for _, part := range s.Parts(messages.Of(lang)) {
			c.Parts = append(c.Parts, page.Phrase{{Lang: lang, Runs: page.Runs(part, lang)}})
		}
		if len(c.Parts) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// boldNumber is a sentence with its number as code.
func boldNumber(s conclude.Sentence, n int) page.Phrase {
	number := messages.Number(n)
	return page.Marked(func(c *messages.Catalogue) string { return strings.Replace(s.Plain(c), number, "`"+number+"`", 1) })
}

// A twoView is an address in its two spellings.
type twoView struct {
	Listed, Other []page.Piece
	Says          page.Phrase // how the other one is answered
	Reads         string
}

func newTwoView(result *audit.Result, s *conclude.Spelling) *twoView {
	if s == nil {
		return nil
	}
	v := &twoView{Says: say("two-otherwise"), Reads: page.Readable(s.Listed)}
	if result.Counts.Verdicts[audit.SpellingBounce] > 0 {
		v.Says = say("two-back")
	}
	v.Listed, v.Other = page.Sides(s.Listed, s.Other)
	if len(s.Answers) > 0 && s.Answers[0] > 0 {
		v.Says = page.Join(" ", page.Code(strconv.Itoa(s.Answers[0])), v.Says)
	}
	return v
}

// An actionView is one thing to do.
type actionView struct {
	conclude.Action
	Look    string // its colour
	Href    string
	Away    bool // Href leads to another site
	Copy    string
	Because []evidenceView
	InLog   page.Phrase // how to look into the access log
}

// An evidenceView is a line under an action.
type evidenceView struct {
	Count int
	Text  page.Phrase
}

// services are where something is to be done outside of the page.
var services = []string{"https://search.google.com/", "https://dash.cloudflare.com/"}

// actionLooks are the colours of actions; the others have none.
var actionLooks = map[conclude.ActionKind]string{
	conclude.DoUpload: kindFix, conclude.DoWrite: kindFix, conclude.DoDecide: kindDecide, conclude.DoLeave: kindClean,
}

func actionViews(result *audit.Result, c *conclude.Conclusion, o Options) (out []actionView) {
	for _, a := range c.Actions {
		v := actionView{Action: a, Look: actionLooks[a.Kind]}
		v.Command = page.Visible(a.Command)
		switch command, copies := strings.CutPrefix(a.Target, "copy:"); {
		case copies:
			v.Copy = page.Visible(command)
		case a.Kind == conclude.DoUpload:
			v.Href = corrected(result, o, a.Target)
		case strings.HasPrefix(a.Target, "#"):
			v.Href = a.Target
		case slices.ContainsFunc(services, func(s string) bool { return strings.HasPrefix(a.Target, s) }):
			v.Href, v.Away = a.Target, true
		} // what a site sends is no link
		for _, e := range a.Evidence {
			if text := inCode(phrase(e.Text)); v.Copy == "" || text.In(o.Lang) != v.Copy {
				v.Because = append(v.Because, evidenceView{e.Count, text})
			}
		}
		if c.Spelling != nil && a.Kind == conclude.DoLook {
			v.InLog = say("in-the-log", "command", page.Code(page.CheckOf(audit.SpellingBounce, c.Spelling.Other)))
		}
		out = append(out, v)
	}
	return out
}

// inCode is p, as code where it is the same in each language: a name or an address.
func inCode(p page.Phrase) page.Phrase {
	if p == nil || p.Differs() {
		return p
	}
	return page.Code(p.In("en"))
}

// corrected is a link to the corrected files: the one there is, or the folder that has all of them;
// where the page is served to the archive of them.
func corrected(result *audit.Result, o Options, none string) string {
	var names []string
	for i := range result.Files {
		if name := o.Written(i); name != "" {
			names = append(names, name)
		}
	}
	switch {
	case o.Served != "":
		return o.Served + "sitemaps.zip"
	case len(names) == 0:
		return none
	case len(names) == 1:
		return relative(names[0])
	}
	folder, _, _ := strings.Cut(names[0], "/")
	return relative(folder) + "/"
}

// relative is a link to a file among the outputs, whatever its name has in it.
func relative(name string) string { return (&url.URL{Path: name}).String() }

// A checksView is what stands in place of causes where the sitemap is clean: what was
// checked, and what this audit cannot tell.
type checksView struct {
	Lead      page.Phrase
	Done, Not []checkView
	Keep      page.Phrase // how to keep it so
}

// A checkView is a check; Bad is set where something was found.
type checkView struct {
	Name, Says page.Phrase
	Bad        bool
}

// newChecksView is the checks of an audit in which every entry is clean; keep is the command
// that says when that ends.
func newChecksView(result *audit.Result, keep string) *checksView {
	v, all := &checksView{Lead: say("checks-lead", "as", identity(result))}, say("check-all", "n", result.Counts.Entries)
	for _, key := range []string{"check-200", "check-noindex", "check-canonical", "check-robots", "check-soft-404"} {
		v.Done = append(v.Done, checkView{say(key), all, false})
	}
	faults, again := []page.Phrase{say("check-faults", "n", 0)}, result.Counts.Notes[audit.Duplicate]
	kinds := faultKinds(result)
	if len(kinds) > 0 {
		faults = nil
	}
	for _, k := range kinds {
		faults = append(faults, say("check-fault", "name", k.text(0), "n", k.count))
	}
	once := all
	if again > 0 {
		once = say("check-repeats", "n", again)
	}
	if n := result.Info.AltSpellingRequests; n > 0 {
		v.Done = append(v.Done, checkView{say("check-spelling"), say("check-spelling-some", "n", n), false})
	}
	v.Done = append(v.Done, checkView{say("check-files"), page.Join(", ", faults...), len(kinds) > 0}, checkView{say("check-once"), once, again > 0})
	v.Not = append(v.Not, checkView{say("cannot-missing"), say("cannot-checked"), false})
	if result.SearchConsole == nil {
		v.Not = append(v.Not, checkView{say("cannot-indexed"), say("cannot-console"), false})
	}
	if len(result.Info.Targets) > 0 {
		v.Keep = say("check-keep", "command", page.Code(page.Visible(keep)))
	}
	return v
}

// unseenLines say what is not known beside the entries that could not be checked, and what
// helps.
func unseenLines(result *audit.Result) (out []page.Phrase) {
	in := &result.Info
	add := func(key string, pairs ...any) { out = append(out, say(key, pairs...)) }
	for _, host := range slices.Sorted(maps.Keys(in.Abandoned)) {
		what := say("left-none")
		if status := in.Abandoned[host]; status != 0 {
			what = page.Raw(strconv.Itoa(status))
		}
		add("left", "host", page.Visible(host), "what", what)
	}
	for _, origin := range in.RobotsBad {
		key := "robots-bad"
		if slices.Contains(in.RobotsDown, origin) {
			key = "robots-down"
		}
		add(key, "origin", page.Visible(origin))
	}
	for _, origin := range result.NeverGone() {
		add("never-gone", "origin", page.Visible(origin))
	}
	for _, note := range audit.OpenNotes() {
		if n := result.Counts.Notes[note]; n > 0 {
			add("open-"+string(note), "n", n)
		}
	}
	if in.Proxy {
		add("proxy")
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

// identity is as what the audit crawled.
func identity(result *audit.Result) page.Phrase {
	return page.Marked(func(c *messages.Catalogue) string { return c.Crawler(&result.Info) })
}
