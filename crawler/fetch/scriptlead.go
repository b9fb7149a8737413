package fetch

import (
	"bytes"
	"regexp"
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
	script = withoutComments(script)
	sets = setsLocation(script)
	l.sets = l.sets || sets
	if len(script) == 0 {
		return sets, false
	}
	to := redirectOf(script)
	if to == "" || l.to != "" && l.to != to {
		l.unsure = true
	} else {
		l.to = to
	}
	return sets, true
}

// withoutComments returns a script without its comments, those of HTML included, and without white
// space around it. Strings stay unchanged; what looks like a comment in a regular expression is
// removed, too. So are none where the script neither begins with one nor sets location.
func withoutComments(script []byte) []byte {
	script = bytes.TrimSpace(script)
	if len(script) == 0 || script[0] != '/' && script[0] != '<' && !bytes.Contains(script, []byte("location")) {
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
		case hasPrefix(script, "/*") && bytes.Contains(script[2:], []byte("*/")):
			_, script, _ = bytes.Cut(script[2:], []byte("*/"))
			out = append(out, ' ')
		default:
			n = stringEnd(script)
			out, script = append(out, script[:n]...), script[n:]
		}
	}
	return bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(out), []byte("-->")))
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

// A script redirects if it does nothing but set location to a literal address: at once, when the page
// is loaded, or at most five seconds later. Anything else in it may prevent that: a condition, a
// cookie that is set before (as bot protections do), a computed value. The page's own query and
// fragment behind the address do not count.
const (
	jsEscape   = `\\(?:[/\\'"` + "`" + `]|x[[:xdigit:]]{2}|u[[:xdigit:]]{4})`
	jsText     = `("(?:[^"\\\r\n]|` + jsEscape + `)+"|'(?:[^'\\\r\n]|` + jsEscape + `)+'|` + "`(?:[^`$\\\\\\r\\n]|" + jsEscape + ")+`)"
	jsWindow   = `(?:(?:window|self|top|parent|globalThis)\s*\.\s*)*`
	jsLocation = jsWindow + `(?:document\s*\.\s*)?location\b`
	jsAddress  = jsText + `(?:\s*\+\s*` + jsLocation + `\s*\.\s*(?:search|hash)\b)*`
	jsSet      = jsLocation + `(?:(?:\s*\.\s*href)?\s*=\s*` + jsAddress + `|\s*\.\s*(?:replace|assign)\s*\(\s*` + jsAddress + `\s*\))`
	jsFunction = `(?:function(?:\s+[\w$]+)?\s*\(\s*\)\s*\{|\(\s*\)\s*=>\s*\{?)`
	jsEnds     = `\s*(?:,\s*(?:[0-4]?\d{1,3}|5000)\s*)?\)`
)

var (
	setsOnly = regexp.MustCompile(`^(?:` + jsSet + `(?:\s*;\s*|\s*[\r\n]\s*|$))+$`)
	setTo    = regexp.MustCompile(jsSet)
	// later are the ways to run a function, each with its body
	later = regexp.MustCompile(`(?s)^(?:` +
		`\(\s*` + jsFunction + `(.*)\}\s*(?:\)\s*\(\s*\)|\(\s*\)\s*\))` +
		`|` + jsWindow + `setTimeout\s*\(\s*(?:` + jsFunction + `(.*?)\}?|` + jsText + `)` + jsEnds +
		`|` + jsWindow + `onload\s*=\s*` + jsFunction + `(.*?)\}?` +
		`|` + jsWindow + `(?:document\s*\.\s*)?addEventListener\s*\(\s*["'](?:load|DOMContentLoaded)["']\s*,\s*` + jsFunction + `(.*?)\}?\s*\)` +
		`)$`)
	strict  = regexp.MustCompile(`^["']use strict["']\s*;?`)
	escapes = regexp.MustCompile(jsEscape)
)

// maxLead is how long a script may be, without its comments, that is looked at as a redirect; and
// maxLeadDepth how deep functions may be nested in it.
const maxLead, maxLeadDepth = 2 * maxTarget, 8

// redirectOf returns the address, as written, to which a script without comments redirects; "" where
// that is not sure.
func redirectOf(script []byte) string {
	if len(script) > maxLead || !bytes.Contains(script, []byte("location")) {
		return ""
	}
	text := string(script)
	for range maxLeadDepth {
		text = strings.Trim(strict.ReplaceAllString(text, ""), htmlSpace+";")
		body := later.FindStringSubmatch(text)
		if body == nil {
			break
		}
		if text = strings.Join(body[1:], ""); body[3] != "" {
			text = unquoted(text)
		}
	}
	if !setsOnly.MatchString(text) {
		return ""
	}
	to := ""
	for _, set := range setTo.FindAllStringSubmatch(text, -1) {
		next := unquoted(set[1] + set[2])
		if to != "" && next != to {
			return ""
		}
		to = next
	}
	return cutTarget(to)
}

// unquoted returns what a string literal stands for; "" where that is not UTF-8.
func unquoted(text string) string {
	text = escapes.ReplaceAllStringFunc(text[1:len(text)-1], func(e string) string {
		if c, err := strconv.ParseUint(e[2:], 16, 16); err == nil {
			return string(rune(c))
		}
		return e[1:]
	})
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
		return ""
	}
	return text
}

func hasPrefix(b []byte, prefix string) bool { return bytes.HasPrefix(b, []byte(prefix)) }
