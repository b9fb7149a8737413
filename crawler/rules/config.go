package rules

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// deepest is how deep values and keys of a configuration may be nested, which parsers follow by
// recursion.
const deepest = 500

// Nested returns a refusal of a text of TOML or JSON that is nested too deep for its parser.
func Nested(name, text string) error {
	depth := 0
	for n, line := range numbered(text) {
		opened := strings.Count(line, "[") + strings.Count(line, "{")
		depth = max(0, depth+opened-strings.Count(line, "]")-strings.Count(line, "}"))
		if depth > deepest || opened+strings.Count(line, ".") > 8*deepest {
			return refuse(name, n, "its values are nested too deep")
		}
	}
	return nil
}

// TOML reads a TOML text. An error is a *Refusal.
func TOML(name, text string, to any) error {
	if err := Nested(name, text); err != nil {
		return err
	}
	err := toml.Unmarshal([]byte(text), to)
	if err == nil {
		return nil
	}
	line := 0
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = at.Position()
	}
	return refuse(name, line, "no TOML: "+err.Error())
}

var tableOfRedirect = regexp.MustCompile(`^\[\[\s*"?redirects"?\s*\]\]`)

// A netlifyRedirect is one redirect of a netlify.toml.
type netlifyRedirect struct {
	From, Origin, To, Destination         string
	Status                                any
	Force                                 bool
	Query, Params, Parameters, Conditions map[string]any
}

// rule returns the rule of a redirect, and what is wrong with it.
func (x *netlifyRedirect) rule() (r draft, why string) {
	r = draft{source: cmp.Or(x.From, x.Origin), target: cmp.Or(x.To, x.Destination), status: 301, needs: needs{options: options{Force: x.Force}}}
	why, ok := r.setAbsolute(), true
	if x.Status != nil {
		r.status, _, ok = netlifyStatus(fmt.Sprint(x.Status))
		r.Stated = true
	}
	switch {
	case !ok:
		why = "the status is no number"
	case r.source == "":
		why = "there is no from"
	case why == "" && r.target != "" && !netlifyTarget(r.target):
		why = "the target must begin with / or http:// or https://"
	case why == "":
		why = r.forward()
	}
	for _, words := range []map[string]any{x.Query, x.Params, x.Parameters} {
		for _, key := range slices.Sorted(maps.Keys(words)) {
			r.query = append(r.query, param{key, fmt.Sprint(words[key])})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(x.Conditions)) {
		value := strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Conditions[key]), " ", ","), "[]")
		r.Conditions = append(r.Conditions, key+"="+value)
	}
	return r, why
}

// readNetlifyTOML reads the redirects and headers of a netlify.toml
// (docs.netlify.com/build/configure-builds/file-based-configuration).
func readNetlifyTOML(s *Set, name, text string) error {
	var c struct {
		Redirects []netlifyRedirect
		Headers   []struct {
			For    string
			Values map[string]any
		}
	}
	if err := TOML(name, text, &c); err != nil {
		return err
	}
	var lines []int
	for n, line := range numbered(text) {
		if tableOfRedirect.MatchString(line) {
			lines = append(lines, n)
		}
	}
	lines = append(lines, make([]int, len(c.Redirects))...) // those that stand in one value have none
	for i := range c.Redirects {
		r, why := c.Redirects[i].rule()
		s.add(lines[i], r.source+" "+r.target, r, why)
	}
	for _, x := range c.Headers {
		h := headerRule{pattern: s.headerPattern(x.For)}
		for _, field := range slices.Sorted(maps.Keys(x.Values)) {
			h.fields = append(h.fields, Field{field, fmt.Sprint(x.Values[field])})
		}
		s.headers = append(s.headers, h)
	}
	return nil
}

// VercelRules is how many redirects a vercel.json may have; with more the build
// fails (vercel.com/docs/project-configuration/vercel-json).
const VercelRules = 2048

// vercelText is how many bytes a source or destination may have at Vercel.
const vercelText = 4096

// readVercel reads the redirects and headers of a vercel.json. Anything wrong with one makes the
// build fail.
func readVercel(s *Set, name, text string) error {
	type redirect struct {
		vercelRow
		Has, Missing []json.RawMessage
	}
	read := 0
	err := vercelItems(name, text, "redirects", func(line int, raw string, v *redirect) (why string) {
		if read++; read > VercelRules {
			return fmt.Sprintf("more than %d redirects", VercelRules)
		}
		r, why := v.rule(308)
		if v.Permanent != nil && v.StatusCode != nil {
			why = "permanent and statusCode"
		}
		for i, c := range slices.Concat(v.Has, v.Missing) {
			word := "has "
			if i >= len(v.Has) {
				word = "missing "
			}
			r.Conditions = append(r.Conditions, word+strings.Join(strings.Fields(string(c)), " "))
		}
		if why == "" {
			why = vercelFails(&r, len(v.Has) > 0)
		}
		if why == "" {
			s.add(line, raw, r, "")
		}
		return why
	})
	if err != nil {
		return err
	}
	type header struct {
		Source       string
		Headers      []struct{ Key, Value string }
		Has, Missing []json.RawMessage
	}
	return vercelItems(name, text, "headers", func(line int, raw string, x *header) string {
		_, p, err := pathToRegexp(x.Source)
		if err != nil {
			return err.Error()
		}
		if len(x.Has)+len(x.Missing) > 0 {
			s.fault(line, raw, "it depends on more than the address and is not followed")
			return ""
		}
		h := headerRule{pattern: p}
		for _, f := range x.Headers {
			h.fields = append(h.fields, Field{f.Key, f.Value})
		}
		s.headers = append(s.headers, h)
		return ""
	})
}

