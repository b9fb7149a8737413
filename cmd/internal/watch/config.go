package watch

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/notify"
	"sitemend/report/messages"
)

// A Config is the content of a configuration.
type Config struct {
	Store    string // the folder of audits.db and of the outputs
	Listen   string // HOST:PORT of the pages; "" for none
	Token    string // of the pages; "" for one that is drawn
	URL      string // where readers reach the pages, without the token; "" for that of Listen
	Location *time.Location
	Parallel int    // audits at once
	Lang     string // of the messages; one of messages.Langs

	Sites     []Site
	Receivers []*notify.Receiver

	// Warnings are what is allowed, and not wise, with file, line and column.
	Warnings []string

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
	// Lang is the language where the configuration names none.
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

// read reads the text of a configuration.
func (l Loader) read(file, dir string, text []byte) (*Config, error) {
	r := &reader{file: file, getenv: l.Getenv}
	top, err := r.parse(text)
	if err != nil {
		return nil, err
	}
	x := &loading{Loader: l, r: r, dir: dir, c: &Config{Location: time.Local, Parallel: 2, Lang: l.Lang}}
	x.top(top)
	if len(r.problems) == 0 { // sites are read with all else known
		x.sites(top)
	}
	x.c.Warnings, x.c.environ = r.warnings, r.environ
	return x.c, r.err()
}

// A loading is a configuration that is being read.
type loading struct {
	Loader
	r          *reader
	dir        string
	c          *Config
	siteList   ast.Node
	listenAt   ast.Node
	tokenGiven bool // if only one that is wrong
	defaults   *ast.MappingNode
	at         map[string]ast.Node // where the name of a site stands
}

// topKeys, siteKeys and receiverKeys are the keys besides the flags of audit.
var (
	topKeys      = []string{"store", "listen", "token", "url", "timezone", "parallel", "defaults", "sites", "notify"}
	siteKeys     = []string{"name", "targets", "schedule", "notify"}
	defaultKeys  = []string{"schedule", "notify"}
	receiverKeys = []string{"url", "webhook", "secret"}
)

// top reads all but the sites.
func (x *loading) top(m *ast.MappingNode) {
	var receivers ast.Node
	x.r.each(m, "the configuration", topKeys, func(key string, at, v ast.Node) bool {
		switch key {
		case "store":
			if s, ok := x.r.text(v, key); ok {
				x.c.Store = x.path(s)
			}
		case "listen":
			x.listen(v)
		case "token":
			x.tokenGiven = true
			x.token(v)
		case "url":
			x.url(v)
		case "timezone":
			x.timezone(v)
		case "parallel":
			x.parallel(v)
		case "defaults":
			x.defaults = x.r.mapping(v, "defaults")
		case "sites":
			x.siteList = v
		case "notify":
			receivers = v
		default:
			return false
		}
		return true
	})
	if receivers != nil {
		x.receivers(receivers)
	}
	if x.c.Store == "" {
		x.r.wrong(m, "the key store is missing: the folder of audits.db and of the outputs, as store: /var/lib/sitemend")
	}
	if x.siteList == nil {
		x.r.wrong(m, "the key sites is missing: a list with name, targets and schedule of each site")
	}
	if x.c.Listen != "" && !x.tokenGiven && !onLoopback(x.c.Listen) {
		x.r.wrong(x.listenAt, "listen: %s can be reached from other machines: give a token of 16 characters or more, as token: ${TOKEN}, or listen on 127.0.0.1", x.c.Listen)
	}
}

// path is a path as it is meant in the configuration.
func (x *loading) path(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(x.dir, s)
}

func (x *loading) listen(v ast.Node) {
	s, ok := x.r.text(v, "listen")
	if !ok {
		return
	}
	host, port, err := net.SplitHostPort(s)
	n, e := strconv.Atoi(port)
	if err != nil || e != nil || n < 0 || n > 65535 {
		x.r.wrong(v, "listen: %q is not HOST:PORT, as 127.0.0.1:8080", s)
		return
	}
	x.c.Listen, x.listenAt = net.JoinHostPort(host, port), v
}

// onLoopback reports whether only this machine reaches HOST:PORT.
func onLoopback(at string) bool {
	host, _, _ := net.SplitHostPort(at)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// pathToken is a token that may stand in a path as it is.
var pathToken = regexp.MustCompile(`^[A-Za-z0-9._~-]{16,200}$`)

func (x *loading) token(v ast.Node) {
	s, ok := x.r.secret(v, "token", writtenOut)
	if ok && !pathToken.MatchString(s) {
		x.r.wrong(v, "token: it takes 16 to 200 letters, digits, . _ ~ and -, for it stands in addresses")
	}
	x.c.Token = s
}

func (x *loading) url(v ast.Node) {
	s, ok := x.r.text(v, "url")
	if !ok {
		return
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		x.r.wrong(v, "url: it takes the address under which readers reach the pages, as https://audits.example.org")
		return
	}
	x.c.URL = strings.TrimSuffix(s, "/")
}

func (x *loading) timezone(v ast.Node) {
	s, ok := x.r.text(v, "timezone")
	if !ok {
		return
	}
	loc, err := time.LoadLocation(s)
	if err != nil || s == "" {
		x.r.wrong(v, "timezone: there is no time zone %q; as Asia/Tokyo, Europe/Berlin or UTC", s)
		return
	}
	x.c.Location = loc
}

func (x *loading) parallel(v ast.Node) {
	s, ok := x.r.text(v, "parallel")
	if !ok {
		return
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 64 {
		x.r.wrong(v, "parallel: %q is no number of audits at once, from 1 to 64", s)
		return
	}
	x.c.Parallel = n
}

// nameForm is what a site or a receiver may be called: it stands in paths and in metrics.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// receivers reads the key notify.
func (x *loading) receivers(v ast.Node) {
	m := x.r.mapping(v, "notify")
	if m == nil {
		return
	}
	for _, pair := range m.Values {
		name := pair.Key.GetToken().Value
		if name == "lang" {
			if s, ok := x.r.text(pair.Value, "lang"); ok {
				if !slices.Contains(messages.Langs(), s) {
					x.r.wrong(pair.Value, "lang: %q is unknown; it takes %s", s, strings.Join(messages.Langs(), " or "))
				}
				x.c.Lang = s
			}
			continue
		}
		if !nameForm.MatchString(name) {
			x.r.wrong(pair.Key, "notify: %q is no name; one has letters, digits, . _ and -", name)
			continue
		}
		if r := x.receiver(name, pair.Key, pair.Value); r != nil {
			x.c.Receivers = append(x.c.Receivers, r)
		}
	}
}

// receiver reads one receiver; nil where it is not one.
func (x *loading) receiver(name string, at, v ast.Node) *notify.Receiver {
	said, places := map[string]string{}, map[string]ast.Node{}
	whole := true
	x.r.each(x.r.mapping(v, "the receiver "+name), "a receiver", receiverKeys, func(key string, _, v ast.Node) bool {
		if !slices.Contains(receiverKeys, key) {
			return false
		}
		open := map[string]func(string) bool{"url": openService, "webhook": openWebhook, "secret": writtenOut}[key]
		s, ok := x.r.secret(v, key, open)
		said[key], whole, places[key] = s, whole && ok, v
		return true
	})
	if !whole {
		return nil
	}
	var err error
	var out *notify.Receiver
	switch {
	case (said["url"] == "") == (said["webhook"] == ""):
		err = fmt.Errorf("it takes one of url (a service URL) and webhook (an address that is sent JSON)")
	case said["url"] != "" && said["secret"] != "":
		err = fmt.Errorf("secret signs what a webhook is sent; a service URL holds its own")
	case said["url"] != "":
		out, err = notify.Service(name, said["url"])
	default:
		out, err = notify.Webhook(name, said["webhook"], said["secret"])
	}
	if err != nil {
		x.r.wrong(cmp.Or(places["url"], places["webhook"], at), "the receiver %s: %v", name, err)
	}
	if said["webhook"] != "" && said["secret"] == "" {
		x.r.warn(at, "the receiver %s has no secret: what it is sent is not signed", name)
	}
	return out
}
