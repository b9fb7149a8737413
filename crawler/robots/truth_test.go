package robots_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/robots"
)

// The tests compare the package with a second implementation of RFC 9309, Google's robots.txt
// specification and, where these say nothing, google/robotstxt: slow, byte by byte, and without any
// code of the package or its parser.

// truth is a robots.txt that is read slowly.
type truth struct {
	groups   []truthGroup
	sitemaps []robots.Sitemap
}

type truthGroup struct {
	agents []string // as written
	rules  []truthRule
}

type truthRule struct {
	allow   bool
	pattern []byte
	line    int
}

// truthKeys are the names of the lines that count, with the misspellings that Google accepts; a key
// counts if it begins so.
var truthKeys = []struct{ begins, means string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"}, {"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"},
	{"diaslow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"}, {"sitemap", "sitemap"}, {"site-map", "sitemap"},
}

func readTruth(body []byte) truth {
	var t truth
	rules := true // there was a rule since the last user-agent line
	for i, line := range truthLines(body) {
		key, value := truthPair(line)
		switch key {
		case "user-agent":
			if rules {
				t.groups = append(t.groups, truthGroup{})
			}
			rules = false
			g := &t.groups[len(t.groups)-1]
			g.agents = append(g.agents, string(value))
		case "allow", "disallow":
			if len(t.groups) == 0 {
				continue
			}
			rules = true
			g := &t.groups[len(t.groups)-1]
			g.rules = append(g.rules, truthRule{key == "allow", truthEscape(value), i + 1})
		case "sitemap":
			if len(value) > 0 {
				t.sitemaps = append(t.sitemaps, robots.Sitemap{URL: string(value), Line: i + 1})
			}
		}
	}
	return t
}

// truthLines returns the lines of the first 500 KiB, which end with CR, LF or CRLF. A byte order
// mark, or a part of one, does not belong to the first.
func truthLines(body []byte) [][]byte {
	if len(body) > 500*1024 {
		body = body[:500*1024]
	}
	for _, b := range []byte{0xEF, 0xBB, 0xBF} {
		if len(body) == 0 || body[0] != b {
			break
		}
		body = body[1:]
	}
	lines := [][]byte{nil}
	for i, b := range body {
		last := len(lines) - 1
		switch {
		case b == '\n' && i > 0 && body[i-1] == '\r':
		case b == '\n' || b == '\r':
			lines = append(lines, nil)
		default:
			lines[last] = append(lines[last], b)
		}
	}
	return lines
}

// truthPair splits a line into key and value; the key is "" for a line that does not count. A line
// ends at a NUL, like a string in C.
func truthPair(line []byte) (key string, value []byte) {
	if len(line) > 2083*8-1 {
		line = line[:2083*8-1]
	}
	for i, b := range line {
		if b == 0 || b == '#' {
			line = line[:i]
			break
		}
	}
	line = truthTrim(line)
	at := bytes.IndexByte(line, ':')
	if at < 0 {
		// "disallow /x", without a third word
		words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return "", nil
		}
		at = len(words[0])
	}
	name, value := truthTrim(line[:at]), truthTrim(line[at+1:])
	for _, k := range truthKeys {
		if len(name) >= len(k.begins) && truthLower(name[:len(k.begins)]) == k.begins {
			return k.means, value
		}
	}
	return "", nil
}

// truthTrim removes ASCII white space from both ends.
func truthTrim(b []byte) []byte {
	white := func(c byte) bool { return c == ' ' || c >= 9 && c <= 13 }
	for len(b) > 0 && white(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && white(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func truthLower(b []byte) string {
	low := bytes.Clone(b)
	for i, c := range low {
		if c >= 'A' && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	return string(low)
}

// truthEscape escapes bytes above ASCII, and converts the digits of escapes to upper case (RFC
// 9309, 2.2.2).
func truthEscape(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] >= 0x80:
			out = append(out, fmt.Sprintf("%%%02X", b[i])...)
		case b[i] == '%' && i+2 < len(b) && truthHex(b[i+1]) && truthHex(b[i+2]):
			out = append(out, '%')
			out = append(out, strings.ToUpper(string(b[i+1:i+3]))...)
			i += 2
		default:
			out = append(out, b[i])
		}
	}
	return out
}

func truthHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// obeyed returns the rules for a token: those of all groups that name it, or of * where none does
// (RFC 9309, 2.2.1).
func (t *truth) obeyed(token string) []truthRule {
	for _, name := range []string{token, strings.Replace(token, "Googlebot-Image", "Googlebot", 1), "*"} {
		var rules []truthRule
		named := false
		for _, g := range t.groups {
			if slices.ContainsFunc(g.agents, func(agent string) bool { return truthNames(agent, name) }) {
				named, rules = true, append(rules, g.rules...)
			}
		}
		if named {
			return rules
		}
	}
	return nil
}

// truthNames reports whether the value of a user-agent line names an agent: by the
// letters, "-" and "_" that it begins with; "*" may be followed by white space.
func truthNames(agent, name string) bool {
	if name == "*" {
		return agent == "*" || len(agent) > 1 && agent[0] == '*' && len(truthTrim([]byte{agent[1]})) == 0
	}
	end := 0
	for end < len(agent) && strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", agent[end]) >= 0 {
		end++
	}
	return truthLower([]byte(agent[:end])) == truthLower([]byte(name))
}

// allowed reports whether token may fetch a path, and returns the lines that may decide that: those
// of the longest pattern that matches, of allow where there is one.
func (t *truth) allowed(token, path string) (bool, []int) {
	path = string(truthEscape([]byte(path)))
	best, allow := 0, true
	var lines []int
	for _, r := range t.obeyed(token) {
		patterns := [][]byte{r.pattern}
		if at := bytes.LastIndexByte(r.pattern, '/'); r.allow && at >= 0 && bytes.HasPrefix(r.pattern[at:], []byte("/index.htm")) {
			patterns = append(patterns, append(bytes.Clone(r.pattern[:at+1]), '$'))
		}
		for _, p := range patterns {
			if len(p) == 0 || len(p) < best || !truthMatches(p, path) {
				continue
			}
			if len(p) > best || r.allow && !allow {
				best, allow, lines = len(p), r.allow, nil
			}
			if r.allow == allow {
				lines = append(lines, r.line)
			}
		}
	}
	return allow, lines
}

// truthMatches matches a pattern against a path, byte by byte: after[i] is set where the part of
// the pattern that was read matches the first i bytes of the path.
func truthMatches(pattern []byte, path string) bool {
	after := make([]bool, len(path)+1)
	after[0] = true
	for at, p := range pattern {
		if p == '$' && at == len(pattern)-1 {
			return after[len(path)]
		}
		next := make([]bool, len(path)+1)
		for i, ok := range after {
			switch {
			case !ok:
			case p == '*':
				for j := i; j <= len(path); j++ {
					next[j] = true
				}
			case i < len(path) && path[i] == p:
				next[i+1] = true
			}
		}
		after = next
	}
	return slices.Contains(after, true)
}
