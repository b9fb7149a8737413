package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// Links of pages are written together with their answers, in the same transaction: a page whose
// answer is kept has its links. All links of a transaction are packed into one record, because the
// pages of a site share most of them.

// linksBytes is how many bytes of links wait to be written, at most, before they are packed.
const linksBytes = 2 << 20

// maxLinks limits the unpacked size of a record of links.
const maxLinks = 64 << 20

var linksCodec = sync.OnceValues(func() (codec struct {
	pack *zstd.Encoder
	open *zstd.Decoder
}, err error) {
	var err1, err2 error
	codec.pack, err1 = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	codec.open, err2 = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(maxLinks))
	return codec, errors.Join(err1, err2)
})

// addLinks makes the links of an answer pending.
func (w *work) addLinks(r audit.Request, links string) {
	if links == "" {
		return
	}
	begun := 0
	if n := len(w.parts); n > 0 {
		begun = w.parts[n-1]
	}
	if len(w.links)-begun >= linksBytes {
		w.parts = append(w.parts, len(w.links))
	}
	w.links = append(w.links, byte(r.Purpose))
	w.links = append(binary.AppendUvarint(w.links, uint64(len(r.URL))), r.URL...)
	w.links = append(binary.AppendUvarint(w.links, uint64(len(links))), links...)
}

// writeLinks writes the pending links into an audit's bucket.
func (w *work) writeLinks(b *shelf, t *tally) error {
	if len(w.links) == 0 {
		return nil
	}
	if t.Links >= math.MaxUint32-uint64(len(w.parts)) {
		return errors.New("the audit has as many records of links as there may be")
	}
	codec, err := linksCodec()
	if err != nil {
		return err
	}
	in := b.within(linksBucket)
	if in == nil { // the first links of this audit: most have none
		if _, err := b.b.CreateBucket(linksBucket); err != nil {
			return err
		}
		in = b.within(linksBucket)
	}
	in.b.FillPercent = 1 // records are added at its end only
	from := 0
	for i := range len(w.parts) + 1 {
		end := len(w.links)
		if i < len(w.parts) {
			end = w.parts[i]
		}
		if err := in.put(key(t.Links), codec.pack.EncodeAll(w.links[from:end], nil)); err != nil {
			return err
		}
		t.Links++
		from = end
	}
	return nil
}

// checkLinks returns an error where records of links are missing that the audit had when it was
// last written to.
func (t *tally) checkLinks(b *shelf) error {
	in, got := b.within(linksBucket), uint64(0)
	if in != nil {
		var err error
		if got, err = after(in); err != nil {
			return err
		}
	}
	if got != t.Links {
		return &fault{what: fmt.Sprintf("the links of %s have %d records, there were %d",
			spoken(b.path), got, t.Links)}
	}
	return nil
}

// KeepLinks stores the links of a page whose answer is kept, where an earlier audit has them. It
// returns the error of an earlier write.
func (a *Audit) KeepLinks(r audit.Request, links string) error {
	full, err := func() (bool, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if err := a.refusal(); err != nil {
			return false, err
		}
		a.pending.addLinks(r, links)
		a.arm()
		return a.pending.full(), nil
	}()
	if err != nil || !full {
		return err
	}
	return a.commitFull()
}

// PageLinks yields the links of all pages, in the order in which they were kept, until ctx ends. It
// writes what is pending first. An error ends the sequence. No transaction is open while the loop's
// body runs; a few megabytes are held in memory.
func (a *Audit) PageLinks(ctx context.Context) iter.Seq2[audit.PageLinks, error] {
	return audit.Until(ctx, func(yield func(audit.PageLinks, error) bool) {
		if !a.s.readOnly {
			if err := a.Flush(); err != nil {
				yield(audit.PageLinks{}, err)
				return
			}
		}
		n, err := a.linkRecords()
		var room []byte
		for at := uint64(0); at < n && err == nil; at++ {
			err = a.chunk(linksBucket, at, at+1, func(_ *shelf, _ uint64, data []byte) (err error) {
				codec, err := linksCodec()
				if err == nil {
					room, err = codec.open.DecodeAll(data, room[:0])
				}
				return unreadable(err)
			})
			for rest := room; len(rest) > 0 && err == nil; {
				var page audit.PageLinks
				if page, rest, err = cutLinks(rest); err == nil && !yield(page, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(audit.PageLinks{}, err)
		}
	})
}

// linkRecords returns how many records of links there are.
func (a *Audit) linkRecords() (n uint64, err error) {
	err = a.s.view(func(tx *bbolt.Tx) error {
		_, t, err := tallied(tx, a.id)
		n = t.Links
		return err
	})
	return n, err
}

// cutLinks splits the links of the first page from the rest.
func cutLinks(b []byte) (page audit.PageLinks, rest []byte, err error) {
	page.Request.Purpose = audit.Purpose(b[0])
	if page.Request.URL, rest, err = cutText(b[1:]); err == nil {
		page.Links, rest, err = cutText(rest)
	}
	return page, rest, err
}

// cutText splits a text, whose length precedes it, from the rest.
func cutText(b []byte) (text string, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, &fault{what: "a record of links is not as it was written"}
	}
	return string(b[size : size+int(n)]), b[size+int(n):], nil
}
