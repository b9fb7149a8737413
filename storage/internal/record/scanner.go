package record

import "math"

// A scanner decodes records in the form that this package writes: CBOR maps whose keys are small
// numbers in rising order, and whose values are integers, byte strings, booleans and floats. It
// takes a tenth of the time of the library. Anything else makes it bad, and then the library has to
// decode the record.
type scanner struct {
	data []byte
	all  []byte // the whole record
	made string // all as a string, once a text of it was needed
	left int    // pairs
	key  byte   // of the current pair
	bad  bool
}

// The major types of CBOR (RFC 8949, section 3.1).
const (
	majorUint  = 0
	majorInt   = 1
	majorBytes = 2
	majorMap   = 5
	majorOther = 7
)

func scan(data []byte) scanner {
	s := scanner{data: data, all: data}
	s.left = int(s.head(majorMap))
	s.bad = s.bad || s.left > 23
	return s
}

// next moves to the next pair; it returns false at the end.
func (s *scanner) next() bool {
	if s.bad || s.left == 0 {
		s.bad = s.bad || len(s.data) > 0
		return false
	}
	s.left--
	before := s.key
	key := s.head(majorUint)
	s.key = byte(min(key, math.MaxUint8))
	s.bad = s.bad || s.key <= before || key > math.MaxUint8
	return !s.bad
}

// head decodes the head of a value, which must be of this major type.
func (s *scanner) head(major byte) uint64 {
	if s.bad || len(s.data) == 0 || s.data[0]>>5 != major {
		s.bad = true
		return 0
	}
	n := uint64(s.data[0] & 31)
	s.data = s.data[1:]
	if n < 24 {
		return n
	}
	size := 1 << (n - 24)
	if n > 27 || len(s.data) < size {
		s.bad = true
		return 0
	}
	n = 0
	for _, b := range s.data[:size] {
		n = n<<8 | uint64(b)
	}
	s.data = s.data[size:]
	return n
}

// uint decodes a number from 0 to most.
func (s *scanner) uint(most uint64) uint64 {
	n := s.head(majorUint)
	s.bad = s.bad || n > most
	return n
}

func (s *scanner) int() int64 {
	if len(s.data) > 0 && s.data[0]>>5 == majorInt {
		n := s.head(majorInt)
		s.bad = s.bad || n > math.MaxInt64
		return -1 - int64(n)
	}
	return int64(s.uint(math.MaxInt64))
}

// bytes decodes a byte string; the result is a part of the record.
func (s *scanner) bytes() []byte {
	n := s.head(majorBytes)
	if s.bad || n > uint64(len(s.data)) {
		s.bad = true
		return nil
	}
	b := s.data[:n]
	s.data = s.data[n:]
	return b
}

// text decodes a byte string. The texts of a record share one string.
func (s *scanner) text() string {
	b := s.bytes()
	if len(b) == 0 {
		return ""
	}
	if s.made == "" {
		s.made = string(s.all)
	}
	end := len(s.all) - len(s.data)
	return s.made[end-len(b) : end]
}

// textOr is text for a value that is probably like: if so, it returns like.
func (s *scanner) textOr(like string) string {
	before := *s
	if b := s.bytes(); string(b) == like {
		return like
	}
	*s = before
	return s.text()
}

func (s *scanner) bool() bool {
	if len(s.data) == 0 || s.data[0]&^1 != majorOther<<5|20 {
		s.bad = true
		return false
	}
	is := s.data[0]&1 == 1
	s.data = s.data[1:]
	return is
}

// float decodes a float of four or eight bytes; the rare ones of two are left to the library.
func (s *scanner) float() float64 {
	if len(s.data) == 0 {
		s.bad = true
		return 0
	}
	switch s.data[0] & 31 {
	case 26:
		return float64(math.Float32frombits(uint32(s.head(majorOther))))
	case 27:
		return math.Float64frombits(s.head(majorOther))
	}
	s.bad = true
	return 0
}
