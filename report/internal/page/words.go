package page

import (
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

// NoteText is n as a sentence.
func NoteText(n audit.Note) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Note(n) })
}

func actionText(a audit.Action) Phrase {
	return Marked(func(c *messages.Catalogue) string { return c.Action(a).Name })
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

// RuleFormats are the formats of redirect rules of the servers and hosts that an audit recognises
// (audit.Info.Servers).
var RuleFormats = map[string]string{
	"nginx": "nginx", "Apache": "apache", "LiteSpeed": "htaccess", "Caddy": "caddy", "lighttpd": "lighttpd", "IIS": "iis",
	"Netlify": "netlify", "Vercel": "vercel", "Shopify": "shopify", "Cloudflare": "cloudflare-bulk",
}
