package crawler

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"sitemend/crawler/audit"
	"sitemend/crawler/robots"
)

// Politeness is what the Crawlers of one process share about hosts: the pace of each, whether it
// was abandoned, and its robots.txt. Together they send requests to a host no faster than one of
// them would. It is safe for concurrent use.
type Politeness struct {
	mu    sync.Mutex
	hosts map[string]*manners
	files map[string]sharedRobots
	size  int // bytes of files

	fetching singleflight.Group // of files, by key
}

// NewPoliteness returns a Politeness without any host.
func NewPoliteness() *Politeness {
	return &Politeness{hosts: map[string]*manners{}, files: map[string]sharedRobots{}}
}

// manners is the state of one host for all audits of this process.
type manners struct {
	pace *Pace

	mu     sync.Mutex
	silent int       // addresses in a row without an answer, or with 403, 429 or 503
	left   time.Time // when it was abandoned for that; zero where it was not
	status int       // the status at that time
}

// host returns the state of a host at a rate, with the parameters of NewPace: the lowest rate that
// any of the audits asked for applies. A host that was abandoned long ago starts anew.
func (p *Politeness) host(name string, rate float64, given bool) *manners {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.hosts[name]
	if m == nil {
		m = &manners{pace: NewPace(rate, given)}
		p.hosts[name] = m
		return m
	}
	m.pace.atMost(rate)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.left.IsZero() && time.Since(m.left) > maxRest {
		m.silent, m.left = 0, time.Time{}
	}
	return m
}

// A HostState is all that the next process to send requests to a host has to know. It can be
// serialized.
type HostState struct {
	Pace   PaceState
	Silent int  // addresses in a row without an answer, or with 403, 429 or 503
	Left   bool // it was abandoned for that
	Status int  // with Left: the last status
}

// state returns the current state of the host.
func (m *manners) state() HostState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return HostState{m.pace.State(), m.silent, !m.left.IsZero(), m.status}
}

// adopt continues from the state in which another process left the host, and reports whether the
// host was abandoned. The zero HostState says only that another process may just have sent a
// request.
func (m *manners) adopt(s HostState) (left bool) {
	m.pace.adopt(s.Pace)
	m.mu.Lock()
	defer m.mu.Unlock()
	if s != (HostState{}) {
		m.silent = s.Silent
	}
	if s.Left && m.left.IsZero() {
		m.left, m.status = time.Now(), s.Status
	}
	return s.Left
}

// isLeft reports whether the host was abandoned, and the status that it answered then.
func (m *manners) isLeft() (status int, left bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status, !m.left.IsZero()
}

// refuses reports whether as many refusals in a row were counted as a host is abandoned for.
func (m *manners) refuses() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.silent >= leaveAfter
}

// count counts refusals and silences, and reports whether the host is abandoned for them, or
// because it asks for too long a rest. Further attempts for one address count where the host
// refuses because of the number of requests (429, 503), which concerns the whole host.
func (m *manners) count(hop *audit.Hop, retryAfter time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A challenge does not depend on the number of requests.
	busy := hop.Status == 429 || hop.Status == 503 && hop.Challenge == ""
	if hop.Tries <= 1 || busy { // last attempts for silent pages come in a row
		m.silent++
	}
	if refused := hop.Fault != "" && !hop.Fault.NeverAsked() || hop.Status == 403 || hop.Status == 503 || busy; !refused {
		m.silent = 0
	}
	// A host that refuses only because of the number of requests is abandoned once it refuses the
	// slowest pace, too.
	enough := m.silent >= leaveAfter && (!busy || m.pace.Slowest())
	if away := heals(hop) && retryAfter > maxRetryAfter; (away || enough) && m.left.IsZero() {
		m.left, m.status = time.Now(), hop.Status
	}
	return !m.left.IsZero()
}

// sharedRobots is an answer to a request for robots.txt, encoded, with its time.
type sharedRobots struct {
	packed []byte
	at     time.Time
}

// robotsAge is how long a robots.txt is valid for later audits; Google caches one for up to 24
// hours (Google's robots.txt specification). One audit keeps the one it began with.
const robotsAge = 24 * time.Hour

// robots returns the robots.txt of an origin that another Crawler got, encoded; nil for none.
func (p *Politeness) robots(key string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.files[key]; time.Since(f.at) < robotsAge {
		return f.packed
	}
	return nil
}

// robotsOnce returns the robots.txt of robots where there is one, else the result of fetch, which
// it keeps: of several Crawlers that want the same file at once one fetches it, and the others wait
// for it. Where that one is stopped or fails, each fetches the file itself.
func (p *Politeness) robotsOnce(ctx context.Context, key string, fetch func() ([]byte, *robots.Answer, error)) ([]byte, error) {
	if packed := p.robots(key); packed != nil {
		return packed, nil
	}
	var ours atomic.Bool
	came := p.fetching.DoChan(key, func() (packed any, err error) {
		ours.Store(true)
		if kept := p.robots(key); kept != nil { // it came meanwhile
			return kept, nil
		}
		err = audit.Guard(func() error {
			got, answer, err := fetch()
			if err == nil {
				p.keep(key, answer, got)
				packed = got
			}
			return err
		})
		return packed, err
	})
	var r singleflight.Result
	select {
	case r = <-came:
	case <-ctx.Done():
		if !ours.Load() { // it will send no request now, either
			return nil, ctx.Err()
		}
		r = <-came // a request under way has a while to arrive, and counts
	}
	if r.Err == nil {
		return r.Val.([]byte), nil
	}
	if ours.Load() {
		return nil, r.Err
	}
	packed, _, err := fetch()
	return packed, err
}

// keep keeps a robots.txt for other Crawlers, unless there was no answer, which may change.
func (p *Politeness) keep(key string, a *robots.Answer, packed []byte) {
	if a.Stopped() != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size += len(packed); p.size > maxRobots {
		clear(p.files)
		p.size = len(packed)
	}
	p.files[key] = sharedRobots{packed, time.Now()}
}
