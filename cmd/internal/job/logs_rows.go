package job

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// logRows keeps rows in the order of entries, in a temporary file.
type logRows struct {
	sorter *storage.Sorter
	n      uint32
	key    []byte
	value  []byte
}

// appendRow appends a row to b: what is true of our own answers, their statuses, the finding. The
// sitemap is known from the entry.
func appendRow(b []byte, r *audit.LogRow) ([]byte, error) {
	flags := byte(0)
	for i, yes := range []bool{r.Ours.Differs, r.Ours.Back} {
		if yes {
			flags |= 1 << i
		}
	}
	b = binary.BigEndian.AppendUint16(append(b, flags), uint16(r.Ours.Status))
	return r.AppendBinary(b)
}

// ourBytes is what appendRow writes before the finding.
const ourBytes = 3

// rowOf reads what appendRow wrote.
func rowOf(b []byte) (r audit.LogRow, err error) {
	if len(b) < ourBytes {
		return r, errors.New("a row is cut off")
	}
	r.Ours = accesslog.Ours{Differs: b[0]&1 > 0, Back: b[0]&2 > 0, Status: int(binary.BigEndian.Uint16(b[1:]))}
	return r, r.UnmarshalBinary(b[ourBytes:])
}

func (l *logRows) add(r *audit.LogRow) (err error) {
	if l.value, err = appendRow(l.value[:0], r); err != nil {
		return err
	}
	l.key = binary.BigEndian.AppendUint64(l.key[:0], uint64(r.Seq)) // -1, not listed, comes last
	l.key = binary.BigEndian.AppendUint32(l.key, l.n)
	l.n++
	return l.sorter.Add(string(l.key), l.value)
}

// all yields the rows, each with the sitemap that lists it.
func (l *logRows) all(ctx context.Context, listed *listedEntries) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		for record, err := range l.sorter.Records() {
			var row audit.LogRow
			if err == nil {
				row, err = rowOf(record.Value)
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
