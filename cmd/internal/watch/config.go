package watch

import (
	"cmp"
	"errors"
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

	environ environ // what it took from the environment
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
	// Getenv looks up a variable of the environment.
	Getenv func(name string) (value string, ok bool)
	// Env is what audits have around them; it is not used but to look at a Spec.
	Env job.Env
	// Lang is the language of the pages.
	Lang string
}

// Load reads the configuration in a file. An error lists what is wrong, each with file, line and
// column and, where a word is unknown, with the one that was most likely meant. Relative paths
// in it are those of its folder. Nothing but files is looked at.
func (l Loader) Load(path string) (*Config, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return l.read(filepath.Base(path), dir, text)
}

// A loading is a configuration that is being read.
type loading struct {
	Loader
	*reader
	dir string
	c   *Config
}

// read reads the text of a configuration.
func (l Loader) read(file, dir string, text []byte) (*Config, error) {
	x := &loading{l, &reader{file: file, getenv: l.Getenv}, dir, &Config{Location: time.Local, Lang: l.Lang}}
	top, err := x.parse(text)
	if err != nil {
		return nil, err
	}
	var sites, defaults *yaml.Node
	x.keys(top, nil, "the configuration", map[string]setting{
		"store": func(v *yaml.Node) {
			if s, ok := x.text(v, "store"); ok {
				x.c.Store = x.path(s)
			}
		},
		"listen":   x.listen,
		"timezone": x.timezone,
		"notify":   x.receivers,
		"defaults": func(v *yaml.Node) { defaults = v },
		"sites":    func(v *yaml.Node) { sites = v },
	})
	if x.c.Store == "" {
		x.wrong(top, "the key store is missing: the folder of audits.db and of the outputs, as store: /var/lib/sitemend")
	}
	if sites == nil {
		x.wrong(top, "the key sites is missing: a list with name, targets and schedule of each site")
	}
	if len(x.problems) == 0 { // sites are read with all else known
		for _, v := range list(sites) {
			x.site(v, defaults)
		}
	}
	x.c.environ = x.environ
	return x.c, x.err()
}

// path is a path as it is meant in the configuration.
func (x *loading) path(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(x.dir, s)
}

func (x *loading) listen(v *yaml.Node) {
	s, ok := x.text(v, "listen")
	if !ok {
		return
	}
	host, port, err := net.SplitHostPort(s)
	if n, e := strconv.Atoi(port); err != nil || e != nil || n < 0 || n > 65535 {
		x.wrong(v, "listen: %q is not HOST:PORT, as 127.0.0.1:8080", s)
		return
	}
	x.c.Listen = net.JoinHostPort(host, port)
}

