package audit

import (
	"context"
	"iter"

	"sitemend/crawler/ground"
	"sitemend/crawler/internal/sketch"
	"sync"
)

// EntriesIn yields the entries from <= N < to in a set; all where in is nil. It reads over others between
// them where that takes less than to begin anew behind these.
func EntriesIn(ctx context.Context, src Source, from, to int, in *sketch.Set) iter.Seq2[Entry, error] {
	if in == nil {
		return src.Entries(ctx, from, to)
	}
	return func(yield func(Entry, error) bool) {
		for from, to := range in.Clusters(from, to, 12) {
			for e, err := range src.Entries(ctx, from, to) {
				if (err != nil || in.Has(e.N)) && !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// A judger makes a row of an entry from a memory, in place of what row held. Several goroutines call it at
// once.
type judger func(row *Row, mem *AnswerCache, e Entry)

const segmentRows = 128

// A segment is rows of consecutive entries, and what ended them early.
type segment struct {
	rows [segmentRows]Row
	n    int
	err  error
}

// rows yields the rows of the entries of lists in their order, as judge makes them: of all entries, or of
// those in a set. They are judged by other goroutines, two segments ahead. A row is the caller's until the
// next. The first error of the entries, or of the memory, ends it.
func (t *Plan) rows(ctx context.Context, lists []Sitemap, in *sketch.Set, judge judger) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var judging sync.WaitGroup
		defer judging.Wait()
		defer cancel()
		var ahead []chan *segment
		first := func() (on bool) { // yields the first of these
			s := <-ahead[0]
			ahead = ahead[1:]
			for i := range s.rows[:s.n] {
				if !yield(&s.rows[i], nil) {
					return false
				}
			}
			if s.err != nil {
				yield(nil, s.err)
				return false
			}
			t.segments.Put(s)
			return true
		}
		for _, list := range lists {
			for from, end := list.First, list.First+list.Entries; from < end; from += segmentRows {
				to, next := min(from+segmentRows, end), make(chan *segment, 1)
				judging.Go(func() { next <- t.segment(inner, from, to, in, judge) })
				if ahead = append(ahead, next); len(ahead) > 2 && !first() {
					return
				}
			}
		}
		for len(ahead) > 0 && first() {
		}
	}
}

// segment judges the entries from <= N < to.
func (t *Plan) segment(ctx context.Context, from, to int, in *sketch.Set, judge judger) *segment {
	s, mem := t.segments.Get().(*segment), t.mems.Get().(*AnswerCache)
	defer t.mems.Put(mem)
	s.n = 0
	s.err = ground.Guard(func() error {
		for e, err := range EntriesIn(ctx, t.src, from, to, in) {
			if err == nil {
				judge(&s.rows[s.n], mem, e)
				err = mem.Err()
			}
			if err != nil {
				return err
			}
			s.n++
		}
		return nil
	})
	return s
}

// rowsAs yields what as makes of each row.
func rowsAs[T any](rows iter.Seq2[*Row, error], as func(*Row) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			var out T
			if err == nil {
				out = as(row)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}
