package job

import (
	"context"
	"encoding/binary"
	"iter"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// logRows keeps rows in the order of entries, in a temporary file.
type logRows struct {
	sorter *storage.Sorter
	n      uint32
	key    []byte
}

// rowDecoding reads rows. What was requested need not be UTF-8.
var rowDecoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode() // constant options: no error

func (l *logRows) add(r *audit.LogRow) error {
	value, err := cbor.Marshal(r)
	if err != nil {
		return err
	}
	l.key = binary.BigEndian.AppendUint64(l.key[:0], uint64(r.Seq)) // -1, not listed, comes last
	l.key = binary.BigEndian.AppendUint32(l.key, l.n)
	l.n++
	return l.sorter.Add(string(l.key), value)
}

// all yields the rows, each with the sitemap that lists it.
func (l *logRows) all(ctx context.Context, listed *listedEntries) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		for record, err := range l.sorter.Records() {
			var row audit.LogRow
			if err == nil {
				err = rowDecoding.Unmarshal(record.Value, &row)
			}
			if err == nil {
				err = ctx.Err()
			}
			if row.Seq >= 0 && err == nil {
				row.Sitemap = listed.sitemapOf(row.Seq)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
