package audit

import (
	"encoding/binary"
	"errors"
	"slices"
)

// appendTo appends all of c but its Address, as one run of the program keeps it.
func (c *Change) appendTo(b []byte) []byte {
	b = append(b, byte(slices.Index(Effects(), c.Effect)), byte(len(c.Kinds)))
	for _, k := range c.Kinds {
		b = append(b, byte(slices.Index(changeKinds, k)))
	}
	for _, s := range []*Observation{c.Old, c.New} {
		if s == nil {
			b = append(b, 0)
			continue
		}
		one, _ := s.AppendBinary(nil)
		b = append(binary.AppendUvarint(b, uint64(len(one))), one...)
	}
	return b
}

var errChangeCut = errors.New("a change is cut off")

// read reads what appendTo wrote; Address stays as it is.
func (c *Change) read(text string) error {
	b := []byte(text)
	if len(b) < 2 || len(b) < 2+int(b[1]) {
		return errChangeCut
	}
	c.Effect = Effects()[b[0]]
	kinds := b[2 : 2+b[1]]
	b = b[2+len(kinds):]
	for _, k := range kinds {
		c.Kinds = append(c.Kinds, changeKinds[k])
	}
	for _, s := range []**Observation{&c.Old, &c.New} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return errChangeCut
		}
		if b = b[size:]; n == 0 {
			continue
		}
		*s = &Observation{Address: c.Address}
		if err := (*s).UnmarshalBinary(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
