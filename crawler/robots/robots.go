// Package robots reads a robots.txt as Google's crawlers do (google/robotstxt, RFC 9309), and finds
// the line that decides about an address.
//
// Tests compare it with the cases of google/robotstxt, and with a slow implementation of RFC 9309 and
// Google's specification. The package sends no requests and has no cache.
package robots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
)

// MaxBytes is how much of a robots.txt counts; what follows is ignored
// (Google's robots.txt specification, "File size": 500 KiB).
const MaxBytes = 500 << 10

const (
	maxLine  = 2083*8 - 1 // bytes of a line that count (google/robotstxt, kMaxLineLen without the final NUL)
	maxShown = 500        // bytes of a line that Check returns
	// asciiSpace is what google/robotstxt calls white space (absl::StripAsciiWhitespace).
	asciiSpace = " \t\n\v\f\r"
)

// A File is a parsed robots.txt. It is safe for concurrent use. Its exported fields are those that
// are stored.
type File struct {
	Groups   []group
	Sitemaps []Sitemap // in the order of the file, without empty ones

	ordered sync.Map // the rules of a token, best first
}

// A Sitemap is one "Sitemap:" line. It applies to all agents.
type Sitemap struct {
	URL  string // as written, but for a password: it may be relative, or no address at all
	Line int    // from 1
}

// group is one or more user-agent lines and the rules that follow.
type group struct {
	Agents []string // product tokens in lower case, and "*"
	Rules  []rule
}

type rule struct {
	Pattern string // escaped
	Text    string // the line, without white space around it and its remark
	Line    int
	Allow   bool
}

// directives are the names of the lines that count, with the misspellings that Google accepts; a
// name counts if it begins so.
var directives = []struct{ begins, means string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"},
	{"sitemap", "sitemap"}, {"site-map", "sitemap"}, {"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"},
	{"diaslow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"},
}

// Parse parses the first MaxBytes of body. It has no error: it skips what is no directive, and an
// empty or foreign file (HTML) has no rules. It accepts a byte order mark or a part of one, and any
// line ends.
func Parse(body []byte) *File {
	text := string(body[:min(len(body), MaxBytes)])
	for _, b := range []byte("\xEF\xBB\xBF") {
		if text == "" || text[0] != b {
			break
		}
		text = text[1:]
	}
	f, open := &File{}, false // open: the last group may still get user-agent lines
	for i, line := range strings.Split(lineEnds.Replace(text), "\n") {
		directive, value, shown := cutLine(line)
		last := len(f.Groups) - 1
		switch {
		case directive == "sitemap" && value != "":
			f.Sitemaps = append(f.Sitemaps, Sitemap{URL: strings.Clone(address.Masked(value)), Line: i + 1})
		case directive == "user-agent" && open:
			f.Groups[last].Agents = append(f.Groups[last].Agents, agentOf(value))
		case directive == "user-agent":
			f.Groups, open = append(f.Groups, group{Agents: []string{agentOf(value)}}), true
		case strings.HasSuffix(directive, "allow") && last >= 0: // a rule before any user-agent line has no effect
			f.Groups[last].Rules = append(f.Groups[last].Rules, rule{escaped(value), shown, i + 1, directive == "allow"})
			open = false
		}
	}
	return f
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// cutLine returns what a line is, "" for nothing that counts, its value, and the line as it is shown.
// It splits at the colon, or else at the space between two words, as google/robotstxt does
// (GetKeyAndValueFrom). A NUL ends the line, as in C.
func cutLine(line string) (directive, value, shown string) {
	line, _, _ = strings.Cut(line[:min(len(line), maxLine)], "\x00")
	line, _, _ = strings.Cut(line, "#")
	line = strings.Trim(line, asciiSpace)
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		n := max(strings.IndexAny(line, " \t"), 0)
		key, value = line[:n], strings.TrimLeft(line[n:], " \t")
		if strings.ContainsAny(value, " \t") {
			return "", "", ""
		}
	}
	key = strings.ToLower(strings.Trim(key, asciiSpace))
	for _, d := range directives {
		if strings.HasPrefix(key, d.begins) {
			directive = d.means
		}
	}
	shown = strings.Clone(line[:min(len(line), maxShown)])
	if len(line) > maxShown {
		shown = strings.ToValidUTF8(shown, "") + "..."
	}
	return directive, strings.Trim(value, asciiSpace), shown
}

