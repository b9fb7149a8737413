package audit

import (
	"iter"
	"runtime"
	"sync"
)

// Entries are judged by the block: a few blocks at once, each by a goroutine. A row may have a hundred
// thousand bytes of text, so that a block is small.
const (
	blockEntries = 16
	maxJudges    = 8
)

// A judger makes a row of an entry from a memory, in place of what row held.
type judger func(row *Row, mem Answers, e Entry)

// A block is the rows of some entries; err ends them.
type block struct {
	entries []Entry
	rows    [blockEntries]Row
	err     error
	judged  chan struct{}
}

// walk yields the rows of n entries in their order, made by judge on all cores. It holds some
// hundred rows. A row is the caller's until the next. An error of the entries comes after the rows
// before it, one of the memory in place of the rows that are judged with it; both end the walk.
func (t *evaluation) walk(entries iter.Seq2[Entry, error], n int, judge judger) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		judges := max(1, min(runtime.GOMAXPROCS(0), maxJudges, n/blockEntries))
		blocks := judges + 2
		w := walking{free: make(chan *block, blocks), todo: make(chan *block, blocks), order: make(chan *block, blocks), stop: make(chan struct{})}
		for range blocks {
			w.free <- &block{judged: make(chan struct{}, 1)}
		}
		var all sync.WaitGroup
		defer all.Wait()
		defer close(w.stop)
		all.Go(func() { w.read(entries) })
		for range judges {
			all.Go(func() {
				mem := t.mems.Get().(*AnswerCache)
				defer t.mems.Put(mem)
				for b := range w.todo {
					b.judge(mem, judge)
				}
			})
		}
		for b := range w.order {
			<-b.judged
			for i := range b.entries {
				if !yield(&b.rows[i], nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
			w.free <- b
		}
	}
}

// walking is a walk. A block goes from free over todo, where a judge takes it, and order, where it
// keeps its place, back to free; each channel has room for all.
type walking struct {
	free, todo, order chan *block
	stop              chan struct{} // closed where no more rows are wanted
}

// read fills blocks with entries.
func (w *walking) read(entries iter.Seq2[Entry, error]) {
	defer close(w.todo)
	defer close(w.order)
	var b *block
	give := func() {
		if b != nil {
			w.order <- b
			w.todo <- b
		}
		b = nil
	}
	take := func() bool {
		select {
		case b = <-w.free:
			b.entries, b.err = b.entries[:0], nil
			return true
		case <-w.stop:
			return false
		}
	}
	err := Guard(func() error {
		for e, err := range entries {
			if b == nil && !take() {
				return nil
			}
			if err != nil {
				return err
			}
			if b.entries = append(b.entries, e); len(b.entries) == blockEntries {
				give()
			}
		}
		return nil
	})
	if err != nil && (b != nil || take()) {
		b.err = err
	}
	give()
}

// judge makes the rows of a block. Those of one of which an answer could not be read are not to be
// seen.
func (b *block) judge(mem Answers, judge judger) {
	err := Guard(func() error {
		for i := range b.entries {
			judge(&b.rows[i], mem, b.entries[i])
		}
		return mem.Err()
	})
	if err != nil {
		b.entries, b.err = nil, err
	}
	b.judged <- struct{}{}
}
