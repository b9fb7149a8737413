package watch

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
)

// notForSites are the flags of audit that make no sense for one of many sites, with the reason.
var notForSites = map[string]string{
	"out": "the outputs of a site are in a folder of its name, in store", "store": "there is one store for all sites, the key store at the top",
	"fresh": "an audit that was stopped is always continued", "quiet": "it is a flag of the command", "verbose": "it is a flag of the command",
	"log": "it is a flag of the command", "help": "it is a flag of the command", "new": "what is new is what is told anyway",
}

// fileFlags are the flags that name files or folders.
var fileFlags = []string{"search-console", "expect", "access-log", "site", "rules", "ca", "nats-creds", "nats-ca"}

// sites reads the sites, each on top of the defaults.
func (x *loading) sites(*ast.MappingNode) {
	x.at = map[string]ast.Node{}
	list := x.r.list(x.siteList)
	if x.defaults != nil { // on their own, so that a mistake is reported once
		x.flags("defaults", x.defaults, nil, defaultKeys, x.newFlags())
	}
	if len(x.r.problems) > 0 {
		return
	}
	for _, v := range list {
		if m := x.r.mapping(v, "a site"); m != nil {
			x.site(v, m)
		}
	}
	if len(list) == 0 {
		x.r.wrong(x.siteList, "sites is an empty list")
	}
	x.apart()
}

// siteFlags are flags of audit that are being set.
type siteFlags struct {
	*pflag.FlagSet
	spec func([]string) (job.Spec, error)
}

func (x *loading) newFlags() siteFlags {
	fs, spec := x.Flags()
	return siteFlags{fs, spec}
}

// site reads one site.
func (x *loading) site(at ast.Node, m *ast.MappingNode) {
	before := len(x.r.problems)
	s := &siteReading{at: at, own: map[string]bool{}}
	fs := x.newFlags()
	if x.defaults != nil {
		own := map[string]bool{} // what the site says itself takes the place of a default
		for _, pair := range m.Values {
			own[pair.Key.GetToken().Value] = true
		}
		s.own = own
		x.flags("defaults", x.defaults, s, defaultKeys, fs)
	}
	s.own = nil
	x.flags("a site", m, s, siteKeys, fs)
	if len(x.r.problems) == before {
		x.finish(s, fs)
	}
}

// A siteReading is a site that is being read.
type siteReading struct {
	Site
	at      ast.Node
	targets []string
	own     map[string]bool // keys that are not taken from the defaults
	places  []place         // of what was read
}

// A place is where a value of a key stands.
type place struct {
	key, value string
	node       ast.Node
}

// flags reads the keys of a site or of the defaults. s is nil where they are only looked at.
func (x *loading) flags(what string, m *ast.MappingNode, s *siteReading, own []string, fs siteFlags) {
	known := slices.Clone(own)
	fs.VisitAll(func(f *pflag.Flag) {
		if notForSites[f.Name] == "" {
			known = append(known, f.Name)
		}
	})
	if s == nil {
		s = &siteReading{}
	}
	x.r.each(m, what, known, func(key string, at, v ast.Node) bool {
		switch {
		case s.own[key]:
		case slices.Contains(own, key):
			x.own(s, key, v)
		case notForSites[key] != "":
			x.r.wrong(at, "%s cannot be given to a site: %s", key, notForSites[key])
		case fs.Lookup(key) == nil:
			return false
		default:
			x.flag(s, fs, key, v)
		}
		return true
	})
}

