package watch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/notify"
)

// A Config is the content of a configuration.
type Config struct {
	Store     string // the folder of audits.db and of the outputs
	Listen    string // HOST:PORT of the pages; "" for none
	Location  *time.Location
	Lang      string // of the pages
	Sites     []Site
	Receivers []*notify.Receiver
}

// A Site is audited whenever its schedule says so.
type Site struct {
	Name     string
	Schedule Schedule
	Notify   []string // names of receivers
	Spec     job.Spec
	scope    job.Scope
}

// A Loader knows what a configuration is read with.
type Loader struct {
	// Flags returns the flags of audit, and what makes a Spec of them and of targets once they
	// were set.
	Flags func() (flags *pflag.FlagSet, spec func(targets []string) (job.Spec, error))
	// Getenv looks up a variable of the environment, Secrets hides its value.
	Getenv  func(name string) (value string, ok bool)
	Secrets *Secrets
	// Env is what audits have around them; it is not used but to look at a Spec.
	Env job.Env
	// Lang is the language of the pages.
	Lang string
}

// maxConfig is how large a configuration may be, in bytes. A thousand sites take some 200 KB.
const maxConfig = 4 << 20

// Load reads the configuration in a file. An error lists what is wrong, each with file, line and
// column and, where a word is unknown, with the one that was most likely meant. Relative paths
// in it are those of its folder. Nothing but files is looked at.
func (l Loader) Load(path string) (*Config, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("the configuration cannot be read: %w", err), "sitemend watch takes a file in YAML; sitemend help watch shows an example")
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	x := &reading{Loader: l, file: filepath.Base(path), dir: dir, c: &Config{Location: time.Local, Lang: l.Lang}}
	if top := x.parse(text); top != nil {
		x.top(top)
	}
	if len(x.problems) > 0 {
		return nil, cli.WithHint(errors.Join(x.problems...), "the numbers are line and column; sitemend help watch shows an example")
	}
	return x.c, nil
}

// readConfig reads a regular file: to open a pipe, or to read it, may never end.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, which it has to be: SIGHUP reads it again", path)
	case info.Size() > maxConfig:
		return nil, fmt.Errorf("%s: it is larger than %d MB", path, maxConfig>>20)
	}
	return os.ReadFile(path)
}

// A reading is a configuration that is being read, with what is wrong with it.
type reading struct {
	Loader
	file, dir string
	c         *Config
	problems  []error
}

// wrong notes what is wrong at a node, once: a node of the defaults is read for each site.
func (x *reading) wrong(n *yaml.Node, format string, args ...any) {
	said := errors.New(fmt.Sprintf("%s:%d:%d: ", x.file, n.Line, n.Column) + x.Secrets.Mask(fmt.Sprintf(format, args...)))
	if !slices.ContainsFunc(x.problems, func(e error) bool { return e.Error() == said.Error() }) {
		x.problems = append(x.problems, said)
	}
}

// syntaxLine is the line in an error of the YAML library; of what its parser found wrong it is
// counted from 0.
var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): (did not find expected (?:node content|',|key|'-'|<))?`)

// A variable need not be quoted, but YAML takes no braces in a value of { key: value }: it is read
// with other signs in their place, as many, so that columns stay.
var (
	variable = regexp.MustCompile(`\$\{([^}\n]*)\}`)
	shown    = strings.NewReplacer("\ue000\ue000", "${", "\ue001", "}")
)

const hidden = "\ue000\ue000${1}\ue001"

// parse reads YAML; nil says that it is none.
func (x *reading) parse(text []byte) *yaml.Node {
	documents := yaml.NewDecoder(bytes.NewReader(variable.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte(hidden))))
	var doc, second yaml.Node
	err := documents.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		x.wrong(&yaml.Node{Line: 1, Column: 1}, "it is empty")
	case err != nil:
		line, said := 1, err.Error()
		if m := syntaxLine.FindStringSubmatch(said); m != nil {
			line, _ = strconv.Atoi(m[1]) // digits
			if m[2] != "" {
				line++
			}
		}
		x.wrong(&yaml.Node{Line: line, Column: 1}, "%s (a value that begins with @ or * or holds ': ' is quoted, and lines are indented by spaces)", said)
	case documents.Decode(&second) == nil:
		x.wrong(&second, "a second document begins here; a configuration is one")
	default:
		return doc.Content[0]
	}
	return nil
}

