package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The states of an audit.
const (
	Running  = "running"
	Paused   = "paused"
	Canceled = "canceled"
	Stopped  = "stopped" // its process has ended; the same command continues it
)

// control is what the message of an audit says.
type control struct {
	How   []byte // what Worker.Open is given
	Owner string // the session of the process whose audit it is
	State string
}

// An Audit is one that the servers know of.
type Audit struct {
	ID    string
	State string // Running, Paused, Canceled, or Stopped
	Keys  int    // that have requests on their way
}

// all returns all messages of a kind in the state by the rest of their subject.
func (f *Fleet) all(ctx context.Context, kind string) (map[string][]byte, error) {
	all := map[string][]byte{}
	for from := uint64(1); ; {
		m, err := f.state.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject(kind, ">")))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		from = m.Sequence + 1
		all[strings.TrimPrefix(m.Subject, subject(kind)+".")] = m.Data
	}
}

// Audits returns the audits of the fleet, sorted by ID.
func (f *Fleet) Audits(ctx context.Context) (audits []Audit, err error) {
	known, err := f.all(ctx, "c")
	if err != nil {
		return nil, err
	}
	alive, err := f.all(ctx, "s")
	if err != nil {
		return nil, err
	}
	for id, data := range known {
		var c control
		var p pulse
		if err := unpack(data, &c); err != nil {
			return nil, err
		}
		a := Audit{ID: id, State: c.State}
		if err := unpack(alive[c.Owner], &p); err == nil {
			a.Keys = p.Keys
		} else if c.State != Canceled {
			a.State = Stopped
		}
		audits = append(audits, a)
	}
	slices.SortFunc(audits, func(a, b Audit) int { return strings.Compare(a.ID, b.ID) })
	return audits, nil
}

// A Member is a worker of the fleet.
type Member struct {
	ID    string
	Host  string // the machine
	Since time.Time
	Keys  int // that it holds
}

// Workers returns the workers that are alive, in the order in which they joined.
func (f *Fleet) Workers(ctx context.Context) (workers []Member, err error) {
	alive, err := f.all(ctx, "s")
	for id, data := range alive {
		var p pulse
		if unpack(data, &p) == nil && p.Worker {
			workers = append(workers, Member{id, p.Host, p.Since, p.Keys})
		}
	}
	slices.SortFunc(workers, func(a, b Member) int { return a.Since.Compare(b.Since) })
	return workers, err
}

// Control sets the state of an audit: Running, Paused, Canceled or Stopped. It deletes an audit
// that is canceled and whose process has ended.
func (f *Fleet) Control(ctx context.Context, id, state string) error {
	c, err := f.edit(ctx, id, func(c *control) { c.State = state })
	if err != nil || state != Canceled {
		return err
	}
	if alive, err := f.alive(ctx, c.Owner); alive || err != nil {
		return err
	}
	return f.clear(ctx, id)
}

// edit changes what is said of an audit, and returns that.
func (f *Fleet) edit(ctx context.Context, id string, change func(*control)) (c control, err error) {
	for {
		c, seq, err := f.control(ctx, id)
		if err == nil && seq == 0 {
			err = &Error{What: "no audit " + id + " is known there", hint: "`sitemend fleet --via URL` lists them"}
		}
		if err != nil {
			return c, err
		}
		change(&c)
		if err = f.writeControl(ctx, id, c, seq); !errors.Is(err, errStale) {
			return c, err
		}
	}
}

// control returns what is said of an audit, and the number of that message; 0 where there is none.
func (f *Fleet) control(ctx context.Context, id string) (c control, seq uint64, err error) {
	data, seq, err := f.last(ctx, subject("c", id))
	if err == nil && seq > 0 {
		err = unpack(data, &c)
	}
	return c, seq, err
}

func (f *Fleet) writeControl(ctx context.Context, id string, c control, after uint64) error {
	_, err := f.put(ctx, subject("c", id), pack(c), after)
	return err
}

// clear deletes all messages of an audit.
func (f *Fleet) clear(ctx context.Context, id string) error {
	return errors.Join(f.purge(ctx, f.tickets, subject("t", "*", id, ">")), f.purge(ctx, f.state, subject("c", id)),
		f.purge(ctx, f.results, subject("r", id, ">")))
}
