package conclude

import (
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Line says a cause in one line of a terminal: what the upload rewrites as a rule or a
// pattern, anything else by its answer or title, and its pattern.
func (c *Cause) Line() Sentence { return c.line }

// LineWithin says Line in the words of w in one line of a terminal, or two: its pattern names one address for
// several, and is cut in the middle of each side, until the line fits well, or little of it is left. Where that does not
// fit either, it is said in fewer words; else the pattern stands in a line of its own, for where
// entries lead is never left out. What has no pattern is its title, or without its end.
func (c *Cause) LineWithin(w *messages.Catalogue, well, fits func(string) bool) (line, below string) {
	for _, least := range []int{leastSide, leastSide / 2} {
		for _, line := range []Sentence{c.line, c.brief} {
			if text := c.shortened(line.Plain(w), least, well); fits(text) && !line.IsZero() {
				return text, ""
			}
		}
	}
	if pattern := visible(c.Pattern.Text()); pattern != "" {
		below = c.shortened(pattern, leastSide/4, fits)
	}
	return c.titleWithin(w, fits), below
}

// titleWithin is the title, without its end where it does not fit.
func (c *Cause) titleWithin(w *messages.Catalogue, fits func(string) bool) string {
	if text := c.Title.Plain(w); fits(text) {
		return text
	}
	title := []rune(c.Title.Plain(w))
	for n := len(title) - 1; n > 1; n-- {
		if text := string(title[:n]) + "…"; fits(text) {
			return text
		}
	}
	return string(title[:min(1, len(title))])
}

// shortened is a line with each side of its pattern cut, to about least characters, until it fits.
func (c *Cause) shortened(text string, least int, fits func(string) bool) string {
	from, to := visible(piecesText(c.Pattern.From)), visible(piecesText(c.Pattern.To))
	full := from
	if to != "" {
		full += " -> " + to
	}
	before, after, found := strings.Cut(text, full)
	for most := widestFew; found && most >= least && !fits(text); most -= 4 {
		cut := within(from, most)
		if to != "" {
			cut += " -> " + within(to, most)
		}
		text = before + cut + after
	}
	return text
}

// within is a side of a pattern in most characters: of several addresses the first one.
func within(side string, most int) string {
	first, _, several := strings.Cut(side, ", ")
	if !several || len([]rune(side)) <= most {
		return middle(side, most)
	}
	return middle(first, most) + ", …"
}

// leastSide is how many characters of each side of a pattern are left, and half of it where
// there is little room.
const leastSide = 24

// Hint is what to do about a cause in one sentence: the question to decide, or the repair.
func (c *Cause) Hint() Sentence {
	if !c.Ask.IsZero() {
		return c.Ask
	}
	return c.Do[0]
}

// lineOf is what Line says. It sets the brief form of c, too, where there is one.
func lineOf(kind string, x *audit.Cause, c *Cause) Sentence {
	what := c.Title
	pattern := c.Pattern.Text()
	if has("brief-"+kind) && pattern != "" {
		c.brief = say("line", "what", say("brief-"+kind, "n", x.Count), "pattern", verbatim(pattern))
	}
	switch {
	case removedAsListed(x):
	case x.Group == audit.Corrected && x.Redirects() && x.Verdict != audit.Noncanonical && !moves(x):
		return chained(x, ruleOf(x))
	case x.Group == audit.Corrected && (kind == string(audit.Moved)) && len(c.Pattern.To) > 0:
		return chained(x, verbatim(pattern))
	case kind == string(audit.Temporary) && !byHTTP(x): // a status 200 would say nothing
	case slices.Contains([]string{"temporary", "not-found", "error-5xx", "error"}, kind) && statuses(x) != "":
		what = verbatim(statuses(x))
		if x.Trait == audit.Chained {
			what = chained(x, what)
		}
	}
	if pattern == "" {
		return c.Title
	}
	return say("line", "what", what, "pattern", verbatim(pattern))
}

// byHTTP reports whether all redirects of a cause are answers that redirect: a delayed refresh
// answers 200.
func byHTTP(x *audit.Cause) bool {
	for status := range x.Answers {
		if status < 300 || status > 399 {
			return false
		}
	}
	return true
}

// moves reports whether a rule changes more of an address than a word can say.
func moves(x *audit.Cause) bool {
	for _, t := range x.Terms {
		switch t.Name {
		case "path", "to-one", "parameter-lifted":
			return true
		}
	}
	return false
}

// ruleOf is the rule of a cause in words.
func ruleOf(x *audit.Cause) Sentence {
	rule := say("as-it-is", "text", ruleWord(x.Terms))
	if x.Verdict == audit.Respelled {
		return say("line-respelled", "rule", rule)
	}
	return rule
}

// chained adds to what says a cause how long its chains are.
func chained(x *audit.Cause, what Sentence) Sentence {
	if x.Trait != audit.Chained {
		return what
	}
	chain := say("chain", "n", x.LeastHops)
	if x.MostHops > x.LeastHops {
		chain = say("chains", "n", x.LeastHops, "m", x.MostHops)
	}
	return say("chained", "what", what, "chain", chain)
}
