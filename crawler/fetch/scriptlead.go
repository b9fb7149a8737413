package fetch

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scriptLead is where the scripts of a page redirect to.
type scriptLead struct {
	to     string
	unsure bool // a script does something else, too, or redirects elsewhere
	sets   bool // a script sets location, certainly or not
}

// sure returns the address, as written, that the scripts certainly redirect to; "" for none.
func (l *scriptLead) sure() string {
	if l.unsure {
		return ""
	}
	return l.to
}

// add adds another script of the page. It reports whether the script may set location, and whether
// it does anything: one of comments only does nothing.
func (l *scriptLead) add(script []byte) (sets, does bool) {
	sets = setsLocation(withoutComments(script))
	l.sets = l.sets || sets
	p := leadParser{rest: script}
	if p.space(); len(p.rest) == 0 && !p.cut {
		return sets, false
	}
	switch {
	case !p.statements(0) || p.to == "" || l.to != "" && l.to != p.to:
		l.unsure = true
	default:
		l.to = p.to
	}
	return sets, true
}

// withoutComments returns a script without its comments, those of HTML included. Strings stay
// unchanged; what looks like a comment in a regular expression is removed, too.
func withoutComments(script []byte) []byte {
	if !bytes.Contains(script, []byte("location")) {
		return script
	}
	var out []byte
	for len(script) > 0 {
		n := bytes.IndexAny(script, "\"'`/<")
		if n < 0 {
			n = len(script)
		}
		out, script = append(out, script[:n]...), script[n:]
		switch {
		case len(script) == 0:
		case hasPrefix(script, "//"), hasPrefix(script, "<!--"):
			script = script[lineEnd(script):]
		case hasPrefix(script, "/*"):
			_, script, _ = bytes.Cut(script[2:], []byte("*/"))
			out = append(out, ' ')
		default:
			n = stringEnd(script)
			out, script = append(out, script[:n]...), script[n:]
		}
	}
	return out
}

// stringEnd returns the length of the string that b begins with, up to the end of the line where it
// is not closed; 1 where b begins with no string.
func stringEnd(b []byte) int {
	if b[0] == '/' || b[0] == '<' {
		return 1
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == b[0]:
			return i + 1
		case c == '\\':
			i++
		case (c == '\n' || c == '\r') && b[0] != '`':
			return i
		}
	}
	return len(b)
}

// lineEnd returns the length of the line that b begins with.
func lineEnd(b []byte) int {
	if end := bytes.IndexAny(b, "\r\n"); end >= 0 {
		return end
	}
	return len(b)
}

// maxLater is the longest delay of a setTimeout, in milliseconds, that still counts as a redirect.
const maxLater = 5000

// leadParser parses scripts that do nothing but set location to a literal address: at once, when
// the page is loaded, or a little later. It rejects any other script, whose other parts may prevent
// the redirect: a condition, a cookie that is set before (as bot protections do), a computed value.
type leadParser struct {
	rest []byte
	to   string
	cut  bool // a comment has no end
}

// maxLeadDepth limits the nesting of functions.
const maxLeadDepth = 8

// statements parses statements to the end of the script, or to the "}" of the function around them.
// Like all methods here it returns false where it does not understand the script.
func (p *leadParser) statements(depth int) bool {
	if depth > maxLeadDepth {
		return false
	}
	for {
		p.space()
		switch {
		case len(p.rest) == 0:
			return depth == 0 && !p.cut
		case p.rest[0] == '}':
			return depth > 0
		case p.take(";"):
			continue
		case !p.statement(depth) || !p.ended():
			return false
		}
	}
}

// ended reports whether a statement ends here: with a semicolon, a line end, the end of its
// function or of the script.
func (p *leadParser) ended() bool {
	line := p.space()
	return len(p.rest) == 0 || p.rest[0] == ';' || p.rest[0] == '}' ||
		line && !bytes.ContainsAny(p.rest[:1], "([`+-*/.,?:&|<>=!%^")
}

