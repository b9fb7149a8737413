package rules

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

var (
	placeholderWord = regexp.MustCompile(`:[A-Za-z_]\w*`)
	vercelInTarget  = regexp.MustCompile(`:[A-Za-z_]\w*[*+]?|\$(?:\d+|[A-Za-z]\w*)`)
	dollar          = regexp.MustCompile(`\$(\d+|[A-Za-z]\w*)`)
)

// pathPattern is a compiled source of path-to-regexp.
type pathPattern struct {
	pattern
	literal bool
}

// pathToRegexp compiles a source as path-to-regexp 6.1 does with strict, which is what Vercel uses:
// :name, (regular expression), {group}, with ? * + after each, and a backslash before a character
// that is none of these. A / or . before a placeholder belongs to it.
func pathToRegexp(source string) (*pathPattern, error) {
	p := &pathPattern{literal: true}
	t := pathTokens{rest: source}
	var out strings.Builder
	literal := ""
	flush := func() {
		out.WriteString(regexp.QuoteMeta(literal))
		if p.literal {
			p.prefix += literal
		}
		literal = ""
	}
	for t.rest != "" {
		tok, err := t.next()
		if err != nil {
			return nil, err
		}
		if tok.char != "" {
			literal += tok.char
			continue
		}
		before := ""
		if n := len(literal); n > 0 && !tok.group && (literal[n-1] == '/' || literal[n-1] == '.') {
			before, literal = literal[n-1:], literal[:n-1]
		}
		flush()
		p.literal = false
		if tok.group {
			before = tok.before
		}
		out.WriteString(p.param(tok, before))
	}
	flush()
	p.expr = out.String()
	if _, err := syntax.Parse(p.expr, syntax.Perl); err != nil {
		p.broken = notEvaluated + ": " + err.Error()
	}
	return p, nil
}

// param appends the expression of a placeholder with what stands before and after it.
func (p *pathPattern) param(tok pathToken, before string) string {
	b, a := regexp.QuoteMeta(before), regexp.QuoteMeta(tok.after)
	if tok.name == "" && tok.expr == "" { // {text}
		return "(?:" + b + a + ")" + tok.mod
	}
	name := tok.name
	p.names = append(p.names, name)
	expr := tok.expr
	if expr == "" {
		expr = "[^/]+?"
	}
	switch tok.mod {
	case "*", "+":
		optional := ""
		if tok.mod == "*" {
			optional = "?"
		}
		return "(?:" + b + "((?:" + expr + ")(?:" + a + b + "(?:" + expr + "))*)" + a + ")" + optional
	}
	return "(?:" + b + "(" + expr + ")" + a + ")" + tok.mod
}

// pathToken is a character, or a placeholder, or a group in braces.
type pathToken struct {
	char          string
	name, expr    string
	mod           string
	group         bool
	before, after string
}

type pathTokens struct{ rest string }

var nameHere = regexp.MustCompile(`^\w+`)

// next returns the next token of the source.
func (t *pathTokens) next() (pathToken, error) {
	switch c := t.rest[0]; c {
	case '\\':
		if len(t.rest) < 2 {
			return pathToken{}, errors.New("a backslash at the end")
		}
		tok := pathToken{char: t.rest[1:2]}
		t.rest = t.rest[2:]
		return tok, nil
	case ':', '(':
		tok, err := t.param()
		tok.mod = t.modifier()
		return tok, err
	case '{':
		return t.braces()
	case '}', '*', '+', '?', ')':
		return pathToken{}, fmt.Errorf("%q must be escaped", string(c))
	default:
		t.rest = t.rest[1:]
		return pathToken{char: string([]byte{c})}, nil
	}
}

// param parses :name, (expression) or both.
func (t *pathTokens) param() (pathToken, error) {
	var tok pathToken
	if t.rest[0] == ':' {
		tok.name = nameHere.FindString(t.rest[1:])
		if tok.name == "" {
			return tok, errors.New("a : without a name")
		}
		t.rest = t.rest[1+len(tok.name):]
	}
	if !strings.HasPrefix(t.rest, "(") {
		return tok, nil
	}
	depth := 0
	for i := 0; i < len(t.rest); i++ {
		switch t.rest[i] {
		case '\\':
			i++
		case '(':
			if depth++; depth > 1 && (i+1 >= len(t.rest) || t.rest[i+1] != '?') {
				return tok, errors.New("a capturing group within a group")
			}
		case ')':
			if depth--; depth == 0 {
				tok.expr, t.rest = t.rest[1:i], t.rest[i+1:]
				if tok.expr == "" || tok.expr[0] == '?' {
					return tok, errors.New("a group that is empty or begins with ?")
				}
				return tok, nil
			}
		}
	}
	return tok, errors.New("a ( without its )")
}

// braces parses {before:name(expression)after}.
func (t *pathTokens) braces() (pathToken, error) {
	tok := pathToken{group: true}
	t.rest = t.rest[1:]
	seen := false
	for t.rest != "" && t.rest[0] != '}' {
		in, err := t.next()
		switch {
		case err != nil:
			return tok, err
		case in.char == "" && (seen || in.group || in.mod != ""):
			return tok, errors.New("more than one placeholder in braces")
		case in.char == "":
			tok.name, tok.expr, seen = in.name, in.expr, true
		case seen:
			tok.after += in.char
		default:
			tok.before += in.char
		}
	}
	if t.rest == "" {
		return tok, errors.New("a { without its }")
	}
	t.rest = t.rest[1:]
	tok.mod = t.modifier()
	return tok, nil
}

func (t *pathTokens) modifier() string {
	if t.rest != "" && strings.IndexByte("?*+", t.rest[0]) >= 0 {
		m := t.rest[:1]
		t.rest = t.rest[1:]
		return m
	}
	return ""
}
