package rules

import (
	"encoding/csv"
	"io"
	"strings"
)

// record is a row of a CSV with the line on which it begins.
type record struct {
	fields []string
	line   int
}

// records reads a CSV as leniently as importers do: rows may differ in length. A row that cannot be
// parsed is a fault of its line, and ends the reading.
func records(s *Set, name, text string) []record {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, false
	var all []record
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return all
		}
		if err != nil {
			s.fault(name, 0, "", err.Error())
			return all
		}
		line, _ := r.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		all = append(all, record{fields, line})
	}
}

// column returns a field; "" for one that the row does not have.
func (r *record) column(n int) string {
	if n < 0 || n >= len(r.fields) {
		return ""
	}
	return r.fields[n]
}

func (r *record) text() string { return strings.Join(r.fields, ",") }