// own reads a key that is no flag of audit.
func (x *loading) own(s *siteReading, key string, v ast.Node) {
	switch key {
	case "name":
		name, ok := x.r.text(v, key)
		if ok && !nameForm.MatchString(name) {
			x.r.wrong(v, "name: %q is no name of a site; one has letters, digits, . _ and -, for it is the name of a folder", name)
		}
		if ok && strings.HasPrefix(strings.ToLower(name), "audits.db") {
			x.r.wrong(v, "name: %q is no name of a site; files of the store have names like it", name)
		}
		s.Name, x.at[name] = name, v
	case "schedule":
		text, ok := x.r.text(v, key)
		if !ok {
			return
		}
		schedule, err := ParseSchedule(text, x.c.Location)
		if err != nil {
			x.r.wrong(v, "%v", err)
		}
		s.Schedule = schedule
	case "targets":
		s.targets = nil
		for _, n := range x.r.list(v) {
			if t, ok := x.r.text(n, "a target"); ok {
				t = x.target(n, t)
				s.targets = append(s.targets, t)
				s.places = append(s.places, place{key, t, n})
			}
		}
	case "notify":
		s.Notify = nil
		for _, n := range x.r.list(v) {
			if name, ok := x.r.text(n, "notify"); ok {
				x.receiverNamed(n, name)
				s.Notify = append(s.Notify, name)
			}
		}
	}
}

// target is a target as it is meant: a file that is there is that of the configuration's folder.
func (x *loading) target(n ast.Node, t string) string {
	if t == "-" {
		x.r.wrong(n, "targets: there is no standard input here")
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
func (x *loading) receiverNamed(n ast.Node, name string) {
	var names []string
	for _, r := range x.c.Receivers {
		names = append(names, r.Name)
	}
	switch {
	case slices.Contains(names, name):
	case len(names) == 0:
		x.r.wrong(n, "notify: there is no receiver %q; the key notify at the top has none", name)
	default:
		x.r.wrong(n, "notify: there is no receiver %q; %sthere are %s", name, cli.DidYouMean(name, names), strings.Join(names, ", "))
	}
}

// flag sets a flag of audit.
func (x *loading) flag(site *siteReading, fs siteFlags, key string, v ast.Node) {
	f := fs.Lookup(key)
	open := map[string]func(string) bool{"user": openUser, "header": openHeader, "via": openVia}[key]
	nodes := []ast.Node{v}
	list, many := f.Value.(pflag.SliceValue)
	if many {
		nodes = x.r.list(v)
	}
	var values []string
	for _, n := range nodes {
		s, ok := x.r.flagText(n, key, open)
		if !ok {
			return
		}
		if slices.Contains(fileFlags, key) {
			if s == "-" {
				x.r.wrong(n, "%s: there is no standard input here", key)
				return
			}
			s = x.path(s)
		}
		site.places = append(site.places, place{key, s, n})
		values = append(values, s)
	}
	var err error
	switch {
	case many:
		if f.Value.Type() == "stringSlice" { // "a,b" is a list on the command line, too
			values = strings.Split(strings.Join(values, ","), ",")
		}
		f.Changed = true
		err = list.Replace(values)
	case f.NoOptDefVal != "" && f.Value.Type() != "bool" && values[0] == "false": // as if it were not given
	case f.NoOptDefVal != "" && f.Value.Type() != "bool" && values[0] == "true":
		err = fs.Set(key, f.NoOptDefVal)
	default:
		err = fs.Set(key, values[0])
	}
	if err != nil {
		x.r.wrong(v, "%s: %q is not %s", key, strings.Join(values, ", "), wanted(f))
	}
}

// flagText is the text of a flag; open is nil for one that holds no secret.
func (r *reader) flagText(n ast.Node, key string, open func(string) bool) (value string, ok bool) {
	if open == nil {
		return r.text(n, key)
	}
	return r.secret(n, key, open)
}

// wanted says what a flag takes.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration, as 30s or 2m"
	case "bool":
		return "true or false"
	case "pattern":
		return "one pattern"
	}
	return "what the flag takes"
}

