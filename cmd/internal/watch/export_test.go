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

// RunWith is Run with another way to make audits.
func RunWith(ctx context.Context, o Options, audit func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error)) (Summary, error) {
	w, err := begin(o)
	if err != nil {
		return Summary{}, err
	}
	w.audit = audit
	err = w.loop(ctx)
	return w.summary, errors.Join(err, w.end())
}

// RunOn is RunWith on a disk that has room or not. look is called with what answers /healthz.
func RunOn(ctx context.Context, o Options, audit func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error), room func() bool, look func(http.HandlerFunc)) error {
	w, err := begin(o)
	if err != nil {
		return err
	}
	w.audit = audit
	w.book.write = func(notes map[string][]byte) error {
		if !room() {
			return fmt.Errorf("audits.db: %w", syscall.ENOSPC)
		}
		return w.store.NoteAll(notes)
	}
	look(w.metrics.health)
	err = w.loop(ctx)
	return errors.Join(err, w.end())
}

// An Outbox is the outbox of a store for the tests.
type Outbox struct{ o *outbox }

// NewOutbox returns the outbox of a store as a process finds it that begins.
func NewOutbox(s *storage.Store) (Outbox, error) {
	_, letters, err := readState(s)
	return Outbox{newOutbox(&book{write: s.NoteAll}, letters)}, err
}

// Put adds a letter for a receiver.
func (x Outbox) Put(receiver string, now time.Time) error {
	x.o.last++
	l := letter{Seq: x.o.last, ID: receiver, Receiver: receiver, Created: now, Next: now}
	x.o.letters = append(x.o.letters, l)
	return keep(x.o.book, "site", state{}, []letter{l})
}

// Try tries the next letter of a receiver where one is due, and reports its number, 0 for none.
func (x Outbox) Try(receiver string, now time.Time, taken func(seq uint64) bool) (uint64, error) {
	l, at, ok := x.o.next(receiver)
	if !ok || at.After(now) {
		return 0, nil
	}
	seq := l.Seq
	if taken(seq) {
		return seq, x.o.delivered(seq, now)
	}
	_, err := x.o.failed(seq, now)
	return seq, err
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
type Text struct {
	Kind Kind
	Text string
	JSON []byte
}

// Messages are what is said of a finished audit, after one that failed or not, in Japan.
func Messages(lang, site string, n *job.News, failed bool) (list []Text) {
	w := newWriter(lang, time.FixedZone("JST", 9*60*60), func(_, id string) string { return "http://pages.example/" + id })
	for _, m := range w.of(site, n, &state{Seq: 1, Failed: failed}) {
		body, err := json.Marshal(m.body)
		if err != nil {
			panic(err)
		}
		list = append(list, Text{m.Kind, m.Text, body})
	}
	return list
}
