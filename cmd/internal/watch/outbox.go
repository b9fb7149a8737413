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
	Success      time.Time // end of the last run that could be made
	Verdicts     map[audit.Verdict]int
	Took         time.Duration
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

func (l *letter) note() string { return fmt.Sprintf("%s%016x", outboxPrefix, l.Seq) }

// How long a letter is kept, how many there are at most, and how long is waited after each try
// that failed; the last holds for all that follow (contract, section 9).
const (
	keepLetters = 7 * 24 * time.Hour
	mostLetters = 10_000
)

var backoff = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour}

// mostRefusals is how many letters in a row a receiver may refuse before a run that ends (--once)
// leaves it: one that hangs takes half a minute for each.
const mostRefusals = 5

// An outbox is what the store remembers: of each site, and the letters that were not delivered
// yet, the oldest first. The store has the same, but for what is owed to it.
type outbox struct {
	write   func(map[string][]byte) error // all or nothing; a nil value takes a name away
	owed    map[string][]byte             // what could not be written: the disk was full
	states  map[string]state
	letters []*letter
	last    uint64          // number of a letter
	busy    map[string]bool // receivers that are being sent a letter
	refused map[string]int  // by receiver: letters in a row
	once    bool            // each letter is tried once
}

// openOutbox reads what a store remembers.
func openOutbox(s *storage.Store) (*outbox, error) {
	o := &outbox{write: s.NoteAll, owed: map[string][]byte{}, states: map[string]state{}, busy: map[string]bool{}, refused: map[string]int{}}
	err := s.NotedUnder("watch/", func(name string, value []byte) error {
		switch {
		case len(name) > len(statePrefix) && name[:len(statePrefix)] == statePrefix:
			var st state
			err := json.Unmarshal(value, &st)
			o.states[name[len(statePrefix):]] = st
			return audit.Damaged("what watch remembers of a site", err)
		case len(name) > len(outboxPrefix) && name[:len(outboxPrefix)] == outboxPrefix:
			l := &letter{}
			if _, err := fmt.Sscanf(name[len(outboxPrefix):], "%016x", &l.Seq); err != nil {
				return audit.Damaged("the outbox", err)
			}
			o.letters, o.last = append(o.letters, l), l.Seq
			return audit.Damaged("the outbox", json.Unmarshal(value, l))
		}
		return nil
	})
	return o, err
}

// note writes notes with all that is owed. What cannot be written is owed.
func (o *outbox) note(notes map[string][]byte) error {
	maps.Copy(o.owed, notes)
	err := o.write(o.owed)
	if err == nil {
		clear(o.owed)
	}
	return err
}

// keep takes the state of a site and new letters, all or nothing.
func (o *outbox) keep(site string, st state, letters []*letter) error {
	o.states[site] = st
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
	o.letters = append(o.letters, letters...)
	return o.note(notes)
}

// next returns the letter that a receiver is to get next; nil for none. The one that was tried
// least comes first: one that a receiver will never take does not hold back the others.
func (o *outbox) next(receiver string) (next *letter) {
	for _, l := range o.letters {
		if l.Receiver == receiver && (next == nil || l.Next.Before(next.Next) || l.Next.Equal(next.Next) && l.Tries < next.Tries) {
			next = l
		}
	}
	return next
}

// tried takes the outcome of a try: a letter that was accepted goes, and those that wait for its
// receiver need wait no longer; another one waits.
func (o *outbox) tried(l *letter, accepted bool, now time.Time) error {
	if !slices.Contains(o.letters, l) {
		return nil // it grew too old meanwhile
	}
	if accepted {
		delete(o.refused, l.Receiver)
		for _, x := range o.letters {
			if x.Receiver == l.Receiver && x.Next.After(now) && !o.once {
				x.Next = now
			}
		}
		return o.drop(l)
	}
	o.refused[l.Receiver]++
	l.Tries++
	l.Next = now.Add(backoff[min(l.Tries, len(backoff))-1])
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return o.note(map[string][]byte{l.note(): text})
}

// drop takes letters out.
func (o *outbox) drop(gone ...*letter) error {
	if len(gone) == 0 {
		return nil
	}
	notes := map[string][]byte{}
	for _, l := range gone {
		notes[l.note()] = nil
	}
	o.letters = slices.DeleteFunc(o.letters, func(l *letter) bool { _, ok := notes[l.note()]; return ok })
	return o.note(notes)
}

// expire takes out what is too old, and the oldest where there are too many; it returns them. A
// clock that was set back makes nothing old.
func (o *outbox) expire(now time.Time) (gone []*letter, err error) {
	many := len(o.letters) - mostLetters
	for i, l := range o.letters {
		if !o.busy[l.Receiver] && (i < many || now.Sub(l.Created) >= keepLetters) {
			gone = append(gone, l)
		}
	}
	return gone, o.drop(gone...)
}
