package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/cmd/internal/web"
	"sitemend/storage"
)

// A harm is what happens to one record of a store.
type harm struct {
	what string
	make func(b *bbolt.Bucket, k, v []byte) error
}

var harms = []harm{
	{"garbage", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, bytes.Repeat([]byte{0xff}, len(v))) }},
	{"cut", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, bytes.Clone(v[:len(v)/2])) }},
}

// damagedStores is what the tests of damage begin with: two finished audits in one
// folder, the second of a site that has changed, both with reported addresses.
type damagedStores struct {
	out   string            // the folder of the outputs
	store []byte            // its store
	spool map[string][]byte // and the sitemaps beside it
	files map[string][]byte // the outputs
	ids   []string
	args  []string // the audit that wrote them
}

func damageable(t *testing.T) *damagedStores {
	t.Helper()
	files := maps.Clone(killFiles)
	w, err := web.Parse(killWeb, files)
	must(t, err)
	s, err := w.Start()
	must(t, err)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	export := filepath.Join(dir, "export.txt")
	must(t, os.WriteFile(export, []byte("http://shop.example/old/1\nhttp://shop.example/elsewhere\n"), 0o666))
	d := &damagedStores{out: filepath.Join(dir, "out")}
	d.args = append(killArgs(s.Addr(), d.out), "--search-console", export)
	runCommand(t, d.args, exitFound)
	runCommand(t, d.args, exitFound)
	path := filepath.Join(d.out, "audits.db")
	d.store, d.spool, d.files = read(path), copySpool(path+".spool"), outputFiles(d.out)
	store, err := storage.OpenReadOnly(path)
	must(t, err)
	infos, err := store.Audits()
	must(t, err)
	must(t, store.Close())
	for _, i := range infos {
		d.ids = append(d.ids, i.ID)
	}
	if len(d.ids) != 2 || len(d.files) < 8 {
		t.Fatalf("audits %q, %d files", d.ids, len(d.files))
	}
	return d
}

// outputFiles reads what an audit wrote, but its store.
func outputFiles(out string) map[string][]byte {
	files := copySpool(out)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, "audits.db") })
	return files
}

// restore puts the folder back to what it was and opens the store for change.
func (d *damagedStores) restore(t *testing.T, change func(tx *bbolt.Tx) error) {
	t.Helper()
	path := filepath.Join(d.out, "audits.db")
	must(t, os.RemoveAll(d.out))
	for name, data := range d.files {
		d.put(t, filepath.Join(d.out, name), data)
	}
	for name, data := range d.spool {
		d.put(t, filepath.Join(path+".spool", name), data)
	}
	d.put(t, path, d.store)
	db, err := bbolt.Open(path, 0o644, nil)
	must(t, err)
	must(t, db.Update(change))
	must(t, db.Close())
}

func (d *damagedStores) put(t *testing.T, path string, data []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(t, os.WriteFile(path, data, 0o666))
}

// unharmed reports outputs that are not what they were.
func (d *damagedStores) unharmed(t *testing.T) {
	t.Helper()
	now := outputFiles(d.out)
	for name := range d.files {
		if !bytes.Equal(now[name], d.files[name]) {
			t.Errorf("%s is not what it was", name)
		}
		delete(now, name)
	}
	if len(now) > 0 {
		t.Errorf("new: %q", slices.Collect(maps.Keys(now)))
	}
}

// unfinished is a change that makes an audit one that was stopped.
func unfinished(t *testing.T, d *damagedStores) {
	t.Helper()
	d.restore(t, func(*bbolt.Tx) error { return nil })
	store, err := storage.Open(filepath.Join(d.out, "audits.db"))
	must(t, err)
	a, err := store.Audit(d.ids[1])
	must(t, err)
	info := a.Info()
	info.Ended = time.Time{}
	must(t, a.SetInfo(info))
	must(t, a.Close())
	must(t, store.Close())
	d.store = read(filepath.Join(d.out, "audits.db"))
}

// A record is one of the kinds of records of an audit, found by where it lies.
type record struct {
	kind string
	path []string // of its bucket below the audit
	key  []byte   // nil for the one in the middle
	last bool     // the last of them
}

