package robots

import (
	"strings"
)

// collector turns the parser's callbacks into groups. It implements
// grobotstxt.ParseHandler.
type collector struct {
	f     *File
	lines []string // as written
	open  bool     // the last group may still get user-agent lines
	last  int      // line of the last directive
}

func (c *collector) HandleRobotsStart() {}
func (c *collector) HandleRobotsEnd()   {}

// HandleUnknownAction ignores lines that Google does not obey, such as crawl-delay (listed as not
// supported in Google's robots.txt specification).
func (c *collector) HandleUnknownAction(int, string, string) {}

// HandleUserAgent opens a group, or adds an agent to one that has no rule yet: blank lines, sitemap
// lines and unknown lines do not end a group.
func (c *collector) HandleUserAgent(line int, value string) {
	if !c.open {
		c.f.groups = append(c.f.groups, group{})
		c.open = true
	}
	g := c.group()
	if isStar(value) {
		g.star = true
	} else {
		g.agents = append(g.agents, strings.ToLower(productToken(value)))
	}
	c.last = line
}

func (c *collector) HandleAllow(line int, value string)    { c.rule(rule{value, line, true}) }
func (c *collector) HandleDisallow(line int, value string) { c.rule(rule{value, line, false}) }

// HandleSitemap stores the value as written: it is an address, not a pattern.
func (c *collector) HandleSitemap(line int, _ string) {
	if _, value, _ := cutLine(c.lines[line-1]); value != "" {
		c.f.sitemaps = append(c.f.sitemaps, Sitemap{URL: strings.Clone(value), Line: line})
	}
}

func (c *collector) rule(r rule) {
	g := c.group()
	if g == nil {
		return // a rule before any user-agent line has no effect
	}
	g.rules = append(g.rules, r)
	c.open = false
	c.last = r.line
}

func (c *collector) group() *group {
	if len(c.f.groups) == 0 {
		return nil
	}
	return &c.f.groups[len(c.f.groups)-1]
}

// pick returns the lines that may have to be shown, truncated, and drops the file.
func (c *collector) pick() []string {
	kept := make([]string, c.last)
	for i := range c.f.groups {
		for _, r := range c.f.groups[i].rules {
			kept[r.line-1] = strings.Clone(cut(strings.Trim(c.lines[r.line-1], asciiSpace)))
		}
	}
	return kept
}

func cut(s string) string {
	if len(s) <= maxLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxLine], "") + "..."
}

// isStar reports whether a user-agent value means every agent: "*", also
// followed by white space and more.
func isStar(value string) bool {
	return len(value) > 0 && value[0] == '*' && (len(value) == 1 || isSpace(value[1]))
}

func isSpace(c byte) bool { return strings.IndexByte(asciiSpace, c) >= 0 }

// productToken returns the part of a user-agent value that is compared: letters, "_" and "-" (RFC
// 9309 2.2.1; "Googlebot/2.1" is "Googlebot"). The port also accepts digits and other characters,
// which Google's own parser does not.
func productToken(value string) string {
	for i := 0; i < len(value); i++ {
		c := value[i] | 0x20
		if (c < 'a' || c > 'z') && value[i] != '-' && value[i] != '_' {
			return value[:i]
		}
	}
	return value
}

// splitLines splits a file as the parser does: at LF, CR and CRLF, after a byte order mark or a
// part of one.
func splitLines(text string) []string {
	for i := 0; i < len(bom) && text != "" && text[0] == bom[i]; i++ {
		text = text[1:]
	}
	var lines []string
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(lines, text)
		}
		lines = append(lines, text[:i])
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
	}
}

const bom = "\xEF\xBB\xBF"
