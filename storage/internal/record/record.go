// Package record encodes structs as compact records and decodes them, and small values as CBOR.
package record

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// Values that are no fields of a record are CBOR (RFC 8949). Strings are byte strings, because what
// the web sends need not be UTF-8.
var (
	encoding, _ = cbor.EncOptions{String: cbor.StringToByteString}.EncMode() // constant options: no error
	decoding, _ = cbor.DecOptions{ByteStringToString: cbor.ByteStringToStringAllowed,
		MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 24}.DecMode()
)

// Marshal encodes a value as CBOR.
func Marshal(v any) ([]byte, error) { return encoding.Marshal(v) }

// Unmarshal decodes what Marshal encoded.
func Unmarshal(data []byte, into any) error { return decoding.Unmarshal(data, into) }

// A record is, for each field that is not zero, a key and a value. The key is how far the number of
// the field is from that of the field before, and one of these forms.
const (
	formNumber = iota // a varint: a number, true, a time in milliseconds
	formText          // a length and as many bytes: a text, or CBOR
	formUsual         // the index of a usual text
	formLike          // nothing: the text that Encode and Decode were given
)

// usual are texts that are stored as a number. Never change their order; add new ones at the end.
var usual = []string{
	"text/html; charset=utf-8", "text/html; charset=UTF-8", "text/html;charset=UTF-8",
	"text/html;charset=utf-8", "text/html", "application/pdf", "text/plain",
	"text/plain; charset=utf-8", "application/xhtml+xml", "image/jpeg", "image/png", "image/webp",
	"application/json", "text/xml", "application/xml", "index, follow", "noindex", "noindex, follow",
	"noindex, nofollow",
}

// epoch is the time from which times are counted: the year 2026, in Unix milliseconds.
const epoch = 1_767_225_600_000

var errCut = errors.New("it ends too early")

// A Codec encodes and decodes values of one struct type. The numbers of the fields are their places
// in a list of names, which a store keeps: so fields can be added, removed and moved, and what was
// written before stays readable.
type Codec[T any] struct {
	names  []string
	fields []field // of T, by number
	at     []int   // by number: the index in fields; -1 for a field that T does not have
	pool   sync.Pool
}

type field struct {
	number int
	path   []int
	moment bool // it is a time
}

// A scratch is a value with its fields.
type scratch[T any] struct {
	value  T
	fields []reflect.Value
}

var timeType = reflect.TypeFor[time.Time]()

// New returns a Codec for records whose fields have these names. Names that T has in addition are
// appended to them.
func New[T any](names []string) *Codec[T] {
	c := &Codec[T]{names: slices.Clone(names)}
	c.collect(reflect.TypeFor[T](), "", nil)
	slices.SortFunc(c.fields, func(a, b field) int { return a.number - b.number })
	c.at = slices.Repeat([]int{-1}, len(c.names))
	for i, f := range c.fields {
		c.at[f.number] = i
	}
	c.pool.New = func() any {
		s := &scratch[T]{}
		for _, f := range c.fields {
			s.fields = append(s.fields, reflect.ValueOf(&s.value).Elem().FieldByIndex(f.path))
		}
		return s
	}
	return c
}

// Names returns the names of the fields, by number.
func (c *Codec[T]) Names() []string { return slices.Clone(c.names) }

// collect finds the fields of a struct, and of those in it. A field that JSON leaves out is none.
func (c *Codec[T]) collect(t reflect.Type, prefix string, path []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("json") == "-" {
			continue
		}
		name, at := prefix+f.Name, append(slices.Clone(path), i)
		if f.Type.Kind() == reflect.Struct && f.Type != timeType {
			c.collect(f.Type, name+".", at)
			continue
		}
		name += " " + f.Type.Kind().String() // a field of another kind is another one
		number := slices.Index(c.names, name)
		if number < 0 {
			number = len(c.names)
			c.names = append(c.names, name)
		}
		c.fields = append(c.fields, field{number, at, f.Type == timeType})
	}
}

