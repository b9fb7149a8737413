package report

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
)

// page is a page that says of each row nothing but a dot.
func page(_ context.Context, w io.Writer, _ *audit.Result) (Page, error) {
	_, err := io.WriteString(w, "<!doctype html>")
	return rows{func(*audit.File, *audit.Row) error {
		_, err := io.WriteString(w, ".")
		return err
	}, func() error { return nil }}, err
}

func TestWriteAll(t *testing.T) {
	in := map[string]string{"a.example/s.xml": two}
	result := auditOf(in, "http://a.example/2 drop")
	dir := filepath.Join(t.TempDir(), "new", "out")
	written, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: Formats(), Open: opener(result, in), HTML: page})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"changes.csv", "entries.csv", "entries.jsonl", "entries.xlsx", "junit.xml", "originals/a.example/s.xml", "report.html", "sarif.json",
		"sitemaps/a.example/s.xml", "summary.json", "summary.md"}
	if got := slices.Sorted(maps.Keys(tree(t, dir))); !slices.Equal(got, want) {
		t.Errorf("the directory has %q, want %q", got, want)
	}
	if got := slices.Sorted(slices.Values(written.Files)); !slices.Equal(got, want) {
		t.Errorf("said to be written: %q, want %q", got, want)
	}
	alone := func(format string) string {
		var b strings.Builder
		if err := Write(t.Context(), &b, format, result, Options{Lang: "en"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var summary strings.Builder
	if err := WriteSummaryJSON(&summary, written.Result); err != nil {
		t.Fatal(err)
	}
	if digest := fmt.Sprintf(`"written_sha256": "%x"`, sha256.Sum256([]byte(tree(t, dir)["sitemaps/a.example/s.xml"]))); !strings.Contains(summary.String(), digest) {
		t.Errorf("summary.json is without %s", digest)
	}
	for name, alone := range map[string]string{"summary.json": summary.String(), "entries.csv": alone("csv"), "entries.jsonl": alone("jsonl"),
		"junit.xml": alone("junit"), "sarif.json": alone("sarif"), "summary.md": alone("md")} {
		if together := tree(t, dir)[name]; together != alone {
			t.Errorf("%s written in one walk:\n%s\nalone:\n%s", name, together, alone)
		}
	}
}

// A fault of ours in writing one file is an error that names the file, and leaves all
// outputs of the earlier audit whole.
func TestAPanicIsTheErrorOfItsFile(t *testing.T) {
	in := map[string]string{"a.example/s.xml": two}
	result := auditOf(in, "http://a.example/2 drop")
	lost := func() error { panic("lost the thread") }
	add := func(*audit.File, *audit.Row) error { return nil }
	seq := func(int) iter.Seq2[audit.Row, error] { panic("lost the thread") }
	for name, c := range map[string]struct {
		result *audit.Result
		page   func(context.Context, io.Writer, *audit.Result) (Page, error)
		want   string
	}{
		"at the beginning": {result, func(context.Context, io.Writer, *audit.Result) (Page, error) { panic("lost the thread") }, "report.html"},
		"at a row": {result, func(context.Context, io.Writer, *audit.Result) (Page, error) {
			return rows{func(*audit.File, *audit.Row) error { return lost() }, lost}, nil
		}, "report.html"},
		"at the end":  {result, func(context.Context, io.Writer, *audit.Result) (Page, error) { return rows{add, lost}, nil }, "report.html"},
		"in the rows": {audit.MakeResult(*auditOf(map[string]string{"s.xml": one}, ""), seq, nil), page, ""},
	} {
		dir := t.TempDir()
		o := Options{Dir: dir, Formats: Formats(), Open: opener(result, in), HTML: page}
		if _, err := WriteAll(t.Context(), result, o); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		o.HTML = c.page
		_, err := WriteAll(t.Context(), c.result, o)
		if !errors.Is(err, audit.ErrOurs) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "lost the thread (report/write_test.go:") {
			t.Errorf("%s: it ends with %v", name, err)
		}
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: the outputs changed: %q, before %q", name, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
	}
}

// What a killed run left in the staging place is gone after the next.
func TestWriteAllSweeps(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, stagingName+"/17", "half a file")
	if _, err := WriteAll(t.Context(), auditOf(map[string]string{"s.xml": two}, ""), Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(tree(t, dir))), []string{"changes.csv", "summary.json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Runs that write to one directory at the same time write one after the other: each
// file is whole and has its own name.
func TestWriteAllAtOnce(t *testing.T) {
	dir, alone := filepath.Join(t.TempDir(), "out"), t.TempDir()
	write := func(dir string, formats ...string) error {
		in := map[string]string{"a.example/s.xml": two}
		result := auditOf(in, "http://a.example/2 drop")
		_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: formats, Open: opener(result, in), HTML: page})
		return err
	}
	if err := write(alone, Formats()...); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	for i := range Formats() {
		group.Go(func() error { return write(dir, Formats()[i:]...) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, dir), tree(t, alone); !maps.Equal(got, want) {
		t.Errorf("the directory has %q; that of one run %q", got, want)
	}
}

// Who waits for another run to write its outputs can be stopped, and so can who writes;
// then nothing is touched.
func TestWriteAllEndsWithItsContext(t *testing.T) {
	result := auditOf(map[string]string{"s.xml": two}, "")
	for _, held := range []bool{true, false} {
		dir := t.TempDir()
		if held {
			s, err := stage(t.Context(), dir, nil)
			mustDo(t, err)
			defer s.close()
		}
		ctx, stop := context.WithCancel(t.Context())
		o := Options{Dir: dir, Formats: []string{"html"}, HTML: func(ctx context.Context, w io.Writer, result *audit.Result) (Page, error) {
			stop() // in the middle of it
			return page(ctx, w, result)
		}}
		if held {
			stop()
		}
		if _, err := WriteAll(ctx, result, o); !errors.Is(err, context.Canceled) {
			t.Errorf("held %v: it ends with %v", held, err)
		}
		if got := slices.Sorted(maps.Keys(tree(t, dir))); len(got) > 0 {
			t.Errorf("held %v: it wrote %q", held, got)
		}
	}
}
