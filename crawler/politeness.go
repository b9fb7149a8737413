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

// Politeness is what the Crawlers of one process share of the hosts that they ask: the pace
// of each, whether it was left, and its robots.txt. Together they ask a host no faster than
// one of them would. It may be used from several goroutines.
type Politeness struct {
	mu    sync.Mutex
	hosts map[string]*manners
	files map[string]sharedRobots
	size  int // bytes of files

	fetching singleflight.Group // of files, by key
}

// NewPoliteness returns a Politeness that knows no host yet.
func NewPoliteness() *Politeness {
	return &Politeness{hosts: map[string]*manners{}, files: map[string]sharedRobots{}}
}

// manners is how one host is asked, by all audits of this process.
type manners struct {
	pace *Pace

	mu     sync.Mutex
	silent int       // addresses in a row without an answer, or with 403, 429 or 503
	left   time.Time // when it was left for that; zero where it was not
	status int       // then
}

// host returns how a host is asked at a rate, as NewPace takes it: at the least that any
// of them asked for. One that was left long ago is asked anew.
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

// A HostState is how a host is asked: all that whoever asks next has to know. It can be
// written down.
type HostState struct {
	Pace   PaceState
	Silent int  // addresses in a row without an answer, or with 403, 429 or 503
	Left   bool // it was left for that
	Status int  // with Left: the last status
}

// state returns how the host is asked now.
func (m *manners) state() HostState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return HostState{m.pace.State(), m.silent, !m.left.IsZero(), m.status}
}

// adopt goes on from how another process asked the host, and reports whether it was left. The
// zero HostState says nothing but that somebody may just have sent a request.
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

// isLeft reports whether the host was left, and the status that it answered then.
func (m *manners) isLeft() (status int, left bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status, !m.left.IsZero()
}

// count keeps the tally of refusals and silences, and reports whether the host is left for
// them, or because it wants to be left alone for too long. Further tries of one address
// count where it refuses to be asked so much (429, 503), which is said of the host.
func (m *manners) count(hop *audit.Hop, retryAfter time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A challenge is no matter of how much is asked.
	busy := hop.Status == 429 || hop.Status == 503 && hop.Challenge == ""
	if hop.Tries <= 1 || busy { // the last tries of silent pages come in a row, when all else is answered
		m.silent++
	}
	if refused := hop.Fault != "" && !hop.Fault.NeverAsked() || hop.Status == 403 || hop.Status == 503 || busy; !refused {
		m.silent = 0
	}
	// A host that only refuses because it is asked too much is left once the slowest
	// pace is refused, too.
	enough := m.silent >= leaveAfter && (!busy || m.pace.Slowest())
	if away := heals(hop) && retryAfter > maxRetryAfter; (away || enough) && m.left.IsZero() {
		m.left, m.status = time.Now(), hop.Status
	}
	return !m.left.IsZero()
}

// sharedRobots is what a robots.txt came to, packed, and when.
type sharedRobots struct {
	packed []byte
	at     time.Time
}

// robotsAge is how long a robots.txt holds for later audits; Google caches one for up to
// 24 hours (Google's robots.txt specification). One audit keeps to what it began with.
const robotsAge = 24 * time.Hour

// robots returns the robots.txt of an origin that another Crawler got, packed; nil for none.
func (p *Politeness) robots(key string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.files[key]; time.Since(f.at) < robotsAge {
		return f.packed
	}
	return nil
}

// robotsOnce is robots where there is one, else what fetch comes to, which is kept: of several
// Crawlers that want the same file at once one fetches it, and the others wait for it. Where that
// one is stopped, or fails, each fetches for itself.
func (p *Politeness) robotsOnce(ctx context.Context, key string, fetch func() ([]byte, *robots.Answer, error)) ([]byte, error) {
	if packed := p.robots(key); packed != nil {
		return packed, nil
	}
	var ours atomic.Bool
	came := p.fetching.DoChan(key, func() (packed any, err error) {
		ours.Store(true)
		if kept := p.robots(key); kept != nil { // it came in between
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
		if !ours.Load() { // nor will it send anything now
			return nil, ctx.Err()
		}
		r = <-came // what is under way has a while to arrive, and counts
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

// keep keeps a robots.txt for other Crawlers, unless it came to nothing: that may change.
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
