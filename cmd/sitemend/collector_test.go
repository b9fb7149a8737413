package main

import (
	"runtime"
	"testing"
)

// With its percentage a heap grows to leastHeap, or by four fifths of what is alive.
func TestLeastPercent(t *testing.T) {
	for _, alive := range []uint64{1 << 20, 3 << 20, 5 << 20, 11 << 20, 12 << 20, 13 << 20, 160 << 20} {
		grown := alive + alive*uint64(leastPercent(alive))/100
		if want := max(leastHeap, alive*18/10); grown > want || grown < want-want/100 {
			t.Errorf("with %d MB alive it grows to %d bytes, want %d", alive>>20, grown, want)
		}
	}
	if n := leastPercent(0); n < 100 || n > 10_000 {
		t.Errorf("with nothing alive it is %d", n)
	}
}

// The percentage follows each collection, until the program ends.
func TestAfterEachCollection(t *testing.T) {
	seen := make(chan bool)
	over := t.Context()
	afterEachCollection(func() {
		select {
		case seen <- true:
		case <-over.Done():
		}
	})
	for range 3 {
		collectUntil(t, seen)
	}
}

// collectUntil collects garbage until something is seen of it.
func collectUntil(t *testing.T, seen <-chan bool) {
	t.Helper()
	for {
		runtime.GC()
		select {
		case <-seen:
			return
		case <-t.Context().Done():
			t.Fatal("nothing came of collections")
		default:
		}
	}
}
