package html

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A top is the part of the page that is known before the rows are read.
type top struct {
	Lang, Title, Policy string
	Style               template.CSS
	Nav                 []page.Link
	Host                string
	Sections            []sectionLink
	Cover               page.Phrase
	Facts               []page.Phrase
	Headline            page.Phrase
	Proof               []clauses
	Bar                 *barView
	Two                 *twoView
	Actions             []actionView
	Checks              *checksView
	CausesLead          page.Phrase
	Lanes               []laneView
	Unseen, LetIn       []page.Phrase // what else is not known, and how to be let in
	Reported            *reportedView // nil without --search-console
	Expected            *expectedView // nil without --expect
	Also                *alsoView     // nil where nothing is named beside entries
	Logs                *logsView     // nil without --access-log
	Links               *linksView    // nil without --links
	Rules               *rulesView    // nil without --site
}

// A sectionLink is a part of the page that the bar on top leads to.
type sectionLink struct {
	ID   string
	Name page.Phrase
}

func newTop(result *audit.Result, c *conclude.Conclusion, o Options) top {
	t := top{
		Lang: o.Lang, Title: c.Title.Plain(messages.Of(o.Lang)), Policy: Policy(),
		Style: template.CSS(style()), Nav: o.Nav, Host: hostName(result),
		Facts:    []page.Phrase{sized(result)},
		Headline: phrase(c.Headline), Proof: clausesOf(c.Proof), Bar: newBarView(c.Bar),
		Two: newTwoView(result, c.Spelling), Actions: actionViews(result, c, o), Lanes: laneViews(result, c, cmp.Or(o.Rules, "sitemend rules")),
		Reported: newReportedView(result), Logs: newLogsView(result), Links: newLinksView(result), Rules: newRulesView(result), Unseen: unseenLines(result), LetIn: letIn(result),
	}
	t.Cover = say("cover", "host", t.Host)
	if !result.Info.Started.IsZero() {
		day := page.Plain(func(c *messages.Catalogue) string {
			return result.Info.Started.UTC().Format(messages.Page().Of(c.Lang(), "date"))
		})
		t.Cover = say("cover-of", "host", t.Host, "date", day)
	}
	if c.State == conclude.Clean || c.State == conclude.FileFaults {
		t.Checks = newChecksView(result, c.Watch())
	}
	causes, entries := explained(c.Lanes)
	t.CausesLead = say("causes-lead", "n", causes, "m", entries)
	if entries == 1 {
		t.CausesLead = say("causes-lead-one")
	}
	if causes == 0 {
		t.CausesLead = say("causes-none")
	}
	return t
}

// sized says how much was audited.
func sized(result *audit.Result) page.Phrase {
	switch {
	case result.Sitemaps() > 0 && result.Unread() == result.Sitemaps():
		return say("sized-unread", "n", result.Sitemaps())
	case len(result.Files) > 0 || result.Expected == nil && result.SearchConsole == nil:
		return say("sized", "n", result.Sitemaps(), "m", result.Counts.Entries)
	case result.Expected != nil:
		return say("sized-expected", "n", result.Expected.Addresses)
	}
	return say("sized-reported", "n", result.SearchConsole.Addresses)
}

// explained counts the causes of lanes and their entries. What is right as listed counts as
// clean there as everywhere: alone it is shown, beside others it is no finding to explain.
func explained(lanes []conclude.Lane) (causes, entries int) {
	for _, l := range lanes {
		if l.Lane != audit.Spelling || len(lanes) == 1 {
			causes, entries = causes+len(l.Causes), entries+l.Count
		}
	}
	return causes, entries
}

