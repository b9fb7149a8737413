package storage

import (
	"crypto/rand"
	"fmt"
	"os"
	"runtime"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/audit"
)

// settledName names the file of an audit's spool with its settled rows, and the record that describes the
// file. passingName names the file of rows that nobody keeps.
const settledName, passingName = "settled", ".settled"

// settledRecord is what is kept of settled rows beside their file.
type settledRecord struct {
	As      string // how they were settled, and by which program
	Sum     uint64 // xxHash64 of the file
	Origins []string
}

// program stands for this program file: another one may settle otherwise, and lay out otherwise what it
// keeps. Where it is not known it stands for this process alone.
var program = func() string {
	at, err := os.Executable()
	if info, failed := os.Stat(at); err == nil && failed == nil {
		return fmt.Sprint(xxhash.Sum64String(fmt.Sprint(at, info.Size(), info.ModTime().UnixNano())))
	}
	return rand.Text()
}()

// NewSettled returns rows for the entries with N below n, which KeepSettled can keep.
func (a *Audit) NewSettled(n int) *audit.SettledRows { return a.newSettled(settledName, n) }

// newSettled returns rows in a file: they take memory only as far as nothing else needs it. Where there
// can be no such file they lie in memory.
func (a *Audit) newSettled(name string, n int) *audit.SettledRows {
	size := n * audit.SettledBytes
	f, err := a.createSpooled(name)
	if err != nil {
		return audit.NewSettledRows(make([]byte, size), a.s.salt, nil)
	}
	defer f.Close()
	room := make([]byte, 1<<20)
	for left := size; left > 0 && err == nil; left -= len(room) { // a full disk is an error here; later, in the mapping, it would be a crash
		_, err = f.Write(room[:min(left, len(room))])
	}
	if err == nil {
		if memory, err := mapFile(f, size, true); err == nil {
			return a.mapped(memory, nil)
		}
	}
	_ = f.Truncate(0) // gives back the room
	return audit.NewSettledRows(make([]byte, size), a.s.salt, nil)
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
	defer runtime.KeepAlive(rows) // else its memory may be unmapped while it is read
	return a.Save(settledName, settledRecord{program + as, xxhash.Sum64(rows.Memory), rows.Origins})
}

// Settled returns the rows that were kept, if this very program settled them so and the file is whole; else
// rows of which none is settled.
func (a *Audit) Settled(as string) *audit.SettledRows {
	var kept settledRecord
	_, failed := a.Load(settledName, &kept)
	f, _ := a.openSpooled(settledName)
	defer f.Close() // a nil file has no Stat
	size := a.EntryCount() * audit.SettledBytes
	if info, err := f.Stat(); err == nil && failed == nil && kept.As == program+as && info.Size() == int64(size) {
		if memory, err := mapFile(f, size, false); err == nil {
			if rows := a.mapped(memory, kept.Origins); xxhash.Sum64(memory) == kept.Sum {
				return rows
			}
		}
	}
	defer a.s.dir.Remove(a.s.spoolName(a.at.ID, passingName)) // it stays mapped
	return a.newSettled(passingName, a.EntryCount())
}