var records = []record{
	{kind: "info", key: []byte("info")},
	{kind: "sitemap", path: []string{"sitemaps"}, key: number(1)},
	{kind: "list of reported addresses", path: []string{"sitemaps"}, last: true},
	{kind: "entry", path: []string{"entries"}},
	{kind: "reported address", path: []string{"entries"}, last: true},
	{kind: "hop", path: []string{"hops"}},
	{kind: "news", path: []string{"records"}, key: []byte("news")},
	{kind: "dropped", path: []string{"records"}, key: []byte("dropped")},
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// damage does harm to a record of an audit.
func (r *record) damage(tx *bbolt.Tx, id string, h *harm) error {
	b := tx.Bucket([]byte("audits")).Bucket([]byte(id))
	for _, name := range r.path {
		b = b.Bucket([]byte(name))
	}
	k, v := r.key, []byte(nil)
	switch {
	case r.last:
		k, v = b.Cursor().Last()
	case k == nil:
		n := 0
		_ = b.ForEach(func([]byte, []byte) error { n++; return nil })
		c := b.Cursor()
		k, v = c.First()
		for range n / 2 {
			k, v = c.Next()
		}
	default:
		v = b.Get(k)
	}
	if len(v) == 0 {
		return fmt.Errorf("there is no record %s", r.kind)
	}
	return h.make(b, bytes.Clone(k), bytes.Clone(v))
}

// Where a sitemap beside the store cannot be read nothing is written that would have
// needed it, and nobody is told that nothing is lost.
func TestADamagedSpoolCostsNoOutput(t *testing.T) {
	d := damageable(t)
	report := []string{"report", "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}
	stopped := *d
	unfinished(t, &stopped)
	met := 0
	for name := range d.spool {
		if !strings.HasPrefix(name, d.ids[1]) {
			continue
		}
		for what, damage := range map[string]func(path string, data []byte) error{
			"garbage": func(path string, data []byte) error {
				return os.WriteFile(path, bytes.Repeat([]byte{0xff}, len(data)), 0o666)
			},
			"cut": func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o666) },
			"flipped": func(path string, data []byte) error {
				data = bytes.Clone(data)
				data[len(data)/2] ^= 0x20
				return os.WriteFile(path, data, 0o666)
			},
			"empty": func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o666) },
			"gone":  func(path string, _ []byte) error { return os.Remove(path) },
		} {
			for _, c := range []struct {
				name string
				in   *damagedStores
				args []string
			}{{"report", d, report}, {"audit that continues", &stopped, d.args}} {
				t.Run(c.name+"/"+name+"/"+what, func(t *testing.T) {
					c.in.restore(t, func(*bbolt.Tx) error { return nil })
					path := filepath.Join(d.out, "audits.db.spool", name)
					must(t, damage(path, d.spool[name]))
					var out, errOut bytes.Buffer
					got := run(context.Background(), c.args, strings.NewReader(""), &out, &errOut)
					if got == exitError {
						met++
						d.result(t, errOut.String())
					}
					if got == exitError || c.name == "report" { // an audit that ends writes when it did
						d.unharmed(t)
					}
				})
			}
		}
	}
	if met < 25 { // three sitemaps are corrected
		t.Errorf("damage was met %d times", met)
	}
}

// Where a record of the store cannot be read no command replaces a good output, or
// shows a half one as a whole: it says that the store is damaged, and what to do.
func TestADamagedRecordCostsNoOutput(t *testing.T) {
	d := damageable(t)
	finished := d.store
	unfinished(t, d)
	stopped := d.store
	commands := []struct {
		name  string
		store []byte
		args  func() []string
		needs []string // the records of the newer audit without which it cannot be right
	}{
		{"report", finished, func() []string {
			return []string{"report", "--out", d.out, "--format", "html,csv,jsonl", "--lang", "en"}
		},
			[]string{"info", "sitemap", "list of reported addresses", "entry", "reported address", "hop"}},
		{"report to standard output", finished, func() []string {
			return []string{"report", "--out", "-", "--format", "csv", "--store", filepath.Join(d.out, "audits.db")}
		}, []string{"info", "sitemap", "entry", "hop"}},
		{"diff", finished, func() []string { return []string{"diff", "--out", d.out} }, []string{"info"}},
		{"list", finished, func() []string { return []string{"list", "--out", d.out} }, []string{"info", "news"}},
		{"audit that continues", stopped, func() []string { return d.args }, []string{"info", "sitemap", "entry", "hop"}},
		{"audit anew", finished, func() []string { return append(slices.Clone(d.args), "--fresh") }, []string{"info", "dropped"}},
	}
	for _, c := range commands {
		d.store = c.store
		if strings.HasPrefix(c.name, "report") { // the commands that it offers name its flags
			d.restore(t, func(*bbolt.Tx) error { return nil })
			run(context.Background(), c.args(), strings.NewReader(""), io.Discard, io.Discard)
			d.files = outputFiles(d.out)
		}
		for _, r := range records {
			for _, h := range harms {
				for age, id := range d.ids {
					t.Run(fmt.Sprintf("%s/%s %s/%d", c.name, r.kind, h.what, age), func(t *testing.T) {
						d.restore(t, func(tx *bbolt.Tx) error { return r.damage(tx, id, &h) })
						var out, errOut bytes.Buffer
						got := run(context.Background(), c.args(), strings.NewReader(""), &out, &errOut)
						if got == exitError {
							d.result(t, errOut.String())
							d.unharmed(t)
							return
						}
						if age == 1 && slices.Contains(c.needs, r.kind) && (h.what != "gone" || r.path == nil || r.path[0] != "records") {
							t.Errorf("exit status %d: %s%s", got, errOut.String(), out.String())
						}
						if strings.HasPrefix(c.name, "report") {
							d.unharmed(t)
						}
					})
				}
			}
		}
	}
}

// told reports an error that does not say that the store is damaged, and what to do.
func (d *damagedStores) result(t *testing.T, said string) {
	t.Helper()
	if !strings.Contains(said, "damaged") && !strings.Contains(said, "is gone") || !strings.Contains(said, "\nhint: ") || strings.Contains(said, "nothing is lost") {
		t.Errorf("it says:\n%s", said)
	}
}
