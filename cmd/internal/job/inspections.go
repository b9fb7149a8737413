package job

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/storage"
)

// inspectionsKey is the record of an audit of what Google's index says of its addresses.
const inspectionsKey = "google"

// inspectionsRecord is that record.
type inspectionsRecord struct {
	Answers []audit.Inspection `json:"answers"`
	Left    int                `json:"left,omitempty"`
	Again   time.Time          `json:"again,omitzero"`
}

// keptInspections returns what an audit has of Google's index; nil for nothing.
func keptInspections(a *storage.Audit) (*audit.Inspections, error) {
	text, ok, err := a.Get(inspectionsKey)
	if err != nil || !ok {
		return nil, err
	}
	var r inspectionsRecord
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, audit.Damaged("what Google's index says", err)
	}
	in := &audit.Inspections{By: map[string]audit.Inspection{}, Left: r.Left, Again: r.Again}
	for _, x := range r.Answers {
		in.By[x.URL] = x
	}
	return in, nil
}

// keepInspections keeps what Google's index says with an audit.
func keepInspections(a *storage.Audit, in *audit.Inspections) error {
	r := inspectionsRecord{Left: in.Left, Again: in.Again}
	for _, x := range in.By {
		r.Answers = append(r.Answers, x)
	}
	slices.SortFunc(r.Answers, func(a, b audit.Inspection) int { return strings.Compare(a.URL, b.URL) })
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := a.Put(inspectionsKey, text); err != nil {
		return err
	}
	return a.Flush()
}

// The notes of a store about inspections: how much of its day each property has used up, and the
// answers of each property that are not asked for again; its address follows.
const (
	quotaNote    = "google quota"
	answeredNote = "google answers "
)

// inspectedFor is how long an address is not asked again (contract, section 8).
const inspectedFor = 7 * 24 * time.Hour

// A ledger counts inspections in the store. It implements google.Ledger.
type ledger struct {
	store *storage.Store
	used  map[string]usedDay // by property
}

// usedDay is what is used up of the quota of a property's last day.
type usedDay struct {
	Day   string `json:"day"`
	Calls int    `json:"calls"`
	Over  bool   `json:"over,omitempty"`
}

func openLedger(store *storage.Store) (*ledger, error) {
	l := &ledger{store: store, used: map[string]usedDay{}}
	text, ok, err := store.Noted(quotaNote)
	if err == nil && ok {
		err = audit.Damaged("the quota of inspections", json.Unmarshal(text, &l.used))
	}
	return l, err
}

// day is what is used up of a property's day.
func (l *ledger) day(property, day string) usedDay {
	if u := l.used[property]; u.Day == day {
		return u
	}
	return usedDay{Day: day}
}

// left is how many calls a property's day has left, as far as was read.
func (l *ledger) left(property, day string) int {
	u := l.day(property, day)
	if u.Over {
		return 0
	}
	return max(0, google.DayLimit-u.Calls)
}

// Take implements google.Ledger. What it counts is on disk when it returns, with what others
// counted meanwhile.
func (l *ledger) Take(property, day string) (bool, error) {
	if err := l.again(); err != nil {
		return false, err
	}
	if l.left(property, day) == 0 {
		return false, nil
	}
	u := l.day(property, day)
	u.Calls++
	return true, l.keep(property, u)
}

// again reads what is used up.
func (l *ledger) again() error {
	now, err := openLedger(l.store)
	l.used = now.used
	return err
}

// End implements google.Ledger.
func (l *ledger) End(property, day string) error {
	if err := l.again(); err != nil {
		return err
	}
	u := l.day(property, day)
	u.Over = true
	return l.keep(property, u)
}

func (l *ledger) keep(property string, u usedDay) error {
	l.used[property] = u
	text, err := json.Marshal(l.used)
	if err != nil {
		return err
	}
	return noted(l.store, quotaNote, text)
}

// noteTries is how often a note is tried while another process reads the store, each time for a
// second.
const noteTries = 60

// noted keeps a note, once nobody reads the store.
func noted(store *storage.Store, name string, value []byte) error {
	return besideReaders(func() error { return store.Note(name, value) })
}

// besideReaders opens a store for writing, which another process may be reading: that ends soon.
func besideReaders(write func() error) error {
	for try := 1; ; try++ {
		err := write()
		var held *storage.Error
		if try == noteTries || !errors.Is(err, storage.ErrLocked) || !errors.As(err, &held) || !held.Read {
			return err
		}
	}
}

// keepBeside keeps what Google's index says with an audit of a store that is open for reading.
func keepBeside(store *storage.Store, id string, in *audit.Inspections) error {
	return besideReaders(func() error {
		return store.Beside(func(w *storage.Store) error {
			a, err := w.Audit(id)
			if err != nil {
				return err
			}
			return errors.Join(keepInspections(a, in), a.Close())
		})
	})
}

// An archive has the answers of one property that are not asked for again.
type archive struct {
	store    *storage.Store
	property string
	by       map[string]audit.Inspection
	unkept   int
	oldest   time.Time // of answers that are kept
}

// archiveEvery is after how many answers they are written.
const archiveEvery = 25

func openArchive(store *storage.Store, property string, now time.Time) (*archive, error) {
	a := &archive{store: store, property: property, by: map[string]audit.Inspection{}, oldest: now.Add(-inspectedFor)}
	var all []audit.Inspection
	text, ok, err := store.Noted(answeredNote + property)
	if err == nil && ok {
		err = audit.Damaged("what Google's index says", json.Unmarshal(text, &all))
	}
	for _, in := range all {
		if in.Asked.After(a.oldest) {
			a.by[in.URL] = in
		}
	}
	return a, err
}

// add keeps an answer. What failed is no answer: it is asked again.
func (a *archive) add(in audit.Inspection) error {
	if in.Failure != "" {
		return nil
	}
	a.by[in.URL] = in
	if a.unkept++; a.unkept < archiveEvery {
		return nil
	}
	return a.keep()
}

// keep writes the answers.
func (a *archive) keep() error {
	if a.unkept == 0 {
		return nil
	}
	others, err := openArchive(a.store, a.property, time.Time{})
	if err != nil {
		return err
	}
	for url, in := range others.by { // what another process got meanwhile
		if had, ok := a.by[url]; (!ok || had.Asked.Before(in.Asked)) && in.Asked.After(a.oldest) {
			a.by[url] = in
		}
	}
	all := make([]audit.Inspection, 0, len(a.by))
	for _, in := range a.by {
		all = append(all, in)
	}
	slices.SortFunc(all, func(a, b audit.Inspection) int { return strings.Compare(a.URL, b.URL) })
	text, err := json.Marshal(all)
	if err == nil {
		err = noted(a.store, answeredNote+a.property, text)
	}
	a.unkept = 0
	return err
}
