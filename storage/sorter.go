package storage

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// sorterBytes is how many bytes a Sorter holds before it writes a run to its file. While it is read it holds
// readingBytes, or 4 KB for each run if that is more.
const (
	sorterBytes  = 2 << 20
	readingBytes = 4 << 20
)

// A Sorter sorts records by key that do not fit in memory: sorted runs go to a temporary file, which Close
// removes, and are merged when they are read. The zero Sorter is empty. It holds 2 MB while it is filled. While it is read it holds 64 KB
// for each run of 2 MB, but at most 4 MB for up to a thousand runs, and 4 KB each for more. It is
// not safe for concurrent use.
type Sorter struct {
	file  *os.File // nil until the first run
	named bool     // file has a name that must be removed
	size  int64    // of the file
	runs  []int64  // where each run ends in the file
	data  []byte   // key and value of each record
	refs  []ref
}

// ref is the place of a record in data: its key, and its value up to end.
type ref struct{ at, value, end uint32 }

// Add adds a record. It returns an error of writing the file. It must not be called after Sorted.
func (s *Sorter) Add(key, value string) error {
	n := len(key) + len(value)
	if len(s.data)+n > sorterBytes && len(s.refs) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	at := uint32(len(s.data))
	s.data = append(append(s.data, key...), value...)
	s.refs = append(s.refs, ref{at, at + uint32(len(key)), at + uint32(n)})
	return nil
}

// spill writes what is in memory to the file, as a run.
func (s *Sorter) spill() error {
	if len(s.refs) == 0 {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "sitemend-sort-*")
		if err != nil {
			return err
		}
		s.file = f
		// Without a name the file disappears with the process, however that ends. Where an open
		// file cannot be removed, Close does it.
		s.named = os.Remove(f.Name()) != nil
	}
	slices.SortFunc(s.refs, func(a, b ref) int {
		return cmp.Or(bytes.Compare(s.data[a.at:a.value], s.data[b.at:b.value]), bytes.Compare(s.data[a.value:a.end], s.data[b.value:b.end]))
	})
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), 256<<10)
	var head []byte
	for _, r := range s.refs {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(r.value-r.at)), uint64(r.end-r.value))
		_, err1 := w.Write(head)
		_, err2 := w.Write(s.data[r.at:r.end])
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		s.size += int64(len(head)) + int64(r.end-r.at)
	}
	s.runs = append(s.runs, s.size)
	s.data, s.refs = s.data[:0], s.refs[:0]
	return w.Flush()
}

// Sorted yields the records, key and value, in order of key, those with the same key in order of value.
// It may be called and ranged over again. An error of reading or writing the file ends the sequence.
func (s *Sorter) Sorted() iter.Seq2[[2]string, error] {
	return func(yield func([2]string, error) bool) {
		merged, err := s.begin()
		if err != nil {
			yield([2]string{}, err)
			return
		}
		for len(merged) > 0 {
			first := merged[0]
			if !yield(first.record, nil) {
				return
			}
			switch err := first.next(); {
			case err == io.EOF:
				merged = merged[1:]
			case err != nil:
				yield([2]string{}, err)
				return
			default:
				at, _ := slices.BinarySearchFunc(merged[1:], first, inOrder)
				copy(merged, merged[1:at+1])
				merged[at] = first
			}
		}
	}
}

// begin opens all runs at their first record, and sorts them by it.
func (s *Sorter) begin() (merged []*source, err error) {
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.data, s.refs = nil, nil
	if s.file != nil {
		if info, err := s.file.Stat(); err != nil || info.Size() < s.size {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
	}
	size := max(4<<10, min(64<<10, readingBytes/max(1, len(s.runs))))
	from := int64(0)
	for _, end := range s.runs {
		run := &source{r: bufio.NewReaderSize(io.NewSectionReader(s.file, from, end-from), size)}
		if err := run.next(); err != nil {
			return nil, err
		}
		merged = append(merged, run)
		from = end
	}
	slices.SortFunc(merged, inOrder)
	return merged, nil
}

// Close removes the file. A second call does nothing.
func (s *Sorter) Close() error {
	if s.data, s.refs = nil, nil; s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}

// source reads a run.
type source struct {
	r      *bufio.Reader
	record [2]string
	buf    []byte
}

// next reads the next record; at the end of the run the error is io.EOF.
func (s *source) next() error {
	key, err := binary.ReadUvarint(s.r)
	if err != nil {
		return err
	}
	value, err := binary.ReadUvarint(s.r)
	if err != nil {
		return err
	}
	s.buf = slices.Grow(s.buf[:0], int(key+value))[:key+value]
	_, err = io.ReadFull(s.r, s.buf)
	text := string(s.buf)
	s.record = [2]string{text[:key], text[key:]}
	return err
}

// inOrder compares two runs by their next record.
func inOrder(a, b *source) int { return slices.Compare(a.record[:], b.record[:]) }
