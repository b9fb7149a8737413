package fleet

import (
	"context"
	"errors"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
)

// lease is the content of the cell of a key.
type lease struct {
	Session string `cbor:"1,keyasint,omitempty"` // the holder; "" where the key is free
	Run     string `cbor:"2,keyasint,omitempty"` // the audit that it was taken for
	Stamp   int64  `cbor:"3,keyasint"`           // distinguishes it from the lease before
	// Pace is the pace and rest of the host when the key was given back.
	Pace state `cbor:"4,keyasint"`

	// The following fields find an address that ends the worker which requests it. At is how far
	// the key was; Deaths is how many holders in a row have died there. Careful is set where
	// requests are therefore sent one by one; then Hand is the one being sent, by the Trials-th
	// worker.
	At      string        `cbor:"5,keyasint,omitempty"`
	Deaths  int           `cbor:"6,keyasint,omitempty"`
	Careful bool          `cbor:"7,keyasint,omitempty"`
	Hand    audit.Request `cbor:"8,keyasint"`
	Trials  int           `cbor:"9,keyasint,omitempty"`
}

// Limits for an address that ends workers.
const (
	deathsAtOnce = 2 // holders that die at the same place before requests are sent one by one
	trials       = 2 // workers that may die with one request in hand
)

// errHeld is the error where a session that is alive holds the lease.
var errHeld = errors.New("the host is leased")

// look returns the cell of a key that session s may take, and the cell's number. died reports
// whether its holder died; while the holder lives the error is errHeld.
func (f *Fleet) look(ctx context.Context, d *deaths, s *session, tok string) (l lease, seq uint64, died bool, err error) {
	value, seq, err := f.cells.last(ctx, subject("l", tok))
	if err != nil {
		return l, 0, false, err
	}
	if seq > 0 {
		if err := unpack(value, &l); err != nil {
			return l, 0, false, err
		}
	}
	if l.Session == "" || l.Session == s.id {
		return l, seq, false, nil
	}
	dead, err := d.dead(ctx, l.Session)
	if err == nil && !dead {
		err = errHeld
	}
	return l, seq, true, err
}

// claim makes session the holder, for a run that is at the place at. died says whether the last
// holder died.
func (l *lease) claim(session, run, at string, died bool) {
	switch {
	case !died || l.Run != run:
		l.Deaths, l.Careful, l.Trials = 0, false, 0
	case l.At == at:
		l.Deaths++
	case !l.Careful:
		l.Deaths = 0
	}
	l.Careful = l.Careful || l.Deaths >= deathsAtOnce
	l.Session, l.Run, l.At, l.Stamp = session, run, at, time.Now().UnixNano()
}

// write writes a lease in place of the one with the number after.
func (f *Fleet) write(ctx context.Context, tok string, l lease, after uint64) (uint64, error) {
	value, err := pack(l)
	if err != nil {
		return 0, err
	}
	return f.put(ctx, f.cells, subject("l", tok), value, after)
}

// free gives a lease back, and records the pace and rest of the host.
func (f *Fleet) free(ctx context.Context, tok string, after uint64, s crawler.HostState) error {
	// Why this audit abandoned the host, and which requests the host refused, concerns this audit
	// alone.
	now := time.Now()
	value, err := pack(lease{Stamp: now.UnixNano(), Pace: stateNow(crawler.HostState{Pace: s.Pace}, now)})
	if err != nil {
		return err
	}
	_, err = f.insist(ctx, f.cells, subject("l", tok), value, after)
	return err
}
