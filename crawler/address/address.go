package address

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// An Address is an absolute http or https URL in its wire form: the bytes that are sent, stored and
// compared. The zero Address is no address; its methods return empty strings. Two Addresses are
// equal (==) exactly where their wire forms are, so an Address may be a map key. Its methods return
// slices of the wire form and allocate nothing unless they say so.
type Address struct {
	wire string
	// End offsets in wire: of the host, the authority and the path. Where the host starts follows
	// from the scheme.
	host, auth, path int32
}

// MaxLength is the length in bytes beyond which an address is not requested: one that grows with every
// redirect is a "Redirect error" for Google (Search Console Help 7440203). KeptLength is how many bytes
// are kept of such a one, wherever it is remembered or reported.
const (
	MaxLength  = 8000
	KeptLength = 2048
)

// Kept returns what is kept of a listed address, and whether that is not all of it.
func Kept(loc string) (kept string, tooLong bool) {
	if len(loc) <= MaxLength {
		return loc, false
	}
	return strings.Clone(loc[:KeptLength]), true
}

// Wire returns the Address with a wire form. It does not check that wire is a result of String; for
// a text that does not begin with http:// or https:// it returns the zero Address.
func Wire(wire string) Address {
	start := hostStart(wire)
	if start == 0 || len(wire) > maxInput {
		return Address{}
	}
	end := start + strings.IndexByte(wire[start:], '/')
	if end < start {
		return Address{}
	}
	path := len(wire)
	if q := strings.IndexByte(wire[end:], '?'); q >= 0 {
		path = end + q
	}
	return place(wire, start, end, path)
}

// place builds an Address from a wire form and its offsets.
func place(wire string, start, auth, path int) Address {
	host := auth
	if c := strings.LastIndexByte(wire[start:auth], ':'); c >= 0 && wire[auth-1] != ']' {
		host = start + c
	}
	return Address{wire: wire, host: int32(host), auth: int32(auth), path: int32(path)}
}

// hostStart returns where the host starts; 0 where wire does not begin with a scheme of an Address.
func hostStart(wire string) int {
	switch {
	case strings.HasPrefix(wire, "https://"):
		return len("https://")
	case strings.HasPrefix(wire, "http://"):
		return len("http://")
	}
	return 0
}

// String returns the wire form, "" for the zero Address.
func (a Address) String() string { return a.wire }

// IsZero reports whether a is the zero Address.
func (a Address) IsZero() bool { return a.wire == "" }

// Scheme returns "http" or "https", "" for the zero Address.
func (a Address) Scheme() string {
	if a.wire == "" {
		return ""
	}
	return a.wire[:hostStart(a.wire)-len("://")]
}

// Host returns the host without the port: lower case, international names in
// their xn-- form, IPv6 literals in brackets.
func (a Address) Host() string { return a.wire[hostStart(a.wire):a.host] }

// Port returns the port as written; "" where it is the scheme's default.
func (a Address) Port() string {
	if a.host == a.auth {
		return ""
	}
	return a.wire[a.host+1 : a.auth]
}

// HostPort returns host or host:port, as it stands in a Host header.
func (a Address) HostPort() string { return a.wire[hostStart(a.wire):a.auth] }

// EffectivePort returns the port to dial: the given one, else "80" for http and "443" for https; ""
// for the zero Address.
func (a Address) EffectivePort() string {
	switch {
	case a.wire == "":
		return ""
	case a.host != a.auth:
		return a.Port()
	}
	return defaultPort(a.Scheme())
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// Origin returns scheme://host, with the port where it is not the default.
func (a Address) Origin() string { return a.wire[:a.auth] }

// Path returns the path as it stands, from its first "/".
func (a Address) Path() string { return a.wire[a.auth:a.path] }

// Section returns the first segment of the path where a slash ends it, "" for none.
func (a Address) Section() string {
	path := a.Path()
	section, _, more := strings.Cut(path[min(1, len(path)):], "/")
	if !more {
		return ""
	}
	return section
}

// Folder returns a up to the slash before the last segment of its path; a slash behind that does not
// count.
func (a Address) Folder() string {
	bare := strings.TrimSuffix(a.Path(), "/")
	return a.Origin() + bare[:max(0, strings.LastIndexByte(bare, '/'))] + "/"
}

// Query returns the query without its "?", and whether there is one: in "http://h/?" it is present
// and empty.
func (a Address) Query() (query string, has bool) {
	if int(a.path) == len(a.wire) {
		return "", false
	}
	return a.wire[a.path+1:], true
}

// Target returns path and query, as they stand in a request line.
func (a Address) Target() string { return a.wire[a.auth:] }

// Site returns the registrable domain of the host, by the public suffix list with its private part:
// "example.co.uk" for "www.example.co.uk". For an IP address, a single label and a public suffix it
// returns the host. A dot at the end of the host is removed.
func (a Address) Site() string {
	host := strings.TrimSuffix(a.Host(), ".")
	if !strings.Contains(host, ".") || host[0] == '[' || endsInNumber(host) {
		return host
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}

// SameSite reports whether a and b have the same Site.
func (a Address) SameSite(b Address) bool { return a.Host() == b.Host() || a.Site() == b.Site() }

// SameTwin reports whether b has the origin of a, or is its twin: with or without the www. label,
// http or https on their default ports, or both.
func (a Address) SameTwin(b Address) bool {
	if a.IsZero() || b.IsZero() {
		return false
	}
	if a.Origin() == b.Origin() {
		return true
	}
	if a.Scheme() == b.Scheme() {
		if a.Port() != b.Port() {
			return false
		}
	} else if a.Port() != "" || b.Port() != "" {
		return false
	}
	return a.Host() == b.Host() || isWWW(a.Host(), b.Host())
}

// isWWW reports whether two hosts differ only in the www. label.
func isWWW(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(b) == len(a)+len("www.") && b[:4] == "www." && b[4:] == a
}
