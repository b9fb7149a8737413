package report

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// remembered is a Record in memory.
func remembered(names *[]string) *Record {
	return &Record{Written: *names, Keep: func(all []string) error { *names = all; return nil }}
}

// writeTwo writes the outputs of an audit of some files of two entries.
func writeTwo(t *testing.T, dir string, record *Record, fixes string, files ...string) error {
	t.Helper()
	in := map[string]string{}
	for _, f := range files {
		in[f] = two
	}
	result := auditOf(in, fixes)
	_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: []string{"csv"}, Open: opener(result, in), Record: record})
	return err
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string { return slices.Sorted(maps.Keys(tree(t, dir))) }

// What an earlier audit wrote goes; what somebody else put there stays, whatever the
// summary.json in the folder says.
func TestWhatIsStaleIsRemoved(t *testing.T) {
	dir, known := t.TempDir(), []string{}
	put(t, dir, "sitemaps/mine.xml", "mine")
	put(t, dir, "sitemaps/both.xml", "mine")
	put(t, dir, "originals/both.xml", "mine")
	mustDo(t, writeTwo(t, dir, remembered(&known), "http://a.example/2 drop", "a.example/s.xml", "b.example/deep/s.xml"))
	if tree(t, dir)["sitemaps/b.example/deep/s.xml"] == "" || len(known) != 5 {
		t.Fatalf("got %q, remembered %q", names(t, dir), known)
	}
	mine := []string{"changes.csv", "entries.csv", "originals/both.xml", "sitemaps/both.xml", "sitemaps/mine.xml", "summary.json"}
	put(t, dir, "summary.json", `{"files":[{"written":"sitemaps/mine.xml"}],"search_console":{}}`)
	mustDo(t, writeTwo(t, dir, remembered(&known), "http://a.example/2 drop", "a.example/s.xml"))
	if got, want := names(t, dir), slices.Sorted(slices.Values(append(slices.Clone(mine), "originals/a.example/s.xml", "sitemaps/a.example/s.xml"))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "sitemaps", "b.example")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an empty folder stayed")
	}
	mustDo(t, writeTwo(t, dir, nil, "", "a.example/s.xml"))
	if got := len(names(t, dir)); got != len(mine)+2 {
		t.Errorf("without a record something was removed: %q", names(t, dir))
	}
	mustDo(t, writeTwo(t, dir, remembered(&known), "", "a.example/s.xml"))
	if got := names(t, dir); !slices.Equal(got, mine) {
		t.Errorf("nothing to change: got %q, want %q", got, mine)
	}
}

// What cannot be remembered is not written.
func TestWhatIsNotRememberedIsNotWritten(t *testing.T) {
	dir, full := t.TempDir(), errors.New("disk is full")
	record := &Record{Keep: func([]string) error { return full }}
	if err := writeTwo(t, dir, record, "http://a.example/2 drop", "a.example/s.xml"); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("it wrote %q", got)
	}
}

// Whatever link somebody puts in the place of a file or folder of ours, nothing outside of the
// directory is written, cut or removed; and what a record says leads nowhere else either.
func TestLinksLeadNowhereElse(t *testing.T) {
	record := []string{"sitemaps/a.example/old.xml", "search-console.csv", "sitemaps/../precious", "sitemaps/../../outside/precious", "../outside/precious", "precious"}
	for _, place := range []string{"sitemaps", "originals/a.example", "sitemaps/a.example/s.xml", "changes.csv", "summary.json", "search-console.csv", ".sitemend-new", ".sitemend-new/0"} {
		for _, to := range []string{"outside", "outside/precious", "nowhere"} {
			root := t.TempDir()
			out := filepath.Join(root, "out")
			for _, name := range []string{"outside/precious", "outside/s.xml", "outside/old.xml", "outside/a.example/old.xml", "outside/0", "out/precious"} {
				put(t, root, name, "precious")
			}
			link := filepath.Join(out, filepath.FromSlash(place))
			mustDo(t, os.MkdirAll(filepath.Dir(link), 0o777))
			mustDo(t, os.Symlink(filepath.Join(root, filepath.FromSlash(to)), link))
			before := tree(t, root)
			known := slices.Clone(record)
			err := writeTwo(t, out, remembered(&known), "http://a.example/2 drop", "a.example/s.xml")
			after := tree(t, root)
			for name, was := range before {
				if was == "precious" && after[name] != was {
					t.Errorf("%s to %s: %s is %q", place, to, name, after[name])
				}
			}
			for name := range after {
				if _, was := before[name]; !was && strings.HasPrefix(name, "outside") {
					t.Errorf("%s to %s: it wrote %s", place, to, name)
				}
			}
			if folder := place == "sitemaps" || place == "originals/a.example"; folder && err == nil {
				t.Errorf("%s to %s: no error", place, to)
			}
		}
	}
}

// The formats of another audit go; those of the same audit stay.
func TestFormatsGoWithTheirAudit(t *testing.T) {
	dir, known, result := t.TempDir(), []string{}, auditOf(dropped, "")
	for _, c := range []struct{ id, formats, want string }{
		{"20261120T000000Z", "csv md", "changes.csv entries.csv summary.json summary.md"},
		{"20261120T000000Z", "junit", "changes.csv entries.csv junit.xml summary.json summary.md"},
		{"20261121T000000Z", "md", "changes.csv summary.json summary.md"},
	} {
		result.Info.ID = c.id
		_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: strings.Fields(c.formats), Record: remembered(&known)})
		if got := strings.Join(names(t, dir), " "); err != nil || got != c.want {
			t.Errorf("%s of %s: got %s, %v", c.formats, c.id, got, err)
		}
	}
}
