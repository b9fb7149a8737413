package sitemap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// location is the place of a sitemap, and so which addresses it may list (sitemaps.org, "Sitemap
// file location"). The nil location allows any.
type location struct {
	url    address.Address
	by     address.Address // the robots.txt that names the file; the zero Address for none
	prefix []byte          // the beginning of addresses that are allowed without parsing
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

// vouched reports whether the robots.txt that names the file allows it to list an address: one of
// its own host.
func (l *location) vouched(a address.Address) bool { return !l.by.IsZero() && l.by.SameTwin(a) }

// check adds the faults of an address.
func (r *reading) check(f *found, loc []byte) {
	if n := r.info.Entries + len(r.pending) + 1; n == maxURLs+1 {
		r.tooMany(f)
	}
	if len(loc) > audit.MaxAddress {
		if r.faults.wants(invalidURL, severe) {
			r.faults.add(invalidURL, f.line, f.column, severe, "too-long", Thousands(len(loc)),
				Thousands(audit.MaxAddress), excerpt(loc))
		}
		return
	}
	if len(loc) > maxAddress && r.faults.wants(invalidURL, severe) {
		r.faults.add(invalidURL, f.line, f.column, severe, "long", Thousands(len(loc)),
			Thousands(maxAddress), excerpt(loc))
	}
	invisible := r.invisibles(f, loc)
	if r.notes.entity || !r.absolute(f, loc) {
		return
	}
	if i := illegal(loc); i >= 0 && !invisible && r.faults.wants(invalidURL, mild) {
		r.mustEncode(f, loc, i)
	}
	r.allowed(f, loc)
}

// mustEncode adds the fault of an address whose byte i must not stand in it: in a path it is percent-encoded, and a host
// is written in ASCII.
func (r *reading) mustEncode(f *found, loc []byte, i int) {
	inHost := bytes.Count(loc[:i], []byte("/")) == 2 && !bytes.ContainsAny(loc[:i], "?#") // http(s)://
	if a, err := address.Parse(string(loc)); err == nil && inHost && loc[i] >= utf8.RuneSelf {
		r.faults.add(invalidURL, f.line, f.column, mild, "illegal-host", a.Host(), excerpt(loc))
		return
	}
	_, n := utf8.DecodeRune(loc[i:])
	r.faults.add(invalidURL, f.line, f.column, mild, "illegal", excerpt(loc[i:i+n]), excerpt(loc))
}

func (r *reading) tooMany(f *found) {
	p, s := tooManyURLs, "too-many-urls"
	if r.info.Kind == Index {
		p, s = tooManySitemaps, "too-many-sitemaps"
	}
	r.faults.add(p, f.line, f.column, severe, s, Thousands(maxURLs))
}

// absolute reports whether loc is an absolute http(s) address, and adds the fault
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
	if r.info.Kind == Atom && len(loc) > 0 && !web(loc) {
		if r.faults.wants(invalidURL, mild) {
			r.faults.add(invalidURL, f.line, f.column, mild, "relative-feed", excerpt(loc))
		}
		return false
	}
	p := invalidURL
	if r.info.Kind == Index && len(loc) > 0 && !web(loc) {
		p = invalidIndexURL
	}
	switch {
	case !r.faults.wants(p, severe):
	case len(loc) == 0:
		r.faults.add(p, f.line, f.column, severe, "empty-address")
	default:
		r.faults.add(p, f.line, f.column, severe, "relative", excerpt(loc))
	}
	return false
}

// plainOrigin returns the length of http(s)://host/ at the start of loc, where the host consists of
// small letters, dots and hyphens, so that no further check is needed; else 0.
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

// legal contains the bytes that may stand in a URL unescaped (RFC 3986, 2.2 and 2.3, and "%").
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

// allowed adds a fault where an address must not stand in this file.
func (r *reading) allowed(f *found, loc []byte) {
	if r.place == nil || bytes.HasPrefix(loc, r.place.prefix) {
		return
	}
	a, err := address.Parse(string(loc))
	if err != nil || strings.HasPrefix(a.String(), string(r.place.prefix)) {
		return
	}
	s := r.place.url
	p, severity, why := urlNotAllowed, mild, "above"
	switch {
	case a.Origin() == s.Origin():
	case !s.SameTwin(a) && r.place.vouched(a):
		return
	case s.SameSite(a) && !s.SameTwin(a): // a domain property of Search Console includes both
		why = "other-host"
	case !s.SameTwin(a):
		severity, why = severe, "other-host"
	case a.Host() == "www."+s.Host():
		p, why = missingWWW, "missing-www"
	case s.Host() == "www."+a.Host():
		p, why = includesWWW, "includes-www"
	case a.Scheme() == "http":
		why = "scheme-http"
	default:
		why = "scheme-https"
	}
	if why == "other-host" {
		r.info.Elsewhere++
	}
	if r.faults.wants(p, severity) {
		r.faults.add(p, f.line, f.column, severity, why, excerpt(loc))
	}
}
