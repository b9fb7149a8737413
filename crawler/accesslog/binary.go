package accesslog

import "encoding/binary"

// AppendBinary appends f to b in the form that UnmarshalBinary decodes. There are as many findings
// as a log has addresses: this takes a tenth of the time of JSON, and keeps bytes that are not
// UTF-8. The error is always nil.
func (f *Finding) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, byte(f.Class), byte(f.Robot), byte(f.Rawness))
	b = binary.AppendVarint(b, f.Seq)
	b = appendText(b, f.URL)
	b = appendText(b, f.Asked)
	b = binary.AppendUvarint(b, uint64(len(f.DiffersIn)))
	for _, kind := range f.DiffersIn {
		b = appendText(b, kind)
	}
	b = binary.AppendUvarint(b, uint64(f.Listed))
	if f.Class == Never {
		return b, nil
	}
	return f.Seen.AppendBinary(b)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// UnmarshalBinary decodes the result of AppendBinary. It keeps no reference to b.
func (f *Finding) UnmarshalBinary(b []byte) error {
	r := &reading{rest: b}
	*f = Finding{Class: Class(r.octet()), Robot: Robot(r.octet()), Rawness: Rawness(r.octet())}
	f.Seq = r.signed()
	f.URL, f.Asked = r.text(), r.text()
	for n := r.unsigned(); n > 0 && !r.bad; n-- {
		f.DiffersIn = append(f.DiffersIn, r.text())
	}
	f.Listed = int(r.unsigned())
	if r.bad || f.Class > Unspelt || f.Robot >= robots || f.Rawness > Lossy {
		return errDamaged
	}
	if f.Class == Never {
		if len(r.rest) > 0 {
			return errDamaged
		}
		return nil
	}
	return f.Seen.UnmarshalBinary(r.rest)
}

// reading decodes one value after another. Once there are too few bytes for one, bad is set and all
// following values are zero.
type reading struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes.
func (r *reading) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reading) octet() byte {
	b := r.take(1)
	if r.bad {
		return 0
	}
	return b[0]
}

func (r *reading) unsigned() uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.take(uint64(max(n, 0))); n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	return v
}

func (r *reading) signed() int64 {
	v := r.unsigned()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reading) text() string { return string(r.take(r.unsigned())) }
