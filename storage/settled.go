package storage

import (
	"runtime"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/record"
)

// settledName is the file of an audit's spool in which its settled rows lie, and the record that says
// what that file is.
const settledName = "settled"

// settledRecord is what is kept of settled rows beside their file.
type settledRecord struct {
	As      string // how they were settled
	Sum     uint64 // xxHash64 of the file
	Origins []string
}

// NewSettled returns rows for the entries with N below n. They lie in a file: they take memory only as
// far as nothing else needs it.
func (a *Audit) NewSettled(n int) (*audit.SettledRows, error) {
	root, f, err := a.createSpooled(settledName)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	defer f.Close()
	size, room := n*audit.SettledBytes, make([]byte, 1<<20)
	for left := size; left > 0 && err == nil; left -= len(room) { // on a full disk this is an error, and later a crash
		_, err = f.Write(room[:min(left, len(room))])
	}
	if err != nil {
		return nil, explain(a.s.path+".spool", err)
	}
	if memory, err := mapFile(f, size, true); err == nil {
		return a.mapped(memory, nil), nil
	}
	return audit.InMemory(n), nil // the file system cannot do it
}

// mapped returns the rows in the memory of a file, which is let go of once nobody refers to them.
func (a *Audit) mapped(memory []byte, origins []string) *audit.SettledRows {
	rows := audit.NewSettledRows(memory, a.s.salt, origins)
	runtime.AddCleanup(rows, unmap, memory)
	return rows
}

// KeepSettled keeps the rows of NewSettled for Settled, if there are any. as says how they were settled.
func (a *Audit) KeepSettled(rows *audit.SettledRows, as string) error {
	if rows == nil {
		return nil
	}
	data, err := record.Marshal(settledRecord{as, xxhash.Sum64(rows.Memory), rows.Origins})
	if err != nil {
		return err
	}
	return a.Put(settledName, data)
}

// Settled returns the rows that were kept; nil where there are none that were settled so, or none that
// are what was kept.
func (a *Audit) Settled(as string) (*audit.SettledRows, error) {
	data, ok, err := a.Get(settledName)
	var kept settledRecord
	if err == nil && ok {
		err = unreadable(record.Unmarshal(data, &kept))
	}
	if err != nil || kept.As != as {
		return nil, err
	}
	f, err := a.openSpooled(settledName)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	size := a.EntryCount() * audit.SettledBytes
	if info, err := f.Stat(); err != nil || info.Size() != int64(size) {
		return nil, nil
	}
	memory, err := mapFile(f, size, false)
	if err != nil {
		return nil, nil
	}
	rows := a.mapped(memory, kept.Origins)
	if xxhash.Sum64(memory) != kept.Sum {
		return nil, nil
	}
	return rows, nil
}
