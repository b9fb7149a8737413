package html

import (
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// firstCauses is how many causes stand open on the first screen, firstOthers how many
// of them are kept for those that need no person.
const (
	firstCauses = 8
	firstOthers = 3
)

// A top is the part of the page that is known before the rows are read.
type top struct {
	Lang, Title, Policy string
	Style               template.CSS
	Sprite              template.HTML
	Nav                 []page.Link
	Targets             []string
	Facts, Warnings     []page.Phrase
	Brakes              []brakeView
	Tiles               []tile
	Clean               bool
	Donut               donut
	Legend, Verdicts    []legendRow
	Proof               page.Phrase
	Unclean             *page.Phrase
	Lanes               []laneView
	Nothing             page.Phrase // in place of lanes
	Trend               *trend
	Reported            *reportedView // nil without --search-console
	Tall                bool          // there is room beside the causes
	fileViews
	faultViews
}

func newTop(told *audit.Result, o Options) top {
	t := top{
		Lang: o.Lang, Title: title(told, o.Lang), Policy: Policy(), Style: template.CSS(style()), Sprite: page.Icons(), Nav: o.Nav,
		Facts: facts(told), Warnings: warnings(told), Brakes: brakes(told), Tiles: tiles(told, o.Trend),
		Clean: told.Clean(), Donut: newDonut(&told.Counts, o.Lang), Legend: legend(&told.Counts), Verdicts: byVerdict(&told.Counts),
		Trend: newTrend(told, o), fileViews: newFileViews(told, o), faultViews: newFaultViews(told),
	}
	for _, x := range told.Info.Targets {
		t.Targets = append(t.Targets, page.Shown(x))
	}
	p := told.Proof
	switch t.Proof = say("proof", "left", p.Entries, "direct", p.Direct, "you", p.NeedDecision, "unseen", p.NotChecked); {
	case told.Info.Partial:
		t.Proof = say("no-proof")
	case p.Blind():
		t.Proof = say("proof-none", "left", p.Entries)
	case p.Direct == p.Entries:
		t.Proof = say("proof-all", "left", p.Entries)
	}
	if p.Settled > 0 {
		t.Proof = say("proof-settled", "proof", t.Proof, "n", p.Settled)
	}
	if p.LeftOut > 0 && !p.Blind() && !told.Info.Partial {
		t.Proof = say("proof-left-out", "proof", t.Proof, "n", p.LeftOut)
	}
	if !p.Clean() {
		u := say("unclean", "n", p.Uncleans)
		t.Unclean = &u
	}
	t.Lanes, t.Nothing = lanes(told), nothing(told)
	open := 0
	for _, l := range t.Lanes {
		open += len(l.Causes)
	}
	t.Tall = open > 4 && t.Trend == nil
	return t
}

func title(told *audit.Result, lang string) string {
	s := say("title").In(lang)
	if len(told.Info.Targets) > 0 {
		s += " · " + page.Shown(told.Info.Targets[0])
	}
	return s
}

// facts are the line under the title.
func facts(told *audit.Result) []page.Phrase {
	in := told.Info
	f := []page.Phrase{say("n-sitemaps", "n", told.Sitemaps()), say("n-entries", "n", told.Counts.Entries)}
	if in.NoFetch {
		f = append(f, say("files-only"))
	} else {
		f = append(f, say("asked-as", "as", page.Marked(func(c *messages.Catalogue) string { return c.Identity(in.Identity) })))
	}
	if !in.Started.IsZero() {
		f = append(f, page.Raw(in.Started.UTC().Format("2006-01-02 15:04 UTC")))
	}
	return append(f, page.Took(in.Duration), say("n-requests", "n", in.Requests))
}

// warnings say what makes the whole audit less than it seems.
func warnings(told *audit.Result) (out []page.Phrase) {
	c := &told.Counts
	if asked := c.Entries - c.Verdicts[audit.Skipped]; asked > 0 && c.Verdicts[audit.Unverified]*2 > asked {
		out = append(out, say("mostly-unseen", "n", c.Verdicts[audit.Unverified], "of", asked))
	}
	if told.Info.Partial && !told.Info.NoFetch {
		out = append(out, say("partial"))
	}
	for i := range told.Files {
		if f := &told.Files[i]; f.Changed && f.ChildrenOut() > 0 {
			out = append(out, say("children-out", "n", f.ChildrenOut(), "url", page.Visible(f.Sitemap.URL)))
		}
	}
	return out
}

// A brakeView is the question that a file opens with from which too much would
// be taken out (contract, "The brake").
type brakeView struct {
	Question, Do page.Phrase
	Sitemap      string
}

func brakes(told *audit.Result) (out []brakeView) {
	for i := range told.Files {
		f := &told.Files[i]
		for _, v := range verdictList {
			if n := f.Braked[v]; n > 0 {
				q := say("brake", "n", n, "of", f.Counts.Entries, "what", say("brake-"+string(brakeWord(v)), "n", n, "name", page.VerdictText(v, "")))
				do := say("brake-do")
				if f.AllBraked {
					do = say("brake-all-do")
				}
				out = append(out, brakeView{q, do, page.Visible(f.Sitemap.URL)})
			}
		}
	}
	return out
}

func brakeWord(v audit.Verdict) audit.Verdict {
	switch v {
	case audit.Noindex, audit.NotFound, audit.Invalid:
		return v
	}
	return "other"
}

// A tile is one number of the first screen.
type tile struct {
	Group  audit.Group
	Name   page.Phrase
	Count  int
	Parts  []page.Phrase
	Change *page.Phrase // since the audit before, nil where it is not known
}

// tileOrder is the order of the tiles; those of `always` stand even at zero.
var (
	tileOrder = []audit.Group{audit.Corrected, audit.TakenOut, audit.NeedsDecision, audit.OtherSpelling, audit.Settled, audit.NotChecked, audit.Fine, audit.LeftOut}
	always    = map[audit.Group]bool{audit.Corrected: true, audit.NeedsDecision: true, audit.NotChecked: true, audit.Fine: true}
)

func tiles(told *audit.Result, before []TrendPoint) (out []tile) {
	for _, g := range tileOrder {
		n := told.Counts.Total(g)
		if n == 0 && !always[g] {
			continue
		}
		name := page.GroupText(g)
		if told.Info.Partial || told.Info.NoFetch {
			name = page.Marked(func(c *messages.Catalogue) string { return c.Would(g) })
		}
		t := tile{Group: g, Name: name, Count: n, Parts: parts(&told.Counts, g)}
		if len(before) > 0 && before[len(before)-1].Groups != nil {
			c := change(n - before[len(before)-1].Groups[g])
			t.Change = &c
		}
		out = append(out, t)
	}
	return out
}

func change(n int) page.Phrase {
	switch {
	case n > 0:
		return say("change", "n", "+"+messages.Number(n))
	case n < 0:
		return say("change", "n", "−"+messages.Number(-n))
	}
	return say("change", "n", "±0")
}

// parts tells of what a group consists, the most frequent first, in at most four
// lines.
func parts(c *audit.Counts, g audit.Group) (out []page.Phrase) {
	counts, named := c.Groups[g], func(k string) page.Phrase { return countOf(k, c.Groups[g][k]) }
	switch g {
	case audit.Fine, audit.LeftOut:
		return nil
	case audit.NotChecked:
		counts, named = c.Unseen, func(why string) page.Phrase { return say("times", "n", c.Unseen[why], "what", unseenText(why)) }
	}
	keys := byCount(counts)
	shown := keys
	if len(keys) > 4 {
		shown = keys[:3]
	}
	for _, k := range shown {
		p := named(k)
		if g == audit.TakenOut && k == string(audit.Noindex) {
			p = say("your-decision", "what", say("count-of", "n", counts[k], "what", page.Raw("noindex")))
		}
		out = append(out, p)
	}
	rest := 0
	for _, k := range keys[len(shown):] {
		rest += counts[k]
	}
	if rest > 0 {
		out = append(out, say("and-others", "n", rest))
	}
	return out
}

// byCount returns the keys of m, the largest number first, then by name.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
}

