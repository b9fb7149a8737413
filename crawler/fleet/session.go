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

// A session is the life of a worker as others see it: a cell that the worker renews. Where the cell
// has not changed for Timing.Alive on the clock of another process, that process may declare the
// session dead by writing that into the cell; then the leases of the session are free. So a worker
// sends requests only while that cannot have happened yet: until Alive less Margin after it sent
// the last renewal that was accepted.
type session struct {
	f   *Fleet
	id  string
	ctx context.Context // ends with the session; liveContext reads the clock, too
	end context.CancelFunc

	mu    sync.Mutex
	seq   uint64
	until time.Time // by the monotonic clock
	wall  time.Time // by the wall clock, which goes on while a virtual machine is suspended
	timer *time.Timer
}

// pulse is the content of the cell of a session.
type pulse struct {
	Host  string // the machine
	Since time.Time
	Count int
	Hosts int  // keys that it holds
	Audit bool // the session belongs to the process of an audit, not to a worker
	Dead  bool
}

// newSession begins a session, which lasts until ctx ends or a renewal fails for too long.
func (f *Fleet) newSession(ctx context.Context, held func() int) (*session, error) {
	return f.begin(ctx, held, false)
}

// begin is newSession for both kinds of process.
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

// renew writes the cell of the session once.
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

// valid reports whether no process can have declared the session dead yet.
func (s *session) valid() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil && time.Now().Before(s.until) && s.f.wall().Before(s.wall) {
		return true
	}
	s.end()
	return false
}

// bury declares this session dead, so that no other process has to wait for that.
func (s *session) bury(ctx context.Context) {
	s.end()
	s.mu.Lock()
	after := s.seq
	s.mu.Unlock()
	if value, err := json.Marshal(pulse{Dead: true}); err == nil {
		_, _ = s.f.put(ctx, s.f.cells, subject("s", s.id), value, after)
	}
}

// A liveContext ends with the session even where no timer has run yet, as in a process that was
// suspended for a while and goes on.
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

// watched is the session of another process that holds a lease this one waits for.
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

// dead reports whether a session is dead by now: its cell says so, is missing, or has not changed
// for Timing.Alive since this process first looked at it.
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
		return false, nil // the session is alive
	}
	return err == nil, err
}

// still reports whether the cell of a session has not changed for long enough.
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
