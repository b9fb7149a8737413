// Package record encodes and decodes the records of a store: the values of package audit as CBOR,
// with a scanner that decodes the usual ones without the library.
package record

import (
	"time"

	"github.com/fxamacker/cbor/v2"
)

// Records are CBOR (RFC 8949) maps with numbers as keys and without empty fields. The numbers are
// part of the schema: never change or reuse one. Unknown keys are skipped, so a field can be added
// without a new schema. Strings are byte strings, because what the web sends need not be UTF-8.
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

// must returns v; with constant options it cannot panic at run time.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Encode encodes a value whose fields have numbers as keys.
func Encode(v any) ([]byte, error) { return encoding.Marshal(v) }

// Decode decodes the result of Encode. Its error means damage.
func Decode(data []byte, into any) error { return decoding.Unmarshal(data, into) }

// nanos and fromNanos convert a time to and from Unix nanoseconds, 0 for no time. Times are
// returned in UTC.
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
