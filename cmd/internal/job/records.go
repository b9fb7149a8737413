package job

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// A spooling writes records to a file of the spool of an audit: there may be a million.
type spooling struct {
	file io.WriteCloser
	w    *bufio.Writer
	*cbor.Encoder
}

func spool(a *storage.Audit, name string) (*spooling, error) {
	f, err := a.SpoolWriter(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	return &spooling{f, w, cbor.NewEncoder(w)}, nil
}

// Close implements io.Closer. s may be nil.
func (s *spooling) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.w.Flush(), s.file.Close())
}

// anyText reads records in which a text need not be UTF-8: it may have come over the wire.
var anyText, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode() // constant options: no error

// spooled yields the records of a file of the spool, none where it is not there. One that has a Valid
// says whether it may be used.
func spooled[T any](ctx context.Context, a *storage.Audit, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var record T
		f, err := a.OpenSpool(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(record, err)
			return
		}
		defer f.Close()
		for from := anyText.NewDecoder(bufio.NewReader(f)); ; {
			var record T
			if err = from.Decode(&record); errors.Is(err, io.EOF) {
				return
			}
			if v, is := any(&record).(interface{ Valid() bool }); err == nil && is && !v.Valid() {
				err = errors.New("a record is none that was written")
			}
			if err != nil && ctx.Err() == nil {
				err = audit.Damaged("the file "+name+" of audit "+a.ID(), err)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}
