package audit

import (
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

type blank struct{}

func (blank) Hop(Request) (Hop, bool) { return Hop{}, false }
func (blank) Err() error              { return nil }

// A walk on several cores yields each row once, in the order of the entries, up
// to an error or to where nobody wants more, and leaves nobody at work.
func TestWalk(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	broken := errors.New("broken")
	for name, c := range map[string]struct{ entries, breaks, enough int }{
		"none": {0, -1, -1}, "one": {1, -1, -1}, "a block": {blockEntries, -1, -1}, "many": {25*blockEntries + 7, -1, -1},
		"whole blocks": {12 * blockEntries, -1, -1}, "broken at once": {5000, 0, -1}, "broken": {5000, 3210, -1},
		"broken after a block": {5000, 7 * blockEntries, -1}, "enough at once": {5000, -1, 0}, "enough": {5000, -1, 1234},
	} {
		t.Run(name, func(t *testing.T) {
			ev := &Plan{mem: NewAnswerCache(blank{}, walkHops), mems: sync.Pool{New: func() any { return NewAnswerCache(blank{}, walkHops) }}}
			working := atomic.Int32{}
			judge := func(row *Row, _ Answers, e Entry) {
				working.Add(1)
				defer working.Add(-1)
				*row = Row{Entry: e, Status: 3 * e.N}
			}
			got, err := 0, error(nil)
			for row, e := range ev.walk(upTo(c.entries, c.breaks, broken), judge) {
				if err = e; err != nil {
					break
				}
				if row.Entry.N != got || row.Status != 3*got {
					t.Fatalf("row %d is %d with %d", got, row.Entry.N, row.Status)
				}
				if got == c.enough {
					break
				}
				got++
			}
			want, wantErr := c.entries, error(nil)
			switch {
			case c.breaks >= 0:
				want, wantErr = c.breaks, broken
			case c.enough >= 0:
				want = c.enough
			}
			if got != want || !errors.Is(err, wantErr) {
				t.Errorf("%d rows, %v; want %d, %v", got, err, want, wantErr)
			}
			if n := working.Load(); n != 0 {
				t.Errorf("%d still judge", n)
			}
		})
	}
}

// upTo yields n entries, with an error in place of entry breaks.
func upTo(n, breaks int, broken error) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := range n {
			if i == breaks {
				yield(Entry{}, broken)
				return
			}
			if !yield(Entry{N: i}, nil) {
				return
			}
		}
	}
}

// failing is a memory that cannot be read any more once it has failed.
type failing struct {
	blank
	failed atomic.Bool
}

var errFailed = errors.New("cannot be read")

func (f *failing) Err() error {
	if f.failed.Load() {
		return errFailed
	}
	return nil
}

// No row is handed on that was judged with a memory that could not be read, on one
// core or on several.
func TestWalkOfAFailingMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, entries := range []int{150, 5000} {
		mem := &failing{}
		ev := &Plan{mem: NewAnswerCache(mem, walkHops), mems: sync.Pool{New: func() any { return NewAnswerCache(mem, walkHops) }}}
		judge := func(row *Row, _ Answers, e Entry) {
			if e.N == entries-100 {
				mem.failed.Store(true)
			}
			*row = Row{Entry: e}
		}
		last, err := 0, error(nil)
		for row, e := range ev.walk(upTo(entries, -1, nil), judge) {
			if err = e; err != nil {
				break
			}
			last = row.Entry.N
		}
		if !errors.Is(err, errFailed) || last >= entries-100 {
			t.Errorf("of %d entries the last row is %d, %v", entries, last, err)
		}
	}
}

// A panic in who judges, or in who hands out the entries, ends the walk with an error,
// on one core or on several.
func TestWalkOfAPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const entries = 5000
	ev := &Plan{mems: sync.Pool{New: func() any { return NewAnswerCache(blank{}, walkHops) }}}
	stumble := func(n int) {
		if n == 3000 {
			panic("lost the thread")
		}
	}
	judging := func(row *Row, _ Answers, e Entry) { stumble(e.N); *row = Row{Entry: e} }
	reading := func(yield func(Entry, error) bool) {
		for i := range entries {
			if stumble(i); !yield(Entry{N: i}, nil) {
				return
			}
		}
	}
	for name, walk := range map[string]iter.Seq2[*Row, error]{
		"judging": ev.walk(upTo(entries, -1, nil), judging),
		"reading": ev.walk(reading, func(row *Row, _ Answers, e Entry) { *row = Row{Entry: e} }),
	} {
		last, err := 0, error(nil)
		for row, e := range walk {
			if err = e; err == nil {
				last = row.Entry.N
			}
		}
		if !errors.Is(err, ErrOurs) || last >= 3000 {
			t.Errorf("%s: the last row is %d, %v", name, last, err)
		}
	}
}
