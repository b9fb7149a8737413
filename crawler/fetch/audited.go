package fetch

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
)

// Audited is the set of origins that an audit is about: only they receive its credentials and
// custom headers. An origin is scheme, host and port, so a secret of https://shop.example is sent
// neither to http://shop.example nor to http://shop.example:443. Its methods are safe for
// concurrent use.
type Audited struct {
	mu      sync.RWMutex
	origins map[string]bool // "https://shop.example"
}

// Add adds the origin of an address that the user wrote, with its www or apex twin, and for http on
// port 80 the https twin of both (contract, section 6).
func (s *Audited) Add(a address.Address) { s.add(a, a.Scheme(), "https") }

// AddNamed adds an address that an audited host named, as Add does, but for https only: secrets go
// in clear text only where the user wrote http.
func (s *Audited) AddNamed(a address.Address) { s.add(a, "https") }

// add adds the host of an address and its twin under some schemes. A port that is written is one of its
// own scheme.
func (s *Audited) add(a address.Address, schemes ...string) {
	if a.IsZero() {
		return
	}
	port, twin := strings.TrimPrefix(a.HostPort(), a.Host()), "www."+a.Host()
	if apex, ok := strings.CutPrefix(a.Host(), "www."); ok {
		twin = apex
	}
	for _, host := range []string{a.Host(), twin} {
		for _, scheme := range schemes {
			if scheme == a.Scheme() || port == "" {
				s.Restore(scheme + "://" + host + port)
			}
		}
	}
}

// AddHost adds a host as --map names it, with or without its port, for https. For http it is
// audited only where the user wrote http.
func (s *Audited) AddHost(host string) {
	if a, err := address.Parse("https://" + host); err == nil {
		s.Add(a)
	}
}

// Origins returns the set, sorted.
func (s *Audited) Origins() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.origins))
}

// Text returns the set as text, for Restore.
func (s *Audited) Text() string { return strings.Join(s.Origins(), "\n") }

// Restore adds the origins in a text that Text returned.
func (s *Audited) Restore(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]bool{}
	}
	for o := range strings.FieldsSeq(text) {
		s.origins[o] = true
	}
}

// Has reports whether the origin of an address is audited. It may be used as Options.Audited.
func (s *Audited) Has(a address.Address) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.origins[a.Origin()]
}
