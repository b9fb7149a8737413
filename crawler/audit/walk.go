package audit

import (
	"iter"
	"runtime"
	"sync"
)

// Entries are judged by the block: a few blocks at once, each by a goroutine.
const (
	blockEntries = 64
	blockBytes   = 2 << 20 // of text in the rows of a block
	maxJudges    = 8
)

// A judger makes a row of an entry from a memory, in place of what row held.
type judger func(row *Row, mem Answers, e Entry)

// A judged block is the rows of some entries; err ends them. Where their text would be
// more than blockBytes only the first are judged at once, and the others one by one when
// they are wanted.
type block struct {
	entries []Entry
	rows    []Row
	judged  int
	err     error
	done    chan struct{}
}

// walk yields the rows of n entries in their order, made by judge on all cores. It holds some
// hundred rows, and of long ones as many as blockBytes of a block allow. A row is the caller's
// until the next. An error of the entries comes after the rows before it, one of the memory in
// place of the rows that are judged with it; both end the walk.
func (t *evaluation) walk(entries iter.Seq2[Entry, error], n int, judge judger) iter.Seq2[*Row, error] {
	judges := min(runtime.GOMAXPROCS(0), maxJudges, n/blockEntries)
	if judges < 2 {
		return t.walkAlone(entries, judge)
	}
	return func(yield func(*Row, error) bool) {
		w := walking{stop: make(chan struct{})}
		blocks := judges + 2
		w.free, w.todo, w.order = make(chan *block, blocks), make(chan *block, blocks), make(chan *block, blocks)
		for range blocks {
			w.free <- &block{done: make(chan struct{}, 1)}
		}
		defer w.all.Wait()
		defer close(w.stop)
		w.all.Go(func() { w.read(entries) })
		for range judges {
			w.all.Go(func() {
				mem := t.mems.Get().(*AnswerCache)
				defer t.mems.Put(mem)
				w.judge(mem, judge)
			})
		}
		mem := t.mems.Get().(*AnswerCache)
		defer t.mems.Put(mem)
		w.yield(yield, mem, judge)
	}
}

// walkAlone is walk in the caller's goroutine.
func (t *evaluation) walkAlone(entries iter.Seq2[Entry, error], judge judger) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		mem := t.mems.Get().(*AnswerCache)
		defer t.mems.Put(mem)
		var row Row
		for e, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			judge(&row, mem, e)
			if err := mem.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// walking is a walk on several cores. A block goes from free over todo, where a
// judge takes it, and order, where it keeps its place, back to free; each channel
// has room for all.
type walking struct {
	free, todo, order chan *block
	stop              chan struct{} // closed where no more rows are wanted
	all               sync.WaitGroup
}

// read fills blocks with entries.
func (w *walking) read(entries iter.Seq2[Entry, error]) {
	defer close(w.todo)
	defer close(w.order)
	var b *block
	give := func() {
		w.order <- b
		w.todo <- b
		b = nil
	}
	for e, err := range guardedEntries(entries) {
		if b == nil {
			select {
			case b = <-w.free:
				b.entries, b.err = b.entries[:0], nil
			case <-w.stop:
				return
			}
		}
		if err != nil {
			b.err = err
			break
		}
		if b.entries = append(b.entries, e); len(b.entries) == blockEntries {
			give()
		}
	}
	if b != nil {
		give()
	}
}

// guardedEntries yields entries, and a panic of their source as an error.
func guardedEntries(entries iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := Guard(func() error {
			entries(yield)
			return nil
		})
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// judge makes rows of the entries of blocks. Those of a block of which an answer
// could not be read are not to be seen.
func (w *walking) judge(mem Answers, judge judger) {
	for b := range w.todo {
		if b.rows == nil {
			b.rows = make([]Row, blockEntries)
		}
		b.judged = 0
		err := Guard(func() error {
			for size := 0; b.judged < len(b.entries) && size < blockBytes; b.judged++ {
				row := &b.rows[b.judged]
				judge(row, mem, b.entries[b.judged])
				size += row.Size()
			}
			return mem.Err()
		})
		if err != nil {
			b.entries, b.err = nil, err
		}
		b.done <- struct{}{}
	}
}

// yield hands the rows on in the order of their entries.
func (w *walking) yield(yield func(*Row, error) bool, mem Answers, judge judger) {
	for b := range w.order {
		<-b.done
		for i := range b.entries {
			row := &b.rows[min(i, max(0, b.judged-1))]
			if i >= b.judged {
				err := Guard(func() error {
					judge(row, mem, b.entries[i])
					return mem.Err()
				})
				if err != nil {
					yield(nil, err)
					return
				}
			}
			if !yield(row, nil) {
				return
			}
		}
		if b.err != nil {
			yield(nil, b.err)
			return
		}
		if b.judged < len(b.entries) {
			b.rows = nil // what is in them is not kept for shorter ones
		}
		w.free <- b
	}
}
