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

// LineWithin says Line in the words of w, its pattern cut in the middle of each side as far as
// the line needs to fit, and at least some characters of each are left.
func (c *Cause) LineWithin(w *messages.Catalogue, fits func(string) bool) string {
	text, from, to := c.line.Plain(w), visible(piecesText(c.Pattern.From)), visible(piecesText(c.Pattern.To))
	full := from
	if to != "" {
		full += " -> " + to
	}
	before, after, found := strings.Cut(text, full)
	for most := widestFew; found && most >= leastSide && !fits(text); most -= 4 {
		cut := middle(from, most)
		if to != "" {
			cut += " -> " + middle(to, most)
		}
		text = before + cut + after
	}
	return text
}

// leastSide is how many characters of each side of a pattern are left.
const leastSide = 24

// Hint is what to do about a cause in one sentence: the question to decide, or the repair.
func (c *Cause) Hint() Sentence {
	if !c.Ask.IsZero() {
		return c.Ask
	}
	return c.Do[0]
}

// lineOf is what Line says.
func lineOf(kind string, x *audit.Cause, c *Cause) Sentence {
	what := c.Title
	pattern := c.Pattern.Text()
	switch {
	case removedAsListed(x):
	case x.Group == audit.Corrected && x.Redirects() && x.Verdict != audit.Noncanonical && !moves(x):
		return chained(x, ruleOf(x))
	case x.Group == audit.Corrected && (kind == string(audit.Moved)) && len(c.Pattern.To) > 0:
		return chained(x, verbatim(pattern))
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
