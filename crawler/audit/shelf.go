package audit

import "iter"

// A Shelf keeps more records than memory holds, and gives them back in order.
type Shelf interface {
	// Add keeps a record; both strings are copied. Nothing is added once Sorted was called.
	Add(key, value string) error
	// Sorted yields the records in order of key, those of one key in order of value. It may
	// be ranged over again; an error ends it.
	Sorted() iter.Seq2[[2]string, error]
}
