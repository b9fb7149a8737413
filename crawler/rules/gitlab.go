package rules

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// The limits of a _redirects file at GitLab Pages: one that is longer is ignored
// whole, rules beyond the number are ignored.
const (
	GitLabRules = 1000
	GitLabSize  = 64 << 10
)

// readGitLab reads a _redirects file as GitLab Pages does
// (docs.gitlab.com/user/project/pages/redirects; v1.64). One line that cannot be read disables the whole
// file, and nobody is told: rules that can be read but not be used are left out
// alone.
func readGitLab(s *Set, name, text string) {
	if len(text) > GitLabSize {
		s.fault(name, 0, "", fmt.Sprintf("longer than %d bytes: the file is ignored", GitLabSize))
		return
	}
	read := 0
	for n, line := range gitlabLines(text) {
		w := strings.Fields(line)
		if len(w) == 0 || w[0][0] == '#' {
			continue
		}
		r, dead, why := gitlabRule(w)
		if dead {
			s.Rules = nil
			s.fault(name, n, line, why+": the whole file is ignored")
			return
		}
		if read++; why == "" && read > GitLabRules {
			why = fmt.Sprintf("more than %d rules", GitLabRules)
		}
		if why != "" {
			s.fault(name, n, line, why)
			continue
		}
		r.File, r.Line = name, n
		s.Rules = append(s.Rules, r)
	}
}

// gitlabLines are lines that keep a byte order mark: it belongs to the first source.
func gitlabLines(text string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			if n++; !yield(n, strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// gitlabRule reads the words of a line. dead says that the file is ignored whole.
func gitlabRule(w []string) (r Rule, dead bool, why string) {
	if len(w) < 2 {
		return r, true, "a line of one word"
	}
	r.Source, r.Target, r.Status = w[0], w[1], 301
	force := false
	if len(w) > 2 {
		n, forced, ok := netlifyStatus(w[2])
		if !ok {
			return r, true, "the status is no number"
		}
		r.Status, r.Stated, force = n, true, forced
	}
	_, err := url.Parse(r.Target)
	switch {
	case len(w) > 3:
		why = "more than three words"
	case force:
		why = "! is not supported: a file always wins"
	case r.Status != 200 && r.Status != 301 && r.Status != 302:
		why = "the status is none of 200, 301, 302"
	case !strings.HasPrefix(r.Source, "/") || strings.HasPrefix(r.Source, "//"):
		why = "the source must begin with one /"
	case err != nil || !strings.HasPrefix(r.Target, "/") || strings.HasPrefix(r.Target, "//"):
		why = "the target must be a path of the site"
	}
	return r, false, why
}

// gitlab is how GitLab Pages compares: the decoded path, without case and without
// the slash at its end. Sources are taken as they are written.
type gitlab struct{}

func (gitlab) subject(q Request) (subject, bool) {
	s := split(q)
	if badEscape(s.path) {
		return s, false
	}
	s.path = merged(decoded(s.path))
	s.key = lower(bare(s.path))
	return s, true
}

// merged makes one slash of several.
func merged(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

var gitlabName = regexp.MustCompile(`^:[A-Za-z]+$`)

func (gitlab) compile(r *Rule) (string, *pattern) {
	key, p := segments(bare(r.Source), "[^/]+", gitlabName.MatchString, false)
	if p != nil {
		p.expr, p.prefix = "(?i)"+p.expr, "" // without case: any first segment may be the one
	}
	return lower(key), p
}

var gitlabInTarget = regexp.MustCompile(`:[A-Za-z]+`)

// answer sends only the path of the target, decoded: its query and fragment are lost.
func (gitlab) answer(r *Rule, p *pattern, _ *subject, groups []string) (Match, bool) {
	target := gitlabInTarget.ReplaceAllStringFunc(r.Target, func(name string) string {
		if p == nil {
			return ""
		}
		v, _ := p.group(name[1:], groups)
		return v
	})
	to, err := url.Parse(target)
	if err != nil {
		return Match{}, false
	}
	clean := merged(to.Path)
	if strings.Contains(clean, "/.") {
		slash := strings.HasSuffix(clean, "/")
		if clean = path.Clean(clean); slash && clean != "/" {
			clean += "/"
		}
	}
	if r.Status == 200 {
		return Match{Rewrite: clean}, true
	}
	return Match{Location: lowerEscapes(clean)}, true
}

// lowerEscapes writes what is not ASCII as escapes in lower case, as net/http does.
func lowerEscapes(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < 0x80 {
			b.WriteByte(s[i])
			continue
		}
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}
