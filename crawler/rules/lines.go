package rules

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const byteOrderMark = "\uFEFF"

// numbered yields the lines of a text with their numbers, without line ends and white space around
// them.
func numbered(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			if n++; !yield(n, strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// isText reports whether a line is UTF-8 without NUL, which UTF-16 has.
func isText(line string) bool { return utf8.ValidString(line) && strings.IndexByte(line, 0) < 0 }

// notText returns the refusal of a line that is no text.
func notText(name string, line int) error {
	return &Refusal{File: name, Line: line, Why: "it is not UTF-8, and what the host reads in it is not known"}
}

// A lineReader reads the words of a line of a _redirects file. It returns what is wrong with the
// line, and whether the host ignores the whole file because of it.
type lineReader func(words []string) (r draft, why string, dead bool)

// lines reads a _redirects file. At GitLab a byte order mark is a part of the first word, and # ends
// no line.
type lines func() lineReader

func (l lines) read(s *Set, name, text string) error {
	gitlab := s.Format == GitLabPages
	if gitlab && len(text) > GitLabSize {
		s.fault(0, "", fmt.Sprintf("longer than %d bytes: the file is ignored", GitLabSize))
		return nil
	}
	if !gitlab {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	before := len(s.Rules)
	s.Rules = slices.Grow(s.Rules, min(strings.Count(text, "\n")+1, len(text)/8))
	read := l()
	var words []string
	for n, line := range numbered(text) {
		words = slices.AppendSeq(words[:0], strings.FieldsSeq(line))
		if i := slices.IndexFunc(words, func(w string) bool { return w[0] == '#' }); i == 0 || i > 0 && !gitlab {
			words = words[:i]
		}
		if len(words) == 0 {
			continue
		}
		if !isText(line) {
			return notText(name, n)
		}
		r, why, dead := read(words)
		if dead {
			s.Rules = s.Rules[:before]
			s.fault(n, line, why+": the whole file is ignored")
			return nil
		}
		s.add(n, line, r, why)
	}
	return nil
}

// statusOf reads a status; false where the word is none of those that a host knows.
func statusOf(word string, known ...int) (int16, bool) {
	n, err := strconv.ParseUint(word, 10, 15)
	return int16(n), err == nil && (known == nil || slices.Contains(known, int(n)))
}

// netlifyLine reads a line as Netlify does (docs.netlify.com/manage/routing/redirects/overview,
// @netlify/redirect-parser): FROM, words NAME=VALUE for the query, TO, a status with ! for force,
// conditions. Of a status the digits at its beginning count.
func netlifyLine(w []string) (r draft, why string, _ bool) {
	r = draft{source: w[0], status: 301}
	if why = r.setAbsolute(); why != "" {
		return r, why, false
	}
	last := w[1:]
	to, status := slices.IndexFunc(last, netlifyTarget), false
	if to != 0 && len(last) > 0 {
		_, _, status = netlifyStatus(last[0])
	}
	if !status {
		if to < 0 && len(last) > 0 {
			return r, "the target must begin with / or http:// or https://", false
		}
		for _, word := range last[:max(0, to)] {
			name, value, _ := strings.Cut(word, "=")
			r.query = append(r.query, param{name, value})
		}
		if to >= 0 {
			r.target, last = last[to], last[to+1:]
		}
	}
	if len(last) > 0 {
		var ok bool
		if r.status, r.Force, ok = netlifyStatus(last[0]); !ok {
			return r, "the status is no number", false
		}
		r.Stated = true
		for _, word := range last[1:] {
			if name, _, ok := strings.Cut(word, "="); !ok || !slices.Contains(netlifyConditions, name) {
				return r, fmt.Sprintf("%q is no condition", word), false
			}
			r.Conditions = append(r.Conditions, word)
		}
	}
	return r, r.forward(), false
}

// forward returns what is wrong with a rule without a target, which Netlify derives for a rewrite
// of a splat only.
func (r *draft) forward() (why string) {
	switch {
	case r.target != "":
		return ""
	case r.status/100 != 2 || !strings.HasSuffix(r.source, "/*"):
		return "there is no target"
	}
	r.target = strings.TrimSuffix(pathOf(r.source), "*") + ":splat"
	return ""
}

var netlifyConditions = []string{"Country", "Language", "Role", "Cookie"}

func netlifyTarget(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

func netlifyStatus(word string) (n int16, force, ok bool) {
	digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
	n, ok = statusOf(digits)
	return n, strings.HasSuffix(word, "!"), ok
}

// setAbsolute takes scheme and host of an absolute source.
func (r *draft) setAbsolute() (why string) {
	if !netlifyTarget(r.source) {
		return "the source must begin with / or a host"
	}
	if scheme, rest, absolute := strings.Cut(r.source, "://"); absolute && r.source[0] != '/' {
		host, _, _ := strings.Cut(rest, "/")
		r.scheme, r.host = scheme, host
	}
	return ""
}

// The limits of a _redirects file at Cloudflare, which ignores the rest
// (developers.cloudflare.com/pages/configuration/redirects). The documentation says 1,000
// characters a line, the code 2,000.
const (
	CloudflareStatic  = 2000
	cloudflareDynamic = 100
	cloudflareText    = 2000
)

// cloudflareLine reads lines as Pages and Workers do. Sources are compared as the bytes of the path
// of JavaScript's URL. A static rule below the first dynamic one counts as dynamic.
func cloudflareLine() lineReader {
	seen, literal, dynamic := map[string]bool{}, 0, 0
	return func(w []string) (r draft, why string, _ bool) {
		r, why = cloudflareRule(w)
		if why != "" {
			return r, why, false
		}
		_, p := cloudflareSource(r.source)
		switch static := p == nil && dynamic == 0; {
		case seen[r.source]:
			why = "the source stands in a line before"
		case p != nil && len(slices.Compact(slices.Sorted(slices.Values(p.names)))) < len(p.names):
			why = "a placeholder stands in it twice, or more than one *"
		case static && literal == CloudflareStatic:
			why = fmt.Sprintf("more than %d static rules", CloudflareStatic)
		case static:
			literal++
		case dynamic == cloudflareDynamic:
			why = fmt.Sprintf("more than %d dynamic rules; a static rule below the first dynamic one counts as one", cloudflareDynamic)
		default:
			dynamic++
		}
		seen[r.source] = seen[r.source] || why == ""
		return r, why, false
	}
}

func cloudflareRule(w []string) (r draft, why string) {
	if len(w) < 2 || len(w) > 3 {
		return r, fmt.Sprintf("expected two or three words, not %d", len(w))
	}
	source, _, _ := splitTarget("/" + strings.TrimPrefix(w[0], "/"))
	r = draft{source: BrowserPath(source), target: browserTarget(w[1]), status: 302}
	ok := true
	if len(w) == 3 {
		r.status, ok = statusOf(w[2], 200, 301, 302, 303, 307, 308)
		r.Stated = true
	}
	own, inside := strings.CutSuffix(strings.TrimSuffix(r.target, ".html"), "/index")
	switch {
	case len(strings.Join(w, " ")) > cloudflareText:
		return r, fmt.Sprintf("longer than %d characters", cloudflareText)
	case strings.HasPrefix(w[0], "https://"):
		return r, "only relative sources are allowed"
	case !strings.HasPrefix(w[1], "/") && (!strings.HasPrefix(w[1], "https://") || w[1] == "https://"):
		return r, "the target must begin with / or https://"
	case !ok:
		return r, "the status is none of 200, 301, 302, 303, 307, 308"
	case r.status == 200 && r.target[0] != '/':
		return r, "a rule with status 200 leads to a path of the site only"
	case strings.HasSuffix(strings.TrimSuffix(r.source, "*"), "/") && inside && (own == "" || own[0] == '/'):
		return r, "it would lead to itself: /index.html is redirected to /"
	}
	return r, ""
}

// The limits of a _redirects file at GitLab Pages, which ignores a longer file as a whole, and
// rules beyond the number. gitlabSegments is how many slashes a source or target may contain.
const (
	GitLabRules    = 1000
	GitLabSize     = 64 << 10
	gitlabSegments = 25
)

// gitlabLine reads lines as GitLab Pages does (docs.gitlab.com/user/project/pages/redirects;
// v1.64). One line that cannot be parsed disables the whole file, without a message; a rule that
// can be parsed but not used is skipped alone.
func gitlabLine() lineReader {
	read := 0
	return func(w []string) (r draft, why string, dead bool) {
		if len(w) < 2 {
			return r, "a line of one word", true
		}
		r = draft{source: w[0], target: w[1], status: 301}
		if len(w) > 2 {
			word, forced := strings.CutSuffix(w[2], "!")
			n, ok := statusOf(word)
			if !ok {
				return r, "the status is no number", true
			}
			r.status, r.Stated, r.Force = n, true, forced
		}
		read++
		switch {
		case len(w) > 3:
			why = "more than three words"
		case r.Force:
			why = "! is not supported: a file always wins"
		case r.status != 200 && r.status != 301 && r.status != 302:
			why = "the status is none of 200, 301, 302"
		case !gitlabPath(r.source):
			why = "the source must be a path of the site"
		case !gitlabPath(r.target):
			why = "the target must be a path of the site"
		case read > GitLabRules:
			why = fmt.Sprintf("more than %d rules", GitLabRules)
		}
		return r, why, false
	}
}

// gitlabPath reports whether GitLab accepts a source or target as a path.
func gitlabPath(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host == "" && u.Scheme == "" && strings.HasPrefix(u.Path, "/") &&
		!strings.HasPrefix(u.Path, `/\`) && strings.Count(u.Path, "/") <= gitlabSegments
}
