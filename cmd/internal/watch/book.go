package watch

import "maps"

// A book writes notes into the store. What could not be written, for the disk was full, is
// written with what comes next.
type book struct {
	write func(map[string][]byte) error // all or nothing; a nil value takes a name away
	owed  map[string][]byte
}

// note writes notes, all or nothing, with all that is owed.
func (b *book) note(notes map[string][]byte) error {
	if len(b.owed) > 0 {
		all := maps.Clone(b.owed)
		maps.Copy(all, notes)
		notes = all
	}
	err := b.write(notes)
	if err == nil {
		b.owed = nil
	}
	return err
}

// owe is note for what has happened already: where it cannot be written, it is as soon as it can.
func (b *book) owe(notes map[string][]byte) error {
	if b.owed == nil {
		b.owed = map[string][]byte{}
	}
	maps.Copy(b.owed, notes)
	return b.note(nil)
}
