package rules

import (
	"slices"
	"strings"
)

// readCloudflareBulk reads the CSV of Cloudflare's Bulk Redirects: SOURCE, TARGET, status,
// PRESERVE_QUERY_STRING, INCLUDE_SUBDOMAINS, SUBPATH_MATCHING, PRESERVE_PATH_SUFFIX, without a
// header (developers.cloudflare.com/rules/url-forwarding/bulk-redirects/reference/csv-file-format).
// How percent-encoded sources are compared is not documented; here they are compared as bytes.
func readCloudflareBulk(s *Set, name, text string) {
	seen := map[string]bool{}
	rows := records(s, name, text)
	for i := range rows {
		row := &rows[i]
		r := Rule{
			File:   name,
			Line:   row.line,
			Source: row.column(0),
			Target: row.column(1),
			Status: 301,
		}
		yes := func(n int) bool { return lower(row.column(n)) == "true" }
		r.flags = flags{keepQuery: yes(3), subdomains: yes(4), subpaths: yes(5), keepSuffix: yes(6)}
		why := r.setBulkSource()
		if word := row.column(2); word != "" {
			n, ok := status(word)
			if r.Status, r.Stated = n, true; !ok || n != 301 && n != 302 && n != 307 && n != 308 {
				why = "the status is none of 301, 302, 307, 308"
			}
		}
		if !strings.Contains(r.Target, "://") {
			why = "the target needs a scheme"
		}
		if why == "" && seen[r.Source] {
			why = "the source stands in a line before"
		}
		if why != "" {
			s.fault(name, row.line, row.text(), why)
			continue
		}
		seen[r.Source] = true
		s.Rules = append(s.Rules, r)
	}
	slices.SortStableFunc(
		s.Rules,
		func(a, b Rule) int { // the most specific path wins, then the exact host, then a scheme
			if d := len(b.bulkPath()) - len(a.bulkPath()); d != 0 {
				return d
			}
			if a.flags.subdomains != b.flags.subdomains {
				if a.flags.subdomains {
					return 1
				}
				return -1
			}
			return len(b.scheme) - len(a.scheme)
		},
	)
}

func (r *Rule) setBulkSource() (why string) {
	rest := r.Source
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		r.scheme, rest = scheme, after
	}
	r.host, _, _ = strings.Cut(rest, "/")
	switch {
	case r.host == "" || strings.Contains(r.host, ":"):
		return "the source needs a host, without a port"
	case strings.ContainsAny(rest, "?#*"):
		return "the source has a query, a fragment or a wildcard"
	}
	return ""
}

// bulkPath returns the path of a source.
func (r *Rule) bulkPath() string {
	rest := strings.TrimPrefix(r.Source, r.scheme+"://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// cloudflareBulk compares as Bulk Redirects do, including the host, which may be a subdomain.
type cloudflareBulk struct{}

func (cloudflareBulk) subject(q Request) (subject, bool) {
	s := split(q)
	s.Host, s.key = q.Host, s.path
	return s, true
}

func (cloudflareBulk) compile(r *Rule) (string, *pattern) {
	if !r.flags.subpaths {
		return r.bulkPath(), nil
	}
	base := strings.TrimSuffix(r.bulkPath(), "/")
	return "", &pattern{
		expr:   quoted(base) + "(/.*)?",
		names:  []string{"suffix"},
		prefix: base + "/",
	}
}

func (cloudflareBulk) answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool) {
	target := r.Target[:min(len(r.Target), MaxAddress+1)]
	if p != nil && r.flags.keepSuffix {
		target = strings.TrimSuffix(target, "/") + groups[1]
	}
	if r.flags.keepQuery {
		target = withQuery(target, s)
	}
	return Match{Location: target}, true
}