// A causeView is a cause, told.
type causeView struct {
	audit.Cause
	N               int
	Icon            string
	Name, What, Who page.Phrase
	Signs, More     page.Phrase
	Place           *page.Phrase // how many of the entries of its place
	Do              []page.Phrase
	Examples        []moved
}

// A moved is an address and where it leads.
type moved struct{ From, To string }

func causeViews(told *audit.Result) (out []causeView) {
	for i, c := range told.Causes {
		v := causeView{
			Cause: c, N: i, Icon: string(c.Verdict), Name: page.VerdictText(c.Verdict, ""), What: page.VerdictText(c.Verdict, "what"),
			Do: remedies(told, &told.Causes[i]), Who: whoText(c.Who), Signs: ruleText(c.Terms),
			More: say("cause-more", "share", percent(c.Count, told.Counts.Entries), "n", c.Sitemaps),
		}
		if c.Of > 0 {
			place := say("cause-place", "n", c.Count, "of", c.Of)
			v.Place = &place
		}
		if c.Stop != "" {
			// The rows are kept: what would be done with others of the verdict is
			// not to be done with these.
			v.What = page.NoteText(c.Stop)
		}
		for j, x := range c.Examples {
			final := ""
			if j < len(c.Finals) && c.Finals[j] != x {
				final = page.Middle(page.Visible(c.Finals[j]), 110)
			}
			v.Examples = append(v.Examples, moved{page.Middle(page.Visible(x), 110), final})
		}
		out = append(out, v)
	}
	return out
}

