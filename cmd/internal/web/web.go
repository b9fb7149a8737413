package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Web is a description of origins and what they answer. Parse makes one. It
// never changes, so that it can be served several times, also at once.
type Web struct {
	origins []string // scheme://host[:port], without a default port
	groups  []*group
}

// Origins returns the scheme://host[:port] of all origins that are described,
// sorted.
func (w *Web) Origins() []string { return w.origins }

// group is the blocks of one address that have the same condition: the answers
// to the first, second, ... request.
type group struct {
	origin, target string
	any            bool // target is a prefix
	source         string
	when           *condition // nil: always
	answers        []*answer
}

// condition holds for requests whose header name matches, or does not match.
type condition struct {
	name  string
	match *regexp.Regexp
	not   bool
}

// choose returns the group that answers a request, nil for none.
func (w *Web) choose(r *Request) (best *group) {
	origin := originKey(r.Scheme, r.Host)
	better := func(g *group) bool {
		switch {
		case best == nil, best.any && !g.any:
			return true
		case best.any != g.any || len(g.target) != len(best.target):
			return g.any && best.any && len(g.target) > len(best.target)
		}
		return best.when == nil && g.when != nil
	}
	for _, g := range w.groups {
		if g.origin != origin || g.target != r.Target && (!g.any || !strings.HasPrefix(r.Target, g.target)) {
			continue
		}
		if c := g.when; c != nil && c.match.MatchString(strings.Join(r.Header.Values(c.name), ", ")) == c.not {
			continue
		}
		if better(g) {
			best = g
		}
	}
	return best
}

// originKey is an origin in lower case, without a default port.
func originKey(scheme, host string) string { return scheme + "://" + trimHost(scheme, host) }

// trimHost is host in lower case without the default port of scheme.
func trimHost(scheme, host string) string {
	return strings.TrimSuffix(strings.ToLower(host), map[string]string{"http": ":80", "https": ":443"}[scheme])
}

// Parse reads a description, in the form that the package comment describes. Files
// that it names are read from files, at once; files may be nil where none is
// named. An error names the line.
func Parse(text string, files fs.FS) (*Web, error) {
	w := &Web{}
	var b *block
	n := 0
	for line := range strings.Lines(text) {
		n++
		err := error(nil)
		text := strings.Trim(line, " \t\r\n")
		switch indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
		case text == "" || text[0] == '#':
		case indented && b == nil:
			err = errors.New("an indented line before the first address")
		case indented:
			err = b.detail(text)
		default:
			if err = w.add(b, files); err == nil {
				b, err = parseHead(text)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := w.add(b, files); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	slices.Sort(w.origins)
	return w, nil
}

// block is one block as written.
type block struct {
	group
	file   string
	gzip   bool
	answer answer
}

// comment is a word that begins with #, and all that follows.
var comment = regexp.MustCompile(`(^|\s)#.*`)

// parseHead reads the first line of a block.
func parseHead(text string) (*block, error) {
	b := &block{}
	words := strings.Fields(comment.ReplaceAllString(text, ""))
	if err := b.address(words[0]); err != nil {
		return nil, err
	}
	for i, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch {
		case word == "if":
			return b, b.condition(strings.Join(words[i+2:], " "))
		case word == "gzip":
			b.gzip = true
		case name == "file":
			b.file = value
		case name == "fault" && (value == faultReset || value == faultHang):
			b.answer.fault = value
		case b.answer.status == 0:
			b.answer.status, err = strconv.Atoi(word)
		default:
			err = b.field("Location", word)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// address reads the address of a block.
func (b *block) address(word string) (err error) {
	scheme, rest, _ := strings.Cut(word, "://")
	host, target, found := strings.Cut(rest, "/")
	if scheme != "http" && scheme != "https" || host == "" || !found {
		return fmt.Errorf("address %q is not http:// or https://, a host and a path", word)
	}
	target, b.any = strings.CutSuffix("/"+target, "*")
	b.origin = originKey(scheme, host)
	b.target, err = unescape(target)
	return err
}

var conditionForm = regexp.MustCompile(`^([^!~:]+)(!?~|:)\s*(.*)$`)

// condition reads what follows "if".
func (b *block) condition(text string) (err error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("condition %q is not Header~expression", text)
	}
	b.source, b.when = text, &condition{name: m[1], not: m[2] == "!~"}
	b.when.match, err = regexp.Compile(m[3])
	return err
}

// detail reads an indented line.
func (b *block) detail(text string) error {
	if body, ok := strings.CutPrefix(text, "|"); ok {
		body, err := unescape(strings.TrimPrefix(body, " "))
		b.answer.body = append(append(b.answer.body, body...), '\n')
		return err
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return fmt.Errorf("%q is neither a header field nor a line of a body", text)
	}
	return b.field(name, strings.TrimSpace(value))
}

func (b *block) field(name, value string) error {
	value, err := unescape(value)
	b.answer.header = append(b.answer.header, field{name, value})
	return err
}

var escape = regexp.MustCompile(`\\(?:\\|x([0-9a-fA-F]{2}))?`)

// unescape resolves \xNN and \\.
func unescape(s string) (string, error) {
	var err error
	out := escape.ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == `\\`:
			return `\`
		case m == `\`:
			err = fmt.Errorf(`unknown escape in %q: write \xNN or \\`, s)
			return ""
		}
		n, _ := strconv.ParseUint(m[2:], 16, 8) // two digits
		return string([]byte{byte(n)})
	})
	return out, err
}

// add adds a block, nil for none.
func (w *Web) add(b *block, files fs.FS) (err error) {
	if b == nil {
		return nil
	}
	a := &b.answer
	if a.fault == "" && a.status == 0 {
		return errors.New("neither a status nor a fault stands above")
	}
	if b.file != "" {
		if a.body, err = fs.ReadFile(files, b.file); err != nil {
			return err
		}
		a.body = append([]byte{}, a.body...) // an empty file is a body, too
	}
	a.kind = contentType(b.file)
	if b.gzip {
		if !a.has("Content-Encoding") {
			a.kind = "application/gzip"
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(a.body)
		err = errors.Join(err, z.Close())
		a.body = packed.Bytes()
	}
	i := slices.IndexFunc(w.groups, func(g *group) bool {
		return g.origin == b.origin && g.target == b.target && g.any == b.any && g.source == b.source
	})
	if i < 0 {
		i = len(w.groups)
		w.groups = append(w.groups, &b.group)
	}
	w.groups[i].answers = append(w.groups[i].answers, a)
	if !slices.Contains(w.origins, b.origin) {
		w.origins = append(w.origins, b.origin)
	}
	return err
}

// contentType returns the type for the name of a file. It does not use the tables of the machine,
// so that a web is the same everywhere.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".xml":
		return "application/xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".gz":
		return "application/gzip"
	}
	return "text/html; charset=utf-8"
}

var notFound = &answer{status: http.StatusNotFound, kind: contentType("")}
