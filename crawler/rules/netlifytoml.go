package rules

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// netlifyConfig is the part of netlify.toml for redirects and headers.
type netlifyConfig struct {
	Redirects []struct {
		From, Origin     string
		To, Destination  string
		Path             string
		Status           *int
		Force            bool
		Query, Params    map[string]any
		Parameters       map[string]any
		Conditions       map[string]any
		Headers, Signing any
	}
	Headers []struct {
		For    string
		Values map[string]any
	}
}

// readNetlifyTOML reads the redirects of a netlify.toml
// (docs.netlify.com/build/configure-builds/file-based-configuration).
func readNetlifyTOML(s *Set, name, text string) {
	var c netlifyConfig
	if err := toml.Unmarshal([]byte(text), &c); err != nil {
		s.fails(name, tomlLine(err), "", "no TOML: "+err.Error())
		return
	}
	at := tableLines(text, "redirects")
	for i := range c.Redirects {
		x := &c.Redirects[i]
		r := Rule{File: name, Source: x.From, Target: x.To, Status: 301, Force: x.Force}
		if i < len(at) {
			r.Line = at[i]
		}
		if r.Source == "" {
			r.Source = x.Origin
		}
		if r.Target == "" {
			r.Target = x.Destination
		}
		if x.Status != nil {
			r.Status, r.Stated = *x.Status, true
		}
		why := r.setAbsolute()
		switch {
		case r.Source == "":
			why = "there is no from"
		case len(r.Source) > MaxAddress:
			why = "the source is longer than any URL"
		case why == "" && r.Target == "" && r.Status/100 != 2:
			why = "there is no to"
		case why == "" && r.Target != "" && !netlifyTarget(r.Target):
			why = "the target must begin with / or http:// or https://"
		}
		if why != "" {
			s.fault(name, r.Line, r.Source+" "+r.Target, why)
			continue
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
		s.Rules = append(s.Rules, r)
	}
}

// tomlLine returns the line of an error of the TOML parser, from 1; 0 where it has none.
func tomlLine(err error) int {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return 0
	}
	line, _ := at.Position()
	return line
}

// tableLines returns the line of each [[name]] of a TOML text, in order.
func tableLines(text, name string) []int {
	var at []int
	data := []byte(text)
	line, from := 1, 0
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable {
			continue
		}
		key := e.Key()
		if key.Next() && string(key.Node().Data) == name && key.IsLast() {
			here := int(key.Node().Raw.Offset)
			line += bytes.Count(data[from:here], []byte("\n"))
			from = here
			at = append(at, line)
		}
	}
	return at
}
