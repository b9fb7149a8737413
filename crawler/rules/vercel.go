package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// VercelRules is how many redirects a vercel.json may have; with more the build
// fails (vercel.com/docs/project-configuration/vercel-json).
const VercelRules = 2048

// vercelSource is how many bytes a source may have at Vercel.
const vercelSource = 4096

// vercelRedirect is one redirect of a vercel.json.
type vercelRedirect struct {
	Source      string            `json:"source"`
	Destination string            `json:"destination"`
	Permanent   *bool             `json:"permanent"`
	StatusCode  *int              `json:"statusCode"`
	Has         []json.RawMessage `json:"has"`
	Missing     []json.RawMessage `json:"missing"`
}

// readVercel reads the redirects of a vercel.json. Anything that makes the build fail is a fault,
// and then no rule counts.
func readVercel(s *Set, name, text string) {
	items, err := jsonItems(text, "redirects")
	if err != nil {
		s.fails(name, jsonLine(text, err), "", "no JSON: "+err.Error())
		return
	}
	if len(items) > VercelRules {
		s.fails(name, items[VercelRules].line, "", fmt.Sprintf("more than %d redirects: the build fails", VercelRules))
		return
	}
	for _, it := range items {
		var v vercelRedirect
		r := Rule{File: name, Line: it.line}
		why := ""
		if err := json.Unmarshal(it.raw, &v); err != nil {
			why = err.Error()
		} else {
			r.Source, r.Target = v.Source, v.Destination
			r.Status, r.Stated, why = vercelStatus(&v)
		}
		if why == "" {
			why = vercelFails(&r, len(v.Has) > 0)
		}
		if why != "" {
			s.fails(name, it.line, string(it.raw), why+": the build fails")
			return
		}
		for _, c := range v.Has {
			r.Conditions = append(r.Conditions, "has "+oneJSONLine(c))
		}
		for _, c := range v.Missing {
			r.Conditions = append(r.Conditions, "missing "+oneJSONLine(c))
		}
		s.Rules = append(s.Rules, r)
	}
}

func vercelStatus(v *vercelRedirect) (n int, stated bool, why string) {
	switch {
	case v.Permanent != nil && v.StatusCode != nil:
		return 0, false, "permanent and statusCode"
	case v.StatusCode != nil && (*v.StatusCode < 300 || *v.StatusCode > 399):
		return 0, false, "statusCode is no redirect"
	case v.StatusCode != nil:
		return *v.StatusCode, true, ""
	case v.Permanent != nil && !*v.Permanent:
		return 307, true, ""
	}
	return 308, v.Permanent != nil, ""
}

// vercelFails returns why a rule makes the build fail; "" where it does not. has may define further
// names for the destination.
func vercelFails(r *Rule, has bool) string {
	if len(r.Source) > vercelSource || len(r.Target) > vercelSource {
		return fmt.Sprintf("longer than %d characters", vercelSource)
	}
	if r.Source == "" || r.Target == "" {
		return "source or destination is missing"
	}
	p, err := pathToRegexp(r.Source)
	if err != nil {
		return err.Error()
	}
	for _, name := range placeholderWord.FindAllString(r.Target, -1) {
		if has {
			break
		}
		if _, ok := p.group(name[1:], make([]string, len(p.names)+1)); !ok {
			return "the destination has " + name + ", which the source has not"
		}
	}
	return ""
}

func oneJSONLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// jsonItem is one element of an array, with the line on which it begins.
type jsonItem struct {
	raw  json.RawMessage
	line int
}

// jsonLine returns the line of a syntax error in a JSON text, from 1; 0 where it has none.
func jsonLine(text string, err error) int {
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return 0
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	return 1 + strings.Count(text[:min(int(at.Offset), len(text))], "\n")
}

// jsonItems returns the elements of the array under a key of an object; none where there is no such
// array. The whole text must be JSON.
func jsonItems(text, key string) ([]jsonItem, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("an object is expected")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if name != key {
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return nil, err
			}
			continue
		}
		if t, err := dec.Token(); err != nil || t != json.Delim('[') {
			return nil, fmt.Errorf("%q is no array", key)
		}
		return jsonArray(dec, text)
	}
	return nil, nil
}

// jsonArray reads the elements of an array whose [ was read.
func jsonArray(dec *json.Decoder, text string) ([]jsonItem, error) {
	var items []jsonItem
	line, from := 1, 0
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		begin := int(dec.InputOffset()) - len(raw)
		line += strings.Count(text[from:begin], "\n")
		from = begin
		items = append(items, jsonItem{raw, line})
	}
	_, err := dec.Token()
	return items, err
}

// vercel compares as the redirects of a vercel.json do: the bytes of the path, with the regular
// expression that path-to-regexp makes of the source.
type vercel struct{}

func (vercel) subject(q Request) (subject, bool) { return split(q), true }

func (vercel) compile(r *Rule) (string, *pattern) {
	p, err := pathToRegexp(r.Source)
	if err != nil {
		return "", &pattern{broken: err.Error()}
	}
	if p.literal {
		return p.prefix, nil
	}
	return "", &p.pattern
}

// answer expands the destination: :name and $1. A group that matched nothing is empty. The query is
// passed on, according to the documentation of Next.js for the same table; vercel dev drops it.
func (vercel) answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool) {
	target := expand(r.Target, vercelInTarget.FindStringIndex, func(name string) string {
		n, err := strconv.Atoi(name[1:])
		switch {
		case name[0] == '$' && err == nil && n < len(groups):
			return groups[n]
		case name[0] == '$':
			return ""
		case p == nil:
			return name
		}
		value, bare := "", strings.TrimRight(name[1:], "*+")
		for i, n := range p.names { // of two with the same name the last counts
			if n == bare {
				value = groups[i+1]
			}
		}
		return value
	})
	return Match{Location: withQuery(target, s)}, true
}
