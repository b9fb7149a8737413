package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// keep stores a record of an audit.
func keep(a *storage.Audit, name string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return a.Put(name, text)
}

// kept reads a record with the Get of an audit, or a note with the Noted of a store; ok is false
// where there is none. what says in an error what is damaged.
func kept[T any](get func(string) ([]byte, bool, error), name, what string) (record T, ok bool, err error) {
	text, ok, err := get(name)
	if err != nil || !ok {
		return record, false, err
	}
	if err := json.Unmarshal(text, &record); err != nil {
		return record, false, audit.Damaged(what, err)
	}
	return record, true, nil
}

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

// spooled yields the records of a file of the spool, none where it is not there. what is as in kept.
func spooled[T any](ctx context.Context, a *storage.Audit, name, what string) iter.Seq2[T, error] {
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
			if err != nil && ctx.Err() == nil {
				err = audit.Damaged(what, err)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}
