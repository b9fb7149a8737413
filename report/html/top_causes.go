package html

import (
	"regexp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A laneView is the causes of a lane: those that stand open, and those that are folded.
type laneView struct {
	ID, Kind     string
	Title, Lead  page.Phrase
	Do           page.Phrase // the head of the column of what to do
	Href         string
	Button       page.Phrase
	Open, Folded []causeView
	More         page.Phrase
}

// A causeView is a cause in words.
type causeView struct {
	ID, Kind, Width string
	Count           int
	Title           page.Phrase
	Pattern         []patternPart
	Octets          string // Pattern as it is sent, where that is made readable; else ""
	Example         string
	Do              []doView
	Who             page.Phrase
	Examples        []exampleView
	Files           page.Phrase
	InFiles         []conclude.FileCount
	MoreFiles       int
	Expert          []page.Phrase
	Rules           *causeRules // nil for none
}

// A patternPart is text of a pattern, bold where it changes, or the arrow.
type patternPart struct {
	Text  string
	Lines []string // Text, cut where a line may end
	Bold  bool
	Arrow bool
}

// A doView is a line of what to do. An answer has a box to tick on paper.
type doView struct {
	Text  page.Phrase
	Bold  bool
	Class string
}

// An exampleView is an address as listed and where it leads, what differs marked.
type exampleView struct {
	From, To []page.Piece
	At       string
}

// laneLooks are the place and the colour of a lane.
var laneLooks = map[audit.Lane][2]string{
	audit.Upload: {"fixed", kindFix}, audit.Decide: {"decide", kindDecide},
	audit.Spelling: {"other-spelling", kindClean}, audit.Unseen: {"not-checked", kindUnseen},
}

func laneViews(result *audit.Result, c *conclude.Conclusion, rules string) (out []laneView) {
	most := 0
	for _, l := range c.Lanes {
		for _, x := range l.Causes {
			most = max(most, x.Count)
		}
	}
	for _, l := range c.Lanes {
		look := laneLooks[l.Lane]
		v := laneView{ID: look[0], Kind: look[1], Lead: phrase(l.Lead),
			Do: say("col-do"), More: phrase(l.More),
			Href: "#entries&lane=" + string(l.Lane), Button: say("lane-entries", "n", l.Count)}
		v.Title = page.Each(func(c *messages.Catalogue) []page.Run {
			return []page.Run{{Text: l.Title.Plain(c) + " "}, {Code: true, Text: messages.Number(l.Count)}}
		})
		switch l.Lane {
		case audit.Upload:
			v.Do = say("col-stay")
		case audit.Decide:
			v.Do = say("col-decision")
		}
		for i := range l.Causes {
			x := newCauseView(result, &l.Causes[i], look[1], most, rules)
			if i < l.Open {
				v.Open = append(v.Open, x)
			} else {
				v.Folded = append(v.Folded, x)
			}
		}
		out = append(out, v)
	}
	return out
}

func newCauseView(result *audit.Result, x *conclude.Cause, kind string, most int, rules string) causeView {
	width := max(float64(x.Count)*100/float64(most), leastPart*3)
	v := causeView{ID: x.ID, Kind: kind, Count: x.Count, Width: percentOf(width),
		Title: phrase(x.Title), Who: phrase(x.Who),
		Pattern: patternParts(x.Pattern), Octets: x.Pattern.Octets(), Files: say("in-files", "n", x.Sitemaps),
		InFiles: x.Files, MoreFiles: x.Sitemaps - len(x.Files)}
	v.Do = doViews(x, kind)
	origin := originOf(result)
	for _, e := range x.Examples {
		v.Examples = append(v.Examples, newExample(e, origin))
	}
	if kind == kindDecide && len(x.Examples) > 0 {
		v.Example = page.Middle(strings.TrimPrefix(x.Examples[0].Listed, origin), 80)
	}
	v.Expert, v.Rules = expertLines(result, x), newCauseRules(result, &result.Causes[x.Index], rules)
	return v
}

// doViews are what to do: a question and what follows from its answer, or what repairs it.
func doViews(x *conclude.Cause, kind string) (out []doView) {
	if !x.Ask.IsZero() {
		out = append(out, doView{Text: phrase(x.Ask), Bold: true})
	}
	for _, s := range x.Do {
		class := "answer tick"
		if kind == kindFix {
			class = ""
		}
		out = append(out, doView{Text: phrase(s), Class: class})
	}
	return out
}

func patternParts(p conclude.Pattern) (out []patternPart) {
	side := func(pieces []conclude.Piece) {
		for _, x := range pieces {
			out = append(out, patternPart{Text: x.Text, Bold: x.Changes})
		}
	}
	side(p.From)
	if len(p.To) > 0 {
		out = append(out, patternPart{Text: " ", Arrow: true})
		side(p.To)
	}
	texts := make([]string, len(out))
	for i := range out {
		texts[i] = out[i].Text
	}
	for i, lines := range page.Breaks(texts...) {
		out[i].Lines = lines
	}
	return out
}

// originOf is the origin that all sitemaps of the audit have; "" for several.
func originOf(result *audit.Result) string {
	origin := ""
	for i := range result.Files {
		a, err := address.Parse(result.Files[i].Sitemap.URL)
		if err != nil || origin != "" && a.Origin() != origin {
			return ""
		}
		origin = a.Origin()
	}
	return origin
}

// newExample marks what differs; the origin that both have is left out where it is the
// site's.
func newExample(e conclude.Example, origin string) exampleView {
	from, to := e.Listed, e.Final
	of := func(s string) bool { return strings.HasPrefix(s, origin+"/") }
	if to == "" || origin != "" && of(from) && of(to) {
		from, to = trimOrigin(from, origin), trimOrigin(to, origin)
	}
	from, to = page.Middle(from, 400), page.Middle(to, 400)
	if e.Back && to != "" {
		from, to = to, from
	}
	if to == "" || !isASCII(from) || !isASCII(to) {
		return exampleView{asIs(from), asIs(to), e.At}
	}
	v := exampleView{At: e.At}
	v.From, v.To = page.Sides(from, to)
	return v
}

// asIs is an address in which nothing is marked.
func asIs(s string) []page.Piece {
	if s == "" {
		return nil
	}
	return []page.Piece{{Mark: '=', Text: s}}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func trimOrigin(s, origin string) string {
	if origin != "" && strings.HasPrefix(s, origin+"/") {
		return s[len(origin):]
	}
	return s
}

// expertLines are the settings and commands of a cause.
func expertLines(result *audit.Result, x *conclude.Cause) (out []page.Phrase) {
	c := &result.Causes[x.Index]
	if c.Stop != "" {
		out = append(out, page.NoteText(c.Stop))
	}
	out = append(out, remedies(result, c)...)
	if x.Generator != "" && c.Group.Lane() == audit.Upload {
		out = append(out, say("cause-generator", "name", page.Visible(x.Generator)))
	}
	return out
}

// remedies says what to change at the source of a cause.
func remedies(result *audit.Result, c *audit.Cause) (out []page.Phrase) {
	generator := result.Generator(c)
	return page.List(func(w *messages.Catalogue) (lines []string) {
		for _, text := range w.Remedies(c, generator) {
			lines = append(lines, numberedSteps(text)...)
		}
		return lines
	})
}

// nextStep is where a text of numbered steps goes on with the next.
var nextStep = regexp.MustCompile(`[.。] ?([2-9])\. `)

// numberedSteps splits a text of numbered steps ("1. ... 2. ...") into these, each for a
// line of its own. Any other text is one.
func numberedSteps(text string) (out []string) {
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
