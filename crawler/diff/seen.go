package diff

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// Keep returns what sees the rows of an audit, for Plan.Result, and keeps in an empty sorter what Write
// writes of them. It returns the errors of the sorter.
func Keep(sorter ground.Sorter) func(*audit.Row) error {
	var buf []byte
	return func(row *audit.Row) error {
		o := observe(row)
		buf = o.append(buf[:0])
		return sorter.Add(o.URL, string(buf))
	}
}

// Write writes what an audit saw, as Open reads it, with the sorter of Keep. It returns an error of w or
// the sorter, and ctx's once that ends.
func Write(ctx context.Context, w io.Writer, result *audit.Result, sorter ground.Sorter) error {
	head, err := json.Marshal(sitemapsOf(result))
	if err != nil {
		return err
	}
	out := writer{w: bufio.NewWriterSize(w, 64<<10)}
	out.text(string(head))
	for o, err := range ground.Until(ctx, distinct(sorter.Sorted())) {
		if err != nil {
			return err
		}
		out.observation(&o)
	}
	return out.w.Flush()
}

// distinct yields the observations of a sorter, those of one URL as one.
func distinct(records iter.Seq2[[2]string, error]) iter.Seq2[Observation, error] {
	return func(yield func(Observation, error) bool) {
		var last Observation
		any := false
		for r, err := range records {
			o := Observation{URL: r[0]}
			if err == nil {
				err = o.read([]byte(r[1]))
			}
			switch {
			case err != nil:
				yield(o, err)
				return
			case any && o.URL == last.URL:
				last.join(&o)
				continue
			case any && !yield(last, nil):
				return
			}
			last, any = o, true
		}
		if any {
			yield(last, nil)
		}
	}
}

// A writer writes records, of which each has what its URL shares with the one before left out.
type writer struct {
	w    *bufio.Writer // which keeps its first error
	last string
	buf  []byte
}

func (w *writer) text(s string) {
	w.w.Write(binary.AppendUvarint(w.w.AvailableBuffer(), uint64(len(s))))
	w.w.WriteString(s)
}

func (w *writer) observation(o *Observation) {
	shared := 0
	for shared < min(len(w.last), len(o.URL)) && w.last[shared] == o.URL[shared] {
		shared++
	}
	w.w.Write(binary.AppendUvarint(w.w.AvailableBuffer(), uint64(shared)))
	w.text(o.URL[shared:])
	w.buf = o.append(w.buf[:0])
	w.w.Write(binary.AppendUvarint(w.w.AvailableBuffer(), uint64(len(w.buf))))
	w.w.Write(w.buf)
	w.last = o.URL
}

// Seen is what an audit saw, in a file.
type Seen struct {
	Info     audit.Info
	Sitemaps []Sitemap

	open func(context.Context) (io.ReadCloser, error)
}

// Open reads which sitemaps an audit had; open opens what Write wrote, whenever it is read.
func Open(ctx context.Context, info audit.Info, open func(context.Context) (io.ReadCloser, error)) (*Seen, error) {
	s := &Seen{Info: info, open: open}
	f, err := open(ctx)
	if err != nil {
		return nil, err
	}
	head, err := text(bufio.NewReader(f))
	if err == nil {
		err = json.Unmarshal(head, &s.Sitemaps)
	}
	return s, errors.Join(ground.Damaged("what audit "+info.ID+" saw", err), f.Close())
}

// observations yields what the audit saw, in order of URL, until ctx ends. An error ends it.
func (s *Seen) observations(ctx context.Context) iter.Seq2[*Observation, error] {
	return func(yield func(*Observation, error) bool) {
		err := s.each(ctx, func(o *Observation) bool { return yield(o, nil) })
		if err != nil {
			yield(nil, ground.Damaged("what audit "+s.Info.ID+" saw", err))
		}
	}
}

// each calls fn with each observation until it returns false.
func (s *Seen) each(ctx context.Context, fn func(*Observation) bool) error {
	f, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	if _, err = text(r); err != nil { // the sitemaps
		return err
	}
	for last := ""; ; {
		o, err := next(r, last)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case o.Sitemap >= len(s.Sitemaps):
			return errCut
		case ctx.Err() != nil:
			return ctx.Err()
		case !fn(&o):
			return nil
		}
		last = o.URL
	}
}

// next reads an observation behind the one of the URL last; io.EOF where there is none.
func next(r *bufio.Reader, last string) (o Observation, err error) {
	shared, err := binary.ReadUvarint(r)
	if err != nil {
		return o, err
	}
	rest, err1 := text(r)
	body, err2 := text(r)
	switch err = cmp.Or(err1, err2); {
	case err == io.EOF, err == nil && shared > uint64(len(last)):
		return o, errCut
	case err != nil:
		return o, err
	}
	o.URL = last[:shared] + string(rest)
	return o, o.read(body)
}

// text reads a text, which takes no more room than there is of it.
func text(r *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > math.MaxInt64 {
		return nil, errCut
	}
	if n < 4<<10 {
		b := make([]byte, n)
		_, err = io.ReadFull(r, b)
		return b, err
	}
	var b bytes.Buffer
	_, err = io.CopyN(&b, r, int64(n))
	return b.Bytes(), err
}