// Encode appends the record of v. A text that is like takes no space.
func (c *Codec[T]) Encode(to []byte, v *T, like string) ([]byte, error) {
	s := c.pool.Get().(*scratch[T])
	s.value = *v
	last := -1
	for i, v := range s.fields {
		f := &c.fields[i]
		key, n := uint64(f.number-last)<<2, uint64(0) // formNumber is 0
		switch {
		case v.Kind() == reflect.String:
			if text := v.String(); text != "" {
				to, last = appendText(to, key, text, like), f.number
			}
			continue
		case v.CanInt():
			n = zigzag(v.Int())
		case v.CanUint():
			n = v.Uint()
		case v.Kind() == reflect.Bool:
			if v.Bool() {
				n = 1
			}
		case v.IsZero():
			continue
		case f.moment:
			n = zigzag(v.Addr().Interface().(*time.Time).UnixMilli() - epoch)
		default:
			data, err := Marshal(v.Interface())
			if err != nil {
				return nil, err
			}
			to = append(binary.AppendUvarint(binary.AppendUvarint(to, key|formText), uint64(len(data))), data...)
			last = f.number
			continue
		}
		if n != 0 || f.moment {
			to, last = binary.AppendUvarint(binary.AppendUvarint(to, key), n), f.number
		}
	}
	s.value = *new(T) // releases its texts
	c.pool.Put(s)
	return to, nil
}

// zigzag is how a varint holds a number with a sign.
func zigzag(n int64) uint64 { return uint64(n<<1) ^ uint64(n>>63) }

func appendText(to []byte, key uint64, text, like string) []byte {
	if text == like {
		return binary.AppendUvarint(to, key|formLike)
	}
	if len(text) < 32 {
		if i := slices.Index(usual, text); i >= 0 {
			return binary.AppendUvarint(binary.AppendUvarint(to, key|formUsual), uint64(i))
		}
	}
	to = binary.AppendUvarint(binary.AppendUvarint(to, key|formText), uint64(len(text)))
	return append(to, text...)
}

// Decode decodes what Encode encoded with the same text like. The texts of a record share one string.
func (c *Codec[T]) Decode(data []byte, like string) (v T, err error) {
	s := c.pool.Get().(*scratch[T])
	r := reader{data: data, all: data, like: like}
	for number := -1; len(r.data) > 0 && r.err == nil; {
		key := r.uvarint()
		number += int(key >> 2 & math.MaxInt32)
		if number < 0 || number >= len(c.at) {
			r.err = errors.New("it has an unknown field")
		} else if i := c.at[number]; i >= 0 {
			r.value(s.fields[i], key&3)
		} else {
			r.skip(key & 3)
		}
	}
	v, err = s.value, r.err
	s.value = *new(T)
	c.pool.Put(s)
	return v, err
}

// A reader decodes the values of one record.
type reader struct {
	data, all []byte
	texts     string // all as a string, once a text of it was needed
	like      string
	err       error
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.err = errCut
		return 0
	}
	r.data = r.data[size:]
	return n
}

// bytes returns the next bytes, whose length stands before them.
func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.data)) {
		r.err = errCut
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// value sets a field to the value that follows.
func (r *reader) value(v reflect.Value, form uint64) {
	text := v.Kind() == reflect.String
	switch {
	case form == formLike && text:
		v.SetString(r.like)
	case form == formUsual && text:
		v.SetString(usual[min(r.uvarint(), uint64(len(usual)-1))])
	case form == formText && text:
		if r.texts == "" {
			r.texts = string(r.all)
		}
		n := len(r.bytes())
		end := len(r.all) - len(r.data)
		v.SetString(r.texts[end-n : end])
	case form == formText:
		if data := r.bytes(); r.err == nil {
			r.err = Unmarshal(data, v.Addr().Interface())
		}
	default:
		r.number(v, r.uvarint())
	}
}

// skip reads a value that T has no field for.
func (r *reader) skip(form uint64) {
	switch form {
	case formText:
		r.bytes()
	case formNumber, formUsual:
		r.uvarint()
	}
}

func (r *reader) number(v reflect.Value, n uint64) {
	signed := int64(n>>1) ^ -int64(n&1)
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(n == 1)
	case v.Type() == timeType:
		*v.Addr().Interface().(*time.Time) = time.UnixMilli(epoch + signed).UTC()
	case v.CanInt():
		v.SetInt(signed)
	case v.CanUint():
		v.SetUint(n)
	default:
		r.err = errors.New("it has a number where none can be")
	}
}
