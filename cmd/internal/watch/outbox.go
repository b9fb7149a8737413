package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/notify"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/storage"
)

// The names of the notes of the store that are ours.
const (
	statePrefix  = "watch/site/"
	outboxPrefix = "watch/out/"
	tokenNote    = "watch/token"
)

// A state is what the store remembers of a site. It changes in the same transaction in which the
// messages about what changed it come into the outbox: whoever is killed at any moment has done
// both, or neither.
type state struct {
	Ended    time.Time // of the last run, whatever came of it; zero for none
	Seq      uint64    // number of the newest audit that was looked at
	Failures int       // runs in a row that could not be made
	Success  time.Time // end of the last audit that could be made
	Verdicts map[audit.Verdict]int
	Took     time.Duration
}

// A letter is a message on its way to one receiver.
type letter struct {
	notify.Message
	Seq      uint64
	Site     string
	Receiver string
	Created  time.Time
	Tries    int
}

func (l *letter) note() string { return fmt.Sprintf("%s%016x", outboxPrefix, l.Seq) }

// keepLetters is how long a letter is kept (contract, section 9); longestRest is how long a receiver
// that takes nothing is left alone at most.
const (
	keepLetters = 7 * 24 * time.Hour
	longestRest = time.Hour
)

// An outbox is what the store remembers: of each site, and the letters that were not delivered
// yet, the oldest first.
type outbox struct {
	store   *storage.Store
	states  map[string]state
	letters []*letter
	last    uint64               // number of a letter
	busy    map[string]bool      // receivers that are being sent a letter
	rests   map[string]time.Time // receivers that are left alone until then
}

// openOutbox reads what a store remembers.
func openOutbox(s *storage.Store) (*outbox, error) {
	o := &outbox{store: s, states: map[string]state{}, busy: map[string]bool{}, rests: map[string]time.Time{}}
	err := s.NotedUnder(statePrefix, func(name string, value []byte) error {
		var st state
		err := json.Unmarshal(value, &st)
		o.states[strings.TrimPrefix(name, statePrefix)] = st
		return ground.Damaged("what watch remembers of a site", err)
	})
	return o, errors.Join(err, s.NotedUnder(outboxPrefix, func(_ string, value []byte) error {
		l := &letter{}
		err := json.Unmarshal(value, l)
		o.letters, o.last = append(o.letters, l), l.Seq
		return ground.Damaged("the outbox", err)
	}))
}

// keep takes the state of a site and new letters, all or nothing.
func (o *outbox) keep(site string, st state, letters ...*letter) error {
	text, err := json.Marshal(st)
	notes := map[string][]byte{statePrefix + site: text}
	for _, l := range letters {
		o.last++
		l.Seq = o.last
		if err == nil {
			notes[l.note()], err = json.Marshal(l)
		}
	}
	if err != nil {
		return err
	}
	o.states[site], o.letters = st, append(o.letters, letters...)
	return o.store.NoteAll(notes)
}

// next returns the letter that a receiver is to get now; nil for none. The one that was tried
// least comes first: one that a receiver will never take does not hold back the others.
func (o *outbox) next(receiver string, now time.Time) (next *letter) {
	if o.busy[receiver] || now.Before(o.rests[receiver]) {
		return nil
	}
	for _, l := range o.letters {
		if l.Receiver == receiver && (next == nil || l.Tries < next.Tries) {
			next = l
		}
	}
	return next
}

// refused leaves the receiver of a letter alone for a while.
func (o *outbox) refused(l *letter, now time.Time) error {
	l.Tries++
	o.rests[l.Receiver] = now.Add(min(time.Minute<<min(l.Tries-1, 6), longestRest))
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return o.store.NoteAll(map[string][]byte{l.note(): text})
}

// drop takes letters out.
func (o *outbox) drop(gone func(*letter) bool) error {
	notes := map[string][]byte{}
	o.letters = slices.DeleteFunc(o.letters, func(l *letter) bool {
		out := gone(l)
		if out {
			notes[l.note()] = nil
		}
		return out
	})
	if len(notes) == 0 {
		return nil
	}
	return o.store.NoteAll(notes)
}

// deliver sends each receiver its next letter, one at a time.
func (w *watcher) deliver() error {
	now := now()
	for _, r := range w.c.Receivers {
		if l := w.outbox.next(r.Name, now); l != nil {
			w.outbox.busy[r.Name] = true
			go func() {
				err := ground.Guard(func() error { return r.Send(w.letters, l.Message) })
				w.events <- func() error { return w.sent(l, err) }
			}()
		}
	}
	return w.outbox.drop(func(l *letter) bool {
		old := !w.outbox.busy[l.Receiver] && now.Sub(l.Created) >= keepLetters
		if old {
			w.metrics.notifications.WithLabelValues(l.Receiver, "expired").Inc()
			w.log.Error("a message was given up after seven days", "receiver", l.Receiver, "site", l.Site, "id", l.ID)
		}
		return old
	})
}

// sent handles the outcome of sending a letter.
func (w *watcher) sent(l *letter, err error) error {
	result := "sent"
	delete(w.outbox.busy, l.Receiver)
	log := w.log.With("receiver", l.Receiver, "site", l.Site, "id", l.ID)
	defer func() { w.metrics.notifications.WithLabelValues(l.Receiver, result).Inc() }()
	if err == nil {
		log.Info("a message was delivered: " + l.Title)
		return w.outbox.drop(func(x *letter) bool { return x == l })
	}
	result = "failed"
	log.Warn(fmt.Sprintf("a message was not delivered: %v; it is tried again", err))
	return w.outbox.refused(l, now())
}

// SendTest sends a test message to the receiver of a name. An error says why it did not accept
// it, or that there is no such receiver.
func SendTest(ctx context.Context, c *Config, name string) error {
	names := c.receivers()
	i := slices.Index(names, name)
	if i < 0 {
		return cli.WithHint(fmt.Errorf("there is no receiver %q", name), cli.DidYouMean(name, names)+"the key notify has "+cmp.Or(strings.Join(names, ", "), "none"))
	}
	w := newWriter("", c.Lang, c.Location, nil)
	m := w.message(Test, body{At: now().UTC()}, w.words.Text("watch-test"), w.words.Text("watch-test-text", "name", name))
	if err := c.Receivers[i].Send(ctx, m); err != nil {
		return cli.WithHint(fmt.Errorf("the receiver %s did not take the message: %w", name, err), "see whether its address and token are right, and whether this machine reaches it")
	}
	return nil
}