// A laneView is the causes of a lane: those that stand open, and the rest.
type laneView struct {
	Title        page.Phrase
	Causes, More []causeView
}

// lanes are the causes lane by lane. Most of those that stand open need a person.
func lanes(told *audit.Result) (out []laneView) {
	all := map[audit.Lane][]causeView{}
	for _, v := range causeViews(told) {
		all[v.Group.Lane()] = append(all[v.Group.Lane()], v)
	}
	others := len(all[audit.Upload]) + len(all[audit.Spelling]) + len(all[audit.Unseen])
	room := max(firstCauses-firstOthers, firstCauses-others)
	left := firstCauses
	for _, l := range audit.Lanes() {
		list := all[l]
		if len(list) == 0 {
			continue
		}
		n := min(len(list), room)
		left -= n
		room = left
		title := say("lane-" + string(l))
		if l == audit.Upload && (told.Info.Partial || told.Info.NoFetch) {
			title = say("lane-would")
		}
		out = append(out, laneView{title, list[:n], list[n:]})
	}
	return out
}

// nothing is what stands in place of the causes where there are none.
func nothing(told *audit.Result) page.Phrase {
	switch c := &told.Counts; {
	case c.Entries == c.Verdicts[audit.Skipped]:
		return say("nothing-asked")
	case told.Clean():
		return say("nothing-to-fix")
	case told.AllSettled():
		return say("all-settled")
	}
	return say("all-fine")
}

// ruleText is the rule of a cause, with what a site sent made
// visible.
func ruleText(terms []pattern.Term) page.Phrase {
	shown := make([]pattern.Term, len(terms))
	for i, t := range terms {
		shown[i] = pattern.Term{Name: t.Name, From: page.Visible(t.From), To: page.Visible(t.To)}
	}
	return page.Plain(func(c *messages.Catalogue) string { return ruleSigns(c.Rule(shown)) })
}

// remedies says what to change at the source of a cause.
func remedies(told *audit.Result, c *audit.Cause) (out []page.Phrase) {
	generator := told.Generator(c)
	return page.List(func(w *messages.Catalogue) (lines []string) {
		for _, text := range w.Remedies(c, generator) {
			lines = append(lines, numbered(text)...)
		}
		return lines
	})
}

// nextStep is where a text of numbered steps goes on with the next.
var nextStep = regexp.MustCompile(`[.。] ?([2-9])\. `)

// numbered splits a text of numbered steps ("1. ... 2. ...") into these, each for a
// line of its own. Any other text is one.
func numbered(text string) (out []string) {
	if !strings.HasPrefix(text, "1. ") {
		return []string{text}
	}
	for {
		at := nextStep.FindStringSubmatchIndex(text)
		if at == nil {
			return append(out, text)
		}
		out, text = append(out, strings.TrimSpace(text[:at[2]])), text[at[2]:]
	}
}

// percent writes part of whole: "66 %", "<1 %" for what is more than nothing.
func percent(part, whole int) string {
	switch {
	case whole == 0 || part == 0:
		return "0 %"
	case part*100 < whole:
		return "<1 %"
	case part < whole && part*1000 > whole*995:
		return "99 %"
	}
	return fmt.Sprintf("%.0f %%", float64(part)*100/float64(whole))
}