// bare returns the node that an alias means.
func bare(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// pairs calls fn with each key of a node and its value; what says in an error what the node is.
func (x *reading) pairs(n *yaml.Node, what string, fn func(key, v *yaml.Node)) {
	m, seen := bare(n), map[string]bool{}
	if m.Kind != yaml.MappingNode {
		x.wrong(n, "%s takes keys and values, as name: shop", what)
		return
	}
	for at := 0; at < len(m.Content); at += 2 {
		key := m.Content[at]
		if seen[key.Value] {
			x.wrong(key, "the key %q is there twice", key.Value)
		}
		seen[key.Value] = true
		fn(key, m.Content[at+1])
	}
}

// A setting reads the value of a key.
type setting func(v *yaml.Node)

// keys reads the keys of a node. Of a key without a setting the error names the one that was most
// likely meant.
func (x *reading) keys(n *yaml.Node, what string, settings map[string]setting) {
	x.pairs(n, what, func(key, v *yaml.Node) {
		if set, ok := settings[key.Value]; ok {
			set(v)
			return
		}
		var known []string
		for name := range settings {
			known = append(known, name)
		}
		slices.Sort(known)
		x.wrong(key, "%s has no key %q; %ssitemend help watch and sitemend help audit show them", what, key.Value, cli.DidYouMean(key.Value, known))
	})
}

// list returns the elements of a node; a single value is a list of one.
func list(n *yaml.Node) []*yaml.Node {
	if n = bare(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// text returns a single value with variables in their place; ok is false where it is not one.
func (x *reading) text(n *yaml.Node) (value string, ok bool) {
	if n = bare(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		x.wrong(n, "a single value stands here")
		return "", false
	}
	ok = true
	value = variable.ReplaceAllStringFunc(shown.Replace(n.Value), func(s string) string {
		name := s[2 : len(s)-1]
		v, _ := x.Getenv(name)
		if v == "" {
			x.wrong(n, "the environment variable %s is not set, or is empty", name)
			ok = false
			return ""
		}
		x.Secrets.add(name, v)
		return v
	})
	return value, ok
}

// texts returns the single values of a list.
func (x *reading) texts(v *yaml.Node) (all []string) {
	for _, n := range list(v) {
		if s, ok := x.text(n); ok {
			all = append(all, s)
		}
	}
	return all
}

// into is a setting that takes a text as it stands.
func (x *reading) into(s *string) setting {
	return func(v *yaml.Node) { *s, _ = x.text(v) }
}

// path is a path as it is meant in the configuration.
func (x *reading) path(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(x.dir, s)
}

// top reads the keys at the top.
func (x *reading) top(top *yaml.Node) {
	var store string
	var sites, defaults *yaml.Node
	x.keys(top, "the configuration", map[string]setting{
		"store":    x.into(&store),
		"listen":   x.listen,
		"timezone": x.timezone,
		"notify":   x.receivers,
		"defaults": func(v *yaml.Node) { defaults = v },
		"sites":    func(v *yaml.Node) { sites = v },
	})
	switch {
	case len(x.problems) > 0: // sites are read with all else known
	case store == "":
		x.wrong(top, "the key store is missing: the folder of audits.db and of the outputs, as store: /var/lib/sitemend")
	case sites == nil || len(list(sites)) == 0:
		x.wrong(top, "the key sites is missing: a list with name, targets and schedule of each site")
	default:
		x.c.Store = x.path(store)
		for _, v := range list(sites) {
			x.site(v, defaults)
		}
	}
}

func (x *reading) listen(v *yaml.Node) {
	x.into(&x.c.Listen)(v)
	if _, _, err := net.SplitHostPort(x.c.Listen); err != nil {
		x.wrong(v, "listen: %q is not HOST:PORT, as 127.0.0.1:8080", x.c.Listen)
	}
}

func (x *reading) timezone(v *yaml.Node) {
	s, _ := x.text(v)
	loc, err := time.LoadLocation(s)
	if err != nil || s == "" {
		x.wrong(v, "timezone: there is no time zone %q; as Asia/Tokyo, Europe/Berlin or UTC", s)
		return
	}
	x.c.Location = loc
}

// nameForm is what a site or a receiver may be called: it stands in paths and in metrics.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// receivers reads the key notify.
func (x *reading) receivers(v *yaml.Node) {
	x.pairs(v, "notify", func(key, v *yaml.Node) {
		before, name := len(x.problems), key.Value
		var service, webhook, secret string
		x.keys(v, "a receiver", map[string]setting{"url": x.into(&service), "webhook": x.into(&webhook), "secret": x.into(&secret)})
		if len(x.problems) > before {
			return
		}
		r, err := notify.New(name, service, webhook, secret)
		if !nameForm.MatchString(name) {
			err = errors.New("a name has letters, digits, . _ and -")
		}
		if err != nil {
			x.wrong(v, "the receiver %s: %v", name, err)
			return
		}
		x.c.Receivers = append(x.c.Receivers, r)
	})
}

// notForSites are the flags of audit that make no sense for one of many sites: all share a store,
// in which each has a folder of outputs, what was stopped is always continued, and what is new is
// what is told anyway. The others are flags of watch itself.
var notForSites = []string{"out", "store", "fresh", "new", "quiet", "verbose", "log", "help"}

// fileFlags are the flags that name files or folders.
var fileFlags = []string{"search-console", "expect", "access-log", "site", "rules", "ca", "nats-creds", "nats-ca"}

// A siteReading is a site that is being read.
type siteReading struct {
	Site
	targets []string
	at      map[string]*yaml.Node // the values of flags
}

// site reads one site, on top of the defaults.
func (x *reading) site(n, defaults *yaml.Node) {
	s, before := &siteReading{at: map[string]*yaml.Node{}}, len(x.problems)
	fs, spec := x.Flags()
	settings := map[string]setting{
		"name":     x.into(&s.Name),
		"schedule": func(v *yaml.Node) { x.schedule(s, v) },
		"targets":  func(v *yaml.Node) { s.targets = x.targets(v) },
		"notify":   func(v *yaml.Node) { s.Notify = x.notified(v) },
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notForSites, f.Name) {
			settings[f.Name] = func(v *yaml.Node) { x.flag(s, fs, f, v) }
		}
	})
	if defaults != nil {
		x.keys(defaults, "a site", settings)
	}
	x.keys(n, "a site", settings)
	switch given := fs.Changed("site") || fs.Changed("search-console") || fs.Changed("expect"); {
	case len(x.problems) > before:
	case !nameForm.MatchString(s.Name) || strings.HasPrefix(strings.ToLower(s.Name), "audits.db"):
		x.wrong(n, "a site needs a name, as name: shop, of letters, digits, . _ and -, for it is the name of a folder; not audits.db")
	case s.Schedule.text == "":
		x.wrong(n, `the site %s has no schedule, as schedule: "@daily"; the key defaults may have one for all`, s.Name)
	case len(s.targets) == 0 && !given:
		x.wrong(n, "the site %s has no targets, as targets: [https://www.shop.example]", s.Name)
	default:
		x.finish(s, n, spec)
	}
}

func (x *reading) schedule(s *siteReading, v *yaml.Node) {
	text, ok := x.text(v)
	var err error
	if s.Schedule, err = ParseSchedule(text, x.c.Location); ok && err != nil {
		x.wrong(v, "%v", err)
	}
}

// targets are the targets as they are meant: a file that is there is that of the configuration's
// folder.
func (x *reading) targets(v *yaml.Node) []string {
	all := x.texts(v)
	for i, t := range all {
		if t == "-" {
			x.wrong(v, "targets: there is no standard input here")
		}
		if _, err := os.Stat(x.path(t)); !strings.Contains(t, "://") && (err == nil || strings.HasPrefix(t, ".")) {
			all[i] = x.path(t)
		}
	}
	return all
}

// notified are the names of receivers that there are.
func (x *reading) notified(v *yaml.Node) []string {
	var there []string
	for _, r := range x.c.Receivers {
		there = append(there, r.Name)
	}
	all := x.texts(v)
	for _, name := range all {
		if !slices.Contains(there, name) {
			x.wrong(v, "notify: there is no receiver %q; %sthe key notify at the top has %s", name, cli.DidYouMean(name, there), cmp.Or(strings.Join(there, ", "), "none"))
		}
	}
	return all
}

// flag sets a flag of audit.
func (x *reading) flag(s *siteReading, fs *pflag.FlagSet, f *pflag.Flag, v *yaml.Node) {
	s.at[f.Name] = v
	values := x.texts(v)
	many, _ := f.Value.(pflag.SliceValue)
	if len(values) == 0 {
		return
	}
	if many == nil && len(values) > 1 {
		x.wrong(v, "%s takes a single value, not a list", f.Name)
		return
	}
	if slices.Contains(fileFlags, f.Name) {
		for i := range values {
			values[i] = x.path(values[i])
		}
	}
	var err error
	if many == nil {
		err = fs.Set(f.Name, values[0])
	} else {
		if f.Value.Type() == "stringSlice" { // "a,b" is a list on the command line, too
			values = strings.Split(strings.Join(values, ","), ",")
		}
		f.Changed = true
		err = many.Replace(values)
	}
	if err != nil {
		wanted := cmp.Or(map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration, as 30s or 2m", "bool": "true or false"}[f.Value.Type()], "what the flag takes")
		x.wrong(v, "%s: %q is not %s", f.Name, strings.Join(values, ", "), wanted)
	}
}

// flagIn is a flag in a text of the command line; in a configuration flags are keys.
var flagIn = regexp.MustCompile(`\B--([a-z][a-z0-9-]*)`)

// finish makes a site of what was read.
func (x *reading) finish(s *siteReading, n *yaml.Node, spec func([]string) (job.Spec, error)) {
	var err error
	if s.Spec, err = spec(s.targets); err == nil {
		s.Spec.Out, s.Spec.Store = filepath.Join(x.c.Store, s.Name), filepath.Join(x.c.Store, "audits.db")
		s.scope, err = job.Check(s.Spec, x.Env)
	}
	if err != nil {
		said := err.Error()
		var h interface{ Hint() string }
		if errors.As(err, &h) && h.Hint() != "" {
			said += " (" + h.Hint() + ")"
		}
		place := n
		for _, m := range flagIn.FindAllStringSubmatch(said, -1) {
			if at := s.at[m[1]]; at != nil {
				place = at
				break
			}
		}
		x.wrong(place, "the site %s: %s", s.Name, flagIn.ReplaceAllString(said, "$1"))
		return
	}
	for i := range x.c.Sites {
		switch t := &x.c.Sites[i]; {
		case strings.EqualFold(s.Name, t.Name):
			x.wrong(n, "two sites have the name %s", s.Name)
		case s.scope == t.scope:
			x.wrong(n, "the site %s has the targets, the robot and the filters of the site %s: their audits could not be told apart", s.Name, t.Name)
		}
	}
	x.c.Sites = append(x.c.Sites, s.Site)
}
