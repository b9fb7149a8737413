package watch

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// The names of the notes of the store that are ours.
const (
	statePrefix  = "watch/site/"
	outboxPrefix = "watch/out/"
	tokenNote    = "watch/token"
	aliveNote    = "watch/alive" // when the store could be written to again
)

// A state is what the store remembers of a site. It changes in the same transaction in which the
// messages about what changed it come into the outbox: whoever is killed at any moment has done
// both, or neither.
type state struct {
	Began, Ended time.Time // of the last run, whatever came of it; zero for none
	Seq          uint64    // number of the newest audit that was looked at
	Failures     int       // runs in a row that could not be made
	Failed       bool      // and that was said
	Why          string    // of the last of these
	Success      time.Time // end of the last run that could be made
}

// A letter is a message on its way to one receiver.
type letter struct {
	Seq      uint64 `json:"-"`
	ID       string
	Site     string
	Receiver string
	Title    string
	Text     string
	JSON     json.RawMessage
	Created  time.Time
	Tries    int
	Next     time.Time // not before then
}

// How long a letter is kept, how many there are at most, and how long is waited after each try
// that failed; the last holds for all that follow (contract, section 9).
const (
	keepLetters = 7 * 24 * time.Hour
	mostLetters = 10_000
)

var backoff = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour}

func backoffAfter(tries int) time.Duration { return backoff[min(max(tries, 1), len(backoff))-1] }

// readState returns what the store remembers of all sites, and its letters, the oldest first.
func readState(s *storage.Store) (sites map[string]state, letters []letter, err error) {
	sites = map[string]state{}
	err = s.NotedUnder(statePrefix, func(name string, value []byte) error {
		var st state
		err := json.Unmarshal(value, &st)
		sites[name[len(statePrefix):]] = st
		return audit.Damaged("what watch remembers of a site", err)
	})
	if err != nil {
		return nil, nil, err
	}
	err = s.NotedUnder(outboxPrefix, func(name string, value []byte) error {
		var l letter
		if _, err := fmt.Sscanf(name[len(outboxPrefix):], "%016x", &l.Seq); err != nil {
			return audit.Damaged("the outbox", err)
		}
		err := json.Unmarshal(value, &l)
		letters = append(letters, l)
		return audit.Damaged("the outbox", err)
	})
	return sites, letters, err
}

// noteOf is the name under which a letter is kept.
func (l *letter) noteOf() string { return fmt.Sprintf("%s%016x", outboxPrefix, l.Seq) }

// keep writes the state of a site and new letters, all or nothing.
func keep(b *book, site string, st state, letters []letter) error {
	notes := map[string][]byte{}
	text, err := json.Marshal(st)
	if err != nil {
		return err
	}
	notes[statePrefix+site] = text
	for i := range letters {
		if notes[letters[i].noteOf()], err = json.Marshal(&letters[i]); err != nil {
			return err
		}
	}
	return b.note(notes)
}

// An outbox holds the letters that were not delivered yet, as the store does.
type outbox struct {
	book    *book
	letters []letter
	last    uint64
	rest    map[string]rest // of receivers that failed last
	busy    map[string]bool // receivers that are being sent a letter
}

// A rest is how often in a row a receiver failed, and until when it is left in peace.
type rest struct {
	failures int
	until    time.Time
}

func newOutbox(b *book, letters []letter) *outbox {
	o := &outbox{book: b, letters: letters, rest: map[string]rest{}, busy: map[string]bool{}}
	for _, l := range letters {
		o.last = max(o.last, l.Seq)
	}
	return o
}

// next returns the letter that a receiver is to get next, and when; ok is false where there is
// none. The one that was tried least comes first: one that a receiver will never take does not
// hold back the others.
func (o *outbox) next(receiver string) (l *letter, at time.Time, ok bool) {
	for i := range o.letters {
		x := &o.letters[i]
		if x.Receiver != receiver {
			continue
		}
		due := later(x.Next, o.rest[receiver].until)
		if !ok || due.Before(at) || due.Equal(at) && x.Tries < l.Tries {
			l, at, ok = x, due, true
		}
	}
	return l, at, ok
}

// mostRefusals is how many letters in a row a receiver may refuse before a run that ends (--once)
// leaves it: one that hangs takes half a minute for each.
const mostRefusals = 5

// untried returns the letter that a receiver is to get next in a run that tries each once, whatever
// was to be waited for; ok is false where there is none, or the receiver refuses them all. Those
// that were tried least in earlier runs come first.
func (o *outbox) untried(receiver string, tried map[uint64]bool) (l *letter, ok bool) {
	if o.rest[receiver].failures >= mostRefusals {
		return nil, false
	}
	for i := range o.letters {
		x := &o.letters[i]
		if x.Receiver == receiver && !tried[x.Seq] && (!ok || x.Tries < l.Tries) {
			l, ok = x, true
		}
	}
	return l, ok
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// delivered takes a letter out.
func (o *outbox) delivered(seq uint64, now time.Time) error {
	i := slices.IndexFunc(o.letters, func(l letter) bool { return l.Seq == seq })
	if i < 0 {
		return nil // it grew too old meanwhile
	}
	l := o.letters[i]
	o.letters = slices.Delete(o.letters, i, i+1)
	delete(o.rest, l.Receiver)
	for i := range o.letters { // it is there again: what waits need wait no longer
		if x := &o.letters[i]; x.Receiver == l.Receiver && x.Next.After(now) {
			x.Next = now
		}
	}
	return o.book.owe(map[string][]byte{l.noteOf(): nil})
}

// failed notes that a letter was not accepted, and returns when it is tried again.
func (o *outbox) failed(seq uint64, now time.Time) (next time.Time, err error) {
	i := slices.IndexFunc(o.letters, func(l letter) bool { return l.Seq == seq })
	if i < 0 {
		return now, nil
	}
	l := &o.letters[i]
	r := o.rest[l.Receiver]
	r.failures++
	r.until = now.Add(backoffAfter(r.failures))
	o.rest[l.Receiver] = r
	l.Tries++
	l.Next = now.Add(backoffAfter(l.Tries))
	text, err := json.Marshal(l)
	if err != nil {
		return l.Next, err
	}
	return l.Next, o.book.owe(map[string][]byte{l.noteOf(): text})
}

// expire takes out what is too old, and the oldest where there are too many; it returns them. A
// clock that was set back makes nothing old.
func (o *outbox) expire(now time.Time) (gone []letter, err error) {
	notes := map[string][]byte{}
	many := len(o.letters) - mostLetters
	kept := o.letters[:0:0]
	for i, l := range o.letters {
		if o.busy[l.Receiver] || i >= many && now.Sub(l.Created) < keepLetters {
			kept = append(kept, l)
			continue
		}
		gone = append(gone, l)
		notes[l.noteOf()] = nil
	}
	if len(gone) == 0 {
		return nil, nil
	}
	o.letters = kept
	return gone, o.book.owe(notes)
}

// receivers are those that have letters, in order of their names.
func (o *outbox) receivers() []string {
	names := map[string]bool{}
	for i := range o.letters {
		names[o.letters[i].Receiver] = true
	}
	return slices.Sorted(maps.Keys(names))
}