// agentOf returns the part of a user-agent value that is compared: letters, "_" and "-" (RFC 9309
// 2.2.1; "Googlebot/2.1" is "Googlebot"), in lower case; "*" for every agent, also followed by white
// space and more.
func agentOf(value string) string {
	if value == "*" || len(value) > 1 && value[0] == '*' && strings.IndexByte(asciiSpace, value[1]) >= 0 {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' && r != '_' })
	if end < 0 {
		end = len(value)
	}
	return strings.Clone(strings.ToLower(value[:end])) // like all that is kept, it holds no file in memory
}

// escaped returns a pattern or a path with bytes above ASCII as escapes, and with the digits of
// escapes in upper case (RFC 9309, 2.2.2).
func escaped(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == '%' || r >= 0x80 }) < 0 {
		return strings.Clone(s)
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= 0x80:
			b = fmt.Appendf(b, "%%%02X", s[i])
		case s[i] == '%' && i+2 < len(s) && address.Unhex(s[i+1]) >= 0 && address.Unhex(s[i+2]) >= 0:
			b = append(b, strings.ToUpper(s[i:i+3])...)
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// Check reports whether token may fetch url, an absolute address in wire form.
//
// line is the deciding line, without its remark ("Disallow: /private/"; cut to 500 bytes), and n its
// number from 1. They are "" and 0 where no line decides, and then allowed is true. The longest pattern
// wins, and allow wins a tie (RFC 9309 2.2.2). Where a group names the token, the group of * does not
// apply, even if the former is empty. Googlebot-Image and the other Googlebot- tokens obey the group of
// Googlebot where no group names them (Google's list of crawlers).
//
// Hex digits of escapes in url count as upper case, as in patterns; nothing else is decoded or
// encoded.
func (f *File) Check(token, url string) (allowed bool, line string, n int) {
	path := cmp.Or(escaped(address.Wire(url).Target()), "/")
	for _, r := range f.rulesOf(strings.ToLower(token)) {
		if r.matches(path) {
			return r.Allow, r.Text, r.Line
		}
	}
	return true, "", 0
}

// rulesOf returns the rules that a token obeys, best first: the first rule that matches decides.
func (f *File) rulesOf(token string) []rule {
	if rules, ok := f.ordered.Load(token); ok {
		return rules.([]rule)
	}
	names, rules := []string{token, "*"}, []rule(nil)
	if strings.HasPrefix(token, "googlebot-") {
		names = []string{token, "googlebot", "*"}
	}
	for _, name := range names {
		named := false
		for _, g := range f.Groups {
			if slices.Contains(g.Agents, name) {
				named, rules = true, append(rules, g.Rules...)
			}
		}
		if named {
			break
		}
	}
	for _, r := range rules {
		// Google reads "Allow: /x/index.html" as if it allowed /x/, too.
		if at := strings.LastIndexByte(r.Pattern, '/'); r.Allow && at >= 0 && strings.HasPrefix(r.Pattern[at:], "/index.htm") {
			r.Pattern = r.Pattern[:at+1] + "$"
			rules = append(rules, r)
		}
	}
	rules = slices.DeleteFunc(rules, func(r rule) bool { return r.Pattern == "" }) // that decides nothing
	slices.SortStableFunc(rules, func(a, b rule) int {
		if len(a.Pattern) == len(b.Pattern) && a.Allow != b.Allow {
			return map[bool]int{true: -1, false: 1}[a.Allow]
		}
		return cmp.Compare(len(b.Pattern), len(a.Pattern))
	})
	f.ordered.Store(token, rules)
	return rules
}

// matches reports whether the pattern matches from the start of path. "*" is any run of bytes, "$"
// the end of path, and only at the end of the pattern (RFC 9309 2.2.3).
func (r *rule) matches(path string) bool {
	pattern, anchored := strings.CutSuffix(r.Pattern, "$")
	part, pattern, more := strings.Cut(pattern, "*")
	path, ok := strings.CutPrefix(path, part)
	for ok && more {
		if part, pattern, more = strings.Cut(pattern, "*"); !more && anchored {
			return strings.HasSuffix(path, part)
		}
		_, path, ok = strings.Cut(path, part)
	}
	return ok && (!anchored || path == "")
}
