package rules

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// vercelToken matches what is no literal text in a source of path-to-regexp: an escaped character;
// :name, (regular expression) or both, with a modifier and with the / or . before it, which belongs
// to it; and any other character that must be escaped. Groups in a regular expression capture
// nothing.
var vercelToken = regexp.MustCompile(`(?s)\\(.)|([/.]?)(?::(\w+)(` + inParentheses() + `)?|(` + inParentheses() + `))([?*+]?)|[{}()*+?\\:]`)

// inParentheses returns an expression for a group with groups of some levels within it.
func inParentheses() string {
	inner := `[^\\()]|\\.`
	for range 3 {
		inner = `[^\\()]|\\.|\(\?(?:` + inner + `)*\)`
	}
	return `\((?:[^?\\()]|\\.)(?:` + inner + `)*\)|\(\(\?(?:` + inner + `)*\)(?:` + inner + `)*\)`
}

// pathToRegexp compiles a source as path-to-regexp 6.1 does with strict, which is what Vercel uses.
// A literal source has no pattern of its own but its text. Groups in braces are not evaluated.
func pathToRegexp(source string) (literal string, p *pattern, err error) {
	p = &pattern{}
	var expr, text strings.Builder
	last := 0
	for _, at := range vercelToken.FindAllStringSubmatchIndex(source, -1) {
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return source[at[2*n]:at[2*n+1]]
		}
		text.WriteString(source[last:at[0]])
		last = at[1]
		token := source[at[0]:at[1]]
		switch {
		case at[2] >= 0:
			text.WriteString(group(1))
			continue
		case token == "{":
			p.broken = notEvaluated + ": braces"
			p.prefix += text.String()
			return "", p, nil
		case at[4] < 0:
			return "", nil, fmt.Errorf("%q must be escaped", token)
		}
		if p.names == nil {
			p.prefix = text.String()
		}
		expr.WriteString(regexp.QuoteMeta(text.String()) + inPattern(regexp.QuoteMeta(group(2)), group(4)+group(5), group(6)))
		text.Reset()
		p.names = append(p.names, group(3))
	}
	text.WriteString(source[last:])
	if p.names == nil {
		return text.String(), p, nil
	}
	p.expr = expr.String() + regexp.QuoteMeta(text.String())
	if _, err := syntax.Parse(p.expr, syntax.Perl); err != nil {
		p.broken = notEvaluated + ": " + err.Error()
	}
	return "", p, nil
}

// inPattern returns the expression of a placeholder with what stands before it.
func inPattern(before, group, modifier string) string {
	expr := "[^/]+?"
	if group != "" {
		expr = group[1 : len(group)-1]
	}
	if modifier != "*" && modifier != "+" {
		return "(?:" + before + "(" + expr + "))" + modifier
	}
	return "(?:" + before + "((?:" + expr + ")(?:" + before + "(?:" + expr + "))*))" + strings.TrimPrefix(strings.Replace(modifier, "*", "?", 1), "+")
}

// vercelSource compiles the source of a rule that was read.
func vercelSource(source string) (string, *pattern) {
	literal, p, err := pathToRegexp(source)
	switch {
	case err != nil:
		return "", &pattern{broken: err.Error()}
	case p.names == nil && p.broken == "":
		return literal, nil
	}
	return "", p
}

var vercelInTarget = regexp.MustCompile(`:[A-Za-z_]\w*[*+]?|\$(?:\d+|[A-Za-z]\w*)`)

// vercelValue returns the value of :name, of two with the same name that of the last, or of $1. A
// group that matched nothing is empty.
func vercelValue(token string, c captured) (value string) {
	n, err := strconv.Atoi(token[1:])
	switch {
	case token[0] == '$' && err == nil && n > 0 && n <= len(c):
		return c[n-1].value
	case token[0] == '$':
		return ""
	case len(c) == 0:
		return token
	}
	for _, p := range c {
		if p.name == strings.TrimRight(token[1:], "*+") {
			value = p.value
		}
	}
	return value
}
