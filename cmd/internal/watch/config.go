package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
	secrets   *Secrets
}

// receivers are the names of the receivers.
func (c *Config) receivers() (names []string) {
	for _, r := range c.Receivers {
		names = append(names, r.Name)
	}
	return names
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
	Getenv  func(name string) string
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
func (l Loader) Load(ctx context.Context, path string) (*Config, error) {
	text, err := cli.ReadFile(ctx, path, maxConfig)
	if err != nil {
		return nil, cli.WithHint(fmt.Errorf("the configuration cannot be read: %w", err), "sitemend watch takes a file in YAML; sitemend help watch shows an example")
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	x := &reading{Loader: l, file: filepath.Base(path), dir: dir, c: &Config{Location: time.Local, Lang: l.Lang, secrets: l.Secrets}}
	x.top(x.parse(text))
	if len(x.problems) > 0 {
		return nil, cli.WithHint(errors.Join(x.problems...), "the numbers are line and column; sitemend help watch shows an example")
	}
	return x.c, nil
}

// A reading is a configuration that is being read, with what is wrong with it.
type reading struct {
	Loader
	file, dir string
	c         *Config
	problems  []error
}

// wrong notes what is wrong at a node.
func (x *reading) wrong(n *yaml.Node, format string, args ...any) {
	x.problems = append(x.problems, fmt.Errorf("%s:%d:%d: %s", x.file, n.Line, n.Column, x.Secrets.Mask(fmt.Sprintf(format, args...))))
}

// syntaxLine is the line in an error of the YAML library.
var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): `)

// parse reads YAML, and returns the node at the top.
func (x *reading) parse(text []byte) *yaml.Node {
	doc := yaml.Node{Content: []*yaml.Node{{Line: 1, Column: 1}}}
	if err := yaml.Unmarshal(variable.ReplaceAll(text, []byte(hidden)), &doc); err != nil {
		line := 1
		if m := syntaxLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ = strconv.Atoi(m[1]) // digits
		}
		x.wrong(&yaml.Node{Line: line, Column: 1}, "%v (a value that begins with @ or * or holds ': ' is quoted, and lines are indented by spaces)", err)
	}
	return doc.Content[0]
}

// A setting reads the value of a key.
type setting func(v *yaml.Node)

// pairs calls fn with each key of a node and its value; what says in an error what the node is.
func (x *reading) pairs(n *yaml.Node, what string, fn func(key, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		x.wrong(n, "%s takes keys and values, as name: shop", what)
		return
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(n.Content, 2) {
		if seen[pair[0].Value] {
			x.wrong(pair[0], "the key %q is there twice", pair[0].Value)
		}
		seen[pair[0].Value] = true
		fn(pair[0], pair[1])
	}
}

// keys reads the keys of a node. Of a key without a setting the error names the one that was most
// likely meant.
func (x *reading) keys(n *yaml.Node, what string, settings map[string]setting) {
	x.pairs(n, what, func(key, v *yaml.Node) {
		if set, ok := settings[key.Value]; ok {
			set(v)
			return
		}
		x.wrong(key, "%s has no key %q; %ssitemend help watch and sitemend help audit show them", what, key.Value, cli.DidYouMean(key.Value, slices.Sorted(maps.Keys(settings))))
	})
}

// list returns the elements of a node; a single value is a list of one.
func list(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// text returns a single value with variables in their place.
func (x *reading) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		x.wrong(n, "a single value stands here")
		return ""
	}
	return variable.ReplaceAllStringFunc(shown.Replace(n.Value), func(s string) string {
		name := s[2 : len(s)-1]
		v := x.Getenv(name)
		if v == "" {
			x.wrong(n, "the environment variable %s is not set, or is empty", name)
			return ""
		}
		x.Secrets.add(name, v)
		return v
	})
}

// texts returns the single values of a list.
func (x *reading) texts(v *yaml.Node) (all []string) {
	for _, n := range list(v) {
		all = append(all, x.text(n))
	}
	return all
}

// into is a setting that takes a text as it stands.
func (x *reading) into(s *string) setting { return func(v *yaml.Node) { *s = x.text(v) } }

// path is a path as it is meant in the configuration.
func (x *reading) path(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(x.dir, s)
}

// top reads the keys at the top.
func (x *reading) top(top *yaml.Node) {
	if len(x.problems) > 0 {
		return
	}
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
	x.c.Listen = x.text(v)
	if _, _, err := net.SplitHostPort(x.c.Listen); err != nil {
		x.wrong(v, "listen: %q is not HOST:PORT, as 127.0.0.1:8080", x.c.Listen)
	}
}

func (x *reading) timezone(v *yaml.Node) {
	s := x.text(v)
	loc, err := time.LoadLocation(s)
	if err != nil {
		x.wrong(v, "timezone: there is no time zone %q; as Asia/Tokyo, Europe/Berlin or UTC", s)
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

// site reads one site, on top of the defaults.
func (x *reading) site(n, defaults *yaml.Node) {
	s, before := Site{}, len(x.problems)
	var targets []string
	at := map[string]*yaml.Node{} // the values of flags
	fs, spec := x.Flags()
	settings := map[string]setting{
		"name":     x.into(&s.Name),
		"schedule": func(v *yaml.Node) { s.Schedule = x.schedule(v) },
		"targets":  func(v *yaml.Node) { targets = x.targets(v) },
		"notify":   func(v *yaml.Node) { s.Notify = x.notified(v) },
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notForSites, f.Name) {
			settings[f.Name] = func(v *yaml.Node) {
				at[f.Name] = v
				x.flag(fs, f, v)
			}
		}
	})
	if defaults != nil {
		x.keys(defaults, "a site", settings)
	}
	x.keys(n, "a site", settings)
	switch given := fs.Changed("site") || fs.Changed("search-console"); {
	case len(x.problems) > before:
		return
	case !nameForm.MatchString(s.Name) || strings.HasPrefix(strings.ToLower(s.Name), "audits.db"):
		x.wrong(n, "a site needs a name, as name: shop, of letters, digits, . _ and -, for it is the name of a folder; not audits.db")
	case s.Schedule.text == "":
		x.wrong(n, `the site %s has no schedule, as schedule: "@daily"; the key defaults may have one for all`, s.Name)
	case len(targets) == 0 && !given:
		x.wrong(n, "the site %s has no targets, as targets: [https://www.shop.example]", s.Name)
	}
	var err error
	if s.Spec, err = spec(targets); err == nil {
		s.Spec.Out, s.Spec.Store = filepath.Join(x.c.Store, s.Name), filepath.Join(x.c.Store, "audits.db")
		s.scope, err = job.Check(s.Spec, x.Env)
	}
	if err != nil {
		x.refused(&s, n, at, err)
	}
	for _, t := range x.c.Sites {
		switch {
		case strings.EqualFold(s.Name, t.Name):
			x.wrong(n, "two sites have the name %s", s.Name)
		case s.scope == t.scope:
			x.wrong(n, "the site %s has the targets, the robot and the filters of the site %s: their audits could not be told apart", s.Name, t.Name)
		}
	}
	x.c.Sites = append(x.c.Sites, s)
}

// flagIn is a flag in a text of the command line; in a configuration flags are keys.
var flagIn = regexp.MustCompile(`\B--([a-z][a-z0-9-]*)`)

// refused says why a site cannot be audited, at the flag that the error or its hint names.
func (x *reading) refused(s *Site, n *yaml.Node, at map[string]*yaml.Node, err error) {
	said := err.Error()
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		said += " (" + h.Hint() + ")"
	}
	for _, m := range slices.Backward(flagIn.FindAllStringSubmatch(said, -1)) {
		n = cmp.Or(at[m[1]], n)
	}
	x.wrong(n, "the site %s: %s", s.Name, flagIn.ReplaceAllString(said, "$1"))
}

func (x *reading) schedule(v *yaml.Node) Schedule {
	s, err := ParseSchedule(x.text(v), x.c.Location)
	if err != nil {
		x.wrong(v, "%v", err)
	}
	return s
}

// targets are the targets as they are meant: a file that is there is that of the configuration's
// folder.
func (x *reading) targets(v *yaml.Node) []string {
	all := x.texts(v)
	for i, t := range all {
		if _, err := os.Stat(x.path(t)); !strings.Contains(t, "://") && (err == nil || strings.HasPrefix(t, ".")) {
			all[i] = x.path(t)
		}
	}
	return all
}

// notified are the names of receivers that there are.
func (x *reading) notified(v *yaml.Node) []string {
	all, there := x.texts(v), x.c.receivers()
	for _, name := range all {
		if !slices.Contains(there, name) {
			x.wrong(v, "notify: there is no receiver %q; %sthe key notify at the top has %s", name, cli.DidYouMean(name, there), cmp.Or(strings.Join(there, ", "), "none"))
		}
	}
	return all
}

// flag sets a flag of audit, in place of what the defaults say.
func (x *reading) flag(fs *pflag.FlagSet, f *pflag.Flag, v *yaml.Node) {
	values := x.texts(v)
	if many, ok := f.Value.(pflag.SliceValue); ok {
		_ = many.Replace(nil) // an empty list of texts
	} else if len(values) != 1 {
		x.wrong(v, "%s takes a single value, not a list", f.Name)
	}
	for _, value := range values {
		if slices.Contains(fileFlags, f.Name) {
			value = x.path(value)
		}
		if err := fs.Set(f.Name, value); err != nil {
			x.wrong(v, "%s: %q is not %s", f.Name, value, cli.Wanted(f))
		}
	}
}
