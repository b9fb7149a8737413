package rules

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a _redirects file at GitLab Pages, which ignores a longer file as a whole, and
// rules beyond the number.
const (
	GitLabRules = 1000
	GitLabSize  = 64 << 10
)

// readGitLab reads a _redirects file as GitLab Pages does
// (docs.gitlab.com/user/project/pages/redirects; v1.64). One line that cannot be parsed disables
// the whole file, without a message; a rule that can be parsed but not used is skipped alone.
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

// gitlabLines yields lines and keeps a byte order mark, which becomes a part of the first source.
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

// gitlabRule parses the words of a line. dead reports whether it disables the whole file.
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
	switch {
	case len(w) > 3:
		why = "more than three words"
	case force:
		why = "! is not supported: a file always wins"
	case r.Status != 200 && r.Status != 301 && r.Status != 302:
		why = "the status is none of 200, 301, 302"
	case !gitlabPath(r.Source):
		why = "the source must be a path of the site"
	case !gitlabPath(r.Target):
		why = "the target must be a path of the site"
	}
	return r, false, why
}

// GitLabSegments is how many slashes a source or target may contain.
const GitLabSegments = 25

// gitlabPath reports whether GitLab accepts a source or target as a path.
func gitlabPath(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host == "" && u.Scheme == "" && strings.HasPrefix(u.Path, "/") &&
		!strings.HasPrefix(u.Path, `/\`) && strings.Count(u.Path, "/") <= GitLabSegments
}

// gitlab compares as GitLab Pages does: the decoded path, ignoring case and the slash at its end,
// with sources as written.
type gitlab struct{}

func (gitlab) subject(q Request) (subject, bool) {
	s := split(q)
	if badEscape(s.path) {
		return s, false
	}
	s.path = decoded(s.path)
	s.key = GitLabKey(s.path)
	return s, true
}

// GitLabKey returns the form of a decoded path that GitLab Pages compares: the same literal rule
// answers two paths with the same key. Case, double slashes and slashes at the end do not count.
func GitLabKey(path string) string { return folded(strings.TrimRight(merged(path), "/")) }

// folded replaces each letter by the first of those that (?i) treats as equal in package regexp: ſ
// becomes s, and İ does not become i. Bytes that are not UTF-8 stay.
func folded(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError {
			b.WriteString(s[:n])
		} else {
			least := r
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				least = min(least, f)
			}
			b.WriteRune(least)
		}
		s = s[n:]
	}
	return b.String()
}

// merged replaces several adjacent slashes by one.
func merged(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

var (
	gitlabName     = regexp.MustCompile(`^:[A-Za-z]+$`)
	gitlabInTarget = regexp.MustCompile(`:([A-Za-z]+)`)
	nothing        = regexp.MustCompile("")
)

// compile makes the expression of a source as GitLab does: a slash matches several, and a splat
// matches the rest and needs no slash before it.
func (gitlab) compile(r *Rule) (string, *pattern) {
	var b strings.Builder
	p := &pattern{}
	for seg := range strings.SplitSeq(r.Source, "/") {
		switch {
		case seg == "":
		case seg == "*":
			b.WriteString("/*(?P<splat>.*)/*")
			p.names = append(p.names, "splat")
		case gitlabName.MatchString(seg):
			b.WriteString("/+(?P<" + seg[1:] + ">[^/]+)")
			p.names = append(p.names, seg[1:])
		default:
			b.WriteString("/+" + regexp.QuoteMeta(seg))
		}
	}
	if p.names == nil {
		return GitLabKey(r.Source), nil
	}
	p.expr = "(?i)" + b.String() + "/*"
	return "", p
}

// answer sends only the path of the target, decoded: its query and fragment are lost. GitLab
// expands a target with :letters or *, and that of a source which differs in case or slashes; a $
// in such a target refers to a group, too.
func (gitlab) answer(r *Rule, p *pattern, s *subject, _ []string) (Match, bool) {
	target := r.Target
	same := strings.TrimSuffix(r.Source, "/") == strings.TrimSuffix(s.path, "/")
	if !same || p != nil || strings.Contains(target, "*") || gitlabInTarget.MatchString(target) {
		re := nothing
		if p != nil {
			re = p.re
		}
		target = template(re, gitlabInTarget.ReplaceAllString(target, "$${$1}"), s.path)
	}
	if m, is := long(r, target); is {
		return m, true
	}
	to, err := url.Parse(merged(target))
	if err != nil {
		return Match{}, false
	}
	clean := to.Path
	if strings.Contains(clean, "/.") || strings.Contains(clean, "//") {
		slash := strings.HasSuffix(clean, "/")
		if clean = path.Clean(clean); slash && clean != "/" {
			clean += "/"
		}
	}
	if r.Status == 200 {
		return Match{Rewrite: to.Path}, true
	}
	return Match{Location: lowerEscapes(clean)}, true
}

// lowerEscapes escapes what is not ASCII with digits in lower case, as net/http does.
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
