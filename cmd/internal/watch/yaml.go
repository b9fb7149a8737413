package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"sitemend/cmd/internal/cli"
)

// maxConfig is how large a configuration may be, in bytes. A thousand sites take some 200 KB.
const maxConfig = 4 << 20

// maxProblems is how many mistakes of a configuration are listed.
const maxProblems = 10

// A reader reads a configuration and collects what is wrong with it.
type reader struct {
	file     string
	getenv   func(string) (string, bool)
	environ  environ // what was taken from there
	problems []string
}

func (r *reader) where(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d: ", r.file, n.Line, n.Column)
}

// wrong notes what is wrong at a node, once: a node of the defaults is read for each site. Of the
// environment it shows names, never values.
func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	said := r.where(n) + r.environ.mask(fmt.Sprintf(format, args...))
	if len(r.problems) <= maxProblems && !slices.Contains(r.problems, said) {
		r.problems = append(r.problems, said)
	}
}

// err returns what was wrong, nil for nothing.
func (r *reader) err() error {
	var all []error
	for i, said := range r.problems {
		if i == maxProblems {
			said = "and more"
		}
		all = append(all, errors.New(said))
	}
	if all == nil {
		return nil
	}
	return cli.WithHint(errors.Join(all...), "the numbers are line and column; sitemend help watch shows an example")
}

// syntaxLine is the line in an error of the YAML library; of what its parser found wrong it is
// counted from 0.
var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): (did not find expected (?:node content|',|key|'-'|<))?`)

// parse reads the text of a configuration.
func (r *reader) parse(text []byte) (*yaml.Node, error) {
	if len(text) > maxConfig {
		return nil, cli.WithHint(fmt.Errorf("%s: it is larger than %d MB", r.file, maxConfig>>20), "is it the right file?")
	}
	documents := yaml.NewDecoder(bytes.NewReader(variable.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte(hidden))))
	var doc, second yaml.Node
	err := documents.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, cli.WithHint(fmt.Errorf("%s: it is empty", r.file), "sitemend help watch shows an example")
	}
	if err == nil && documents.Decode(&second) == nil {
		r.wrong(&second, "a second document begins here; a configuration is one")
		return nil, r.err()
	}
	if err != nil {
		line, said := 1, err.Error()
		if m := syntaxLine.FindStringSubmatch(said); m != nil {
			line, _ = strconv.Atoi(m[1]) // digits
			if m[2] != "" {
				line++
			}
			said = strings.TrimPrefix(said, "yaml: line "+m[1]+": ")
		}
		return nil, cli.WithHint(fmt.Errorf("%s:%d:1: %s", r.file, line, said), "the numbers are line and column; the file is YAML: a value that begins with @ or * or holds ': ' (or ? within { }) is quoted, and lines are indented by spaces")
	}
	return doc.Content[0], nil
}

// bare returns the node that an alias means.
func bare(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// kind says what a node is.
func kind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return "a single value"
}

// A setting reads the value of a key.
type setting func(v *yaml.Node)

// keys reads the keys of a node; what says in an error what that is. base, where it is not nil, has
// the values of keys that n does not have. Of a key without a setting the error names the one that
// was most likely meant.
func (r *reader) keys(n, base *yaml.Node, what string, settings map[string]setting) {
	seen := map[string]bool{}
	for i, m := range []*yaml.Node{n, base} {
		if m == nil {
			continue
		}
		if m = bare(m); m.Kind != yaml.MappingNode {
			r.wrong(m, "%s takes keys and values, as name: shop, not %s", what, kind(m))
			continue
		}
		own := map[string]bool{}
		for at := 0; at < len(m.Content); at += 2 {
			key, v := m.Content[at], m.Content[at+1]
			set, known := settings[key.Value]
			switch {
			case own[key.Value]:
				r.wrong(key, "the key %q is there twice", key.Value)
			case !known:
				r.wrong(key, "%s has no key %q; %ssitemend help watch and sitemend help audit show them", what, key.Value, cli.DidYouMean(key.Value, names(settings)))
			case i == 0 || !seen[key.Value]:
				set(v)
			}
			own[key.Value], seen[key.Value] = true, true
		}
	}
}

// names are the keys of a map, sorted.
func names[V any](m map[string]V) (all []string) {
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// list returns the elements of a node; a single value is a list of one.
func list(n *yaml.Node) []*yaml.Node {
	if n = bare(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// text returns a single value with variables in their place; ok is false where it is not one.
func (r *reader) text(n *yaml.Node, what string) (value string, ok bool) {
	if n = bare(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.wrong(n, "%s takes a single value, not %s", what, kind(n))
		return "", false
	}
	return r.expand(n, what, shown.Replace(n.Value))
}

// readConfig reads the file of a configuration: a regular one, for to open a pipe, or to read it,
// may never end.
func readConfig(path string) (text []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		info, e := f.Stat()
		switch {
		case e != nil:
			err = e
		case !info.Mode().IsRegular():
			err = fmt.Errorf("%s is no regular file, which it has to be: SIGHUP reads it again", path)
		default:
			text, err = io.ReadAll(io.LimitReader(f, maxConfig+1))
		}
	}
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("the configuration cannot be read: %w", err), "sitemend watch takes a file in YAML; sitemend help watch shows an example")
	}
	return text, nil
}
