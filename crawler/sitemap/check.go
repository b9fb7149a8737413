package sitemap

import (
	"bytes"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// location is where a sitemap stands, and so which addresses it may list
// (sitemaps.org, "Sitemap file location"). The nil location allows any.
type location struct {
	url    address.Address
	by     address.Address // the robots.txt that names the file; zero for none
	prefix []byte          // what allowed addresses begin with, as far as no parsing is needed
}

func locate(o Options) *location {
	if o.URL == "" {
		return nil
	}
	u, err := address.Parse(o.URL)
	if err != nil {
		return nil
	}
	l := &location{url: u}
	if by, err := address.Parse(o.NamedBy); err == nil {
		l.by = by
	}
	dir := u.Path()
	if o.Anywhere || l.vouched(u) {
		dir = "/"
	}
	l.prefix = []byte(u.Origin() + dir[:strings.LastIndexByte(dir, '/')+1])
	return l
}

// vouched reports whether the robots.txt that names the file lets it list an
// address: one of its own host.
func (l *location) vouched(a address.Address) bool { return !l.by.IsZero() && l.by.SameTwin(a) }

// check looks at an address for itself.
func (r *reading) check(f *found, loc []byte) {
	if n := r.info.Entries + len(r.pending) + 1; n == maxURLs+1 {
		r.tooMany(f)
	}
	if len(loc) > audit.MaxAddress {
		if r.faults.wants(invalidURL, severe) {
			r.faults.add(invalidURL, f.line, f.column, severe, sentence{"too-long", "the address has %s bytes; one of more than %s is not asked: %s"}, thousands(len(loc)), thousands(audit.MaxAddress), excerpt(loc))
		}
		return
	}
	if len(loc) > maxAddress && r.faults.wants(invalidURL, severe) {
		r.faults.add(invalidURL, f.line, f.column, severe, sentence{"long", "the address has %s bytes; %s are allowed: %s"}, thousands(len(loc)), thousands(maxAddress), excerpt(loc))
	}
	if !r.absolute(f, loc) {
		return
	}
	if i := illegal(loc); i >= 0 && r.faults.wants(invalidURL, mild) {
		r.faults.add(invalidURL, f.line, f.column, mild, sentence{"illegal", "%s must be percent-encoded in %s"}, excerpt(loc[i:i+1]), excerpt(loc))
	}
	r.allowed(f, loc)
}

func (r *reading) tooMany(f *found) {
	p, s := tooManyURLs, sentence{"too-many-urls", "more than %s addresses; the first beyond stands here: split the file"}
	if r.info.Kind == Index {
		p, s = tooManySitemaps, sentence{"too-many-sitemaps", "more than %s sitemaps; the first beyond stands here: split the file"}
	}
	r.faults.add(p, f.line, f.column, severe, s, thousands(maxURLs))
}

// absolute reports whether loc is an absolute http(s) address, and tells of it
// where it is not.
func (r *reading) absolute(f *found, loc []byte) bool {
	if len(r.origin) > 0 && bytes.HasPrefix(loc, r.origin) {
		return true
	}
	if n := plainOrigin(loc); n > 0 {
		r.origin = append(r.origin[:0], loc[:n]...)
		return true
	}
	if web(loc) {
		if _, err := address.Parse(string(loc)); err == nil {
			return true
		}
	}
	p := invalidURL
	if r.info.Kind == Index && len(loc) > 0 && !web(loc) {
		p = invalidIndexURL
	}
	switch {
	case !r.faults.wants(p, severe):
	case len(loc) == 0:
		r.faults.add(p, f.line, f.column, severe, sentence{"empty-address", "the address is empty"})
	default:
		r.faults.add(p, f.line, f.column, severe, sentence{"relative", "this is no absolute http(s) address: %s"}, excerpt(loc))
	}
	return false
}

// plainOrigin returns the length of http(s)://host/ at the start of loc, where the
// host is small letters, dots and hyphens, so that nothing is to be doubted; else 0.
func plainOrigin(loc []byte) int {
	if !web(loc) {
		return 0
	}
	host := bytes.IndexByte(loc, '/') + 2
	rest := loc[host:]
	for i, c := range rest {
		switch {
		case c >= 'a' && c <= 'z', c == '-' && i > 0:
		case c == '.':
			if i == 0 || rest[i-1] == '.' {
				return 0
			}
		case c == '/' && i > 0:
			return host + i + 1
		default:
			return 0
		}
	}
	return 0
}

// legal has the bytes that stand in a URL as they are (RFC 3986, 2.2 and 2.3, and
// "%").
var legal = func() (set [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%" {
		set[c] = true
	}
	return set
}()

// illegal returns the first byte that must be percent-encoded, or -1.
func illegal(loc []byte) int {
	for i, c := range loc {
		if !legal[c] {
			return i
		}
	}
	return -1
}

// allowed looks whether an address may stand in this file.
func (r *reading) allowed(f *found, loc []byte) {
	if r.place == nil || bytes.HasPrefix(loc, r.place.prefix) {
		return
	}
	a, err := address.Parse(string(loc))
	if err != nil || strings.HasPrefix(a.String(), string(r.place.prefix)) {
		return
	}
	s := r.place.url
	p, severity, why := urlNotAllowed, mild, sentence{"above", "the address lies above the directory of the sitemap: %s"}
	switch {
	case a.Origin() == s.Origin():
	case !s.SameTwin(a) && r.place.vouched(a):
		return
	case s.SameSite(a) && !s.SameTwin(a): // a domain property of Search Console has both
		why = sentence{"other-host", "the address is on another host than the sitemap: %s"}
	case !s.SameTwin(a):
		severity, why = severe, sentence{"other-host", "the address is on another host than the sitemap: %s"}
	case a.Host() == "www."+s.Host():
		p, why = missingWWW, sentence{"missing-www", "the sitemap's address has no www., the listed one has: %s"}
	case s.Host() == "www."+a.Host():
		p, why = includesWWW, sentence{"includes-www", "the sitemap's address has www., the listed one has not: %s"}
	case a.Scheme() == "http":
		why = sentence{"scheme-http", "the address is http, the sitemap's https: %s"}
	default:
		why = sentence{"scheme-https", "the address is https, the sitemap's http: %s"}
	}
	if r.faults.wants(p, severity) {
		r.faults.add(p, f.line, f.column, severity, why, excerpt(loc))
	}
}
