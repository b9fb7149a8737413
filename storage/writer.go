package storage

import "encoding/binary"

// A writer writes records as the library would: CBOR maps whose keys are small
// numbers, whose values are integers and byte strings, zero values left out. It
// takes a fifth of the time of reflection.
type writer struct {
	data  []byte
	pairs int
}

// maxPairs is how many pairs have a head of one byte.
const maxPairs = 23

// newWriter begins a record that is likely to have no more than size bytes.
func newWriter(size int) writer {
	return writer{data: append(make([]byte, 0, size), majorMap<<5)}
}

// done returns the record; false where it has too many pairs.
func (w *writer) done() ([]byte, bool) {
	if w.pairs > maxPairs {
		return nil, false
	}
	w.data[0] |= byte(w.pairs)
	return w.data, true
}

// text writes a pair, unless its value is empty.
func (w *writer) text(key byte, value string) {
	if value == "" {
		return
	}
	w.key(key)
	w.head(majorBytes, uint64(len(value)))
	w.data = append(w.data, value...)
}

// int writes a pair, unless its value is 0.
func (w *writer) int(key byte, value int64) {
	if value == 0 {
		return
	}
	w.key(key)
	if value < 0 {
		w.head(majorInt, uint64(-1-value))
		return
	}
	w.head(majorUint, uint64(value))
}

func (w *writer) key(key byte) {
	w.pairs++
	w.head(majorUint, uint64(key))
}

// head writes a major type with its number, as short as can be (RFC 8949, section
// 4.2.1).
func (w *writer) head(major byte, n uint64) {
	major <<= 5
	switch {
	case n < 24:
		w.data = append(w.data, major|byte(n))
	case n < 1<<8:
		w.data = append(w.data, major|24, byte(n))
	case n < 1<<16:
		w.data = binary.BigEndian.AppendUint16(append(w.data, major|25), uint16(n))
	case n < 1<<32:
		w.data = binary.BigEndian.AppendUint32(append(w.data, major|26), uint32(n))
	default:
		w.data = binary.BigEndian.AppendUint64(append(w.data, major|27), n)
	}
}
