package page

import (
	"fmt"
	"slices"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// say is a text of the report, which every page has.
func say(key string, pairs ...any) Phrase { return Say(messages.Page(), key, pairs...) }

// VerdictText is a field of what is said of v: "what", "why", "do", else its name.
func VerdictText(v audit.Verdict, field string) Phrase {
	return Marked(func(c *messages.Catalogue) string {
		f := c.Verdict(v)
		switch field {
		case "what":
			return f.What
		case "why":
			return f.Why
		case "do":
			return f.Do
		}
		return f.Name
	})
}

// GroupText is the title of g as it stands after a number.
func GroupText(g audit.Group) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Group(g) })
}

// ShortGroup is a group in a word or two, for the head of a column.
func ShortGroup(g audit.Group) Phrase { return say("short-" + string(g)) }

// NoteText is n as a sentence.
func NoteText(n audit.Note) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Note(n) })
}

// noteDo says why a note matters and what to do about it.
func noteDo(n audit.Note) Phrase {
	return Marked(func(c *messages.Catalogue) string {
		x := c.Remark(n)
		return c.Text("two-sentences", "one", x.Why, "two", x.Do)
	})
}

func actionText(a audit.Action) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Action(a).Name })
}

// FaultText says in a few words why there was no whole answer.
func FaultText(f string) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Fault(audit.Fault(f)) })
}

// Columns are the groups that have a column in a table of counts: the main ones, and
// the others where anything is counted in them.
func Columns(counted func(audit.Group) bool) []audit.Group {
	return slices.DeleteFunc(slices.Clone(audit.Groups()), func(g audit.Group) bool {
		return g != audit.Fine && g != audit.Corrected && g != audit.TakenOut && g != audit.NeedsDecision && !counted(g)
	})
}

// Took is how long something took, as the terminal writes it.
func Took(d time.Duration) Phrase {
	switch unit, n, m := messages.Span(d); unit {
	case "seconds":
		return say("seconds", "n", n)
	case "minutes":
		return say("minutes", "n", n)
	default:
		return say("hours", "h", n, "m", m)
	}
}

// errorLimit is the share of entries with redirects or errors from which Bing
// says that it loses trust in a sitemap (Bing Webmaster Blog, 2014: "1%").
const errorLimit = 0.01

// ErrorRate writes a share, and reports whether Bing would lose trust at it.
func ErrorRate(share float64) (text string, over bool) {
	if p := share * 100; p > 0 && p < 0.05 {
		return "<0.1 %", false
	}
	return fmt.Sprintf("%.1f %%", share*100), share > errorLimit
}
