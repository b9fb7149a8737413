package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"sitemend/cmd/internal/cli"
)

// maxConfig is how large a configuration may be, in bytes. A thousand sites take some 200 KB.
const maxConfig = 4 << 20

// maxDepth is how deep lists may stand in lists. A configuration needs two; the parser takes memory
// with the square of what it is given: a gigabyte and a half for 32,000.
const maxDepth = 100

// depth returns how deep brackets stand in one another, and dashes behind one another on a line, at
// most. Brackets in texts and comments count, too, where they stay open.
func depth(text []byte) (most int) {
	open := 0
	for line := range bytes.Lines(text) {
		dashes := 0
		for rest := bytes.TrimLeft(line, " "); bytes.HasPrefix(rest, []byte("- ")); rest = bytes.TrimLeft(rest[2:], " ") {
			dashes++
		}
		for _, b := range line {
			switch b {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			most = max(most, open)
		}
		most = max(most, dashes)
	}
	return most
}

// maxProblems is how many mistakes of a configuration are listed.
const maxProblems = 10

// A reader reads a configuration and collects what is wrong with it.
type reader struct {
	file     string
	getenv   func(string) (string, bool)
	anchors  map[string]ast.Node
	environ  environ // what was taken from there
	problems []error
	more     int
	warnings []string
}

// where is the place of a node: FILE:LINE:COLUMN.
func (r *reader) where(n ast.Node) string {
	line, column := 1, 1
	if t := n.GetToken(); t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	return fmt.Sprintf("%s:%d:%d", r.file, line, column)
}

// wrong notes what is wrong at a node. Of the environment it shows names, never values.
func (r *reader) wrong(n ast.Node, format string, args ...any) {
	if len(r.problems) == maxProblems {
		r.more++
		return
	}
	r.problems = append(r.problems, errors.New(r.where(n)+": "+r.environ.mask(fmt.Sprintf(format, args...))))
}

// warn notes what is allowed, and not wise.
func (r *reader) warn(n ast.Node, format string, args ...any) {
	r.warnings = append(r.warnings, r.where(n)+": "+r.environ.mask(fmt.Sprintf(format, args...)))
}

// err returns what was wrong, nil for nothing.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	problems := r.problems
	if r.more > 0 {
		problems = append(problems, fmt.Errorf("and %s", cli.Plural(r.more, "more mistake", "more mistakes")))
	}
	return cli.WithHint(errors.Join(problems...), "the numbers are line and column; sitemend help watch shows an example")
}

// parse reads the text of a configuration and returns its keys.
func (r *reader) parse(text []byte) (*ast.MappingNode, error) {
	if len(text) > maxConfig {
		return nil, cli.WithHint(fmt.Errorf("%s: it is larger than %d MB", r.file, maxConfig>>20), "is it the right file?")
	}
	if depth(text) > maxDepth {
		return nil, cli.WithHint(fmt.Errorf("%s: more than %d lists stand in one another", r.file, maxDepth), "a configuration needs one list in another at most; sitemend help watch shows an example")
	}
	parsed, err := parser.ParseBytes(bytes.TrimPrefix(text, []byte("\ufeff")), 0)
	if err != nil {
		return nil, r.syntax(err)
	}
	var docs []ast.Node
	for _, d := range parsed.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) == 0 {
		return nil, cli.WithHint(fmt.Errorf("%s: it is empty", r.file), "sitemend help watch shows an example")
	}
	if len(docs) > 1 {
		r.wrong(docs[1], "a second document begins here; a configuration is one")
		return nil, r.err()
	}
	r.anchors = map[string]ast.Node{}
	ast.Walk(anchors(r.anchors), docs[0])
	top := r.mapping(docs[0], "the configuration")
	return top, r.err()
}

// anchors collects the nodes that have a name.
type anchors map[string]ast.Node

// Visit implements ast.Visitor.
func (a anchors) Visit(n ast.Node) ast.Visitor {
	if x, ok := n.(*ast.AnchorNode); ok {
		a[x.Name.GetToken().Value] = x.Value
	}
	return a
}

// syntax is an error of the YAML library with the place in our form. The library shows the lines
// around it, which may hold secrets: its words alone are passed on.
func (r *reader) syntax(err error) error {
	var at yaml.Error
	line, column, text := 1, 1, "it is no YAML"
	if errors.As(err, &at) {
		if p := position(at.GetToken()); p != nil {
			line, column = p.Line, p.Column
		}
		text, _, _ = strings.Cut(at.GetMessage(), "\n")
	}
	return cli.WithHint(fmt.Errorf("%s:%d:%d: %s", r.file, line, column, text), "the numbers are line and column; the file is YAML: a value that begins with @ or * or holds ': ' is quoted, and lines are indented by spaces")
}

func position(t *token.Token) *token.Position {
	if t == nil {
		return nil
	}
	return t.Position
}

