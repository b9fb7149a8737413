package storage

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// Each yields the audits that match, the newest first, each open until the next. The error of one that is
// damaged comes in its place, and the others follow.
func (s *Store) Each(match func(*audit.Info) bool) iter.Seq2[*Audit, error] {
	return func(yield func(*Audit, error) bool) {
		all, err := s.known()
		for _, k := range slices.Backward(all) {
			var a *Audit
			if k.damage == nil && match(&k.info) {
				if a, k.damage = s.Audit(k.ID); k.damage == nil {
					more := yield(a, nil)
					if k.damage = errors.Join(a.Err(), a.Close()); !more {
						return
					}
				}
			}
			if k.damage != nil && !yield(nil, k.damage) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Load reads the value that Save stored under a name; ok is false where there is none.
func (a *Audit) Load(name string, into any) (ok bool, err error) {
	text, ok, err := a.Get(name)
	if err == nil && ok {
		err = ground.Damaged("the record "+name+" of audit "+a.ID(), json.Unmarshal(text, into))
	}
	return ok && err == nil, err
}

// Save is Put of a value that JSON can hold.
func (a *Audit) Save(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.Put(name, text)
}

// lenient reads values in which a text need not be UTF-8: it may have come over the wire.
var lenient, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode() // constant options: no error

// Spooled yields the values of a file of the spool, which are CBOR (RFC 8949) one after another; none
// where it is not there.
func Spooled[T any](ctx context.Context, a *Audit, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f, err := a.OpenSpool(ctx, name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(*new(T), err)
			}
			return
		}
		defer f.Close()
		var v T
		for from := lenient.NewDecoder(bufio.NewReader(f)); ; {
			v = *new(T)
			err := from.Decode(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && ctx.Err() == nil {
				err = ground.Damaged("the file "+name+" of audit "+a.ID(), err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}