func (p *leadParser) statement(depth int) bool {
	if c := p.rest[0]; c == '"' || c == '\'' {
		text, ok := p.literal()
		return ok && text == "use strict"
	}
	if p.take("(") { // a function that is called at once
		return p.function(depth) && (p.take(")") && p.take("(") && p.take(")") ||
			p.take("(") && p.take(")") && p.take(")"))
	}
	name := p.names()
	switch {
	case slices.Contains(locations, name):
		return p.take("=") && p.address()
	case isCall(name, "replace") || isCall(name, "assign"):
		return p.take("(") && p.address() && p.take(")")
	case name == "setTimeout":
		return p.take("(") && p.later(depth) && p.take(")")
	case name == "onload":
		return p.take("=") && p.function(depth)
	case name == "addEventListener" || name == "document.addEventListener":
		return p.take("(") && p.event() && p.take(",") && p.function(depth) && p.take(")")
	}
	return false
}

// locations are the names of the page's location, without a leading name of the window.
var locations = []string{"location", "location.href", "document.location", "document.location.href"}

// isCall reports whether name is that method of the page's location.
func isCall(name, method string) bool {
	return name == "location."+method || name == "document.location."+method
}

// names parses a name with its points, and drops a leading name of the window.
func (p *leadParser) names() string {
	var parts []string
	for {
		n := 0
		for n < len(p.rest) && (isNamePart(p.rest[n]) &&
			!strings.ContainsRune(`-"'`, rune(p.rest[n]))) {
			n++
		}
		if n == 0 {
			return ""
		}
		parts = append(parts, string(p.rest[:n]))
		if p.rest = p.rest[n:]; !p.take(".") {
			break
		}
		p.space()
	}
	for len(parts) > 1 && slices.Contains([]string{"window", "self", "top", "parent", "globalThis"},
		parts[0]) {
		parts = parts[1:]
	}
	return strings.Join(parts, ".")
}

// address parses the address that location is set to. It ignores the page's own query and fragment
// after it.
func (p *leadParser) address() bool {
	p.space()
	to, ok := p.literal()
	if !ok || to == "" {
		return false
	}
	for p.take("+") {
		p.space()
		switch p.names() {
		case "location.search", "location.hash", "document.location.search",
			"document.location.hash":
		default:
			return false
		}
	}
	if p.to != "" && p.to != to {
		return false
	}
	p.to = to
	return true
}

// later parses the arguments of setTimeout.
func (p *leadParser) later(depth int) bool {
	p.space()
	if len(p.rest) > 0 && (p.rest[0] == '"' || p.rest[0] == '\'') {
		text, ok := p.literal()
		inner := leadParser{rest: []byte(text), to: p.to}
		if !ok || depth >= maxLeadDepth || !inner.statements(0) {
			return false
		}
		p.to = inner.to
	} else if !p.function(depth) {
		return false
	}
	if !p.take(",") {
		return true
	}
	p.space()
	n := 0
	for n < len(p.rest) && isDigit(p.rest[n]) {
		n++
	}
	ms, err := strconv.Atoi(string(p.rest[:n]))
	p.rest = p.rest[n:]
	return err == nil && ms <= maxLater
}

// event parses the name of the event that ends the loading of a page.
func (p *leadParser) event() bool {
	p.space()
	name, ok := p.literal()
	return ok && (name == "load" || name == "DOMContentLoaded")
}

// function parses an anonymous function or an arrow function.
func (p *leadParser) function(depth int) bool {
	p.space()
	if !p.word("function") {
		return p.take("(") && p.take(")") && p.take("=>") && p.arrow(depth)
	}
	p.space()
	if len(p.rest) > 0 && p.rest[0] != '(' {
		p.names()
	}
	return p.take("(") && p.take(")") && p.block(depth)
}