// finish makes a site of what was read.
func (x *loading) finish(s *siteReading, fs siteFlags) {
	switch {
	case s.Name == "":
		x.r.wrong(s.at, "a site needs a name, as name: shop")
		return
	case s.Schedule.text == "":
		x.r.wrong(s.at, `the site %s has no schedule, as schedule: "@daily"; the key defaults may have one for all`, s.Name)
		return
	case len(s.targets) == 0 && !fs.Changed("site") && !fs.Changed("search-console") && !fs.Changed("expect"):
		x.r.wrong(s.at, "the site %s has no targets, as targets: [https://www.shop.example]", s.Name)
		return
	}
	spec, err := fs.spec(s.targets)
	if err == nil {
		spec.Out, spec.Store = filepath.Join(x.c.Store, s.Name), filepath.Join(x.c.Store, "audits.db")
		s.scope, err = job.Check(spec, x.Env)
	}
	if err != nil {
		at, of := s.place(err)
		hint := hintOf(err)
		if of == "targets" {
			hint = " (a target is a site, as https://www.shop.example, the URL of a sitemap, or a local file that is there; credentials go with the key user)"
		}
		x.r.wrong(at, "the site %s: %s%s", s.Name, inConfig(err.Error()), hint)
		return
	}
	s.Spec = spec
	x.c.Sites = append(x.c.Sites, s.Site)
}

// flagIn is a flag in a text of the command line.
var flagIn = regexp.MustCompile(`\B--([a-z][a-z0-9-]*)`)

// place is where the value stands that an error is about, and its key: the flag that the error
// names, else the target that it repeats, else the flag that its hint names. It is the site where
// none of them is given.
func (s *siteReading) place(err error) (at ast.Node, key string) {
	named := func(text string) (found *place) {
		for _, m := range flagIn.FindAllStringSubmatch(text, -1) {
			for i := range s.places {
				p := &s.places[i]
				if p.key == m[1] && (found == nil || strings.Contains(err.Error(), p.value) && !strings.Contains(err.Error(), found.value)) {
					found = p
				}
			}
			if found != nil {
				return found
			}
		}
		return nil
	}
	found := named(err.Error())
	if found == nil {
		i := slices.IndexFunc(s.places, func(p place) bool { return p.key == "targets" && strings.Contains(err.Error(), p.value) })
		if i >= 0 {
			found = &s.places[i]
		}
	}
	if found == nil {
		found = named(hintText(err))
	}
	if found == nil {
		return s.at, ""
	}
	return found.node, found.key
}

// inConfig is a text of the command line as it is meant in a configuration, where flags are keys.
func inConfig(text string) string {
	for _, x := range commandWords {
		text = x.is.ReplaceAllString(text, x.becomes)
	}
	return text
}

var commandWords = []struct {
	is      *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`\B--([a-z][a-z0-9-]*) stands alone`), "$1: true"},
	{regexp.MustCompile(`\bas in --([a-z][a-z0-9-]*) `), "as in $1: "},
	{regexp.MustCompile(`\B--([a-z][a-z0-9-]*)=`), "$1: "},
	{flagIn, "$1"},
}

// hintText is the hint of an error, "" for none.
func hintText(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// hintOf is the hint of an error as a part of its text.
func hintOf(err error) string {
	if hint := hintText(err); hint != "" {
		return " (" + inConfig(hint) + ")"
	}
	return ""
}

// apart refuses two sites that are one: of a name that a file system may take for the same, or
// whose audits nobody could tell apart.
func (x *loading) apart() {
	names, alike := map[string]bool{}, map[string][]*Site{}
	for i := range x.c.Sites {
		s := &x.c.Sites[i]
		name, key := strings.ToLower(s.Name), s.scope.Key()
		same := slices.IndexFunc(alike[key], func(t *Site) bool { return s.scope.Equal(t.scope) })
		at := cmp.Or(x.at[s.Name], ast.Node(x.siteList))
		switch {
		case names[name]:
			x.r.wrong(at, "two sites have the name %s", s.Name)
		case same >= 0:
			x.r.wrong(at, "the site %s has the targets, the robot and the filters of the site %s: their audits could not be told apart", s.Name, alike[key][same].Name)
		default:
			alike[key] = append(alike[key], s)
		}
		names[name] = true
	}
}
