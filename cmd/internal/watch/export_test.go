package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/storage"
)

// RunWith is Run with another way to make audits, on a disk that has room or not; look, where it is
// not nil, is called with what answers /healthz.
func RunWith(ctx context.Context, o Options, audit func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error), room func() bool, look func(http.HandlerFunc)) (Summary, error) {
	w, err := begin(o)
	if err != nil {
		return Summary{}, err
	}
	w.audit = audit
	w.outbox.write = func(notes map[string][]byte) error {
		if room != nil && !room() {
			return fmt.Errorf("audits.db: %w", syscall.ENOSPC)
		}
		return w.store.NoteAll(notes)
	}
	if look != nil {
		look(w.metrics.health)
	}
	err = w.loop(ctx)
	return w.summary, errors.Join(err, w.end())
}

// An Outbox is the outbox of a store for the tests.
type Outbox struct{ o *outbox }

// NewOutbox returns the outbox of a store as a process finds it that begins.
func NewOutbox(s *storage.Store) (Outbox, error) {
	o, err := openOutbox(s)
	return Outbox{o}, err
}

// Put adds a letter for a receiver.
func (x Outbox) Put(receiver string, now time.Time) error {
	return x.o.keep("site", state{}, []*letter{{ID: receiver, Receiver: receiver, Created: now, Next: now}})
}

// Try tries the next letter of a receiver where one is due, and reports its number, 0 for none.
func (x Outbox) Try(receiver string, now time.Time, taken func(seq uint64) bool) (uint64, error) {
	l := x.o.next(receiver)
	if l == nil || l.Next.After(now) {
		return 0, nil
	}
	return l.Seq, x.o.tried(l, taken(l.Seq), now)
}

// Expire takes out what is too old, and reports how many that were.
func (x Outbox) Expire(now time.Time) (int, error) {
	gone, err := x.o.expire(now)
	return len(gone), err
}

// Waiting is how many letters wait.
func (x Outbox) Waiting() int { return len(x.o.letters) }

// Most is how many letters there are at most.
const Most = mostLetters

// A Text is a message as people and programs get it.
type Text struct{ Text, JSON string }

// Messages are what is said of a finished audit, after one that failed or not, in Japan.
func Messages(lang, site string, n *job.News, failures int) (list []Text) {
	w := newWriter(site, lang, time.FixedZone("JST", 9*60*60), func(_, id string) string { return "http://pages.example/" + id })
	for _, m := range w.of(n, &state{Seq: 1, Failures: failures}) {
		l, err := m.letter(nil, "ops", n.ID, time.Time{})
		if err != nil {
			panic(err)
		}
		text, _ := json.Marshal(m.body)
		list = append(list, Text{l.Text, string(text)})
	}
	return list
}