// arrow parses what follows the arrow.
func (p *leadParser) arrow(depth int) bool {
	p.space()
	if len(p.rest) > 0 && p.rest[0] == '{' {
		return p.block(depth)
	}
	return len(p.rest) > 0 && depth < maxLeadDepth && isNamePart(p.rest[0]) && p.statement(depth+1)
}

func (p *leadParser) block(depth int) bool {
	return p.take("{") && p.statements(depth+1) && p.take("}")
}

// literal parses a string literal. It rejects a concatenation, and bytes that are not UTF-8.
func (p *leadParser) literal() (string, bool) {
	if len(p.rest) == 0 || !strings.ContainsRune("\"'`", rune(p.rest[0])) {
		return "", false
	}
	quote, out := p.rest[0], []byte(nil)
	for i := 1; i < len(p.rest) && len(out) <= maxTarget; i++ {
		switch c := p.rest[i]; {
		case c == quote:
			p.rest = p.rest[i+1:]
			return string(out), utf8.Valid(out)
		case c == '\n' || c == '\r' || c == '$' && quote == '`':
			return "", false
		case c == '\\':
			n := 0
			if out, n = unescapeJS(out, p.rest[i+1:]); n == 0 {
				return "", false
			}
			i += n
		default:
			out = append(out, c)
		}
	}
	return "", false
}

// unescapeJS appends what an escape stands for, and returns its length in bytes after the
// backslash; 0 for one that addresses do not need.
func unescapeJS(out, b []byte) ([]byte, int) {
	hex := func(from, n int) (rune, bool) {
		if len(b) < from+n {
			return 0, false
		}
		c, err := strconv.ParseUint(string(b[from:from+n]), 16, 16)
		return rune(c), err == nil && (c < 0xD800 || c > 0xDFFF)
	}
	if len(b) == 0 {
		return out, 0
	}
	switch b[0] {
	case '/', '\\', '\'', '"', '`':
		return append(out, b[0]), 1
	case 'x':
		if c, ok := hex(1, 2); ok {
			return utf8.AppendRune(out, c), 3
		}
	case 'u':
		if c, ok := hex(1, 4); ok {
			return utf8.AppendRune(out, c), 5
		}
	}
	return out, 0
}

// take skips a sign, with white space before it, and reports whether it was there.
func (p *leadParser) take(sign string) bool {
	before := p.rest
	p.space()
	rest, ok := bytes.CutPrefix(p.rest, []byte(sign))
	if !ok || sign == "=" && len(rest) > 0 && (rest[0] == '=' || rest[0] == '>') ||
		sign == "+" && len(rest) > 0 && (rest[0] == '+' || rest[0] == '=') {
		p.rest = before
		return false
	}
	p.rest = rest
	return true
}

// word skips a whole name, and reports whether it was there.
func (p *leadParser) word(name string) bool {
	rest, ok := bytes.CutPrefix(p.rest, []byte(name))
	if ok = ok && (len(rest) == 0 || !isNamePart(rest[0])); ok {
		p.rest = rest
	}
	return ok
}

// space skips white space and comments, those of HTML too, and reports whether a line
// ended.
func (p *leadParser) space() (line bool) {
	for {
		rest := bytes.TrimLeft(p.rest, htmlSpace+"\v\u00a0\ufeff")
		line = line || bytes.ContainsAny(p.rest[:len(p.rest)-len(rest)], "\r\n")
		p.rest = rest
		switch {
		case hasPrefix(rest, "//"), hasPrefix(rest, "<!--"), line && hasPrefix(rest, "-->"):
			p.rest = rest[lineEnd(rest):]
		case hasPrefix(rest, "/*"):
			comment, after, ended := bytes.Cut(rest[2:], []byte("*/"))
			p.rest, p.cut = after, p.cut || !ended
			line = line || bytes.ContainsAny(comment, "\r\n")
		default:
			return line
		}
	}
}

func hasPrefix(b []byte, prefix string) bool { return bytes.HasPrefix(b, []byte(prefix)) }
