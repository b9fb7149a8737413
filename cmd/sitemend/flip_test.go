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
	const rounds = 40
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

// Where a header page of the store's file cannot be read the store is as it was one
// transaction before, when the audit had not ended: a report refuses it, an audit goes
// on from there and writes what it wrote.
func TestAFlippedHeaderCostsNoOutput(t *testing.T) {
	d := damageable(t)
	path := filepath.Join(d.out, "audits.db")
	refused := 0
	for page := range 2 {
		for _, at := range []int{16, 20, 40, 50, 60, 79} {
			t.Run(fmt.Sprint(page, "/", at), func(t *testing.T) {
				d.restore(t, func(*bbolt.Tx) error { return nil })
				data := bytes.Clone(d.store)
				data[page*os.Getpagesize()+at] ^= 1
				must(t, os.WriteFile(path, data, 0o666))
				var out, errOut bytes.Buffer
				got := run(context.Background(), []string{"report", "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}, strings.NewReader(""), &out, &errOut)
				d.unharmed(t)
				if got != exitError || !strings.Contains(errOut.String(), "damaged") || !strings.Contains(errOut.String(), "sitemend audit") {
					t.Errorf("exit status %d: %s", got, errOut.String())
				}
				refused++
				runCommand(t, d.args, exitFound)
				if now := outputFiles(d.out); len(now) != len(d.files) {
					t.Errorf("the audit that mends it leaves %d files, not %d", len(now), len(d.files))
				}
				if got := run(context.Background(), []string{"report", "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}, strings.NewReader(""), &out, &errOut); got != exitOK {
					t.Errorf("the report after it: exit status %d: %s", got, errOut.String())
				}
			})
		}
	}
	if refused != 12 {
		t.Errorf("%d were refused", refused)
	}
}

// A report of an audit that was stopped does not take the place of the outputs of one
// that ended, whichever of them the store still has.
func TestReportOfAStoppedAuditSparesOutputs(t *testing.T) {
	d := damageable(t)
	unfinished(t, d)
	report := []string{"report", d.ids[1], "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}
	var out, errOut bytes.Buffer
	if got := run(context.Background(), report, strings.NewReader(""), &out, &errOut); got != exitError {
		t.Errorf("exit status %d: %s", got, out.String())
	}
	d.unharmed(t)
	if said := errOut.String(); !strings.Contains(said, "finished audit") || !strings.Contains(said, "\nhint: nothing was changed; sitemend report "+d.ids[1]+" --out DIR --store ") {
		t.Errorf("it says: %s", said)
	}
	elsewhere := []string{"report", d.ids[1], "--out", filepath.Join(t.TempDir(), "half"), "--store", filepath.Join(d.out, "audits.db"), "--lang", "en"}
	for range 2 {
		if got := run(context.Background(), elsewhere, strings.NewReader(""), &out, &errOut); got != exitOK {
			t.Errorf("exit status %d: %s", got, errOut.String())
		}
	}
	d.unharmed(t)
}
