package page

import (
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// say is a text of the report, which every page has.
func say(key string, pairs ...any) Phrase { return Say(messages.Page(), key, pairs...) }

// Named is the text of key, of the report or, of a lane, of the conclusion: what is counted has one
// name wherever it is.
func Named(key string) Phrase {
	if strings.HasPrefix(key, "lane-") {
		return Say(messages.Conclude(), key)
	}
	return say(key)
}

// VerdictName is the name of v.
func VerdictName(v audit.Verdict) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Verdict(v).Name })
}

// NoteText is n as a sentence.
func NoteText(n audit.Note) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Note(n) })
}

// Took is how long something took, as the terminal writes it.
func Took(d time.Duration) Phrase {
	switch unit, n, m := messages.Span(d); unit {
	case "seconds":
		return say("seconds", "n", n)
	case "minutes":
		return say("minutes", "n", n)
	default:
		return say("hours", "n", n, "m", m)
	}
}
