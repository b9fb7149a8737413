package fleet

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A session is the life of a process as others see it: a message that the servers delete once it was
// not renewed for Timing.Alive. Then its leases are free. So the process sends requests only while that
// cannot have happened yet: until Alive less Margin after it sent the last renewal that was accepted.
type session struct {
	f   *Fleet
	id  string
	ctx context.Context // ends with the session; liveContext reads the clock, too
	end context.CancelFunc

	mu    sync.Mutex
	until time.Time // by the monotonic clock
	wall  time.Time // by the wall clock, which goes on while a virtual machine is suspended
	timer *time.Timer
}

// pulse is what the message of a session says.
type pulse struct {
	Host   string // the machine
	Since  time.Time
	Keys   int  // that a worker holds, or of which an audit has requests on their way
	Worker bool // else it is the process of an audit
}

// session returns the session of this process, and begins one where there is none.
func (f *Fleet) session(ctx context.Context) (*session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.s != nil && f.s.valid() {
		return f.s, nil
	}
	if f.s != nil && f.working {
		f.o.Warn("the servers did not answer for so long that others may have taken over: all hosts are given up, and new ones taken")
	}
	s := &session{f: f, id: strings.ToLower(rand.Text()[:16])}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.timer = time.AfterFunc(time.Hour, s.end)
	host, _ := os.Hostname()
	p := pulse{Host: host, Since: time.Now(), Worker: f.working}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	seq, err := s.renew(ctx, p, 0)
	if err != nil {
		s.end()
		return nil, err
	}
	f.s = s
	go func() {
		defer s.end()
		for err == nil && wait(s.ctx, f.t.Alive/6) == nil {
			p.Keys = int(f.keys.Load())
			seq, err = s.renew(s.ctx, p, seq)
		}
	}()
	return s, nil
}

// renew writes the message of the session in place of the one with the number after.
func (s *session) renew(ctx context.Context, p pulse, after uint64) (uint64, error) {
	sent, wall := time.Now(), s.f.wall()
	seq, err := s.f.put(ctx, subject("s", s.id), pack(p), after, jetstream.WithMsgTTL(s.f.t.Alive))
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lasts := s.f.t.Alive - s.f.t.Margin
	s.until, s.wall = sent.Add(lasts), wall.Add(lasts)
	s.timer.Reset(time.Until(s.until))
	return seq, nil
}

// valid reports whether the servers cannot have deleted the session yet.
func (s *session) valid() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil && time.Now().Before(s.until) && s.f.wall().Before(s.wall) {
		return true
	}
	s.end()
	return false
}

// bury deletes the session, so that no other process has to wait for that.
func (s *session) bury() {
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), answerTime/5)
	defer cancel()
	_ = s.f.state.Purge(ctx, jetstream.WithPurgeSubject(subject("s", s.id)))
}

// alive reports whether the servers have a session; there is none without an id.
func (f *Fleet) alive(ctx context.Context, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	_, seq, err := f.last(ctx, subject("s", id))
	return seq > 0, err
}

// A liveContext ends with the session even where no timer has run yet, as in a process that was
// suspended for a while and goes on.
type liveContext struct {
	context.Context
	cancel context.CancelFunc
	s      *session
}

// live returns a context that ends with the session, or with lost.
func (s *session) live() (live context.Context, lost context.CancelFunc) {
	ctx, cancel := context.WithCancel(s.ctx)
	return liveContext{ctx, cancel, s}, cancel
}

// Err implements context.Context.
func (c liveContext) Err() error {
	if !c.s.valid() {
		c.cancel()
	}
	return c.Context.Err()
}
