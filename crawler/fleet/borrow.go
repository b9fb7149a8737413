package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"sitemend/crawler"
)

// Leases holds leases of keys for requests that this process sends itself: those for the files of
// an audit. A worker that holds such a key gives it back on request.
type Leases struct {
	f      *Fleet
	deaths deaths

	mu    sync.Mutex
	s     *session // nil until something is leased
	loans map[*crawler.Lease]loan
	given map[string]uint64 // numbers of the cells of keys that this process gave back, by token
}

// loan is a key that this process holds.
type loan struct {
	tok   string
	s     *session
	lease lease // the cell before the key was leased
	at    uint64
	end   context.CancelFunc
}

// Leases returns the leases of this process, none at first. The caller closes it.
func (f *Fleet) Leases() *Leases {
	return &Leases{f: f, deaths: deaths{f: f, seen: map[string]watched{}}, loans: map[*crawler.Lease]loan{}, given: map[string]uint64{}}
}

// Close ends the leases that were not released.
func (ls *Leases) Close(ctx context.Context) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.s != nil {
		ls.s.bury(ctx)
	}
}

// Lease implements crawler.Via. It waits until no other process holds the key.
func (ls *Leases) Lease(ctx context.Context, key string) (*crawler.Lease, error) {
	tok := token(key)
	for began, said := time.Now(), false; ; {
		s, err := ls.session(ctx)
		if err == nil {
			var l *crawler.Lease
			if l, err = ls.take(ctx, s, tok, key); err == nil {
				return l, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		busy := errors.Is(err, errHeld) || errors.Is(err, errStale)
		if busy {
			_ = ls.f.conn.Publish(subject("w", tok), nil) // sent again with each attempt
		}
		if !said && time.Since(began) > ls.f.t.Alive/2 {
			said = true
			if busy {
				ls.f.o.Warn("a worker sends requests to %s for another audit: waiting for it to make way", key)
			} else {
				ls.f.o.Warn("the servers do not answer: %v; waiting", err)
			}
		}
		if err := wait(ctx, passedOn/5); err != nil {
			return nil, err
		}
	}
}

// session returns the session that owns the leases, and begins one where there is none.
func (ls *Leases) session(ctx context.Context) (*session, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.s != nil && ls.s.valid() {
		return ls.s, nil
	}
	s, err := ls.f.begin(context.WithoutCancel(ctx), func() int { return 0 }, true)
	if err == nil {
		ls.s = s
	}
	return s, err
}

// take tries once to take the lease of a key.
func (ls *Leases) take(ctx context.Context, s *session, tok, key string) (*crawler.Lease, error) {
	before, seq, _, err := ls.f.look(ctx, &ls.deaths, s, tok)
	if err != nil {
		return nil, err
	}
	at, err := ls.f.write(ctx, tok, lease{Session: s.id, Stamp: time.Now().UnixNano(), Pace: before.Pace}, seq)
	if err != nil {
		return nil, err
	}
	live, end := context.WithCancel(s.ctx)
	l := &crawler.Lease{Key: key, State: before.Pace.read(time.Now()), Live: liveContext{live, end, s}}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.Elsewhere = ls.given[tok] != seq
	ls.loans[l] = loan{tok, s, before, at, end}
	return l, nil
}

// Release implements crawler.Via. It changes only the pace in the cell: what the cell says about a
// worker that died is for the next holder.
func (ls *Leases) Release(ctx context.Context, l *crawler.Lease, s crawler.HostState) {
	ls.mu.Lock()
	had := ls.loans[l]
	delete(ls.loans, l)
	ls.mu.Unlock()
	had.end()
	now := time.Now()
	cell := had.lease
	cell.Stamp, cell.Pace = now.UnixNano(), stateNow(crawler.HostState{Pace: s.Pace}, now)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ls.f.t.giveBack())
	defer cancel()
	value, err := pack(cell)
	var seq uint64
	if err == nil {
		seq, err = ls.f.insist(ctx, ls.f.cells, subject("l", had.tok), value, had.at)
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if err != nil {
		had.s.end() // the key is free once others declare the session dead
		return
	}
	ls.given[had.tok] = seq
}
