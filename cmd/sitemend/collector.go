package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// leastHeap is the size of the heap in bytes below which no garbage is collected. It
// is less than what evaluating an audit of 50,000 entries takes anyway, so that it
// costs no memory at the peak.
const leastHeap = 24 << 20

// collectLess spares the collections of a small heap. An audit that asks has some 5 MB
// alive however many entries there are, and makes as much garbage in a few hundred
// requests: by its usual rule, which lets a heap grow by as much as is alive, the
// runtime would collect forty times a second. A heap of more than leastHeap is
// collected by that rule, and so is any where GOGC is set in the environment.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(leastPercent(4 << 20)) // 4 MB is the runtime's own least heap
	afterEachCollection(func() { debug.SetGCPercent(leastPercent(alive())) })
}

// usualPercent is by how much a larger heap grows before it is collected.
var usualPercent atomic.Int64

func init() { usualPercent.Store(100) }

// collectTightly lets the heap grow by 15 % of what is alive and no more, for a command
// that holds much for as long as it runs and makes little garbage: a map of a million rules
// takes 195 MB for it in place of 240, and a fifth more of CPU.
func collectTightly() {
	if os.Getenv("GOGC") == "" {
		usualPercent.Store(15)
		debug.SetGCPercent(leastPercent(alive()))
	}
}

// leastPercent is the GOGC with which a heap of which so many bytes are alive grows
// to leastHeap, and not less than usualPercent.
func leastPercent(alive uint64) int {
	alive = max(alive, 1<<20)
	if usual := int(usualPercent.Load()); alive*uint64(100+usual)/100 >= leastHeap {
		return usual
	}
	return int((leastHeap - alive) * 100 / alive)
}

// alive is how many bytes the last collection left.
func alive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 { // a runtime without that
		return leastHeap
	}
	return sample[0].Value.Uint64()
}

// afterEachCollection calls do soon after each collection of garbage: that finds an
// object that nobody holds.
func afterEachCollection(do func()) {
	nobodys := new(*byte) // what holds a pointer shares its place with nothing
	runtime.AddCleanup(nobodys, func(struct{}) {
		do()
		afterEachCollection(do)
	}, struct{}{})
}

// logsMemory is what reading logs may take of the runtime, however large they are: with
// the program itself in memory that is less than 64 MB.
const logsMemory = 26 << 20

// collectWithin has garbage collected so often that the program stays within so many bytes
// where it can, until the function that it returns is called.
func collectWithin(bytes int64) (done func()) {
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}
