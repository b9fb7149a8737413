package rules

import (
	"fmt"
	"regexp"
	"strings"
)

// The limits of a _redirects file at Cloudflare, which ignores the rest
// (developers.cloudflare.com/pages/configuration/redirects). The documentation says 1,000
// characters a line, the code 2,000.
const (
	CloudflareStatic  = 2000
	CloudflareDynamic = 100
	cloudflareLine    = 2000
)

var (
	placeholder = regexp.MustCompile(`:[A-Za-z]\w*`)
	ownIndex    = regexp.MustCompile(`/index(\.html)?$`)
	catchesAll  = regexp.MustCompile(`/\*?$`)
)

// readCloudflare reads a _redirects file as Pages and Workers do. Sources are compared as the bytes
// of the path of JavaScript's URL.
func readCloudflare(s *Set, name, text string) {
	seen := map[string]bool{}
	literal, dynamic := 0, 0
	for n, line := range lines(text) {
		if line == "" || line[0] == '#' {
			continue
		}
		r, why := cloudflareRule(line)
		if why == "" && seen[r.Source] {
			why = "the source stands in a line before"
		}
		if why == "" {
			pattern := strings.Contains(r.Source, "*") || placeholder.MatchString(r.Source)
			switch {
			case !pattern && dynamic == 0 && literal == CloudflareStatic:
				why = fmt.Sprintf("more than %d static rules", CloudflareStatic)
			case !pattern && dynamic == 0:
				literal++
			case dynamic == CloudflareDynamic:
				why = fmt.Sprintf(
					"more than %d dynamic rules; a static rule below the first dynamic one counts as one",
					CloudflareDynamic,
				)
			default:
				dynamic++
			}
		}
		if why != "" {
			s.fault(name, n, line, why)
			continue
		}
		seen[r.Source] = true
		r.File, r.Line = name, n
		s.Rules = append(s.Rules, r)
	}
}

// cloudflareRule parses one line. why says what is wrong with it.
func cloudflareRule(line string) (r Rule, why string) {
	if len(line) > cloudflareLine {
		return r, fmt.Sprintf("longer than %d characters", cloudflareLine)
	}
	w := words(line)
	if len(w) < 2 || len(w) > 3 {
		return r, fmt.Sprintf("expected two or three words, not %d", len(w))
	}
	if r.Source, why = cloudflareSource(w[0]); why != "" {
		return r, why
	}
	if r.Target, why = cloudflareTarget(w[1]); why != "" {
		return r, why
	}
	r.Wider = cloudflareWider(w[0], r.Target)
	r.Status = 302
	if len(w) == 3 {
		n, ok := status(w[2])
		switch {
		case ok && (n == 200 || n == 301 || n == 302 || n == 303 || n == 307 || n == 308):
			r.Status, r.Stated = n, true
		default:
			return r, "the status is none of 200, 301, 302, 303, 307, 308"
		}
	}
	switch {
	case r.Status == 200 && !strings.HasPrefix(r.Target, "/"):
		return r, "a rule with status 200 leads to a path of the site only"
	case catchesAll.MatchString(r.Source) && strings.HasPrefix(r.Target, "/") && ownIndex.MatchString(r.Target):
		return r, "it would lead to itself: /index.html is redirected to /"
	case duplicateName(r.Source):
		return r, "a placeholder stands in it twice, or more than one *"
	}
	return r, ""
}

// insideWord matches a placeholder that does not begin a segment.
var insideWord = regexp.MustCompile(`[^/](:[A-Za-z]\w*)`)

// cloudflareWider returns Rule.Wider for a source as written.
func cloudflareWider(source, target string) string {
	path, query, _ := splitTarget(source)
	if query != "" {
		return query
	}
	for _, found := range insideWord.FindAllStringSubmatch(path, -1) {
		if !strings.Contains(target, found[1]) {
			return found[1]
		}
	}
	return ""
}

// duplicateName reports whether a source cannot be compiled: it has two wildcards, or a placeholder
// twice.
func duplicateName(source string) bool {
	if strings.Count(source, "*") > 1 {
		return true
	}
	seen := map[string]bool{}
	for _, name := range placeholder.FindAllString(source, -1) {
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

func cloudflareSource(word string) (source, why string) {
	if strings.HasPrefix(word, "https://") {
		return "", "only relative sources are allowed"
	}
	if word[0] != '/' {
		word = "/" + word
	}
	path, _, _ := splitTarget(word)
	return whatwgPath(path), ""
}

func cloudflareTarget(word string) (target, why string) {
	if !strings.HasPrefix(word, "/") &&
		(!strings.HasPrefix(word, "https://") || len(word) == len("https://")) {
		return "", "the target must begin with / or https://"
	}
	return whatwgTarget(word), ""
}

// cloudflare compares as Pages and Workers do: bytes, with hex digits as written.
type cloudflare struct{}

func (cloudflare) subject(q Request) (subject, bool) {
	s := split(q)
	s.path = whatwgPath(s.path)
	s.key = s.path
	return s, true
}

func (cloudflare) compile(r *Rule) (string, *pattern) {
	at := placeholder.FindAllStringIndex(r.Source, -1)
	star := strings.IndexByte(r.Source, '*')
	if len(at) == 0 && star < 0 {
		return r.Source, nil
	}
	p := &pattern{prefix: r.Source}
	var b strings.Builder
	last := 0
	put := func(from, to int, name, expr string) {
		if last == 0 {
			p.prefix = r.Source[:from]
		}
		b.WriteString(regexp.QuoteMeta(r.Source[last:from]) + expr)
		p.names = append(p.names, name)
		last = to
	}
	for _, span := range at {
		if star >= 0 && star < span[0] && star >= last {
			put(star, star+1, "splat", "(.*)")
		}
		put(span[0], span[1], r.Source[span[0]+1:span[1]], "([^/]+)")
	}
	if star >= last {
		put(star, star+1, "splat", "(.*)")
	}
	p.expr = b.String() + regexp.QuoteMeta(r.Source[last:])
	return "", p
}

func (cloudflare) answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool) {
	target := r.Target
	if p != nil {
		for i, name := range p.names { // one after the other: ":ab" contains ":a"
			find := func(s string) []int {
				if at := strings.Index(s, ":"+name); at >= 0 {
					return []int{at, at + 1 + len(name)}
				}
				return nil
			}
			target = expand(target, find, func(string) string { return groups[i+1] })
			if m, is := long(r, target); is {
				return m, true
			}
		}
		if path, query, fragment := splitTarget(target); strings.HasPrefix(path, "/") {
			target = merged(path) + query + fragment
		}
	}
	if r.Status == 200 {
		path, _, _ := splitTarget(target)
		return Match{Rewrite: path}, true
	}
	if strings.HasPrefix(target, "//") { // another host, with the scheme of the request
		target = s.Scheme + ":" + target
	}
	return Match{Location: withQuery(target, s)}, true
}

// fill replaces placeholders in a target by what those of a source matched. Placeholders that the
// source does not have stay.
func fill(target string, p *pattern, groups []string) string {
	return expand(target, placeholder.FindStringIndex, func(name string) string {
		for n := len(name); n > 1; n-- { // ":splatx" contains ":splat"
			if v, ok := p.group(name[1:n], groups); ok {
				return v + name[n:]
			}
		}
		return name
	})
}
