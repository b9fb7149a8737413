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
	"time"

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// page is a page that says of each row nothing but a dot.
func page(_ context.Context, w io.Writer, _ *audit.Result) (Page, error) {
	_, err := io.WriteString(w, "<!doctype html>")
	return rows{func(*audit.File, *audit.Row) error {
		_, err := io.WriteString(w, ".")
		return err
	}, func() error { return nil }}, err
}

// dropped is an audit of one file of two entries, of which one is dropped.
var dropped = map[string]string{"a.example/s.xml": two}

func TestWriteAll(t *testing.T) {
	result := auditOf(dropped, "http://a.example/2 drop")
	dir := filepath.Join(t.TempDir(), "new", "out")
	written, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: Formats(), Open: opener(result, dropped), HTML: page})
	mustDo(t, err)
	want := []string{"changes.csv", "originals/a.example/s.xml", "sitemaps/a.example/s.xml", "summary.json"}
	for _, f := range formats {
		want = append(want, f.file)
	}
	slices.Sort(want)
	files := tree(t, dir)
	if got := slices.Sorted(slices.Values(written.Files)); !slices.Equal(slices.Sorted(maps.Keys(files)), want) || !slices.Equal(got, want) {
		t.Errorf("the directory has %q, %q are said to be written, want %q", slices.Sorted(maps.Keys(files)), got, want)
	}
	if digest := fmt.Sprintf(`"written_sha256": "%x"`, sha256.Sum256([]byte(files["sitemaps/a.example/s.xml"]))); !strings.Contains(files["summary.json"], digest) {
		t.Errorf("summary.json is without %s", digest)
	}
	for _, name := range []string{"csv", "jsonl", "junit", "sarif", "md"} {
		at := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
		if together, alone := files[formats[at].file], wrote(t, name, result); together != alone {
			t.Errorf("%s written in one walk:\n%s\nalone:\n%s", name, together, alone)
		}
	}
}

// A fault of ours in writing one file, or rows that cannot be read, is an error, and leaves all
// outputs of the earlier audit whole.
func TestAFaultLeavesWhatIsThere(t *testing.T) {
	result := auditOf(dropped, "http://a.example/2 drop")
	lost := func() error { panic("lost the thread") }
	seq := func(int) iter.Seq2[audit.Row, error] { panic("lost the thread") }
	bad := func(int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) { yield(audit.Row{}, errors.New("lost the thread")) }
	}
	paged := func(add func() error, end func() error) func(context.Context, io.Writer, *audit.Result) (Page, error) {
		return func(context.Context, io.Writer, *audit.Result) (Page, error) {
			return rows{func(*audit.File, *audit.Row) error { return add() }, end}, nil
		}
	}
	for name, c := range map[string]struct {
		result *audit.Result
		page   func(context.Context, io.Writer, *audit.Result) (Page, error)
		want   string
	}{
		"at the beginning":         {result, func(context.Context, io.Writer, *audit.Result) (Page, error) { panic("lost the thread") }, "report.html"},
		"at a row":                 {result, paged(lost, lost), "report.html"},
		"at the end":               {result, paged(func() error { return nil }, lost), "report.html"},
		"in the rows":              {walking(auditOf(map[string]string{"s.xml": one}, ""), seq), page, ""},
		"rows that cannot be read": {walking(auditOf(map[string]string{"s.xml": one}, ""), bad), page, ""},
	} {
		dir := t.TempDir()
		o := Options{Dir: dir, Formats: Formats(), Open: opener(result, dropped), HTML: page}
		_, err := WriteAll(t.Context(), result, o)
		mustDo(t, err)
		before := tree(t, dir)
		o.HTML = c.page
		_, err = WriteAll(t.Context(), c.result, o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "lost the thread") || errors.Is(err, ground.ErrOurs) != (name != "rows that cannot be read") {
			t.Errorf("%s: it ends with %v", name, err)
		}
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: the outputs changed: %q, before %q", name, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
	}
}

