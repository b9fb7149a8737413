package fleet

import (
	"context"
	"errors"
	"time"

	"sitemend/crawler"
)

// lease is what the message of a key says.
type lease struct {
	Session string `cbor:"1,keyasint,omitempty"` // the holder; "" where the key is free
	Run     string `cbor:"2,keyasint,omitempty"` // the audit that it was taken for
	// Pace is the pace and rest of the host when the key was given back.
	Pace state `cbor:"3,keyasint,omitzero"`
}

// errHeld is the error where a session that is alive holds the lease.
var errHeld = errors.New("the host is leased")

// take takes the lease of a key for a session, and returns what it said before, and both numbers.
func (f *Fleet) take(ctx context.Context, s *session, tok, run string) (was lease, before, at uint64, err error) {
	data, before, err := f.last(ctx, subject("l", tok))
	if err == nil && before > 0 {
		err = unpack(data, &was)
	}
	if err != nil {
		return was, before, 0, err
	}
	held, err := f.alive(ctx, was.Session)
	if held {
		err = errHeld
	}
	if err != nil {
		return was, before, 0, err
	}
	at, err = f.write(ctx, tok, lease{Session: s.id, Run: run}, before)
	return was, before, at, err
}

// free gives a lease back, and records the pace and rest of the host: why an audit abandoned the host,
// and which requests the host refused, concerns that audit alone.
func (f *Fleet) free(ctx context.Context, tok string, at uint64, s crawler.HostState) (uint64, error) {
	return f.write(ctx, tok, lease{Pace: stateNow(crawler.HostState{PaceState: s.PaceState}, time.Now())}, at)
}

func (f *Fleet) write(ctx context.Context, tok string, l lease, after uint64) (uint64, error) {
	return f.put(ctx, subject("l", tok), pack(l), after)
}

// loan is a lease that this process has for files.
type loan struct {
	tok string
	at  uint64
	end context.CancelFunc
}

// passedOn is how long a worker that makes way leaves a key to others.
const passedOn = time.Second

// Lease implements crawler.Via. It waits until no other process holds the key.
func (f *Fleet) Lease(ctx context.Context, key string) (*crawler.Lease, error) {
	tok := token(key)
	for began, said := time.Now(), false; ; {
		l, err := f.borrow(ctx, key, tok)
		if err == nil {
			return l, nil
		}
		busy := errors.Is(err, errHeld)
		if busy {
			_ = f.conn.Publish(subject("w", tok), nil) // sent again with each attempt
		}
		if !said && time.Since(began) > f.t.Alive/2 {
			said = true
			if busy {
				f.o.Warn("a worker sends requests to %s for another audit: waiting for it to make way", key)
			} else {
				f.o.Warn("the servers do not answer: %v; waiting", err)
			}
		}
		if err := wait(ctx, passedOn/5); err != nil {
			return nil, err
		}
	}
}

// borrow tries once to take the lease of a key.
func (f *Fleet) borrow(ctx context.Context, key, tok string) (*crawler.Lease, error) {
	s, err := f.session(ctx)
	if err != nil {
		return nil, err
	}
	was, before, at, err := f.take(ctx, s, tok, "")
	if err != nil {
		return nil, err
	}
	live, end := s.live()
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &crawler.Lease{Key: key, State: was.Pace.read(time.Now()), Live: live, Elsewhere: f.given[tok] != before}
	f.loans[l] = loan{tok, at, end}
	return l, nil
}

// Release implements crawler.Via.
func (f *Fleet) Release(_ context.Context, l *crawler.Lease, s crawler.HostState) {
	f.mu.Lock()
	had := f.loans[l]
	delete(f.loans, l)
	f.mu.Unlock()
	at, err := f.free(l.Live, had.tok, had.at, s)
	had.end()
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.given[had.tok] = at
	}
}
