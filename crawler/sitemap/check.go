package sitemap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
)

// location is the place of a sitemap, and so which addresses it may list (sitemaps.org, "Sitemap
// file location"). The nil location allows any.
type location struct {
	url    address.Address
	by     address.Address // the robots.txt that names the file; the zero Address for none
	prefix []byte          // the beginning of addresses that are allowed without parsing
}

func locate(o Options) *location {
	u, err := address.Parse(o.URL)
	if o.URL == "" || err != nil {
		return nil
	}
	by, _ := address.Parse(o.NamedBy) // "" is none
	l := &location{url: u, by: by}
	dir := u.Path()
	if l.vouched(u) {
		dir = "/"
	}
	l.prefix = []byte(u.Origin() + dir[:strings.LastIndexByte(dir, '/')+1])
	return l
}

// vouched reports whether the robots.txt that names the file allows it to list an address: one of
// its own host.
func (l *location) vouched(a address.Address) bool { return !l.by.IsZero() && l.by.SameTwin(a) }

// check adds the faults of an address.
func (r *reading) check(f *found, loc []byte) {
	add := func(rule string, args ...any) { r.checks.add(rule, f.line, f.column, args...) }
	if r.info.Entries == maxURLs {
		if r.kind == Index {
			add("too-many-sitemaps", maxURLs)
		} else {
			add("too-many-urls", maxURLs)
		}
	}
	switch n := len(loc); {
	case n > address.MaxLength:
		add("too-long", n, address.MaxLength, loc)
		return
	case n > maxAddress:
		add("long", n, maxAddress, loc)
	}
	switch {
	case r.absolute(loc):
		if i := illegal(loc); i >= 0 {
			_, n := utf8.DecodeRune(loc[i:])
			add("illegal", loc[i:i+n], loc)
		}
		r.allowed(add, loc)
	case r.kind == Atom && !web(loc):
		add("relative-feed", loc)
	case r.kind == Index && !web(loc):
		add("relative-index", loc)
	default:
		add("relative", loc)
	}
}

// absolute reports whether loc is an absolute http(s) address. What has an origin in common with the
// one before is one, too.
func (r *reading) absolute(loc []byte) bool {
	if len(r.origin) > 0 && bytes.HasPrefix(loc, r.origin) {
		return true
	}
	if _, err := address.Parse(string(loc)); !web(loc) || err != nil {
		return false
	}
	r.origin = r.origin[:0]
	if host, _, ok := bytes.Cut(loc[len("https://"):], []byte("/")); ok {
		r.origin = append(r.origin, loc[:len("https://")+len(host)+1]...)
	}
	return true
}

// legal contains the bytes that may stand in a URL unescaped (RFC 3986, 2.2 and 2.3, and "%").
var legal = func() (set [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%" {
		set[c] = true
	}
	return set
}()

// illegal returns the first byte behind the host that must be percent-encoded, or -1.
func illegal(loc []byte) int {
	slashes := 0
	for i, c := range loc {
		if c == '/' {
			slashes++
		}
		if !legal[c] && (slashes > 2 || c < utf8.RuneSelf) {
			return i
		}
	}
	return -1
}

// allowed adds a fault where an address must not stand in this file.
func (r *reading) allowed(add func(rule string, args ...any), loc []byte) {
	if r.place == nil || bytes.HasPrefix(loc, r.place.prefix) {
		return
	}
	a, err := address.Parse(string(loc))
	if err != nil || strings.HasPrefix(a.String(), string(r.place.prefix)) {
		return
	}
	s := r.place.url
	twin := s.SameTwin(a)
	switch {
	case a.Origin() == s.Origin():
		add("above", loc)
	case !twin && r.place.vouched(a):
	case !twin:
		r.info.Elsewhere++
		if s.SameSite(a) { // a domain property of Search Console includes both
			add("other-host-near", loc)
		} else {
			add("other-host", loc)
		}
	case a.Host() == "www."+s.Host():
		add("missing-www", loc)
	case s.Host() == "www."+a.Host():
		add("includes-www", loc)
	default:
		add("scheme-"+a.Scheme(), loc)
	}
}
