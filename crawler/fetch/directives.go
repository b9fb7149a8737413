package fetch

import (
	"cmp"
	"regexp"
	"strings"
)

// isRobotsName reports whether a meta name, or the prefix of an X-Robots-Tag, addresses this robot.
func isRobotsName(name, token string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == "robots" || name == token
}

// directives splits the content of a robots meta tag, in lower case.
func directives(content string) []string {
	parts := strings.Split(strings.ToLower(strings.ToValidUTF8(cutBytes(content, 4*maxDirective), "\uFFFD")), ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// robotsTag returns the directives of an X-Robots-Tag that concern a robot. A name and a colon
// restrict what follows to that robot, until the next name (Search docs, "robots-meta-tag":
// "BadBot: noindex, nofollow, googlebot: nofollow").
func robotsTag(value, token string) []string {
	mine := true
	var found []string
	for _, part := range directives(value) {
		if name, rest, ok := strings.Cut(part, ":"); ok && isAgent(name) {
			mine = isRobotsName(name, token)
			part = strings.TrimSpace(rest)
		}
		if mine {
			found = append(found, part)
		}
	}
	return found
}

// isAgent distinguishes the name of a robot before a colon from a directive that takes a
// value, and from the hours of a date.
func isAgent(name string) bool {
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview", "":
		return false
	}
	return !strings.ContainsAny(name, " \t")
}

var (
	linkValue = regexp.MustCompile(`<([^>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^";,]*))?)*)`)
	linkParam = regexp.MustCompile(`;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";,]*)))?`)
)

// canonicalLinks returns the targets of rel=canonical in a Link header (RFC 8288 3). A canonical does
// not count where it has hreflang, media or type, or an anchor, which makes it about another page.
func canonicalLinks(value string) (targets []string) {
	if !strings.Contains(strings.ToLower(value), "canonical") {
		return nil
	}
	for _, link := range linkValue.FindAllStringSubmatch(value, -1) {
		rel, other := "", false
		for _, param := range linkParam.FindAllStringSubmatch(link[2], -1) {
			switch strings.ToLower(param[1]) {
			case "rel":
				rel = cmp.Or(rel, param[2]+param[3]) // RFC 8288 3.3: the first one counts
			case "hreflang", "media", "type", "anchor":
				other = true
			}
		}
		if hasToken(rel, "canonical") && !other {
			targets = append(targets, strings.TrimSpace(link[1]))
		}
	}
	return targets
}
