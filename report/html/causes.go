package html

import (
	"cmp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A laneView is the causes of a lane: those that stand open, and those that are folded.
type laneView struct {
	conclude.Lane
	ID, Look string
	Heading  messages.Sentence
	Shown    []causeView
	Folded   []causeView
}

// A causeView is a cause in words.
type causeView struct {
	conclude.Cause
	Look, Width string
	Line        []conclude.Piece // its pattern
	Example     string
	Differ      []exampleView
	Where       messages.Sentence // the files
	Expert      []messages.Sentence
}

// An exampleView is an address as listed and where it leads, what differs marked.
type exampleView struct {
	From, To []page.Piece
	At       string
}

// laneLooks are the place and the colour of a lane.
var laneLooks = map[audit.Lane][2]string{
	audit.Upload: {"fixed", "fix"}, audit.Decide: {"decide", "decide"}, audit.Spelling: {"other-spelling", "clean"}, audit.Unseen: {"not-checked", "unseen"},
}

func laneViews(result *audit.Result, c *conclude.Conclusion) (out []laneView) {
	most, origin := 0, siteOrigin(result)
	for _, l := range c.Lanes {
		for _, x := range l.Causes {
			most = max(most, x.Count)
		}
	}
	for _, l := range c.Lanes {
		look := laneLooks[l.Lane]
		v := laneView{Lane: l, ID: look[0], Look: look[1]}
		v.Heading = messages.Join(" ", l.Title, messages.Code(messages.Number(l.Count)))
		for i := range l.Causes {
			v.Shown = append(v.Shown, newCauseView(result, &l.Causes[i], l.Lane, most, origin))
		}
		v.Shown, v.Folded = v.Shown[:l.Open], v.Shown[l.Open:]
		out = append(out, v)
	}
	return out
}

func newCauseView(result *audit.Result, x *conclude.Cause, lane audit.Lane, most int, origin string) causeView {
	v := causeView{Cause: *x, Look: laneLooks[lane][1], Line: x.Pattern.Line("→"), Width: page.Bar(map[string]int{"fix": max(x.Count, most/100)}, most)[0].W}
	for _, e := range x.Examples {
		v.Differ = append(v.Differ, newExample(e, origin))
	}
	if lane == audit.Decide && len(x.Examples) > 0 {
		v.Example = messages.Middle(trimOrigin(x.Examples[0].Listed, origin), 80)
	}
	v.Where, v.Expert = messages.Say("n-files", "n", x.Sitemaps), expertLines(result, x)
	return v
}

// siteOrigin is the origin at which all sitemaps of the audit answered, or of its targets where none
// was read; "" for several.
func siteOrigin(result *audit.Result) (origin string) {
	urls := result.Info.Targets
	if len(result.Files) > 0 {
		urls = nil
	}
	for i := range result.Files {
		urls = append(urls, cmp.Or(result.Files[i].Sitemap.AnsweredAt, result.Files[i].Sitemap.URL))
	}
	for _, u := range urls {
		a, err := address.Parse(u)
		if err != nil || origin != "" && a.Origin() != origin {
			return ""
		}
		origin = a.Origin()
	}
	return origin
}

func trimOrigin(s, origin string) string {
	if origin != "" && strings.HasPrefix(s, origin+"/") {
		return s[len(origin):]
	}
	return s
}

// newExample marks what differs; the origin is left out where both addresses have it.
func newExample(e conclude.Example, origin string) exampleView {
	from, to := e.Listed, e.Final
	if short := trimOrigin(to, origin); to == "" || short != to && trimOrigin(from, origin) != from {
		from, to = trimOrigin(from, origin), short
	}
	from, to = messages.Middle(from, 400), messages.Middle(to, 400)
	if e.Back && to != "" {
		from, to = to, from
	}
	v := exampleView{At: e.At, From: []page.Piece{page.Piece("=" + from)}}
	if to != "" {
		v.From, v.To = page.Sides(from, to)
	}
	return v
}

// expertLines are what stopped a cause, what to change at its source, and that rules can lead there in
// one hop: of what redirects twice or more, and may be written.
func expertLines(result *audit.Result, x *conclude.Cause) (out []messages.Sentence) {
	c := &result.Causes[x.Index]
	if c.Stop != "" {
		out = append(out, page.NoteText(c.Stop))
	}
	out = append(out, x.Expert)
	if c.Stop == "" && c.Group == audit.Corrected && c.MostHops >= 2 {
		out = append(out, messages.Say("cause-rules"))
	}
	return out
}
