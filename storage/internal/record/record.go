// Package record is how the records of a store are written: audit's values as CBOR, and a
// scanner that reads the usual ones without the library.
package record

import (
	"time"

	"github.com/fxamacker/cbor/v2"
)

// Records are CBOR (RFC 8949) maps with numbers as keys, empty fields left
// out. The numbers are part of the schema: never change one or use it again.
// Unknown keys are skipped, so a field can be added without a new schema.
// Strings are byte strings, for what the web sends need not be UTF-8.
var (
	encoding = must(cbor.EncOptions{
		String:        cbor.StringToByteString,
		ShortestFloat: cbor.ShortestFloat16,
		OmitEmpty:     cbor.OmitEmptyGoValue,
	}.EncMode())
	decoding = must(cbor.DecOptions{
		ByteStringToString:  cbor.ByteStringToStringAllowed,
		FieldNameByteString: cbor.FieldNameByteStringAllowed,
		MaxArrayElements:    1 << 24,
		MaxMapPairs:         1 << 24,
	}.DecMode())
)

// must is for options that are constants: it cannot panic at run time.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Encode writes a value whose fields have numbers as keys.
func Encode(v any) ([]byte, error) { return encoding.Marshal(v) }

// Decode reads what Encode has written. What cannot be read is damage.
func Decode(data []byte, into any) error { return decoding.Unmarshal(data, into) }

// nanos and fromNanos keep a time as Unix nanoseconds, 0 for no time. Times
// come back in UTC.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