func (x *loading) timezone(v *yaml.Node) {
	s, ok := x.text(v, "timezone")
	if !ok {
		return
	}
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
func (x *loading) receivers(v *yaml.Node) {
	m := bare(v)
	if m.Kind != yaml.MappingNode {
		x.wrong(v, "notify takes keys and values, as ops: { url: ... }, not %s", kind(m))
		return
	}
	for at := 0; at < len(m.Content); at += 2 {
		name := m.Content[at].Value
		if !nameForm.MatchString(name) {
			x.wrong(m.Content[at], "notify: %q is no name; one has letters, digits, . _ and -", name)
			continue
		}
		x.receiver(name, m.Content[at+1])
	}
}

// receiver reads one receiver.
func (x *loading) receiver(name string, v *yaml.Node) {
	said, before := map[string]string{}, len(x.problems)
	set := func(key string) setting {
		return func(v *yaml.Node) { said[key], _ = x.text(v, key) }
	}
	x.keys(v, nil, "a receiver", map[string]setting{"url": set("url"), "webhook": set("webhook"), "secret": set("secret")})
	if len(x.problems) > before {
		return
	}
	var err error
	var out *notify.Receiver
	switch {
	case (said["url"] == "") == (said["webhook"] == ""):
		err = errors.New("it takes one of url (a service URL) and webhook (an address that is sent JSON)")
	case said["url"] != "" && said["secret"] != "":
		err = errors.New("secret signs what a webhook is sent; a service URL holds its own")
	case said["url"] != "":
		out, err = notify.Service(name, said["url"])
	default:
		out, err = notify.Webhook(name, said["webhook"], said["secret"])
	}
	if err != nil {
		x.wrong(v, "the receiver %s: %v", name, err)
		return
	}
	x.c.Receivers = append(x.c.Receivers, out)
}

// notForSites are the flags of audit that make no sense for one of many sites, with the reason.
var notForSites = map[string]string{
	"out": "the outputs of a site are in a folder of its name, in store", "store": "there is one store for all sites, the key store at the top",
	"fresh": "an audit that was stopped is always continued", "quiet": "it is a flag of the command", "verbose": "it is a flag of the command",
	"log": "it is a flag of the command", "help": "it is a flag of the command", "new": "what is new is what is told anyway",
}

// fileFlags are the flags that name files or folders.
var fileFlags = []string{"search-console", "expect", "access-log", "site", "rules", "ca", "nats-creds", "nats-ca"}

// A siteReading is a site that is being read.
type siteReading struct {
	Site
	targets []string
	at      map[string][]*yaml.Node // the values of keys
}

// site reads one site, on top of the defaults.
func (x *loading) site(n, defaults *yaml.Node) {
	s, before := &siteReading{at: map[string][]*yaml.Node{}}, len(x.problems)
	fs, spec := x.Flags()
	settings := map[string]setting{}
	fs.VisitAll(func(f *pflag.Flag) {
		settings[f.Name] = func(v *yaml.Node) {
			if why := notForSites[f.Name]; why != "" {
				x.wrong(v, "%s cannot be given to a site: %s", f.Name, why)
				return
			}
			x.flag(s, fs, f, v)
		}
	})
	settings["name"] = func(v *yaml.Node) { s.Name, _ = x.text(v, "name") }
	settings["schedule"] = func(v *yaml.Node) {
		text, ok := x.text(v, "schedule")
		var err error
		if s.Schedule, err = ParseSchedule(text, x.c.Location); ok && err != nil {
			x.wrong(v, "%v", err)
		}
	}
	settings["targets"] = func(v *yaml.Node) { s.targets = x.values(s, "targets", v, x.target) }
	settings["notify"] = func(v *yaml.Node) { s.Notify = x.values(s, "notify", v, x.receiverNamed) }
	x.keys(n, defaults, "a site", settings)
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

// values reads a list of single values, each as read has it.
func (x *loading) values(s *siteReading, key string, v *yaml.Node, read func(n *yaml.Node, value string) string) (all []string) {
	for _, n := range list(v) {
		if value, ok := x.text(n, key); ok {
			all = append(all, read(n, value))
			s.at[key] = append(s.at[key], n)
		}
	}
	return all
}

// target is a target as it is meant: a file that is there is that of the configuration's folder.
func (x *loading) target(n *yaml.Node, t string) string {
	if t == "-" {
		x.wrong(n, "targets: there is no standard input here")
	}
	if strings.Contains(t, "://") {
		return t
	}
	if _, err := os.Stat(x.path(t)); err == nil || strings.HasPrefix(t, "./") || strings.HasPrefix(t, "../") {
		return x.path(t)
	}
	return t
}

// receiverNamed looks whether there is a receiver of a name.
func (x *loading) receiverNamed(n *yaml.Node, name string) string {
	var all []string
	for _, r := range x.c.Receivers {
		all = append(all, r.Name)
	}
	if !slices.Contains(all, name) {
		x.wrong(n, "notify: there is no receiver %q; %sthe key notify at the top has %s", name, cli.DidYouMean(name, all), cmp.Or(strings.Join(all, ", "), "none"))
	}
	return name
}

// flag sets a flag of audit.
func (x *loading) flag(site *siteReading, fs *pflag.FlagSet, f *pflag.Flag, v *yaml.Node) {
	key := f.Name
	many, ok := f.Value.(pflag.SliceValue)
	if !ok && bare(v).Kind == yaml.SequenceNode {
		x.wrong(v, "%s takes a single value, not a list", key)
		return
	}
	values := x.values(site, key, v, func(n *yaml.Node, s string) string {
		switch {
		case !slices.Contains(fileFlags, key):
			return s
		case s == "-":
			x.wrong(n, "%s: there is no standard input here", key)
		}
		return x.path(s)
	})
	if len(values) == 0 {
		return
	}
	var err error
	optional := f.NoOptDefVal != "" && f.Value.Type() != "bool"
	switch {
	case many != nil:
		if f.Value.Type() == "stringSlice" { // "a,b" is a list on the command line, too
			values = strings.Split(strings.Join(values, ","), ",")
		}
		f.Changed = true
		err = many.Replace(values)
	case optional && values[0] == "false": // as if it were not given
	case optional && values[0] == "true":
		err = fs.Set(key, f.NoOptDefVal)
	default:
		err = fs.Set(key, values[0])
	}
	if err != nil {
		wanted := cmp.Or(map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration, as 30s or 2m", "bool": "true or false"}[f.Value.Type()], "what the flag takes")
		x.wrong(v, "%s: %q is not %s", key, strings.Join(values, ", "), wanted)
	}
}

// finish makes a site of what was read.
func (x *loading) finish(s *siteReading, n *yaml.Node, spec func([]string) (job.Spec, error)) {
	var err error
	if s.Spec, err = spec(s.targets); err == nil {
		s.Spec.Out, s.Spec.Store = filepath.Join(x.c.Store, s.Name), filepath.Join(x.c.Store, "audits.db")
		s.scope, err = job.Check(s.Spec, x.Env)
	}
	if err != nil {
		place, said := s.place(n, err.Error()), err.Error()
		var h interface{ Hint() string }
		if errors.As(err, &h) && h.Hint() != "" {
			said += " (" + h.Hint() + ")"
			if place == n {
				place = s.place(n, h.Hint())
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

// flagIn is a flag in a text of the command line; in a configuration flags are keys.
var flagIn = regexp.MustCompile(`\B--([a-z][a-z0-9-]*)`)

// place is where the value stands that an error is about: of a flag that it names, else a target
// that it repeats, else the site.
func (s *siteReading) place(site *yaml.Node, said string) *yaml.Node {
	for _, m := range flagIn.FindAllStringSubmatch(said, -1) {
		for _, n := range s.at[m[1]] {
			if len(s.at[m[1]]) == 1 || strings.Contains(said, n.Value) {
				return n
			}
		}
	}
	for i, t := range s.targets {
		if strings.Contains(said, t) {
			return s.at["targets"][i]
		}
	}
	return site
}
