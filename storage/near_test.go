package storage

import (
	"path/filepath"
	"testing"
)

// Answers are the same whether they are looked up in order, so that stretches of them are cached,
// or not; and the latest counts, whatever was cached.
func TestHopsInAnyOrder(t *testing.T) {
	const n = 40 * stretchRecords
	_, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	for i := range n {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, a.Flush())
	look := func(i, status int) {
		t.Helper()
		want := usualHop(i)
		if status != 0 {
			want.Status = status
		}
		got, ok := a.Hop(want.Request)
		if !ok {
			t.Fatalf("hop %d is gone", i)
		}
		same(t, "hop", got, want)
	}
	for i := range n {
		look(i, 0)
	}
	if a.near.record(stretchRecords+1) == nil {
		t.Error("no stretch is at hand after a walk")
	}
	for i := range n {
		look(i*613%n, 0)
	}
	for i := 0; i < n; i += 3 {
		h := usualHop(i)
		h.Status = 410
		mustDo(t, a.Keep(h))
	}
	for flushed := range 2 {
		for i := range n {
			look(i, []int{410, 0, 0}[i%3])
		}
		if flushed == 0 {
			mustDo(t, a.Flush())
		}
	}
}