// sections are the parts of the page, as far as they are there.
func (t *top) sections(result *audit.Result) (out []sectionLink) {
	add := func(there bool, id, key string) {
		if there {
			out = append(out, sectionLink{ID: id, Name: say(key)})
		}
	}
	add(true, "summary", "summary")
	add(t.Checks != nil, "checks", "nav-checks")
	add(len(t.Lanes)+len(t.Unseen) > 0, "causes", "causes")
	add(t.Reported != nil, "reported", "nav-reported")
	add(t.Expected != nil, "expected", "nav-expected")
	add(t.Also != nil, "also", "nav-also")
	add(t.Logs != nil, "logs", "nav-logs")
	add(t.Links != nil, "links", "nav-links")
	add(t.Rules != nil, "rules", "nav-rules")
	add(newServerView(result) != nil, "server", "nav-server")
	add(len(result.Files) > 0, "files", "nav-files")
	add(result.Counts.Entries > 0 || result.SearchConsole != nil, "entries", "entries")
	add(edited(result) > 0, "edits", "nav-edits")
	return out
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
	if s.IsZero() {
		return nil
	}
	for _, lang := range messages.Langs() {
		c := clauses{Lang: lang}
		for _, part := range s.Parts(messages.Of(lang)) {
			c.Parts = append(c.Parts, page.Phrase{{Lang: lang, Runs: page.Runs(part, lang)}})
		}
		out = append(out, c)
	}
	return out
}

// A barView is what becomes of the URLs: a bar, and its legend.
type barView struct {
	Parts  []barPart
	Labels []labelView
}

// A labelView is what is said of a segment, its number bold.
type labelView struct {
	Kind string
	Text page.Phrase
}

func newBarView(segments []conclude.Segment) *barView {
	if len(segments) == 0 {
		return nil
	}
	v, whole := &barView{}, 0
	var counts []int
	var names []string
	for _, s := range segments {
		counts, names, whole = append(counts, s.Count), append(names, s.Kind), whole+s.Count
		v.Labels = append(v.Labels, labelView{s.Kind, boldNumber(s.Label, s.Count)})
	}
	v.Parts = barParts(counts, names, whole)
	return v
}

// boldNumber is a sentence with its number as a run of its own.
func boldNumber(s conclude.Sentence, n int) page.Phrase {
	number := messages.Number(n)
	return page.Each(func(c *messages.Catalogue) []page.Run {
		before, after, ok := strings.Cut(s.Plain(c), number)
		if !ok {
			return []page.Run{{Text: before}}
		}
		runs := []page.Run{{Text: before}, {Code: true, Text: number}, {Text: after}}
		return slices.DeleteFunc(runs, func(r page.Run) bool { return r.Text == "" })
	})
}

// A twoView is an address in its two spellings.
type twoView struct {
	Listed, Other         []page.Piece
	ListedSays, OtherSays page.Phrase
	Reads                 string
	Same                  page.Phrase // which bytes are the same
}

// answers are statuses in a line; "" where one is not known.
func answers(statuses []int) string {
	var out []string
	for _, s := range statuses {
		if s == 0 {
			return ""
		}
		out = append(out, strconv.Itoa(s))
	}
	return strings.Join(out, " ")
}

func newTwoView(result *audit.Result, s *conclude.Spelling) *twoView {
	if s == nil {
		return nil
	}
	listed, other := page.Sides(s.Listed, s.Other)
	v := &twoView{Listed: listed, Other: other,
		ListedSays: say("two-answers"), OtherSays: say("two-back"),
		Reads: cmp.Or(page.Readable(s.Listed), page.Visible(s.Listed))}
	said := answers(s.Answers)
	switch bounces := result.Counts.Verdicts[audit.SpellingBounce] > 0; {
	case bounces && said != "":
		v.OtherSays = say("two-back-by", "status", strings.Fields(said)[0])
	case !bounces && said != "":
		v.OtherSays = say("two-otherwise-by", "status", said)
	case !bounces:
		v.OtherSays = say("two-otherwise")
	}
	marked := func(list []page.Piece) string {
		i := slices.IndexFunc(list, func(p page.Piece) bool { return p.Respelled() })
		if i < 0 {
			return ""
		}
		return list[i].Text
	}
	if a, b := marked(v.Listed), marked(v.Other); a != "" && b != "" {
		v.Same = say("two-same", "a", page.Code(a), "b", page.Code(b))
	}
	return v
}
