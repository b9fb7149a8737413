package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// Whatever bits and bytes of the store's file are changed: a report ends with exit
// status 2 and says that the store is damaged, or it writes what it wrote before.
func TestFlippedBytesCostNoOutput(t *testing.T) {
	d := damageable(t)
	path := filepath.Join(d.out, "audits.db")
	used := 0
	db, err := bbolt.Open(path, 0o644, nil)
	must(t, err)
	must(t, db.View(func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }))
	must(t, db.Close())
	r := rand.New(rand.NewPCG(11, 5))
	const rounds = 200
	met := 0
	for round := range rounds {
		data := bytes.Clone(d.store)
		for range []int{1, 1, 1 + r.IntN(30)}[round%3] {
			at := r.IntN(used)
			if round%3 == 0 {
				data[at] ^= 1 << r.IntN(8)
			} else {
				data[at] = byte(r.Uint32())
			}
		}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			d.restore(t, func(*bbolt.Tx) error { return nil })
			must(t, os.WriteFile(path, data, 0o666))
			var out, errOut bytes.Buffer
			got := run(context.Background(), []string{"report", "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}, strings.NewReader(""), &out, &errOut)
			d.unharmed(t)
			switch {
			case got == exitError:
				met++
				if said := errOut.String(); strings.Contains(said, "runtime error") || !strings.Contains(said, "hint: ") {
					t.Errorf("it says: %s", said)
				}
			case got != exitOK:
				t.Errorf("exit status %d: %s", got, errOut.String())
			}
		})
	}
	t.Logf("%d of %d were met", met, rounds)
	if met < rounds/6 {
		t.Errorf("damage was met %d times", met)
	}
}
