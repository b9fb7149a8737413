package watch

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// variable is a variable of the environment in a value.
var variable = regexp.MustCompile(`\$\{([^}\n]*)\}`)

// A variable need not be quoted, but YAML takes no braces in a value of { key: value }: it is read
// with other signs in their place, as many, so that columns stay.
const hidden = "\ue000\ue000${1}\ue001"

var shown = strings.NewReplacer("\ue000\ue000", "${", "\ue001", "}")

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand puts variables in their place; ok is false where one is none.
func (r *reader) expand(n *yaml.Node, what, written string) (value string, ok bool) {
	ok = true
	value = variable.ReplaceAllStringFunc(written, func(s string) string {
		name := s[2 : len(s)-1]
		if !variableName.MatchString(name) {
			r.wrong(n, "%s: ${...} names no variable; a name has letters, digits and _", what)
			ok = false
			return ""
		}
		v, set := r.getenv(name)
		if v == "" {
			state := "not set"
			if set {
				state = "empty"
			}
			r.wrong(n, "%s: the environment variable %s is %s", what, name, state)
			ok = false
		}
		r.environ.add(name, v)
		return v
	})
	return value, ok
}

// An environ is what was taken from the environment, which no error and no warning repeats.
type environ []taken

// A taken is a text that stands for a variable.
type taken struct{ text, name string }

// How long a value is at least that is masked wherever it stands, and a part of one: a shorter one
// is masked between quotation marks alone, for it may be a part of any text.
const (
	leastValue = 4
	leastPart  = 8
)

// add notes the value of a variable, as errors may repeat it: escaped, in lower case, in part.
func (e *environ) add(name, value string) {
	if value == "" {
		return
	}
	quoted := strconv.Quote(value)
	forms := []string{quoted}
	if len(value) >= leastValue {
		forms = append(forms, value, quoted[1:len(quoted)-1], url.PathEscape(value), url.QueryEscape(value), strings.ToLower(value))
	}
	for _, part := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\n:/@=,;&?#\"'", c) }) {
		if len(part) >= leastPart {
			forms = append(forms, part, strings.ToLower(part))
		}
	}
	for _, form := range forms {
		shown := "${" + name + "}"
		if form == quoted {
			shown = strconv.Quote(shown)
		}
		*e = append(*e, taken{form, shown})
	}
	// The longest first: the whole before its parts.
	slices.SortStableFunc(*e, func(a, b taken) int { return cmp.Compare(len(b.text), len(a.text)) })
}

// mask puts the names of variables in the place of their values.
func (e environ) mask(text string) string {
	var pairs []string
	for _, t := range e {
		pairs = append(pairs, t.text, t.name)
	}
	return strings.NewReplacer(pairs...).Replace(text) // at one place the first that fits
}
