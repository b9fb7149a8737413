// Package robots reads a robots.txt as Google's crawlers do, and finds the line that decides about
// an address.
//
// The file is parsed by grobotstxt, a port of google/robotstxt, after a step that removes from each
// line what the port reads differently (ready). The rules are compiled once and matched many times.
// Tests compare both with a slow implementation of RFC 9309 and Google's specification. The package
// sends no requests and has no cache. FromStatus says what an answer other than a file means; what
// a crawler does about it is the caller's decision.
package robots

import (
	"slices"
	"strings"
	"sync"

	"github.com/jimsmart/grobotstxt"
)

// MaxBytes is how much of a robots.txt counts; what follows is ignored
// (Google's robots.txt specification, "File size": 500 KiB).
const MaxBytes = 500 << 10

// maxLine is how many bytes of a line Check returns.
const maxLine = 500

// A File is a parsed robots.txt. It is safe for concurrent use.
type File struct {
	groups   []group
	sitemaps []Sitemap
	lines    []string

	mu       sync.RWMutex
	compiled map[string]*ruleset // by token, in lower case
}

// A Sitemap is one "Sitemap:" line. It applies to all agents.
type Sitemap struct {
	URL  string // as written, byte for byte: it may be relative, or no address at all
	Line int    // from 1
}

// group is one or more user-agent lines and the rules that follow.
type group struct {
	agents []string // product tokens in lower case
	star   bool
	rules  []rule
}

type rule struct {
	pattern string // escaped
	line    int
	allow   bool
}

// Parse parses the first MaxBytes of body. It has no error: it skips what is no directive, and an
// empty or foreign file (HTML) has no rules. It accepts a byte order mark, any line ends, and the
// misspellings that Google accepts ("disalow").
func Parse(body []byte) *File {
	if len(body) > MaxBytes {
		body = body[:MaxBytes]
	}
	h := &collector{f: &File{compiled: map[string]*ruleset{}}, lines: splitLines(string(body))}
	var text strings.Builder
	for _, line := range h.lines {
		text.WriteString(ready(line))
		text.WriteByte('\n')
	}
	grobotstxt.Parse(text.String(), h)
	h.f.lines = h.pick()
	return h.f
}

// Sitemaps returns the sitemap lines in the order of the file, without empty ones. The caller must
// not change the slice.
func (f *File) Sitemaps() []Sitemap { return f.sitemaps }

// Check reports whether token may fetch url, an absolute address in wire form.
//
// line is the deciding line as written, without white space around it ("Disallow: /private/"; cut
// to 500 bytes), and n its number from 1. They are "" and 0 where no line decides, and then allowed
// is true. The longest pattern wins, and allow wins a tie (RFC 9309 2.2.2). Where a group names the
// token, the group of * does not apply, even if the former is empty. Googlebot-Image and the other
// Googlebot- tokens obey the group of Googlebot where no group names them (Google's list of
// crawlers).
//
// Hex digits of escapes in url count as upper case, as in patterns; nothing else is decoded or
// encoded.
func (f *File) Check(token, url string) (allowed bool, line string, n int) {
	r := f.ruleset(token).decide(upperHex(pathOf(url)))
	if r == nil {
		return true, "", 0
	}
	return r.allow, f.line(r.line), r.line
}

func (f *File) line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

// groupsFor returns the groups that token obeys.
func (f *File) groupsFor(token string) []*group {
	token = strings.ToLower(token)
	for _, t := range []string{token, family(token)} {
		if gs := f.find(func(g *group) bool { return g.names(t) }); len(gs) > 0 {
			return gs
		}
	}
	return f.find(func(g *group) bool { return g.star })
}

// family returns the token whose group counts where token has none of its own.
func family(token string) string {
	if strings.HasPrefix(token, "googlebot-") {
		return "googlebot"
	}
	return token
}

func (f *File) find(ok func(*group) bool) []*group {
	var found []*group
	for i := range f.groups {
		if ok(&f.groups[i]) {
			found = append(found, &f.groups[i])
		}
	}
	return found
}

func (g *group) names(token string) bool {
	return slices.Contains(g.agents, token)
}

// ruleset compiles the rules for token at its first use.
func (f *File) ruleset(token string) *ruleset {
	f.mu.RLock()
	rs := f.compiled[token]
	f.mu.RUnlock()
	if rs != nil {
		return rs
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if rs = f.compiled[token]; rs == nil {
		rs = compile(f.groupsFor(token))
		f.compiled[token] = rs
	}
	return rs
}