// vercelFails returns why a rule makes the build fail; "" where it does not. has may define further
// names for the destination.
func vercelFails(r *draft, has bool) string {
	if max(len(r.source), len(r.target)) > vercelText {
		return fmt.Sprintf("longer than %d characters", vercelText)
	}
	if r.source == "" || r.target == "" {
		return "source or destination is missing"
	}
	_, p, err := pathToRegexp(r.source)
	if err != nil {
		return err.Error()
	}
	for _, token := range vercelInTarget.FindAllString(r.target, -1) {
		if name := strings.TrimRight(token[1:], "*+"); token[0] == ':' && !has && p.broken == "" && !slices.Contains(p.names, name) {
			return "the destination has " + token + ", which the source has not"
		}
	}
	return ""
}

// A vercelRow is a redirect of a vercel.json or of a bulk file.
type vercelRow struct {
	Source, Destination                string
	Permanent                          *bool
	StatusCode                         *int16
	CaseSensitive, PreserveQueryParams bool
}

// rule returns the rule of a row, and what is wrong with its status. normal is that of a row which names none.
func (v *vercelRow) rule(normal int16) (r draft, why string) {
	r = draft{source: v.Source, target: v.Destination, status: normal}
	r.options = options{v.Permanent != nil || v.StatusCode != nil, false, v.CaseSensitive, v.PreserveQueryParams}
	switch {
	case v.StatusCode != nil:
		r.status = *v.StatusCode
	case v.Permanent != nil && *v.Permanent:
		r.status = 308
	case v.Permanent != nil:
		r.status = 307
	}
	if r.status/100 != 3 {
		why = "the status is no redirect"
	}
	return r, why
}

// readVercelBulk reads a CSV of bulkRedirectsPath, with a header
// (vercel.com/docs/routing/redirects/bulk-redirects). Invalid rows are skipped.
func readVercelBulk(s *Set, name, text string) error {
	text = strings.TrimPrefix(text, byteOrderMark)
	if begin := strings.TrimSpace(text[:min(len(text), 512)]); strings.HasPrefix(begin, "[") || strings.HasPrefix(begin, "{") {
		return &Refusal{File: name, Why: "bulk redirects are read from CSV, not from JSON"}
	}
	c := csv.NewReader(strings.NewReader(text))
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	at := map[string]int{}
	for {
		fields, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			s.fault(0, "", err.Error())
			return nil
		}
		if len(at) == 0 {
			for i, word := range fields {
				at[strings.ToLower(strings.TrimSpace(word))] = i
			}
			continue
		}
		column := func(word string) string {
			if i, ok := at[word]; ok && i < len(fields) {
				return strings.TrimSpace(fields[i])
			}
			return ""
		}
		yes := func(word string) bool { return strings.EqualFold(column(word), "true") }
		v := vercelRow{Source: column("source"), Destination: column("destination"),
			CaseSensitive: yes("casesensitive"), PreserveQueryParams: yes("preservequeryparams")}
		if permanent := yes("permanent"); column("permanent") != "" {
			v.Permanent = &permanent
		}
		if word := column("statuscode"); word != "" {
			n, _ := statusOf(word)
			v.StatusCode = &n
		}
		r, why := v.rule(307)
		switch {
		case r.target == "":
			why = "there is no destination"
		case !strings.HasPrefix(r.source, "/") || strings.HasPrefix(r.source, "//"):
			why = "the source is no path of the site"
		case strings.Contains(r.source, "?"):
			why = "the source has a query: it never matches"
		}
		line, _ := c.FieldPos(0)
		s.add(line, strings.Join(fields, ","), r, why)
	}
}

// vercelItems hands take the elements of the array under a key of a vercel.json, each with the line
// on which it begins; none where there is no such array. It returns a refusal where take says why.
func vercelItems[T any](name, text, key string, take func(line int, raw string, x *T) (why string)) error {
	text = strings.TrimPrefix(text, byteOrderMark)
	var whole map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &whole)
	broken, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case ok:
		return refuse(name, 1+strings.Count(text[:min(int(broken.Offset), len(text))], "\n"), "no JSON: "+err.Error())
	case err != nil:
		return refuse(name, 0, "an object is expected")
	case !isText(text):
		return notText(name, 0)
	}
	var list []json.RawMessage
	if whole[key] != nil && json.Unmarshal(whole[key], &list) != nil {
		return refuse(name, 0, fmt.Sprintf("%q is no array", key))
	}
	line, from, at := 1, 0, strings.Index(text, string(whole[key]))
	for _, raw := range list {
		begin := at + strings.Index(text[at:], string(raw))
		line += strings.Count(text[from:begin], "\n")
		from, at = begin, begin+len(raw)
		x, why := new(T), ""
		if err := json.Unmarshal(raw, x); err != nil {
			why = err.Error()
		} else {
			why = take(line, string(raw), x)
		}
		if why != "" {
			return refuse(name, line, why)
		}
	}
	return nil
}
