package audit_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"sync/atomic"
	"testing"

	"sitemend/crawler/audit"
)

// stopping is a source whose reader loses interest after some entries.
type stopping struct {
	*site
	stop atomic.Pointer[context.CancelFunc] // nil for no end
	read atomic.Int64                       // entries that were yielded since
}

// stopAfter is how many entries are read before the context ends, and enough how many are
// read at most.
const stopAfter, enough = 300, 400

func (s *stopping) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return counted(s, s.site.Entries(ctx, from, to))
}

// counted counts what is yielded, and stops the reader.
func counted[T any](s *stopping, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			if stop := s.stop.Load(); s.read.Add(1) == stopAfter && stop != nil {
				(*stop)()
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Whoever asks for an audit to be judged, compared or walked, and then for no more, is heeded
// at once, with the error of the context.
func TestWalksEndWithTheirContext(t *testing.T) {
	const n = 3000
	s := &stopping{site: &site{web: web{}}}
	add := func(pattern, answer string) (locs []string) {
		locs = many(n, pattern)
		for _, l := range locs {
			for _, line := range []string{l + answer, "browser " + l + answer} {
				maps.Copy(s.web, parseWeb(t, line))
			}
		}
		return locs
	}
	gone := add("http://a.example/gone%d", " 404")
	s.list(map1, append(gone, add("http://a.example/fine%d", " 200")...)...)
	var reported []audit.Entry
	for _, l := range gone {
		reported = append(reported, audit.Entry{Loc: l, Reported: audit.Reported{Is: true}})
	}
	s.report("x.zip", reported...)
	r := rules()
	r.MaxDrop = 1
	named := func(url string) string { return url }
	last, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, named)
	if err != nil {
		t.Fatal(err)
	}
	for name, walk := range map[string]func(context.Context) error{
		"Evaluate": func(ctx context.Context) error {
			_, err := audit.Evaluate(ctx, s, last.Info, named)
			return err
		},
		"Rows":     func(ctx context.Context) error { return lastError(last.Rows(ctx, 0)) },
		"Edits":    func(ctx context.Context) error { return lastError(last.Edits(ctx, 0)) },
		"Reported": func(ctx context.Context) error { return lastError(last.SearchConsole.Rows(ctx)) },
	} {
		t.Run(name, func(t *testing.T) {
			s.read.Store(0)
			if err := walk(t.Context()); err != nil {
				t.Fatal(err)
			}
			if read := s.read.Swap(0); read < 2000 {
				t.Fatalf("it reads no more than %d entries: that proves nothing", read)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			s.stop.Store(&stop)
			err := walk(ctx)
			s.stop.Store(nil)
			if read := s.read.Swap(0); !errors.Is(err, context.Canceled) || read > enough {
				t.Errorf("it ends with %v, after %d entries", err, read)
			}
		})
	}
}

// lastError walks to the end, and returns the error that it ends with.
func lastError[T any](seq iter.Seq2[T, error]) (err error) {
	for _, err = range seq {
	}
	return err
}
