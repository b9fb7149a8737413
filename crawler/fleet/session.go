package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"time"
)

// A session is the life of a worker, as others see it: a cell that it renews. Others declare
// it dead by writing that into the cell, where it has not moved for as long as Timing.Alive on
// their own clock; then its leases are theirs. So it asks only while that cannot have
// happened yet: for Alive less Margin after a renewal was sent that was accepted.
type session struct {
	f   *Fleet
	id  string
	ctx context.Context // ends with it; liveContext looks at the clock, too
	end context.CancelFunc

	mu    sync.Mutex
	seq   uint64
	until time.Time // by the monotonic clock
	wall  time.Time // and by the wall clock, which goes on while a virtual machine is suspended
	timer *time.Timer
}

// pulse is what stands in the cell of a session.
type pulse struct {
	Host  string // the machine
	Since time.Time
	Count int
	Hosts int  // that it asks
	Audit bool // of the process that an audit belongs to, not of a worker
	Dead  bool
}

// newSession begins a session, which lasts until ctx ends or it cannot be renewed.
func (f *Fleet) newSession(ctx context.Context, held func() int) (*session, error) {
	return f.begin(ctx, held, false)
}

// begin is newSession for either kind of process.
func (f *Fleet) begin(ctx context.Context, held func() int, audit bool) (*session, error) {
	s := &session{f: f, id: strings.ToLower(rand.Text()[:16])}
	s.ctx, s.end = context.WithCancel(ctx)
	s.timer = time.AfterFunc(time.Hour, s.end)
	host, _ := os.Hostname()
	p := pulse{Host: host, Since: time.Now(), Audit: audit}
	if err := s.renew(ctx, &p); err != nil {
		s.end()
		return nil, err
	}
	go func() {
		defer s.end()
		for s.valid() {
			if wait(s.ctx, f.t.Alive/6) != nil {
				return
			}
			p.Hosts = held()
			if err := s.renew(s.ctx, &p); errors.Is(err, errStale) {
				return // declared dead
			}
		}
	}()
	return s, nil
}

// renew renews it once.
func (s *session) renew(ctx context.Context, p *pulse) error {
	ctx, cancel := context.WithTimeout(ctx, s.f.t.Alive/3)
	defer cancel()
	p.Count++
	value, err := json.Marshal(p)
	if err != nil {
		return err
	}
	s.mu.Lock()
	after := s.seq
	s.mu.Unlock()
	sent, wall := time.Now(), s.f.wall()
	seq, err := s.f.put(ctx, s.f.cells, subject("s", s.id), value, after)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lasts := s.f.t.Alive - s.f.t.Margin
	s.seq, s.until, s.wall = seq, sent.Add(lasts), wall.Add(lasts)
	s.timer.Reset(time.Until(s.until))
	return nil
}

// valid reports whether nobody can have declared it dead yet.
func (s *session) valid() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil && time.Now().Before(s.until) && s.f.wall().Before(s.wall) {
		return true
	}
	s.end()
	return false
}

// bury declares it dead itself, so that nobody has to wait for that.
func (s *session) bury(ctx context.Context) {
	s.end()
	s.mu.Lock()
	after := s.seq
	s.mu.Unlock()
	if value, err := json.Marshal(pulse{Dead: true}); err == nil {
		_, _ = s.f.put(ctx, s.f.cells, subject("s", s.id), value, after)
	}
}

// A liveContext ends with the session even where no timer has run yet, as in a process that
// was stopped for a while and goes on.
type liveContext struct {
	context.Context
	cancel context.CancelFunc
	s      *session
}

// Err implements context.Context.
func (c liveContext) Err() error {
	if !c.s.valid() {
		c.cancel()
	}
	return c.Context.Err()
}

// watched is a session of somebody else that is in our way.
type watched struct {
	seq   uint64
	since time.Time
}

// deaths declares sessions dead.
type deaths struct {
	f    *Fleet
	mu   sync.Mutex
	seen map[string]watched
}

// dead reports whether a session is dead by now: it says so itself, is not there, or has not
// moved for Timing.Alive since it was looked at first.
func (d *deaths) dead(ctx context.Context, id string) (bool, error) {
	value, seq, err := d.f.cells.last(ctx, subject("s", id))
	if err != nil {
		return false, err
	}
	var p pulse
	if seq == 0 || json.Unmarshal(value, &p) != nil || p.Dead {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.seen, id)
		return true, nil
	}
	if !d.still(id, seq) {
		return false, nil
	}
	if value, err = json.Marshal(pulse{Dead: true}); err != nil {
		return false, err
	}
	_, err = d.f.put(ctx, d.f.cells, subject("s", id), value, seq)
	if errors.Is(err, errStale) {
		return false, nil // it lives
	}
	return err == nil, err
}

// still reports whether a session has not moved for long enough.
func (d *deaths) still(id string, seq uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, known := d.seen[id]
	if !known || w.seq != seq {
		d.seen[id] = watched{seq, time.Now()}
		return false
	}
	return time.Since(w.since) >= d.f.t.Alive
}