// Runs that write to one directory at the same time write one after the other: each
// file is whole and has its own name. What a killed run left in the staging place is gone then.
func TestWriteAllAtOnce(t *testing.T) {
	dir, alone := filepath.Join(t.TempDir(), "out"), t.TempDir()
	put(t, dir, stagingName+"/17", "half a file")
	write := func(dir string, formats ...string) error {
		result := auditOf(dropped, "http://a.example/2 drop")
		_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: formats, Open: opener(result, dropped), HTML: page})
		return err
	}
	mustDo(t, write(alone, Formats()...))
	var group errgroup.Group
	for i := range Formats() {
		group.Go(func() error { return write(dir, Formats()[i:]...) })
	}
	mustDo(t, group.Wait())
	if got, want := tree(t, dir), tree(t, alone); !maps.Equal(got, want) {
		t.Errorf("the directory has %q; that of one run %q", got, want)
	}
}

// stopAfter is the row after which nobody wants more.
const stopAfter = 500

// Every output that is not wanted any more ends at once, with the error of its context, and so does who
// waits for another run; then nothing is touched.
func TestOutputsEndWithTheirContext(t *testing.T) {
	text := "<urlset>" + strings.Repeat("<url><loc>http://a.example/1</loc></url>", 100*stopAfter) + "</urlset>"
	o := Options{Dir: t.TempDir(), Formats: Formats(), HTML: page, Open: func(context.Context, int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	outputs := map[string]func(ctx context.Context, result *audit.Result) error{
		"all": func(ctx context.Context, result *audit.Result) error {
			_, err := WriteAll(ctx, result, o)
			return err
		},
		"held": func(_ context.Context, result *audit.Result) error {
			s, err := stage(t.Context(), o.Dir, nil)
			mustDo(t, err)
			defer s.close()
			ended, stop := context.WithCancel(t.Context())
			stop()
			_, err = WriteAll(ended, result, o)
			return err
		},
	}
	for _, format := range Formats() {
		outputs[format] = func(ctx context.Context, result *audit.Result) error {
			return Write(ctx, io.Discard, format, result, o)
		}
	}
	for name, write := range outputs {
		for _, changed := range []bool{true, false} { // so that the formats are come to
			ctx, stop := context.WithCancel(t.Context())
			seen := 0
			file := audit.File{Name: "a.example/s.xml", Changed: changed, Sitemap: audit.Sitemap{URL: "http://a.example/s.xml", Spool: "s"}}
			result := walking(&audit.Result{Files: []audit.File{file}}, func(int) iter.Seq2[audit.Row, error] {
				return func(yield func(audit.Row, error) bool) {
					for n := range 100 * stopAfter {
						if seen++; n == stopAfter {
							stop()
						}
						row := audit.Row{Entry: audit.Entry{N: n, Loc: "http://a.example/1", Line: 1}, Verdict: audit.NotFound, Fix: audit.Fix{Action: audit.Drop}}
						if !yield(row, nil) {
							return
						}
					}
				}
			})
			if err := write(ctx, result); !errors.Is(err, context.Canceled) || seen > stopAfter+10 {
				t.Errorf("%s ends with %v, after %d rows", name, err, seen)
			}
			if files := tree(t, o.Dir); len(files) > 0 {
				t.Errorf("%s leaves %d files", name, len(files))
			}
			stop()
		}
	}
}

// The outputs of a stopped audit do not take the place of those of one that ended; those of one that
// ended take the place of any.
func TestAStoppedAuditSparesWhatIsFinished(t *testing.T) {
	finished, stopped := auditOf(dropped, "http://a.example/2 drop"), auditOf(dropped, "")
	stopped.Info.Ended, stopped.Info.Partial = time.Time{}, true
	dir := t.TempDir()
	write := func(result *audit.Result, formats ...string) error {
		_, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: formats, Open: opener(result, dropped), HTML: page})
		return err
	}
	mustDo(t, write(stopped, "csv"))
	mustDo(t, write(stopped, "html")) // again, over its own
	mustDo(t, write(finished, "html"))
	before := tree(t, dir)
	if err := write(stopped, Formats()...); !errors.Is(err, ErrFinished) || !maps.Equal(before, tree(t, dir)) {
		t.Errorf("it ends with %v; there is %q, before %q", err, tree(t, dir), before)
	}
}
