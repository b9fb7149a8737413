package web

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// A Web is a description of origins and what they answer. Parse makes one. It
// never changes, so that it can be served several times, also at once.
type Web struct {
	origins map[string]*origin // by scheme://host[:port], without a default port
}

// Origins returns the scheme://host[:port] of all origins that are described,
// sorted.
func (w *Web) Origins() []string { return slices.Sorted(maps.Keys(w.origins)) }

// origin is what one scheme, host and port answers.
type origin struct {
	exact    map[string]*page
	prefixes []prefix // longest first
}

type prefix struct {
	target string
	page   *page
}

// page is all blocks of one address.
type page struct {
	groups []*group
}

// group is the blocks of one address that have the same condition: the answers
// to the first, second, ... request.
type group struct {
	when    *condition // nil: always
	answers []*answer
}

// condition holds for requests whose header name matches, or does not match.
type condition struct {
	source string // as written, to distinguish conditions
	name   string
	match  *regexp.Regexp
	not    bool
}

func (c *condition) holds(h http.Header) bool {
	return c.match.MatchString(strings.Join(h.Values(c.name), ", ")) != c.not
}

// choose returns the group that answers a request for target, nil for none.
func (o *origin) choose(target string, h http.Header) *group {
	if g := o.exact[target].choose(h); g != nil {
		return g
	}
	for _, p := range o.prefixes {
		if !strings.HasPrefix(target, p.target) {
			continue
		}
		if g := p.page.choose(h); g != nil {
			return g
		}
	}
	return nil
}

func (p *page) choose(h http.Header) *group {
	if p == nil {
		return nil
	}
	var always *group
	for _, g := range p.groups {
		switch {
		case g.when == nil:
			always = g
		case g.when.holds(h):
			return g
		}
	}
	return always
}

// named reports whether host serves scheme. host may have a port.
func (w *Web) named(scheme, host string) bool {
	return w.origins[originKey(scheme, host)] != nil
}

// namedName reports whether name, which has no port, is a host of any https
// origin. TLS says no more than the name.
func (w *Web) namedName(name string) bool {
	name = strings.ToLower(name)
	for key := range w.origins {
		host, secure := strings.CutPrefix(key, "https://")
		if secure && hostname(host) == name {
			return true
		}
	}
	return false
}

// originKey is the key of an origin: in lower case, without a default port.
func originKey(scheme, host string) string {
	return scheme + "://" + trimHost(scheme, host)
}

// trimHost is host in lower case without the default port of scheme.
func trimHost(scheme, host string) string {
	host = strings.ToLower(host)
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return strings.TrimSuffix(host, ":")
}

// hostname is hostport without its port and, for an IPv6 address, without the
// brackets.
func hostname(hostport string) string {
	if inner, ok := strings.CutPrefix(hostport, "["); ok {
		name, _, _ := strings.Cut(inner, "]")
		return name
	}
	name, _, _ := strings.Cut(hostport, ":")
	return name
}
