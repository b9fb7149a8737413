package rules

import (
	"regexp"
	"slices"
	"strings"
)

// A Field is a header of an answer.
type Field struct{ Name, Value string }

// headerRule sets fields, and removes those that earlier rules have set.
type headerRule struct {
	host    string
	pattern *pattern
	fields  []Field
	unset   []string
}

// headerLines is how a host reads a _headers file: how many bytes a line, and how many rules the
// file may have; 0 for no limit.
type headerLines struct{ most, rules int }

func (l headerLines) read(s *Set, name, text string) error {
	var last *headerRule
	for n, line := range numbered(strings.TrimPrefix(text, byteOrderMark)) {
		d := draft{source: line}
		field, value, isField := strings.Cut(line, ":")
		switch {
		case line == "" || line[0] == '#':
		case !isText(line):
			return notText(name, n)
		case len(line) > l.most:
			s.fault(n, line, "the line is too long")
		case d.setAbsolute() == "":
			if l.rules > 0 && len(s.headers) == l.rules {
				s.fault(n, line, "more than 100 rules")
				return nil
			}
			s.headers = append(s.headers, headerRule{host: d.host, pattern: s.headerPattern(pathOf(line))})
			last = &s.headers[len(s.headers)-1]
		case last == nil:
			s.fault(n, line, "a header before the first path")
		case strings.HasPrefix(line, "! "):
			last.unset = append(last.unset, strings.TrimSpace(line[2:]))
		case !isField:
			s.fault(n, line, "neither a path nor a header")
		default:
			last.fields = append(last.fields, Field{strings.TrimSpace(field), strings.TrimSpace(value)})
		}
	}
	return nil
}

// headerPattern returns the pattern of a path, also for literal ones.
func (s *Set) headerPattern(path string) *pattern {
	if s.Format == CloudflarePages {
		path = BrowserPath(path)
	}
	literal, p := dialects[s.Format].compile(path)
	if p == nil {
		p = &pattern{expr: regexp.QuoteMeta(literal)}
	}
	return p
}

// HeaderRules returns how many rules for headers are compared with each request.
func (s *Set) HeaderRules() int { return len(s.headers) }

// Fields returns the headers that the rules set for a request, in order. path is what the rules are
// compared with: the path of the request, or that of the file.
func (s *Set) Fields(host, path string) (set []Field) {
	if s.Format == CloudflarePages {
		path = BrowserPath(path)
	}
	for i := range s.headers {
		r := &s.headers[i]
		c, ok := r.pattern.match(path, nil)
		if !ok || r.host != "" && r.host != host {
			continue
		}
		set = slices.DeleteFunc(set, func(f Field) bool {
			return slices.ContainsFunc(r.unset, func(name string) bool { return strings.EqualFold(f.Name, name) })
		})
		for _, f := range r.fields {
			value := expand(f.Value, placeholder, func(token string) string { return longest(token, c) })
			if len(value) <= MaxAddress { // no server sends a longer one
				set = append(set, Field{f.Name, value})
			}
		}
	}
	return set
}
