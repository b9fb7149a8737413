package storage

import (
	"context"
	"encoding/binary"
	"iter"

	"github.com/klauspost/compress/zstd"

	"sitemend/crawler/answers"
	"sitemend/crawler/ground"
)

// Links of pages are written together with their answers, in the same transaction: a page whose
// answer is kept has its links. All links of a transaction are packed into one record, because the
// pages of a site share most of them.

// linksBytes is how many bytes of links wait to be written, at most; then they are written at once.
const linksBytes = 2 << 20

// maxLinks limits the unpacked size of a record of links.
const maxLinks = 1 << 30

// With constant options there is no error.
var (
	linksPacker, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	linksOpener, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLinks))
)

// addLinks makes the links of an answer pending.
func (w *work) addLinks(r answers.Request, links string) {
	if links == "" {
		return
	}
	w.links = append(w.links, byte(r.Purpose))
	w.links = append(binary.AppendUvarint(w.links, uint64(len(r.URL))), r.URL...)
	w.links = append(binary.AppendUvarint(w.links, uint64(len(links))), links...)
}

// writeLinks writes the pending links into an audit's bucket.
func (w *work) writeLinks(b *shelf, st *state) error {
	if len(w.links) == 0 {
		return nil
	}
	in, err := b.within(linksBucket)
	if err != nil {
		return err
	}
	in.b.FillPercent = 1 // records are added at its end only
	st.Links++
	return in.putAt(st.Links-1, linksPacker.EncodeAll(w.links, nil))
}

// PageLinks yields the links of all pages, with the request of each, in the order in which they were kept,
// until ctx ends. It writes what is pending first. An error ends the sequence. No transaction is open while
// the loop's body runs; a few megabytes are held in memory.
func (a *Audit) PageLinks(ctx context.Context) iter.Seq2[answers.Hop, error] {
	return ground.Until(ctx, func(yield func(answers.Hop, error) bool) {
		var st state
		err := a.Flush()
		if err == nil {
			st, err = a.state()
		}
		var room []byte
		for at := uint64(0); at < st.Links && err == nil; at++ {
			err = a.chunk(linksBucket, at, at+1, func(_ uint64, data []byte) (err error) {
				room, err = linksOpener.DecodeAll(data, room[:0])
				return unreadable(err)
			})
			for rest := room; len(rest) > 0 && err == nil; {
				purpose := answers.Purpose(rest[0])
				url, more, ok1 := cutText(rest[1:])
				links, more, ok2 := cutText(more)
				if !ok1 || !ok2 {
					err = fault("a record of links is not as it was written")
				} else if !yield(answers.Hop{Request: answers.Request{URL: string(url), Purpose: purpose}, Links: string(links)}, nil) {
					return
				}
				rest = more
			}
		}
		if err != nil {
			yield(answers.Hop{}, explain(a.s.path, err))
		}
	})
}
