package job

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"

	"sitemend/report"
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
	Row   report.LogRow
	Asked []byte
	URL   []byte
}

func (l *logRows) add(r *report.LogRow) error {
	s := storedRow{Row: *r, Asked: []byte(r.Asked), URL: []byte(r.URL)}
	s.Row.Asked, s.Row.URL = "", ""
	value, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	l.key = binary.BigEndian.AppendUint64(l.key[:0], uint64(r.Seq)) // -1, not listed, comes last
	l.key = binary.BigEndian.AppendUint32(l.key, l.n)
	l.n++
	return l.sorter.Add(string(l.key), value)
}

// all yields the rows, each with the sitemap that lists it.
func (l *logRows) all(ctx context.Context, listed *listedEntries) iter.Seq2[report.LogRow, error] {
	return func(yield func(report.LogRow, error) bool) {
		for record, err := range l.sorter.Records() {
			var s storedRow
			if err == nil {
				err = json.Unmarshal(record.Value, &s)
			}
			if err == nil {
				err = ctx.Err()
			}
			s.Row.Asked, s.Row.URL = string(s.Asked), string(s.URL)
			if s.Row.Seq >= 0 && err == nil {
				s.Row.Sitemap = listed.sitemapOf(s.Row.Seq)
			}
			if !yield(s.Row, err) || err != nil {
				return
			}
		}
	}
}
