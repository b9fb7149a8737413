package job

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// logRows keeps rows in the order of entries, in a temporary file.
type logRows struct {
	sorter *storage.Sorter
	n      uint32
	key    []byte
}

// storedRow is a row as it is kept: JSON keeps octets only where they are bytes.
type storedRow struct {
	Row   audit.LogRow
	Asked []byte
	URL   []byte
}

// marshalRow writes a row as JSON.
func marshalRow(r *audit.LogRow) ([]byte, error) {
	s := storedRow{Row: *r, Asked: []byte(r.Asked), URL: []byte(r.URL)}
	s.Row.Asked, s.Row.URL, s.Row.Sitemap = "", "", ""
	return json.Marshal(&s)
}

// decodeRow reads what marshalRow wrote.
func decodeRow(d *json.Decoder) (audit.LogRow, error) {
	var s storedRow
	err := d.Decode(&s)
	s.Row.Asked, s.Row.URL = string(s.Asked), string(s.URL)
	return s.Row, err
}

func (l *logRows) add(r *audit.LogRow) error {
	value, err := marshalRow(r)
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
				row, err = decodeRow(json.NewDecoder(bytes.NewReader(record.Value)))
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
