package pattern

import (
	"strings"

	"sitemend/crawler/address"
)

// A Shape is the common form of addresses: their origin, and how their paths and queries begin and
// end. It covers each address that it saw; it does not exclude others. The zero Shape has seen
// none.
type Shape struct {
	seen   bool
	origin string // "" where they differ
	scheme string // "" where they differ
	head   string // all targets begin with this
	tail   string // all targets end with this

	shortest, longest int    // lengths of targets
	deep              [2]int // the fewest and the most segments of paths
}

// See adds an address.
func (s *Shape) See(a address.Address) {
	t, deep := a.Target(), depth(a.Path())
	if !s.seen {
		t = strings.Clone(t)
		*s = Shape{true, strings.Clone(a.Origin()), a.Scheme(), t, t, len(t), len(t), [2]int{deep, deep}}
		return
	}
	if s.origin != a.Origin() {
		s.origin = ""
	}
	if s.scheme != a.Scheme() {
		s.scheme = ""
	}
	n := 0
	for n < min(len(s.head), len(t)) && s.head[n] == t[n] {
		n++
	}
	s.head = s.head[:n]
	for n = 0; n < min(len(s.tail), len(t)) && s.tail[len(s.tail)-1-n] == t[len(t)-1-n]; {
		n++
	}
	s.tail = s.tail[len(s.tail)-n:]
	s.shortest, s.longest = min(s.shortest, len(t)), max(s.longest, len(t))
	s.deep = [2]int{min(s.deep[0], deep), max(s.deep[1], deep)}
}

// depth returns how many segments a path has.
func depth(path string) int {
	return strings.Count(strings.TrimSuffix(path, "/"), "/")
}

// IsZero reports whether s saw no address.
func (s *Shape) IsZero() bool { return !s.seen }

// One reports whether all addresses that s saw have the same path and query.
func (s *Shape) One() bool { return s.seen && len(s.head) == s.longest }

// Bare reports whether the addresses have nothing in common but the slash at the
// beginning.
func (s *Shape) Bare() bool {
	_, head, tail := s.Parts()
	return !s.One() && len(head) <= 1 && tail == ""
}

// Parts returns what the addresses have in common: the origin ("http://*" or "*" where hosts or
// schemes differ), and the whole words with which path and query begin and end. Anything may stand
// between these, unless s is One: then head is all of it.
func (s *Shape) Parts() (origin, head, tail string) {
	switch {
	case s.origin != "":
		origin = s.origin
	case s.scheme != "":
		origin = s.scheme + "://*"
	default:
		origin = "*"
	}
	if s.One() {
		return origin, s.head, ""
	}
	head = s.head[:strings.LastIndexAny(s.head, "/?=&-_.")+1]
	tail = s.tail[max(0, len(s.tail)-(s.shortest-len(head))):]
	at := strings.IndexAny(tail, "/?&.-_")
	if at < 0 {
		return origin, head, ""
	}
	return origin, head, tail[at:]
}
