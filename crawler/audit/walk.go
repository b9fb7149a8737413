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

// walk yields the rows of entries in their order, made by judge on all cores. It holds some
// hundred rows. A row is the caller's until the next. An error of the entries comes after the rows
// before it, one of the memory in place of the rows that are judged with it; both end the walk.
func (t *Plan) walk(entries iter.Seq2[Entry, error], judge judger) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		order, stop := make(chan *block, min(runtime.GOMAXPROCS(0), maxJudges)), make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(stop) // no more rows are wanted
		all.Go(func() {
			defer close(order)
			b, wanted := t.block(), true
			give := func(err error) bool {
				full := b
				full.err, b = err, t.block()
				all.Go(func() { t.judgeAll(full, judge) })
				select {
				case order <- full:
				case <-stop:
					wanted = false
				}
				return wanted
			}
			err := Guard(func() error {
				for e, err := range entries {
					if err != nil {
						return err
					}
					if b.entries = append(b.entries, e); len(b.entries) == blockEntries && !give(nil) {
						break
					}
				}
				return nil
			})
			if wanted {
				give(err)
			}
		})
		for b := range order {
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
			t.blocks.Put(b)
		}
	}
}

// block returns a block without entries. Its rows have the room of those that were in it.
func (t *Plan) block() *block {
	b, ok := t.blocks.Get().(*block)
	if !ok {
		b = &block{judged: make(chan struct{}, 1)}
	}
	b.entries, b.err = b.entries[:0], nil
	return b
}

// judgeAll makes the rows of a block. Those of one of which an answer could not be read are not to be
// seen.
func (t *Plan) judgeAll(b *block, judge judger) {
	mem := t.mems.Get().(*AnswerCache)
	defer t.mems.Put(mem)
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
