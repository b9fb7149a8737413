// Package cost tests one law for all code that reads foreign input: the memory and time that it
// takes are bounded by the size of the input. Twice the input may take three times as much, no
// more; no small input may be expensive.
//
// Memory is a test: the allocated bytes are counted, and are the same on every machine. Time is a
// benchmark, because no machine measures it exactly. It is CPU time: what else the machine does
// takes none of it.
package cost

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Shape is a kind of input that is meant to be expensive.
type Shape struct {
	Name string
	Make func(size int) []byte // of about size bytes
	// Much is the most bytes that are fed, 0 for 2 MiB: more than the windows through which files
	// are read.
	Much int
}

func (s *Shape) much() int {
	if s.Much > 0 {
		return s.Much
	}
	return much
}

// Repeat returns a shape that repeats one text between two others.
func Repeat(name, first, again, last string) Shape {
	return Shape{Name: name, Make: func(size int) []byte {
		return []byte(first + strings.Repeat(again, max(1, size/len(again))) + last)
	}}
}

// Count is Repeat with each # in again replaced by the number of the repetition, so that no two are
// the same.
func Count(name, first, again, last string) Shape {
	return Shape{Name: name, Make: func(size int) []byte {
		b := []byte(first)
		for n := 0; n == 0 || len(b) < size; n++ {
			b = append(b, strings.ReplaceAll(again, "#", strconv.Itoa(n))...)
		}
		return append(b, last...)
	}}
}

const (
	small = 64 << 10 // the size of a test's first input
	much  = 2 << 20
	most  = 3       // times as much for twice the input
	slack = 1 << 20 // bytes that any input may cost: buffers, tables

	maxTries = 30 // of a machine that is busy with other work
	noise    = 4 * time.Millisecond
	quick    = 25 * time.Nanosecond // for a byte: below this, caches decide the time
)

// Test feeds shapes to read and checks its allocations against the law. perByte is how many bytes
// read may allocate for each byte of input.
func Test(t *testing.T, perByte int, read func(t testing.TB, data []byte), shapes ...Shape) {
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			once, twice := s.Make(small), s.Make(2*small)
			read(t, once) // fills pools and tables
			a, b := allocated(t, read, once), allocated(t, read, twice)
			if b > most*a+slack {
				t.Errorf("%d bytes take %d of memory, %d take %d", len(once), a, len(twice), b)
			}
			data := s.Make(s.much())
			if got := allocated(t, read, data); got > uint64(perByte)*uint64(len(data))+slack {
				t.Errorf("%d bytes take %d of memory: more than %d for each", len(data), got, perByte)
			}
		})
	}
}

// allocated returns how many bytes read allocates, freed or not.
func allocated(t testing.TB, read func(testing.TB, []byte), data []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(t, data)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Benchmark checks the time that read takes for shapes against the law, and against perByte for
// each byte of input. It uses sizes below and above those of the windows through which files are
// read: code that is quadratic in the size of a window is linear beyond it, and just as slow. A
// machine whose caches are busy gets more tries.
func Benchmark(b *testing.B, perByte time.Duration, read func(t testing.TB, data []byte), shapes ...Shape) {
	for _, s := range shapes {
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				for _, size := range []int{small, s.much() / 2} {
					within(b, perByte, read, s.Make(size), s.Make(2*size))
				}
			}
		})
	}
}

// within compares two inputs, one twice as long as the other.
func within(b *testing.B, perByte time.Duration, read func(testing.TB, []byte), once, twice []byte) {
	short, long := time.Duration(1<<63-1), time.Duration(1<<63-1)
	for tries := range maxTries {
		short, long = min(short, took(b, read, once)), min(long, took(b, read, twice))
		fine := long <= max(most*short+noise, quick*time.Duration(len(twice))) && long <= perByte*time.Duration(len(twice))
		if fine && tries > 1 {
			break
		}
		if !fine && tries == maxTries-1 {
			b.Errorf("%d bytes take %s, %d take %s: more than %d times as much, or than %s for each", len(once), short, len(twice), long, most, perByte)
		}
	}
	b.ReportMetric(float64(long.Nanoseconds())/float64(len(twice)), "ns/B")
	b.ReportMetric(float64(long)/float64(short), "x/twice")
}

// took returns how much CPU time read takes. The garbage collector does not run meanwhile: its first run
// happens at some size of the heap, and an input just beyond that size takes many times as long as
// one just below it.
func took(b *testing.B, read func(testing.TB, []byte), data []byte) time.Duration {
	runtime.GC() // removes the garbage of the run before
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	start := cpu()
	read(b, data)
	return cpu() - start
}

// Rate reports how much data read reads in a second of CPU time, and how many times as long it takes
// as finding every mark in it, which any machine does as fast as it reads memory.
func Rate(b *testing.B, data []byte, mark byte, read func() error) {
	b.SetBytes(int64(len(data)))
	var find, took time.Duration
	for b.Loop() {
		start := cpu()
		for at, rest := 0, data; at >= 0; rest = rest[at+1:] {
			at = bytes.IndexByte(rest, mark)
		}
		found := cpu()
		if err := read(); err != nil {
			b.Fatal(err)
		}
		find, took = find+found-start, took+cpu()-found
	}
	b.ReportMetric(float64(b.N*len(data))/1e6/took.Seconds(), "MB/cpu-s")
	b.ReportMetric(float64(took)/float64(find), "x-marks")
}
