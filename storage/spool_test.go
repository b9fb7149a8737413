package storage

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/audit"
)

func writeSpool(t testing.TB, a *Audit, name string, parts ...[]byte) {
	t.Helper()
	w, err := a.SpoolWriter(name)
	mustDo(t, err)
	for _, p := range parts {
		_, err := w.Write(p)
		mustDo(t, err)
	}
	mustDo(t, errors.Join(w.Close(), w.Close()))
}

func readSpool(t testing.TB, a *Audit, name string) []byte {
	t.Helper()
	r, err := a.OpenSpool(t.Context(), name)
	mustDo(t, err)
	data, err := io.ReadAll(r)
	mustDo(t, err)
	mustDo(t, r.Close())
	return data
}

func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	mustDo(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

func TestSpoolGivesBackTheExactBytes(t *testing.T) {
	_, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	xml := bytes.Repeat([]byte("<url><loc>https://shop.example/</loc></url>\n"), 5000)
	cases := map[string][]byte{"empty": {}, "one": {0x1f}, "magic": {0x1f, 0x8b}, "xml": xml, "gzip": packed(t, xml),
		"two gzips": append(packed(t, xml), packed(t, xml)...)}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			writeSpool(t, a, "sm-1.xml", data)
			if got := readSpool(t, a, "sm-1.xml"); !bytes.Equal(got, data) {
				t.Fatalf("got %d bytes, want %d", len(got), len(data))
			}
			info, err := os.Stat(filepath.Join(a.s.Path()+".spool", a.ID(), "sm-1.xml"))
			mustDo(t, err)
			if size := info.Size(); size > int64(len(data))+64 || name == "xml" && size > int64(len(data)/10) {
				t.Fatalf("%d bytes take %d", len(data), size)
			}
		})
	}
}

func TestDamagedSpool(t *testing.T) {
	_, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	if _, err := a.OpenSpool(t.Context(), "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no file: %v", err)
	}
	writeSpool(t, a, "x", bytes.Repeat([]byte("sitemap "), 1000))
	path := a.s.spoolPath(a.at.ID, "x")
	whole, err := os.ReadFile(path)
	mustDo(t, err)
	for _, cut := range []int{0, 5, len(whole) / 2, len(whole) - 1} {
		mustDo(t, os.WriteFile(path, whole[:cut], 0o644))
		r, err := a.OpenSpool(t.Context(), "x")
		if err == nil {
			_, err = io.ReadAll(r)
			mustDo(t, r.Close())
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
}

// Settled rows are read again where they were settled in the same way, and their file is what was kept.
// Otherwise none is settled, and no file is left. Where there can be no file they are in memory.
func TestSettledRows(t *testing.T) {
	_, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	mustDo(t, a.AddSitemap(t.Context(), &audit.Sitemap{URL: "u"}, listed(3)))
	rows := a.NewSettled(3)
	rows.Put(&audit.Row{Entry: audit.Entry{N: 1}, Verdict: audit.OK}, &audit.Rules{})
	mustDo(t, a.KeepSettled(rows, "so"))
	again := func(as string) string {
		kept := a.Settled(as)
		defer runtime.KeepAlive(kept) // else its memory may be unmapped
		return string(kept.Memory)
	}
	none := string(make([]byte, len(rows.Memory)))
	same(t, "kept", again("so"), string(rows.Memory))
	same(t, "settled otherwise", again("otherwise"), none)
	here := program
	program = "another"
	same(t, "settled by another program", again("so"), none)
	program = here
	rows.Put(&audit.Row{Entry: audit.Entry{N: 2}, Verdict: audit.Loop}, &audit.Rules{})
	same(t, "changed since", again("so"), none)
	_, err := a.openSpooled(passingName)
	same(t, "no file is left", errors.Is(err, fs.ErrNotExist), true)
	mustDo(t, errors.Join(os.RemoveAll(a.s.spoolPath("", "")), os.WriteFile(a.s.spoolPath("", ""), nil, 0o644)))
	same(t, "in memory", len(a.NewSettled(3).Memory), len(rows.Memory))
}
