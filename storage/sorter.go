package storage

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math/bits"
	"os"
	"slices"
)

// sorterBytes is how many bytes a Sorter holds before it writes a run to its file.
const sorterBytes = 8 << 20

// grownBytes is the number of bytes from which on a Sorter allocates all that it may hold.
const grownBytes = 1 << 20

// readingBytes is how many bytes a Sorter holds while it is read, if it has so few runs that each
// gets 4 KB of it.
const readingBytes = 4 << 20

// A Sorter sorts records by key that do not fit in memory: sorted runs go to a temporary file, and
// are merged when they are read. It holds 8 MB while it is filled. While it is read it holds 64 KB
// for each run of 8 MB, but at most 4 MB for up to a thousand runs, and 4 KB each for more. It is
// not safe for concurrent use.
type Sorter struct {
	dir   string
	file  *os.File // nil until the first run
	named bool     // file has a name that must be removed
	size  int64    // of the file
	runs  []run
	data  []byte // key and value of each record
	refs  []ref
}

// run is a part of the file.
type run struct{ from, to int64 }

// ref is the place of a record in data: its key, and its value up to end.
type ref struct{ at, value, end uint32 }

// NewSorter returns an empty Sorter with its file in dir, "" for the system's directory for
// temporary files. Close removes the file.
func NewSorter(dir string) *Sorter { return &Sorter{dir: dir} }

// Add adds a copy of a record. It returns an error of writing the file. It must not be called after
// Records.
func (s *Sorter) Add(key string, value []byte) error { return add(s, key, value) }

// AddText is Add with a string as the value.
func (s *Sorter) AddText(key, value string) error { return add(s, key, value) }

func add[V string | []byte](s *Sorter, key string, value V) error {
	if len(s.data)+len(key)+len(value) > sorterBytes && len(s.refs) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if n := len(key) + len(value); len(s.data)+n > cap(s.data) && cap(s.data) >= grownBytes {
		// Growing it step by step would leave several times its size as garbage.
		s.data = append(make([]byte, 0, max(sorterBytes, len(s.data)+n)), s.data...)
	}
	r := ref{at: uint32(len(s.data))}
	s.data = append(s.data, key...)
	r.value = uint32(len(s.data))
	s.data = append(s.data, value...)
	r.end = uint32(len(s.data))
	s.refs = append(s.refs, r)
	return nil
}

// Records yields the records in order of key, those with the same key in order of value. It may be
// called and ranged over again. What it yields is valid until the next record. An error of reading
// or writing the file ends the sequence.
func (s *Sorter) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := s.spill(); err != nil {
			yield(Record{}, err)
			return
		}
		s.data, s.refs = nil, nil
		merged := &merging{}
		size := max(4<<10, min(64<<10, readingBytes/max(1, len(s.runs))))
		for _, r := range s.runs {
			from := &source{r: bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from),
				size), left: r.to - r.from}
			if err := from.next(); err != nil {
				yield(Record{}, err)
				return
			}
			*merged = append(*merged, from)
		}
		heap.Init(merged)
		for len(*merged) > 0 {
			first := (*merged)[0]
			if !yield(first.record, nil) {
				return
			}
			switch err := first.next(); {
			case errors.Is(err, io.EOF):
				heap.Pop(merged)
			case err != nil:
				yield(Record{}, err)
				return
			default:
				heap.Fix(merged, 0)
			}
		}
	}
}

// Texts yields the records as Records does, as strings, which stay valid.
func (s *Sorter) Texts() iter.Seq2[[2]string, error] {
	return func(yield func([2]string, error) bool) {
		for r, err := range s.Records() {
			key := len(r.Key)
			both := string(r.Key[:key+len(r.Value)]) // the value stands behind the key
			if !yield([2]string{both[:key], both[key:]}, err) || err != nil {
				return
			}
		}
	}
}

// Close removes the file. A second call does nothing.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}

// spill sorts the records in memory and writes them as a run.
func (s *Sorter) spill() error {
	if len(s.refs) == 0 {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "sitemend-sort-*")
		if err != nil {
			return err
		}
		s.file = f
		// Without a name the file disappears with the process, however that ends. Where an open
		// file cannot be removed, Close does it.
		s.named = os.Remove(f.Name()) != nil
	}
	slices.SortFunc(s.refs, s.compare)
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), 256<<10)
	head := make([]byte, 0, 2*binary.MaxVarintLen64)
	from := s.size
	for _, r := range s.refs {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(r.value-r.at)),
			uint64(r.end-r.value))
		_, err1 := w.Write(head)
		_, err2 := w.Write(s.data[r.at:r.end])
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		s.size += int64(len(head)) + int64(r.end-r.at)
	}
	s.runs = append(s.runs, run{from, s.size})
	s.data, s.refs = s.data[:0], s.refs[:0]
	return w.Flush()
}

// compare compares two records. Most keys begin with a hash, which usually decides.
func (s *Sorter) compare(a, b ref) int {
	k, l := s.data[a.at:a.value], s.data[b.at:b.value]
	if len(k) >= 8 && len(l) >= 8 {
		if m, n := binary.BigEndian.Uint64(k), binary.BigEndian.Uint64(l); m != n {
			return cmp.Compare(m, n)
		}
	}
	if c := bytes.Compare(k, l); c != 0 {
		return c
	}
	return bytes.Compare(s.data[a.value:a.end], s.data[b.value:b.end])
}

// A Record is a record of a Sorter.
type Record struct{ Key, Value []byte }

// source reads a run.
type source struct {
	r      *bufio.Reader
	left   int64 // bytes left of the run
	record Record
	buf    []byte
}

// next reads the next record; at the end of the run the error is io.EOF.
func (s *source) next() error {
	if s.left == 0 {
		return io.EOF
	}
	key, err1 := binary.ReadUvarint(s.r)
	value, err2 := binary.ReadUvarint(s.r)
	if err := cmp.Or(err1, err2); err != nil {
		return noEOF(err)
	}
	s.buf = slices.Grow(s.buf[:0], int(key+value))[:key+value]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return noEOF(err)
	}
	s.left -= int64(length(key) + length(value) + len(s.buf))
	s.record = Record{s.buf[:key], s.buf[key:]}
	return nil
}

// length returns how many bytes n takes as a varint.
func length(n uint64) int { return max(1, (bits.Len64(n)+6)/7) }

// noEOF returns the error for a file that ends within a record.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// merging is a heap of sources, by their next record.
type merging []*source

func (m merging) Len() int      { return len(m) }
func (m merging) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m merging) Less(i, j int) bool {
	a, b := &m[i].record, &m[j].record
	return cmp.Or(bytes.Compare(a.Key, b.Key), bytes.Compare(a.Value, b.Value)) < 0
}

// Push is for container/heap.
func (m *merging) Push(x any) { *m = append(*m, x.(*source)) }

// Pop is for container/heap.
func (m *merging) Pop() any {
	old := *m
	last := old[len(old)-1]
	*m = old[:len(old)-1]
	return last
}
