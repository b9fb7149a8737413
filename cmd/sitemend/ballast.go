package main

import "runtime"

// ballast is how much memory the garbage collector is made to believe in while an
// audit asks.
const ballast = 12 << 20

// ballasted runs fn with fewer garbage collections. Asking keeps some megabytes
// and throws away a hundred times as much; the collector, which starts when the
// heap has doubled, would come every few milliseconds. Memory that nobody touches
// takes no room, but counts: with it the heap grows by as much more between two
// collections, whatever the size of the audit, where a higher GOGC would multiply
// what a large one takes. Telling, which needs more at its peak, goes without.
func ballasted(fn func() error) error {
	b := make([]byte, ballast)
	defer runtime.KeepAlive(b)
	return fn()
}
