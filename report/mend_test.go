package report

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/report/internal/fixture"
)

// auditOf is an audit of the files in: the entries are what stands between
// <loc> and </loc>, their fixes the lines of edits.
func auditOf(in map[string]string, edits string) *audit.Result {
	fixes := map[string]audit.Row{}
	for line := range strings.Lines(edits) {
		words := strings.Fields(line)
		r := audit.Row{Verdict: audit.NotFound, Fix: audit.Fix{Action: audit.Action(words[1]), Why: audit.Why{Key: "as told"}}}
		if len(words) > 2 {
			r.Verdict, r.Fix.Loc = audit.Moved, words[2]
		}
		fixes[words[0]] = r
	}
	t := audit.Result{Info: audit.Info{ID: "20261121T101502Z", Started: fixture.Began, Ended: fixture.Began}}
	var rows [][]audit.Row
	for _, name := range slices.Sorted(maps.Keys(in)) {
		f := audit.File{Name: name, Sitemap: audit.Sitemap{N: len(t.Files), URL: "http://" + name, Spool: name, Links: strings.Contains(in[name], "xhtml:link")}}
		var of []audit.Row
		for n, line := range strings.Split(in[name], "\n") {
			_, rest, _ := strings.Cut(line, "<loc>")
			loc, _, found := strings.Cut(rest, "</loc>")
			if !found {
				continue
			}
			r := fixes[loc]
			if r.Fix.Action == "" {
				r.Verdict, r.Fix.Action = audit.OK, audit.Keep
			}
			r.Entry = audit.Entry{Loc: loc, Line: n + 1}
			f.Changed = f.Changed || r.Fix.Action != audit.Keep
			of = append(of, r)
		}
		t.Counts.Entries += len(of)
		t.Files, rows = append(t.Files, f), append(rows, of)
	}
	t.Becomes = func(url string) audit.Edited {
		r := fixes[url]
		return audit.Edited{Action: r.Fix.Action, Loc: r.Fix.Loc, Verdict: r.Verdict}
	}
	return walking(&t, func(file int) iter.Seq2[audit.Row, error] { return fixture.Each(rows[file]) })
}

// walking is t with these rows.
func walking(t *audit.Result, rows func(file int) iter.Seq2[audit.Row, error]) *audit.Result {
	t.Rows = func(ctx context.Context, file int) iter.Seq2[*audit.Row, error] {
		return func(yield func(*audit.Row, error) bool) {
			for row, err := range ground.Until(ctx, rows(file)) {
				if !yield(&row, err) {
					return
				}
			}
		}
	}
	t.Edits = t.Rows
	return t
}

func opener(result *audit.Result, in map[string]string) Open {
	return func(ctx context.Context, file int) (io.ReadCloser, error) {
		text, ok := in[result.Files[file].Name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

// tree reads all files below dir; changes.csv without its mark and CRs.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if d.Type()&fs.ModeSymlink != 0 {
			files[filepath.ToSlash(rel)] = "a link"
			return nil
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	mustDo(t, err)
	if text, ok := files["changes.csv"]; ok {
		files["changes.csv"] = strings.NewReplacer("\r\n", "\n", bom, "").Replace(text)
	}
	return files
}

const (
	two = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<url><loc>http://a.example/1</loc></url>\n<url><loc>http://a.example/2</loc></url>\n</urlset>\n"
	one = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<url><loc>http://a.example/1</loc></url>\n</urlset>\n"
)

// mendInto writes the corrected sitemaps to a directory, and no other output.
func mendInto(ctx context.Context, result *audit.Result, open Open, dir string) (*audit.Result, error) {
	s, err := stage(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	result, err = mend(ctx, result, open, "en", s)
	if err == nil {
		err = s.place(func(string) bool { return false })
	}
	return result, err
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	mustDo(t, os.MkdirAll(filepath.Dir(file), 0o777))
	mustDo(t, os.WriteFile(file, []byte(text), 0o666))
}

// An error leaves every file of the earlier audit as it was, and nothing else.
func TestMendIsAllOrNothing(t *testing.T) {
	good, drop := map[string]string{"a.example/s.xml": two}, "http://a.example/1 drop"
	more := auditOf(map[string]string{"a.example/s.xml": two, "b.example/s.xml": two}, "http://a.example/1 replace http://a.example/one")
	fewer := auditOf(map[string]string{"a.example/s.xml": one}, drop)
	outside := auditOf(map[string]string{"../s.xml": two}, drop)
	torn := io.MultiReader(strings.NewReader(two[:90]), iotest.ErrReader(errors.New("disk is gone")))
	for want, c := range map[string]struct {
		result *audit.Result
		open   Open
	}{
		"b.example":              {more, opener(more, good)}, // a file that is not there
		"more URLs than the 1":   {fewer, opener(fewer, good)},
		"fewer than were":        {auditOf(good, drop), opener(fewer, map[string]string{"a.example/s.xml": one})},
		"disk is gone":           {auditOf(good, drop), func(context.Context, int) (io.ReadCloser, error) { return io.NopCloser(torn), nil }},
		"no way to open":         {auditOf(good, drop), nil},
		"no name for a file":     {outside, opener(outside, map[string]string{"../s.xml": two})},
		"was audited":            {auditOf(good, "http://a.example/2 drop"), opener(fewer, map[string]string{"a.example/s.xml": strings.ReplaceAll(two, "/1", "/3")})},
		"not what was decided":   {auditOf(good, "http://a.example/2 replace \u200bhttp://a.example/two"), opener(fewer, good)},
		"could not be taken out": {auditOf(map[string]string{"a.example/s.xml": strings.TrimSuffix(two, "</url>\n</urlset>\n")}, "http://a.example/2 drop"), opener(fewer, map[string]string{"a.example/s.xml": strings.TrimSuffix(two, "</url>\n</urlset>\n")})},
	} {
		dir := t.TempDir()
		result := auditOf(good, "http://a.example/2 drop")
		_, err := mendInto(t.Context(), result, opener(result, good), dir)
		mustDo(t, err)
		before := tree(t, dir)
		_, err = mendInto(t.Context(), c.result, c.open, dir)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
		if after := tree(t, dir); !maps.Equal(after, before) {
			t.Errorf("with the error %q the directory has %q, before %q", want, after, before)
		}
	}
}

// A fault is mended where the copy has it no more, whichever of its kind are listed; one of the file as a
// whole, or of what the copy was not read for, is not.
func TestWhichFaultsAreMended(t *testing.T) {
	fault := func(name, arg string, column, count int) audit.SitemapFault {
		return audit.SitemapFault{Name: name, Severity: "error", Key: "k", Args: []string{arg}, Column: column, Count: count}
	}
	listed := []audit.SitemapFault{fault("Date", "a", 5, 0), fault("Date", "a", 5, 0), fault("URL", "b", 5, 0), fault("URL", "c", 5, 0), fault("URL", "", 0, 7),
		fault("URL", "whole", 0, 0), fault("Alternate", "d", 0, 0), fault("Alternate", "", 0, 3)}
	left := []audit.SitemapFault{fault("Date", "a", 9, 0), fault("URL", "c", 9, 0), fault("URL", "", 0, 2), fault("URL", "whole", 0, 0)}
	var got []int
	for _, x := range mended(listed, left) {
		got = append(got, x.Mended)
	}
	if want := []int{1, 0, 1, 0, 5, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
