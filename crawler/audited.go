package crawler

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
)

// Audited is the set of hosts that an audit is about: only they are sent its
// credentials and custom headers. It may be used from several goroutines.
type Audited struct {
	mu    sync.RWMutex
	hosts map[string]bool // host:port
}

// Add adds an address's host and port with its www/apex twin, and for port 80
// the https twin of both (contract, section 5).
func (s *Audited) Add(a address.Address) {
	if a.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hosts == nil {
		s.hosts = map[string]bool{}
	}
	twin := "www." + a.Host()
	if apex, ok := strings.CutPrefix(a.Host(), "www."); ok {
		twin = apex
	}
	for _, host := range []string{a.Host(), twin} {
		s.hosts[host+":"+a.EffectivePort()] = true
		if a.EffectivePort() == "80" {
			s.hosts[host+":443"] = true
		}
	}
}

// Hosts returns the set as "host:port", sorted.
func (s *Audited) Hosts() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.hosts))
}

// Text is the set as text, for Restore.
func (s *Audited) Text() string { return strings.Join(s.Hosts(), "\n") }

// Restore adds what Text returned.
func (s *Audited) Restore(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hosts == nil {
		s.hosts = map[string]bool{}
	}
	for _, h := range strings.Fields(text) {
		s.hosts[h] = true
	}
}

// AddHost adds a host as --map names it, with its port or with both default
// ports.
func (s *Audited) AddHost(host string) {
	for _, scheme := range []string{"http://", "https://"} {
		if a, err := address.Parse(scheme + host); err == nil {
			s.Add(a)
		}
	}
}

// Has tells whether a host and port are audited. It fits
// AskOptions.AuditedHosts.
func (s *Audited) Has(scheme, host, port string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hosts[host+":"+port]
}
