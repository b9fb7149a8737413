package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A Field is a header of an answer.
type Field struct{ Name, Value string }

// HeaderSet is the rules of a file for headers of answers: of _headers, or of the relevant part of
// vercel.json or netlify.toml.
type HeaderSet struct {
	Format Format
	Faults []Fault
	rules  []headerRule
}

// headerRule sets fields, and removes those that earlier rules have set.
type headerRule struct {
	host    string
	pattern *pattern
	fields  []Field
	unset   []string
}

// ReadHeaders reads the rules of a file for headers: a _headers file of CloudflarePages or Netlify,
// a netlify.toml or a vercel.json. Other formats have none.
func ReadHeaders(f Format, name string, text []byte) *HeaderSet {
	h := &HeaderSet{Format: f}
	switch f {
	case CloudflarePages, Netlify:
		h.readLines(name, string(text))
	case NetlifyTOML:
		h.readTOML(name, text)
	case Vercel:
		h.readVercel(name, string(text))
	}
	return h
}

// Append adds the rules of another file after those of h.
func (h *HeaderSet) Append(other *HeaderSet) {
	h.rules = append(h.rules, other.rules...)
	h.Faults = append(h.Faults, other.Faults...)
}

func (h *HeaderSet) fault(file string, line int, text, why string) {
	h.Faults = append(h.Faults, faultOf(file, line, text, why))
}

// fails adds a fault because of which the host refuses the whole file.
func (h *HeaderSet) fails(file string, line int, text, why string) {
	f := faultOf(file, line, text, why)
	f.Fails = true
	h.rules, h.Faults = nil, append(h.Faults, f)
}

// cloudflareHeaderRules is how many rules a _headers file of Cloudflare may have.
const cloudflareHeaderRules = 100

func (h *HeaderSet) readLines(name, text string) {
	for n, line := range lines(text) {
		switch {
		case line == "" || line[0] == '#':
		case len(line) > h.longest():
			h.fault(name, n, line, "the line is too long")
		case line[0] == '/' || strings.HasPrefix(line, "https://") || strings.HasPrefix(line, "http://"):
			r := Rule{Source: line}
			if !strings.HasPrefix(line, "/") {
				_ = r.setAbsolute() // it begins with a scheme
			}
			if h.Format == CloudflarePages && len(h.rules) == cloudflareHeaderRules {
				h.fault(name, n, line, "more than 100 rules")
				return
			}
			h.rules = append(h.rules, headerRule{host: r.host, pattern: h.compile(r.path())})
		case len(h.rules) == 0:
			h.fault(name, n, line, "a header before the first path")
		case strings.HasPrefix(line, "! "):
			last := &h.rules[len(h.rules)-1]
			last.unset = append(last.unset, strings.TrimSpace(line[2:]))
		default:
			field, value, ok := strings.Cut(line, ":")
			if !ok {
				h.fault(name, n, line, "neither a path nor a header")
				continue
			}
			last := &h.rules[len(h.rules)-1]
			last.fields = append(
				last.fields,
				Field{strings.TrimSpace(field), strings.TrimSpace(value)},
			)
		}
	}
}

// longest returns how long a line may be.
func (h *HeaderSet) longest() int {
	if h.Format == CloudflarePages {
		return cloudflareLine
	}
	return MaxAddress
}

// compile returns the pattern of a path, also for literal ones.
func (h *HeaderSet) compile(path string) *pattern {
	var key string
	var p *pattern
	if h.Format == CloudflarePages {
		key, p = cloudflare{}.compile(&Rule{Source: whatwgPath(path)})
	} else {
		key, p = netlify{}.compile(&Rule{Source: path})
	}
	if p == nil {
		p = &pattern{expr: regexp.QuoteMeta(key)}
	}
	return p
}

func (h *HeaderSet) readTOML(name string, text []byte) {
	var c netlifyConfig
	if err := toml.Unmarshal(text, &c); err != nil {
		h.fails(name, tomlLine(err), "", "no TOML: "+err.Error())
		return
	}
	for _, x := range c.Headers {
		r := headerRule{pattern: h.compile(x.For)}
		for _, field := range slices.Sorted(maps.Keys(x.Values)) {
			r.fields = append(r.fields, Field{field, fmt.Sprint(x.Values[field])})
		}
		h.rules = append(h.rules, r)
	}
}

func (h *HeaderSet) readVercel(name, text string) {
	items, err := jsonItems(text, "headers")
	if err != nil {
		h.fails(name, jsonLine(text, err), "", "no JSON: "+err.Error())
		return
	}
	for _, it := range items {
		var x struct {
			Source  string
			Headers []struct{ Key, Value string }
			Has     []json.RawMessage
			Missing []json.RawMessage
		}
		var p *pathPattern
		err := json.Unmarshal(it.raw, &x)
		if err == nil {
			p, err = pathToRegexp(x.Source)
		}
		switch {
		case err != nil:
			h.fails(name, it.line, string(it.raw), err.Error())
			return
		case len(x.Has)+len(x.Missing) > 0:
			h.fault(name, it.line, string(it.raw), "it depends on more than the address and is not followed")
			continue
		}
		r := headerRule{pattern: &p.pattern}
		for _, f := range x.Headers {
			r.fields = append(r.fields, Field{f.Key, f.Value})
		}
		h.rules = append(h.rules, r)
	}
}

// Tries returns how many rules are compared with each request.
func (h *HeaderSet) Tries() int { return len(h.rules) }

// Fields returns the headers that the rules set for a request, in order. path is what the rules are
// compared with: the path of the request, or that of the file.
func (h *HeaderSet) Fields(host, path string) []Field {
	var set []Field
	if h.Format == CloudflarePages {
		path = whatwgPath(path)
	}
	for i := range h.rules {
		r := &h.rules[i]
		groups := r.pattern.match(path)
		if groups == nil || r.host != "" && r.host != host {
			continue
		}
		for _, name := range r.unset {
			set = slices.DeleteFunc(
				set,
				func(f Field) bool { return strings.EqualFold(f.Name, name) },
			)
		}
		for _, f := range r.fields {
			if value := fill(f.Value, r.pattern, groups); len(value) <= MaxAddress { // no server sends a longer one
				set = append(set, Field{f.Name, value})
			}
		}
	}
	return set
}
