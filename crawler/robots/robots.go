// Package robots reads a robots.txt the way Google's crawlers do and says
// which line of it decides about an address.
//
// The file is parsed by grobotstxt, a port of google/robotstxt, behind a step that
// takes out of each line what the port reads otherwise (ready); the rules are
// compiled once and matched many times. Tests hold both to a slow reading of RFC
// 9309 and Google's specification. The package makes no request, knows no cache and does
// not decide what a crawler does with a file that did not answer beyond naming
// it: see FromStatus.
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

// maxLine cuts the line that Check returns, in bytes.
const maxLine = 500

// A File is a parsed robots.txt. Its methods may be called from several
// goroutines at once.
type File struct {
	groups   []group
	sitemaps []Sitemap
	lines    []string

	mu       sync.RWMutex
	compiled map[string]*ruleset // by token, in lower case
}

// A Sitemap is one "Sitemap:" line. It is bound to no agent.
type Sitemap struct {
	URL  string // as written, octet for octet: it may be relative, or no address at all
	Line int    // from 1
}

// group is one or more user-agent lines and the rules that follow them.
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

// Parse reads the first MaxBytes of body. There is no malformed robots.txt:
// what is no directive is skipped, and an empty or foreign file (HTML) has no
// rules. A byte order mark, any line ends and Google's tolerated typos
// ("disalow") are understood.
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

// Sitemaps returns the sitemap lines in file order, but for those that name
// nothing. The caller must not change
// the slice.
func (f *File) Sitemaps() []Sitemap { return f.sitemaps }

// Check reports whether token may fetch url, an absolute address in wire form.
//
// line is the deciding line as written, without its comment's surroundings
// changed ("Disallow: /private/"; cut to 500 bytes), and n its number from 1;
// "" and 0 where no line decides, and then allowed is true. The longest
// pattern wins and allow wins a tie (RFC 9309 2.2.2). A group that names the
// token shuts out the group of *, even when it is empty. Googlebot-Image and
// the other Googlebot- tokens obey the group of Googlebot where no group names
// them (Google's list of crawlers).
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

// family is the token whose group counts where token has none of its own.
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
