// Package cost holds whatever reads foreign input to one law: what it takes of
// memory and time is bounded by what it is fed. Twice the input may take three
// times as much, no more; nothing may be bought with a few bytes.
//
// Memory is a test: the bytes that are allocated are counted, and they are the
// same on every machine. Time is a benchmark, for no machine measures it exactly.
package cost

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Shape is a kind of input that was thought up to be expensive.
type Shape struct {
	Name string
	Make func(size int) []byte // of about size bytes
	// Much is how many bytes are fed at most, 0 for 2 MiB: more than the windows
	// have through which files are read.
	Much int
}

func (s *Shape) much() int {
	if s.Much > 0 {
		return s.Much
	}
	return much
}

// Repeat returns a shape of one text again and again, between two others.
func Repeat(name, first, again, last string) Shape {
	return Shape{Name: name, Make: func(size int) []byte {
		return []byte(first + strings.Repeat(again, max(1, size/len(again))) + last)
	}}
}

// Count is Repeat where each # in again is the number of the repetition, so that no two
// are the same.
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

	maxTries = 30 // of a machine that does other things, too
	noise    = 4 * time.Millisecond
	quick    = 25 * time.Nanosecond // a byte: there, what counts is whether a cache holds the input
)

// Test feeds shapes to read and holds what it allocates to the law. perByte is how
// many bytes it may allocate for each that it is fed.
func Test(t *testing.T, perByte int, read func(t testing.TB, data []byte), shapes ...Shape) {
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			once, twice := s.Make(small), s.Make(2*small)
			read(t, once) // pools and tables are filled
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

// allocated returns how many bytes reading allocates, freed or not.
func allocated(t testing.TB, read func(testing.TB, []byte), data []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(t, data)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Benchmark holds the time that read takes for shapes to the law, and to perByte
// for each byte that it is fed. It looks at sizes below and above those of the
// windows through which files are read: what is quadratic in a window's size is
// linear beyond it, and no less slow. A machine that does other things, too, is
// given more tries.
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

// within measures two inputs, one twice as long as the other.
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

// took returns how long reading takes. Nothing is collected meanwhile: the first collection
// comes at some size of the heap, and what is just beyond that size takes many times as long
// as what is just below it.
func took(b *testing.B, read func(testing.TB, []byte), data []byte) time.Duration {
	runtime.GC() // of what the run before left
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	start := time.Now()
	read(b, data)
	return time.Since(start)
}
