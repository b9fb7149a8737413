package fetch

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
)

// Audited is the set of origins that an audit is about: only they are sent its
// credentials and custom headers. Scheme, host and port count together, so that
// a secret of https://shop.example is not sent to http://shop.example, nor to
// http://shop.example:443. It may be used from several goroutines.
type Audited struct {
	mu      sync.RWMutex
	origins map[string]bool // "https://shop.example"
}

// Add adds an address that the user wrote: its origin with the www/apex twin,
// and for http on port 80 the https twin of both (contract, section 5).
func (s *Audited) Add(a address.Address) {
	if !a.IsZero() {
		s.add(a.Scheme(), a)
	}
	s.AddNamed(a)
}

// AddNamed adds an address that an audited host named, as Add does, but over
// https alone: secrets go in clear text only where the user wrote http.
func (s *Audited) AddNamed(a address.Address) {
	if !a.IsZero() && (a.Scheme() == "https" || a.Port() == "") {
		s.add("https", a)
	}
}

// add adds a host and its twin over a scheme.
func (s *Audited) add(scheme string, a address.Address) {
	port := ""
	if a.Port() != "" {
		port = ":" + a.Port()
	}
	twin := "www." + a.Host()
	if apex, ok := strings.CutPrefix(a.Host(), "www."); ok {
		twin = apex
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]bool{}
	}
	for _, host := range []string{a.Host(), twin} {
		s.origins[scheme+"://"+host+port] = true
	}
}

// AddHost adds a host as --map names it, with its port or without, over https.
// Over http it is audited where the user wrote http.
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

// Text is the set as text, for Restore.
func (s *Audited) Text() string { return strings.Join(s.Origins(), "\n") }

// Restore adds what Text returned.
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

// Has reports whether the origin of an address is audited. It fits
// Options.Audited.
func (s *Audited) Has(a address.Address) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.origins[a.Origin()]
}
