package googletest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// discovery has the fields of a discovery document that are used.
type discovery struct {
	Revision  string              `json:"revision"`
	Schemas   map[string]*schema  `json:"schemas"`
	Resources map[string]resource `json:"resources"`
	methods   []*method
}

type resource struct {
	Methods   map[string]*method  `json:"methods"`
	Resources map[string]resource `json:"resources"`
}

// method is one kind of call.
type method struct {
	ID         string               `json:"id"`
	Path       string               `json:"path"`
	HTTP       string               `json:"httpMethod"`
	Scopes     []string             `json:"scopes"`
	Parameters map[string]parameter `json:"parameters"`
	Request    *schema              `json:"request"`
	Response   *schema              `json:"response"`
}

type parameter struct {
	Location string `json:"location"`
	Required bool   `json:"required"`
}

// schema is a JSON schema in the form of discovery documents.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Format      string             `json:"format"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Items       *schema            `json:"items"`
}

func readDiscovery(file string) (*discovery, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := &discovery{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, err
	}
	d.gather(d.Resources)
	if len(d.methods) == 0 {
		return nil, fmt.Errorf("%s describes no method", file)
	}
	return d, nil
}

func (d *discovery) gather(in map[string]resource) {
	for _, r := range in {
		for _, m := range r.Methods {
			d.methods = append(d.methods, m)
		}
		d.gather(r.Resources)
	}
}

// find returns the method of a request, with the values in its path, decoded once.
func (d *discovery) find(httpMethod, path string) (*method, map[string]string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, m := range d.methods {
		want := strings.Split(m.Path, "/")
		if m.HTTP != httpMethod || len(want) != len(parts) {
			continue
		}
		values := map[string]string{}
		if matches(want, parts, values) {
			return m, values
		}
	}
	return nil, nil
}

func matches(want, parts []string, values map[string]string) bool {
	for i, w := range want {
		name, variable := strings.CutPrefix(w, "{")
		if !variable {
			if parts[i] != w {
				return false
			}
			continue
		}
		value, err := url.PathUnescape(parts[i])
		if err != nil || value == "" {
			return false
		}
		values[strings.TrimSuffix(name, "}")] = value
	}
	return true
}

// allows reports whether the method accepts one of the scopes.
func (m *method) allows(scopes []string) bool {
	return slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(m.Scopes, s) })
}

// check compares a value with a schema; at names it in the error.
func (d *discovery) check(s *schema, value any, at string) error {
	if s.Ref != "" {
		s = d.Schemas[s.Ref]
	}
	switch v := value.(type) {
	case map[string]any:
		if s.Type != "object" {
			return fmt.Errorf("%s is an object", at)
		}
		for name, x := range v {
			of := s.Properties[name]
			if of == nil {
				return fmt.Errorf("%s has no %s", at, name)
			}
			if err := d.check(of, x, at+"."+name); err != nil {
				return err
			}
		}
		for name, of := range s.Properties {
			if _, ok := v[name]; !ok && strings.HasPrefix(of.Description, "Required.") {
				return fmt.Errorf("%s lacks %s", at, name)
			}
		}
		return nil
	case []any:
		if s.Type != "array" {
			return fmt.Errorf("%s is a list", at)
		}
		for _, x := range v {
			if err := d.check(s.Items, x, at+"[]"); err != nil {
				return err
			}
		}
		return nil
	case string:
		if s.Type == "string" {
			return nil
		}
	case bool:
		if s.Type == "boolean" {
			return nil
		}
	}
	return fmt.Errorf("%s is %T, not %s", at, value, s.Type)
}
