package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastHeap is the size of the heap in bytes below which the garbage collector does not run.
// Evaluating an audit of 50,000 entries takes more anyway, so this costs no memory at the peak.
const leastHeap = 16 << 20

// collectLess avoids collections of a small heap. An audit that sends requests has some 5 MB alive
// however many entries there are, and makes as much garbage in a few hundred requests: by its
// default rule, which lets a heap grow by as much as is alive, the runtime would collect forty
// times a second. A heap above leastHeap follows that rule, and so does any heap where GOGC is set
// in the environment.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(leastPercent(live[0].Value.Uint64()))
	nobodys := new(*byte)                                                     // what holds a pointer shares its place with nothing
	runtime.AddCleanup(nobodys, func(struct{}) { collectLess() }, struct{}{}) // soon after the next collection
}

// usualPercent is the GOGC of a larger heap: less than the usual 100 takes a quarter less memory, and costs
// some hundredths of the CPU.
const usualPercent = 50

// leastPercent returns the GOGC with which a heap with that many live bytes grows to leastHeap, at
// least usualPercent.
func leastPercent(alive uint64) int {
	alive = max(alive, 6<<20) // a heap that suddenly grows is not to be multiplied by much before this is called again
	return max(usualPercent, (leastHeap-int(alive))*100/int(alive))
}
