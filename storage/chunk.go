package storage

import "go.etcd.io/bbolt"

// chunk calls fn with the records from <= n < to of one of the audit's numbered buckets, in one
// transaction. Callers keep the range short, so that the writer does not wait. A record that is
// missing, or differs from what was written, is damage.
func (a *Audit) chunk(name []byte, from, to uint64,
	fn func(b *shelf, n uint64, record []byte) error) error {
	return a.s.view(func(tx *bbolt.Tx) error {
		b, err := bucket(tx, a.id, name)
		if err != nil {
			return err
		}
		return b.guard(func() error {
			c := b.b.Cursor()
			k, v := c.Seek(key(from))
			for n := from; n < to; n++ {
				if got, ok := number(k); !ok || got != n {
					return &fault{what: b.name(key(n)) + " is missing"}
				}
				record, err := b.open(k, v)
				if err != nil {
					return err
				}
				if err := fn(b, n, record); err != nil {
					return err
				}
				k, v = c.Next()
			}
			return nil
		})
	})
}
