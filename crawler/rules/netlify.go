package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// readNetlify reads a _redirects file as Netlify does
// (docs.netlify.com/manage/routing/redirects/overview): FROM, words NAME=VALUE for the query, TO, a
// status with ! for force, conditions.
func readNetlify(s *Set, name, text string) {
	for n, line := range lines(text) {
		w := words(line)
		if len(w) == 0 {
			continue
		}
		r, why := netlifyRule(w)
		if why != "" {
			s.fault(name, n, line, why)
			continue
		}
		r.File, r.Line = name, n
		s.Rules = append(s.Rules, r)
	}
}

func netlifyRule(w []string) (r Rule, why string) {
	r.Source = w[0]
	if why = r.setAbsolute(); why != "" {
		return r, why
	}
	if len(r.Source) > MaxAddress {
		return r, "the source is longer than any URL"
	}
	rest := w[1:]
	for len(rest) > 0 && !netlifyTarget(rest[0]) {
		if _, _, isStatus := netlifyStatus(rest[0]); isStatus {
			break
		}
		name, value, ok := strings.Cut(rest[0], "=")
		if !ok {
			return r, "the target must begin with / or http:// or https://"
		}
		r.query = append(r.query, param{name, value})
		rest = rest[1:]
	}
	if len(rest) > 0 && netlifyTarget(rest[0]) {
		r.Target, rest = rest[0], rest[1:]
	}
	r.Status = 301
	if len(rest) > 0 {
		if n, force, ok := netlifyStatus(rest[0]); ok {
			r.Status, r.Force, r.Stated = n, force, true
			rest = rest[1:]
		}
	}
	for _, word := range rest {
		name, _, ok := strings.Cut(word, "=")
		if !ok || !slices.Contains(netlifyConditions, name) {
			return r, fmt.Sprintf("%q is no condition", word)
		}
		r.Conditions = append(r.Conditions, word)
	}
	if r.Target == "" && (r.Status/100 != 2 || !strings.HasSuffix(r.Source, "/*")) {
		return r, "there is no target"
	}
	return r, ""
}

var netlifyConditions = []string{"Country", "Language", "Role", "Cookie"}

func netlifyTarget(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "http://") ||
		strings.HasPrefix(word, "https://")
}

func netlifyStatus(word string) (n int, force, ok bool) {
	word, force = strings.CutSuffix(word, "!")
	n, ok = status(word)
	return n, force, ok
}

// setAbsolute splits an absolute source into scheme, host and path.
func (r *Rule) setAbsolute() (why string) {
	rest := ""
	switch {
	case strings.HasPrefix(r.Source, "/"):
		return ""
	case strings.HasPrefix(r.Source, "https://"):
		r.scheme, rest = "https", r.Source[len("https://"):]
	case strings.HasPrefix(r.Source, "http://"):
		r.scheme, rest = "http", r.Source[len("http://"):]
	default:
		return "the source must begin with / or a host"
	}
	r.host, _, _ = strings.Cut(rest, "/")
	return ""
}

// path returns the path of a source that may be absolute.
func (r *Rule) path() string {
	if r.host == "" {
		return r.Source
	}
	_, rest, _ := strings.Cut(r.Source, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// netlify compares as Netlify does: the decoded path, without the slash at its end. Netlify dev
// leaves sources as written; Netlify's hosts decode both (observed by others: netlify/cli#8508).
type netlify struct{}

func (netlify) subject(q Request) (subject, bool) {
	s := split(q)
	s.path = decoded(s.path)
	s.key = bare(s.path)
	return s, true
}

// bare returns a path without the slash at its end.
func bare(path string) string {
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

func (netlify) compile(r *Rule) (string, *pattern) {
	source := decoded(r.path())
	if !strings.Contains(source, "*") && !strings.Contains(source, "/:") {
		return bare(source), nil
	}
	return segments(
		bare(source),
		"[^/]+",
		func(seg string) bool { return strings.HasPrefix(seg, ":") && len(seg) > 1 },
		true,
	)
}

// segments compiles a source whose placeholders are whole segments. * at the end matches the rest,
// including the slash before it; elsewhere it matches any number of segments. starred reports
// whether * may also end a longer segment.
func segments(source, name string, isName func(string) bool, starred bool) (string, *pattern) {
	p := &pattern{}
	var b strings.Builder
	segs := strings.Split(source[1:], "/")
	literal := true
	for _, seg := range segs {
		stem, star := strings.CutSuffix(seg, "*")
		switch {
		case seg == "*":
			b.WriteString("(?:/(.*))?")
			p.names = append(p.names, "splat")
		case isName(seg):
			b.WriteString("/(" + name + ")")
			p.names = append(p.names, seg[1:])
		case starred && star:
			b.WriteString("/" + regexp.QuoteMeta(stem) + "(?:/?(.*))?")
			p.names = append(p.names, "splat")
		default:
			b.WriteString("/" + regexp.QuoteMeta(seg))
			if literal {
				p.prefix += "/" + seg
			}
			continue
		}
		literal = false
	}
	if len(p.names) == 0 {
		return source, nil
	}
	if p.prefix != "" && p.prefix[len(p.prefix)-1] != '/' && segs[0] != "" {
		p.prefix += "/" // the segment is matched whole, or the match ends with it
	}
	p.expr = b.String()
	if !strings.HasSuffix(source, "*") {
		p.expr += "/?"
	}
	return "", p
}

func (netlify) answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool) {
	taken := &pattern{}
	values := []string{""}
	for _, want := range r.query {
		got, ok := queryValue(s.query, want.name)
		switch {
		case !ok, !strings.HasPrefix(want.value, ":") && decoded(got) != decoded(want.value):
			return Match{}, false
		case strings.HasPrefix(want.value, ":"):
			taken.names = append(taken.names, want.value[1:])
			values = append(values, got)
		}
	}
	target := r.Target
	if target == "" {
		target = strings.TrimSuffix(r.path(), "*") + ":splat"
	}
	if p != nil {
		for i, v := range groups[1:] {
			taken.names, values = append(taken.names, p.names[i]), append(values, v)
		}
	}
	target = fill(target, taken, values)
	if m, is := long(r, target); is {
		return m, true
	}
	if !r.Redirects() {
		path, _, _ := splitTarget(target)
		return Match{Rewrite: path}, true
	}
	target = encoded(target, "\"<>^`{|}")
	path, query, fragment := splitTarget(target)
	if strings.HasPrefix(path, "/") {
		path = whatwgPath(path)
	}
	return Match{Location: withQuery(path+query+fragment, s)}, true
}

// queryValue returns the first value of a name in a query, as it was sent.
func queryValue(query, name string) (string, bool) {
	for part := range strings.SplitSeq(query, "&") {
		if n, v, _ := strings.Cut(part, "="); n == name && part != "" {
			return v, true
		}
	}
	return "", false
}
