package cost

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// Peak checks that read never has more than most bytes in memory at once, garbage included. It is
// for input that is small as received and huge when decoded: compressed files.
func Peak(t *testing.T, most uint64, read func()) {
	t.Helper()
	runtime.GC()
	before := inUse()
	done, highest := make(chan struct{}), before
	go func() {
		defer close(done)
		read()
	}()
	tick := time.Tick(time.Millisecond)
	for running := true; running; highest = max(highest, inUse()) {
		select {
		case <-done:
			running = false
		case <-tick:
		}
	}
	if highest > before+most {
		t.Errorf("%d MB are in memory at once, want no more than %d", (highest-before)>>20, most>>20)
	}
}

// inUse returns the number of bytes that heap objects take, dead ones included.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
