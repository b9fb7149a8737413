package rules

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// maxWordPressLine is the longest line that the plugin imports.
const maxWordPressLine = 5000

var looksEncoded = regexp.MustCompile(`%[a-fA-F0-9]{2}`)

// readWordPress reads the CSV of the plugin Redirection: source, target, regex, status, by position
// (fileio/csv.php, 5.4.2). Without the third column, a source with a character of regular
// expressions is taken for one.
func readWordPress(s *Set, name, text string) {
	rows := records(s, name, text)
	for i := range rows {
		row := &rows[i]
		source, target := row.column(0), row.column(1)
		if len(row.fields) < 2 || source == "source" || target == "target" {
			if len(row.fields) < 2 {
				s.fault(name, row.line, row.text(), "a row has two columns at least")
			}
			continue
		}
		r := Rule{File: name, Line: row.line, Source: source, Target: target, Status: 301}
		switch word := row.column(2); {
		case word == "":
			r.regexp = strings.ContainsAny(source, "()[]$^*")
		default:
			r.regexp = word != "0"
		}
		if n, ok := status(row.column(3)); ok {
			r.Stated = true
			if slices.Contains([]int{301, 302, 303, 304, 307, 308}, n) || n >= 400 && n <= 451 {
				r.Status = n
			}
		}
		why := ""
		switch {
		case len(row.text()) > maxWordPressLine:
			why = "longer than 5,000 bytes"
		case source == "" || source == target:
			why = "the source is empty, or the target"
		}
		if why != "" {
			s.fault(name, row.line, row.text(), why)
			continue
		}
		if !r.regexp {
			if strings.Contains(source, "://") {
				if at, err := url.Parse(source); err == nil && at.Host != "" {
					r.Source = at.RequestURI()
				}
			}
			r.Source = looksEncoded.ReplaceAllString(decoded(r.Source), "")
			if !strings.HasPrefix(r.Source, "/") {
				r.Source = "/" + r.Source
			}
		}
		s.Rules = append(s.Rules, r)
	}
}

// wordpress compares as a new installation of Redirection does: the path decoded twice, + as a
// space, ignoring case and the slash at its end; the query must have the same parameters in any
// order.
type wordpress struct{}

// wordpressKey returns a path in the form in which it is compared.
func wordpressKey(path string) string {
	path = strings.ReplaceAll(decoded(decoded(path)), "+", " ")
	return lower(bare(path))
}

// wordpressQuery returns a query in the form in which it is compared.
func wordpressQuery(query string) string {
	var parts []string
	for part := range strings.SplitSeq(query, "&") {
		if part != "" {
			parts = append(parts, lower(strings.ReplaceAll(decoded(part), "+", " ")))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

func (wordpress) subject(q Request) (subject, bool) {
	s := split(q)
	s.key = wordpressKey(s.path)
	s.path = decoded(q.Target)
	return s, true
}

func (wordpress) compile(r *Rule) (string, *pattern) {
	if r.regexp {
		p := &pattern{expr: "(?i).*?" + r.Source + ".*"}
		if strings.HasPrefix(r.Source, "^") {
			p.expr = "(?i)" + r.Source[1:] + ".*"
		}
		return "", p
	}
	path, _, _ := strings.Cut(r.Source, "?")
	return wordpressKey(path), nil
}

func (wordpress) answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool) {
	target := r.Target
	if p == nil {
		_, query, _ := strings.Cut(r.Source, "?")
		if wordpressQuery(query) != wordpressQuery(s.query) {
			return Match{}, false
		}
	} else {
		target = expand(target, dollar.FindStringIndex, func(name string) string {
			if i := int(name[1] - '0'); len(name) == 2 && i < len(groups) {
				return groups[i]
			}
			return ""
		})
	}
	if !r.Redirects() {
		return Match{Rewrite: s.path}, true
	}
	return Match{Location: encoded(target, "\"<>`{}")}, true
}
