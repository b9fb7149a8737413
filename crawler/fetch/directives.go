package fetch

import (
	"slices"
	"strings"
)

// isRobotsName reports whether a meta name, or the prefix of an X-Robots-Tag, addresses this robot.
func isRobotsName(name string, tokens []string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == "robots" || slices.Contains(tokens, name)
}

// robotsTag returns the directives of an X-Robots-Tag that concern a robot. A name and a colon
// restrict what follows to that robot, until the next name (Search docs, "robots-meta-tag":
// "BadBot: noindex, nofollow, googlebot: nofollow").
func robotsTag(value string, tokens []string) []string {
	mine := true
	var found []string
	for _, part := range splitDirectives(value) {
		if name, rest, ok := strings.Cut(part, ":"); ok && isAgent(name) {
			mine = isRobotsName(name, tokens)
			part = strings.TrimSpace(rest)
		}
		if mine && part != "" {
			found = append(found, lowerDirective(part))
		}
	}
	return found
}

// directives splits the content of a robots meta tag.
func directives(content string) []string {
	parts := splitDirectives(content)
	for i := range parts {
		parts[i] = lowerDirective(parts[i])
	}
	return parts
}

// splitDirectives splits at commas, but keeps the date of unavailable_after
// whole ("Wed, 25 Jun 2010 15:00:00 GMT").
func splitDirectives(s string) []string {
	var parts []string
	for p := range strings.SplitSeq(cutBytes(s, 4*maxDirective), ",") {
		p = strings.TrimSpace(p)
		n := len(parts)
		switch {
		case p == "":
		case n > 0 && isDigit(p[0]) &&
			strings.Contains(strings.ToLower(parts[n-1]), "unavailable_after"):
			parts[n-1] += ", " + p
		default:
			parts = append(parts, p)
		}
	}
	return parts
}

// isAgent distinguishes the name of a robot before a colon from a directive that takes a
// value, and from the hours of a date.
func isAgent(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview", "":
		return false
	}
	return !strings.ContainsAny(name, " \t")
}

// lowerDirective returns a directive with its name in lower case and its value unchanged.
func lowerDirective(d string) string {
	name, value, ok := strings.Cut(strings.ToValidUTF8(d, "\uFFFD"), ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok {
		return name
	}
	return name + ": " + strings.TrimSpace(value)
}

// canonicalLink returns the target of the first rel=canonical in a Link header (RFC 8288 3), and
// the text after it; "" for none. A canonical does not count where it has hreflang, media or type,
// or an anchor, which makes it about another page.
func canonicalLink(value string) (target, after string) {
	for {
		_, rest, ok := strings.Cut(value, "<")
		if !ok {
			return "", ""
		}
		target, rest, ok := strings.Cut(rest, ">")
		if !ok {
			return "", ""
		}
		canonical, after := linkParams(rest)
		if canonical && strings.TrimSpace(target) != "" {
			return strings.TrimSpace(target), after
		}
		value = after
	}
}

// linkParams reads the parameters of one link. It reports whether they make it a canonical, and
// returns what follows the comma after them.
func linkParams(s string) (canonical bool, after string) {
	alternate := false
	seen := false
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			break
		}
		var name, value string
		name, value, s = linkParam(s[1:])
		switch strings.ToLower(name) {
		case "rel":
			if !seen { // RFC 8288 3.3: the first rel counts
				canonical = hasToken(value, "canonical")
			}
			seen = true
		case "hreflang", "media", "type", "anchor":
			alternate = true
		}
	}
	_, after, _ = strings.Cut(s, ",")
	return canonical && !alternate, after
}

// linkParam reads one parameter, name=token or name="quoted".
func linkParam(s string) (name, value, rest string) {
	i := strings.IndexAny(s, "=;,")
	if i < 0 || s[i] != '=' {
		if i < 0 {
			i = len(s)
		}
		return strings.TrimSpace(s[:i]), "", s[i:]
	}
	name, s = strings.TrimSpace(s[:i]), strings.TrimLeft(s[i+1:], " \t")
	if strings.HasPrefix(s, `"`) {
		return quoted(name, s[1:])
	}
	i = strings.IndexAny(s, ";,")
	if i < 0 {
		i = len(s)
	}
	return name, strings.TrimSpace(s[:i]), s[i:]
}

func quoted(name, s string) (_, value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return name, b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return name, b.String(), ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