// bare returns the node that is meant by an anchor, an alias or a tag. An alias of something that
// holds it ends at a depth that no configuration has.
func (r *reader) bare(n ast.Node) ast.Node {
	for range 16 {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.TagNode:
			n = x.Value
		case *ast.AliasNode:
			to, ok := r.anchors[x.Value.GetToken().Value]
			if !ok {
				r.wrong(x, "nothing above has the name &%s", x.Value.GetToken().Value)
				return ast.Null(x.GetToken())
			}
			n = to
		default:
			return n
		}
	}
	r.wrong(n, "an alias that leads to itself")
	return ast.Null(n.GetToken())
}

// mapping returns the keys of a node, nil where it has none; what says in an error what it is.
func (r *reader) mapping(n ast.Node, what string) *ast.MappingNode {
	switch x := r.bare(n).(type) {
	case *ast.MappingNode:
		return x
	case *ast.MappingValueNode:
		return &ast.MappingNode{BaseNode: x.BaseNode, Start: x.Start, Values: []*ast.MappingValueNode{x}}
	default:
		r.wrong(n, "%s takes keys and values, as name: shop, not %s", what, kind(x))
		return nil
	}
}

// list returns the elements of a node; a single value is a list of one.
func (r *reader) list(n ast.Node) []ast.Node {
	if s, ok := r.bare(n).(*ast.SequenceNode); ok {
		return s.Values
	}
	return []ast.Node{n}
}

const keysAndValues = "keys and values"

// kind says what a node is.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return keysAndValues
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	}
	return "a single value"
}

// raw returns a single value as it is written; ok is false where it is not one.
func (r *reader) raw(n ast.Node, what string) (value string, ok bool) {
	switch x := r.bare(n).(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return x.GetToken().Value, true
	case *ast.MappingValueNode:
		if value, ok := unsplit(x); ok {
			return value, true
		}
	case *ast.MappingNode:
		if len(x.Values) == 1 {
			if value, ok := unsplit(x.Values[0]); ok {
				return value, true
			}
		}
	}
	hint := ""
	if kind(r.bare(n)) == keysAndValues {
		hint = "; one that holds a colon goes between quotation marks, as \"http://127.0.0.1:8080\""
	}
	r.wrong(n, "%s takes a single value, not %s%s", what, kind(r.bare(n)), hint)
	return "", false
}

// unsplit is a value with a colon in it, as http://127.0.0.1:8080, that the library takes for a key
// and a value between brackets: YAML wants a space behind the colon for that (1.2.2, 7.3.3). ok is
// false where there is one.
func unsplit(x *ast.MappingValueNode) (value string, ok bool) {
	key, val := x.Key.GetToken(), x.Value.GetToken()
	if key.Type != token.StringType || x.Value.Type() == ast.MappingType || x.Value.Type() == ast.MappingValueType || x.Value.Type() == ast.SequenceType {
		return "", false
	}
	a, b := key.Position, val.Position
	if a.Line != b.Line || b.Column != a.Column+utf8.RuneCountInString(key.Value)+1 {
		return "", false
	}
	return key.Value + ":" + val.Value, true
}

// text returns a single value as text, with variables in their place; ok is false where it is not
// one.
func (r *reader) text(n ast.Node, what string) (value string, ok bool) {
	value, ok = r.raw(n, what)
	if !ok {
		return "", false
	}
	return r.expand(n, what, value)
}

// secret is text of a value that nobody else should know. open reports of what is written whether
// a secret stands in it.
func (r *reader) secret(n ast.Node, what string, open func(written string) bool) (value string, ok bool) {
	written, ok := r.raw(n, what)
	if !ok {
		return "", false
	}
	if open(written) {
		r.warn(n, "%s is written out; ${NAME} takes it from the environment, so that the file holds no secret", what)
	}
	return r.expand(n, what, written)
}

// each calls read with each key and its value. One that it does not know is an error with the
// known one that was most likely meant.
func (r *reader) each(m *ast.MappingNode, what string, known []string, read func(key string, at ast.Node, v ast.Node) bool) {
	if m == nil {
		return
	}
	for _, pair := range m.Values {
		key := pair.Key.GetToken().Value
		if read(key, pair.Key, pair.Value) {
			continue
		}
		if len(r.problems) == maxProblems { // what is most likely meant takes time to find
			r.more++
			continue
		}
		r.wrong(pair.Key, "%s has no key %q; %sthere are %s", what, key, cli.DidYouMean(key, known), strings.Join(known, ", "))
	}
}

// readConfig reads the file of a configuration.
func readConfig(path string) ([]byte, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("the configuration cannot be read: %w", err), "sitemend watch takes a file in YAML; sitemend help watch shows an example")
	}
	return text, nil
}

// readFile reads a regular file, and of a larger one than a configuration may be so much that this
// is seen. Anything else is refused: to open a pipe, or to read it, may never end.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, which it has to be: SIGHUP reads it again", path)
	}
	return io.ReadAll(io.LimitReader(f, maxConfig+1))
}
