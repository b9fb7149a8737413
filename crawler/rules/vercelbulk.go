package rules

import (
	"encoding/json"
	"slices"
	"strings"
)

// vercelRow is a redirect of a bulk file.
type vercelRow struct {
	Source              string `json:"source"`
	Destination         string `json:"destination"`
	Permanent           *bool  `json:"permanent"`
	StatusCode          *int   `json:"statusCode"`
	CaseSensitive       bool   `json:"caseSensitive"`
	PreserveQueryParams bool   `json:"preserveQueryParams"`
}

// readVercelBulk reads a file of bulkRedirectsPath: CSV with a header, JSON or JSONL
// (vercel.com/docs/routing/redirects/bulk-redirects). Invalid rows are skipped; of rows with the
// same source the last counts.
func readVercelBulk(s *Set, name, text string) {
	trimmed := strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	switch {
	case strings.HasPrefix(trimmed, "["):
		items, err := jsonItems(`{"rows":`+strings.TrimPrefix(text, byteOrderMark)+"}", "rows")
		if err != nil {
			s.fails(name, jsonLine(text, err), "", "no JSON: "+err.Error())
		}
		for _, it := range items {
			vercelJSONRow(s, name, it)
		}
	case strings.HasPrefix(trimmed, "{") || strings.HasSuffix(name, ".jsonl"):
		for n, line := range lines(text) {
			if line != "" {
				vercelJSONRow(s, name, jsonItem{json.RawMessage(line), n})
			}
		}
	default:
		vercelCSV(s, name, text)
	}
	vercelLast(s)
}

func vercelJSONRow(s *Set, name string, it jsonItem) {
	var row vercelRow
	if err := json.Unmarshal(it.raw, &row); err != nil {
		s.fault(name, it.line, string(it.raw), "no JSON: "+err.Error())
		return
	}
	s.vercelAdd(name, it.line, string(it.raw), row)
}

// vercelCSV reads rows by the names in the header, ignoring case.
func vercelCSV(s *Set, name, text string) {
	rows := records(s, name, text)
	if len(rows) == 0 {
		return
	}
	at := map[string]int{}
	for i, word := range rows[0].fields {
		at[lower(word)] = i
	}
	column := func(r *record, word string) string {
		if i, ok := at[lower(word)]; ok {
			return r.column(i)
		}
		return ""
	}
	for i := range rows[1:] {
		r := &rows[1+i]
		row := vercelRow{Source: column(r, "source"), Destination: column(r, "destination"),
			CaseSensitive:       lower(column(r, "caseSensitive")) == "true",
			PreserveQueryParams: lower(column(r, "preserveQueryParams")) == "true"}
		if word := lower(column(r, "permanent")); word != "" {
			permanent := word == "true"
			row.Permanent = &permanent
		}
		if word := column(r, "statusCode"); word != "" {
			n, _ := status(word)
			row.StatusCode = &n
		}
		s.vercelAdd(name, r.line, r.text(), row)
	}
}

func (s *Set) vercelAdd(name string, line int, text string, row vercelRow) {
	r := Rule{File: name, Line: line, Source: row.Source, Target: row.Destination, Status: 307,
		flags: flags{matchCase: row.CaseSensitive, keepQuery: row.PreserveQueryParams}}
	switch {
	case row.StatusCode != nil:
		r.Status, r.Stated = *row.StatusCode, true
	case row.Permanent != nil && *row.Permanent:
		r.Status, r.Stated = 308, true
	case row.Permanent != nil:
		r.Stated = true
	}
	why := ""
	switch {
	case r.Target == "":
		why = "there is no destination"
	case !strings.HasPrefix(r.Source, "/") || strings.HasPrefix(r.Source, "//"):
		why = "the source is no path of the site"
	case strings.Contains(r.Source, "?"):
		why = "the source has a query: it never matches"
	case r.Status != 301 && r.Status != 302 && r.Status != 303 && r.Status != 307 && r.Status != 308:
		why = "the status is no redirect"
	}
	if why != "" {
		s.fault(name, line, text, why)
		return
	}
	s.Rules = append(s.Rules, r)
}

// vercelLast puts later rows before earlier ones of the same source: the last wins.
func vercelLast(s *Set) { slices.Reverse(s.Rules) }

// vercelBulk compares as bulk redirects do: the bytes of the path, ignoring case unless the row
// says otherwise.
type vercelBulk struct{}

func (vercelBulk) subject(q Request) (subject, bool) {
	s := split(q)
	s.key = lower(s.path)
	return s, true
}

func (vercelBulk) compile(r *Rule) (string, *pattern) {
	return lower(r.Source), nil
}

func (vercelBulk) answer(r *Rule, _ *pattern, s *subject, _ []string) (Match, bool) {
	if r.flags.matchCase && r.Source != s.path {
		return Match{}, false
	}
	target := r.Target[:min(len(r.Target), MaxAddress+1)]
	if r.flags.keepQuery && s.query != "" {
		path, query, fragment := splitTarget(target)
		if query == "" {
			query = "?" + s.query
		} else {
			query += "&" + s.query
		}
		target = path + query + fragment
	}
	return Match{Location: target}, true
}
