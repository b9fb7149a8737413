package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An Audit is one that the servers know of.
type Audit struct {
	ID    string
	State string // Running, Paused, Canceled, or Stopped
	Keys  int    // that wait for a worker or are held by one
	Home  uint64 // results that are not yet deleted
}

// all returns the messages in all cells of a kind, the oldest first.
func (f *Fleet) all(ctx context.Context, kind string) (all []*jetstream.RawStreamMsg, err error) {
	for from := uint64(1); ; {
		m, err := f.cells.next(ctx, subject(kind, ">"), from)
		if err != nil || m == nil {
			return all, err
		}
		from = m.Sequence + 1
		all = append(all, m)
	}
}

// Audits returns the audits of the fleet, sorted by ID.
func (f *Fleet) Audits(ctx context.Context) (all []Audit, err error) {
	cells, err := f.all(ctx, "c")
	if err != nil {
		return nil, err
	}
	live, err := f.live(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range cells {
		var c control
		if err := json.Unmarshal(m.Data, &c); err != nil {
			return nil, err
		}
		a := Audit{ID: strings.TrimPrefix(m.Subject, subject("c")+"."), State: c.State}
		if _, is := live[c.Owner]; !is && c.State != Canceled {
			a.State = Stopped
		}
		waiting, err := f.tickets.Info(ctx, jetstream.WithSubjectFilter(subject("t", a.ID, ">")))
		if err != nil {
			return nil, err
		}
		home, err := f.results.Info(ctx, jetstream.WithSubjectFilter(subject("r", a.ID, ">")))
		if err != nil {
			return nil, err
		}
		a.Keys = len(waiting.State.Subjects)
		for _, n := range home.State.Subjects {
			a.Home += n
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Audit) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// live returns the sessions that were renewed within Timing.Alive, by the clock of the servers.
func (f *Fleet) live(ctx context.Context) (map[string]pulse, error) {
	cells, err := f.all(ctx, "s")
	if err != nil {
		return nil, err
	}
	info, err := f.cells.Info(ctx)
	if err != nil {
		return nil, err
	}
	now, live := info.TimeStamp, map[string]pulse{}
	for _, m := range cells {
		var p pulse
		if json.Unmarshal(m.Data, &p) == nil && !p.Dead && now.Sub(m.Time) < f.t.Alive {
			live[strings.TrimPrefix(m.Subject, subject("s")+".")] = p
		}
	}
	return live, nil
}

// A Member is a worker of the fleet.
type Member struct {
	ID    string
	Host  string // the machine
	Since time.Time
	Keys  int // that it holds
}

// Workers returns the workers that are alive, in the order in which they joined.
func (f *Fleet) Workers(ctx context.Context) ([]Member, error) {
	live, err := f.live(ctx)
	var all []Member
	for id, p := range live {
		if !p.Audit {
			all = append(all, Member{id, p.Host, p.Since, p.Hosts})
		}
	}
	slices.SortFunc(all, func(a, b Member) int { return a.Since.Compare(b.Since) })
	return all, err
}

// Control sets the state of an audit: Running, Paused, Canceled or Stopped. It deletes an audit
// that is canceled and whose process has ended.
func (f *Fleet) Control(ctx context.Context, id, state string) error {
	owner := ""
	err := f.edit(ctx, id, func(c *control) { c.State, owner = state, c.Owner })
	if err != nil || state != Canceled {
		return err
	}
	return f.forget(ctx, id, owner)
}

// edit changes the control cell of an audit.
func (f *Fleet) edit(ctx context.Context, id string, change func(*control)) error {
	for {
		value, seq, err := f.cells.last(ctx, subject("c", id))
		if err != nil {
			return err
		}
		if seq == 0 {
			return &Error{What: "no audit " + id + " is known there", hint: "`sitemend fleet --via URL` lists them"}
		}
		var c control
		if err := json.Unmarshal(value, &c); err != nil {
			return err
		}
		change(&c)
		c.Stamp = rand.Text()
		if value, err = json.Marshal(c); err != nil {
			return err
		}
		if _, err = f.put(ctx, f.cells, subject("c", id), value, seq); !errors.Is(err, errStale) {
			return err
		}
	}
}

// forget deletes an audit whose process has ended.
func (f *Fleet) forget(ctx context.Context, id, owner string) error {
	live, err := f.live(ctx)
	if _, is := live[owner]; is || err != nil {
		return err
	}
	return f.clear(ctx, id, "u", "t", "c", "r")
}
