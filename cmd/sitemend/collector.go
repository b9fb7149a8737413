package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// leastHeap is the size of the heap in bytes below which the garbage collector does not run.
// Evaluating an audit of 50,000 entries takes more anyway, so this costs no memory at the peak.
const leastHeap = 24 << 20

// collectLess avoids collections of a small heap. An audit that sends requests has some 5 MB alive
// however many entries there are, and makes as much garbage in a few hundred requests: by its
// default rule, which lets a heap grow by as much as is alive, the runtime would collect forty
// times a second. A heap above leastHeap follows that rule, and so does any heap where GOGC is set
// in the environment.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(leastPercent(4 << 20)) // 4 MB is the runtime's own least heap
	afterEachCollection(func() { debug.SetGCPercent(leastPercent(alive())) })
}

// usualPercent is the GOGC of a heap above leastHeap: less than the usual 100 keeps an audit of 50,000
// entries below 75 MB, and costs a hundredth of its CPU.
var usualPercent atomic.Int64

func init() { usualPercent.Store(80) }

// collectTightly lets the heap grow by 15 % of what is alive and no more, for a command
// that holds much for as long as it runs and makes little garbage: a map of a million rules
// takes 195 MB for it in place of 240, and a fifth more of CPU.
func collectTightly() {
	if os.Getenv("GOGC") == "" {
		usualPercent.Store(15)
		debug.SetGCPercent(leastPercent(alive()))
	}
}

// leastPercent returns the GOGC with which a heap with that many live bytes grows to leastHeap, at
// least usualPercent.
func leastPercent(alive uint64) int {
	alive = max(alive, 1<<20)
	if usual := int(usualPercent.Load()); alive*uint64(100+usual)/100 >= leastHeap {
		return usual
	}
	return int((leastHeap - alive) * 100 / alive)
}

// alive returns how many bytes were live after the last collection.
func alive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 { // a runtime without that
		return leastHeap
	}
	return sample[0].Value.Uint64()
}

// afterEachCollection calls do soon after each garbage collection, which it detects by an
// unreachable object.
func afterEachCollection(do func()) {
	nobodys := new(*byte) // what holds a pointer shares its place with nothing
	runtime.AddCleanup(nobodys, func(struct{}) {
		do()
		afterEachCollection(do)
	}, struct{}{})
}

// logsMemory is the memory of the runtime for reading logs of any size, in bytes: with the program
// itself that is less than 64 MB.
const logsMemory = 26 << 20

// collectWithin makes the garbage collector keep the program within that many bytes where possible,
// until the returned function is called.
func collectWithin(bytes int64) (done func()) {
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}
