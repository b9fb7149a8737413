package web

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A SyntaxError is a fault of a description.
type SyntaxError struct {
	Line int // from 1
	Err  error
}

// Error names the line and the fault.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the fault without its line.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a description, in the form that the package comment describes. Files
// that it names are read from files, at once; files may be nil where none is
// named. The error is a *SyntaxError, for a file that cannot be read too.
func Parse(text string, files fs.FS) (*Web, error) {
	p := parser{web: &Web{origins: map[string]*origin{}}, files: files}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if err := p.line(n, line); err != nil {
			return nil, err
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.web, nil
}

// parser holds the block that is being read.
type parser struct {
	web   *Web
	files fs.FS
	block *block
}

// block is one block as written.
type block struct {
	line   int
	key    string // of the origin
	target string
	any    bool // target is a prefix
	when   *condition
	file   string
	gzip   bool
	answer *answer
}

// line takes in line n. Faults of a whole block are found when it ends, and are
// told with the number of its first line.
func (p *parser) line(n int, line string) error {
	indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
	text := strings.Trim(line, " \t")
	var err error
	switch {
	case text == "" || text[0] == '#':
		return nil
	case indented && p.block == nil:
		err = errors.New("an indented line before the first address")
	case indented:
		err = p.block.detail(text, line)
	default:
		if err := p.finish(); err != nil {
			return err
		}
		p.block, err = parseHead(n, text)
	}
	if err != nil {
		return &SyntaxError{n, err}
	}
	return nil
}

// parseHead reads the first line of a block.
func parseHead(n int, text string) (*block, error) {
	word, rest := cutWord(text)
	b := &block{line: n, answer: &answer{}}
	if err := b.address(word); err != nil {
		return nil, err
	}
	for rest != "" {
		word, rest = cutWord(rest)
		if word[0] == '#' {
			break
		}
		if word == "if" {
			var err error
			b.when, err = parseCondition(cutComment(rest))
			return b, err
		}
		if err := b.word(word); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// cutWord splits text after its first word. rest begins with the second.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeft(text[i:], " \t")
}

// cutComment removes a word that begins with # and all that follows.
func cutComment(text string) string {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			text = text[:i]
			break
		}
	}
	return strings.TrimRight(text, " \t")
}

// address reads the address of a block.
func (b *block) address(word string) error {
	scheme, rest, _ := strings.Cut(word, "://")
	if scheme != "http" && scheme != "https" {
		return fmt.Errorf("address %q does not begin with http:// or https://", word)
	}
	host, target := rest, "/"
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, target = rest[:i], rest[i:]
	}
	if err := checkHost(host); err != nil {
		return err
	}
	if target[0] != '/' {
		return fmt.Errorf("address %q has no path", word)
	}
	if strings.Contains(target, "#") {
		return fmt.Errorf("address %q has a fragment, which is never sent", word)
	}
	target, b.any = strings.CutSuffix(target, "*")
	b.key = originKey(scheme, host)
	var err error
	b.target, err = unescape(target)
	return err
}

// checkHost says what is wrong with a host and port of an address.
func checkHost(host string) error {
	if host == "" {
		return errors.New("address without a host")
	}
	for i := range len(host) {
		c := host[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("-._:[]", rune(c)) {
			return fmt.Errorf("host %q has %q: names are written in ASCII, without a user", host, c)
		}
	}
	return nil
}

// word reads one word after the address.
func (b *block) word(word string) error {
	a := b.answer
	name, value, _ := strings.Cut(word, "=")
	switch {
	case word == "gzip":
		b.gzip = true
	case name == "file" && value != "":
		b.file = value
	case name == "fault":
		if !slices.Contains(faults, fault(value)) {
			return fmt.Errorf("unknown fault %q", value)
		}
		a.fault = fault(value)
	case a.status == 0:
		return b.status(word)
	case !a.has("Location"):
		value, err := unescape(word)
		a.header = append(a.header, field{"Location", value})
		return err
	default:
		return fmt.Errorf("unexpected %q", word)
	}
	return nil
}

func (b *block) status(word string) error {
	n, err := strconv.Atoi(word)
	if err != nil || len(word) != 3 || n < 200 {
		return fmt.Errorf("status %q is not a number of 200 to 999", word)
	}
	b.answer.status = n
	return nil
}

// parseCondition reads what follows "if".
func parseCondition(text string) (*condition, error) {
	i := strings.IndexAny(text, "!~:")
	if i <= 0 {
		return nil, fmt.Errorf("condition %q is not Header~expression", text)
	}
	c := &condition{source: text, name: text[:i]}
	expr := text[i:]
	switch {
	case strings.HasPrefix(expr, "!~"):
		c.not, expr = true, expr[2:]
	case expr[0] == '!':
		return nil, fmt.Errorf("condition %q is not Header!~expression", text)
	default:
		expr = expr[1:]
	}
	var err error
	c.match, err = regexp.Compile(strings.Trim(expr, " \t"))
	return c, err
}

// detail reads an indented line: text is line without its outer white space.
func (b *block) detail(text, line string) error {
	if text[0] == '|' {
		_, body, _ := strings.Cut(line, "|")
		body, err := unescape(strings.TrimPrefix(body, " "))
		b.answer.body = append(append(b.answer.body, body...), '\n')
		return err
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%q is neither a header field nor a line of a body", text)
	}
	value, err := unescape(strings.Trim(value, " \t"))
	b.answer.header = append(b.answer.header, field{name, value})
	return err
}

// unescape resolves \xNN and \\.
func unescape(s string) (string, error) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		out.WriteString(before)
		switch {
		case !found:
			return out.String(), nil
		case strings.HasPrefix(after, `\`):
			out.WriteByte('\\')
			s = after[1:]
		default:
			c, err := hexByte(after)
			if err != nil {
				return "", err
			}
			out.WriteByte(c)
			s = after[3:]
		}
	}
}

// hexByte reads the xNN that s begins with.
func hexByte(s string) (byte, error) {
	head := s[:min(len(s), 3)]
	if len(head) == 3 && head[0] == 'x' {
		if n, err := strconv.ParseUint(head[1:], 16, 8); err == nil {
			return byte(n), nil
		}
	}
	return 0, fmt.Errorf(`unknown escape "\%s": write \xNN or \\`, head)
}
