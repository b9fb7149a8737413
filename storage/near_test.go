package storage

import (
	"path/filepath"
	"testing"
)

// Answers are the same whether they are looked up in order or not, and the latest counts.
func TestHopsInAnyOrder(t *testing.T) {
	const n = 1280
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
