package rules

import "strings"

// readShopify reads the CSV of Shopify's URL redirects: "Redirect from,Redirect to"
// (shopify.dev, urlRedirectImportCreate).
func readShopify(s *Set, name, text string) {
	rows := records(s, name, text)
	for i := range rows {
		row := &rows[i]
		if i == 0 && strings.EqualFold(row.column(0), "Redirect from") {
			continue
		}
		r := Rule{
			File:   name,
			Line:   row.line,
			Source: row.column(0),
			Target: row.column(1),
			Status: 301,
			Stated: true,
		}
		if !strings.HasPrefix(r.Source, "/") || r.Target == "" {
			s.fault(name, row.line, row.text(), "a row is a path from / and a target")
			continue
		}
		s.Rules = append(s.Rules, r)
	}
}

// shopify compares as Shopify does: the path, ignoring case (observed by others). Shopify redirects
// only where nothing is published; the caller must know that.
type shopify struct{}

func (shopify) subject(q Request) (subject, bool) {
	s := split(q)
	s.key = lower(s.path)
	return s, true
}

func (shopify) compile(r *Rule) (string, *pattern) { return lower(r.Source), nil }

func (shopify) answer(r *Rule, _ *pattern, _ *subject, _ []string) (Match, bool) {
	return Match{Location: r.Target}, true
}
