package report

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
)

// Rows are handed on by the hundred: a channel costs as much as a line of csv. Of long
// ones a batch has fewer.
const (
	batchRows  = 100
	batchBytes = 1 << 20 // of text
	batches    = 4
)

// A batch is rows that all sinks are working on.
type batch struct {
	rows []fileRow
	size int          // bytes of text in them
	left atomic.Int32 // sinks that are not through
}

type fileRow struct {
	file *audit.File
	row  audit.Row
}

// add keeps a row that is lent.
func (b *batch) add(file *audit.File, row *audit.Row) {
	n := len(b.rows)
	b.rows = b.rows[:n+1]
	b.rows[n].file = file
	b.rows[n].row.Keep(row)
	b.size += row.Size()
}

// reset empties b. What its rows referred to is not kept, but the room of their steps.
func (b *batch) reset() {
	for i := range b.rows {
		b.rows[i].row.Keep(&audit.Row{})
	}
	b.rows, b.size = b.rows[:0], 0
}

// each hands every row of result to all sinks in one walk, for a row costs more
// to judge than to write. The walk and the sinks work side by side, a few hundred
// rows apart. It returns the first error of a sink or of the rows, and ctx's once
// that ends; no sink is called after it returned.
func each(ctx context.Context, result *audit.Result, sinks ...sink) error {
	group, ctx := errgroup.WithContext(ctx)
	free, to := make(chan *batch, batches), make([]chan *batch, len(sinks))
	for range batches {
		free <- &batch{rows: make([]fileRow, 0, batchRows)}
	}
	for i, take := range sinks {
		to[i] = make(chan *batch, batches)
		group.Go(func() error { return audit.Guard(func() error { return drain(to[i], take, free) }) })
	}
	group.Go(func() error {
		d := dealing{free: free, to: to}
		defer d.end()
		return audit.Guard(func() error { return d.walk(ctx, result) })
	})
	return group.Wait()
}

// drain hands the rows of batches to a sink, and each batch back after its last
// sink.
func drain(from <-chan *batch, take sink, free chan<- *batch) error {
	for b := range from {
		for i := range b.rows {
			if err := take(b.rows[i].file, &b.rows[i].row); err != nil {
				return err
			}
		}
		if b.left.Add(-1) == 0 {
			free <- b // there is room for all of them
		}
	}
	return nil
}

// dealing is the walk that fills the batches.
type dealing struct {
	free <-chan *batch
	to   []chan *batch
	now  *batch // nil for none
}

// walk deals the rows until ctx ends, which it does with the first error of a sink.
func (d *dealing) walk(ctx context.Context, result *audit.Result) error {
	for i := range result.Files {
		for row, err := range result.Rows(ctx, i) {
			if err != nil {
				return err
			}
			if d.now == nil && !d.next(ctx) {
				return ctx.Err()
			}
			d.now.add(&result.Files[i], row)
			if len(d.now.rows) == batchRows || d.now.size >= batchBytes {
				d.deal()
			}
		}
	}
	if d.now != nil {
		d.deal()
	}
	return nil
}

// next waits for a free batch; false where ctx ends before.
func (d *dealing) next(ctx context.Context) bool {
	select {
	case b := <-d.free:
		b.reset()
		d.now = b
		return true
	case <-ctx.Done():
		return false
	}
}

// deal hands the batch to all sinks.
func (d *dealing) deal() {
	d.now.left.Store(int32(len(d.to)))
	for _, to := range d.to {
		to <- d.now // there is room for all batches
	}
	d.now = nil
}

func (d *dealing) end() {
	for _, to := range d.to {
		close(to)
	}
}
