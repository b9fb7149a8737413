package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"sitemend/crawler/audit"
)

// formats are the formats, and the files they are written to. What stands in a file is
// said where it is begun.
var formats = []struct {
	name, file string
	open       starter
}{
	{"html", "report.html", openPage},
	{"csv", "entries.csv", openCSV},
	{"jsonl", "entries.jsonl", openJSONL},
	{"xlsx", "entries.xlsx", openXLSX},
	{"junit", "junit.xml", openJUnit},
	{"sarif", "sarif.json", openSARIF},
	{"md", "summary.md", openMarkdown},
}

// Formats returns the names of the formats that Write and WriteAll know.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Write writes one format of Formats to w until ctx ends, as WriteAll writes its file. Of o it
// uses Lang and, with the format html, HTML. An unknown format, an error of w or
// of result's rows is returned; half an output may be written then.
func Write(ctx context.Context, w io.Writer, format string, result *audit.Result, o Options) error {
	o.Formats = []string{format}
	if err := o.check(); err != nil {
		return err
	}
	for _, f := range formats {
		if f.name == format {
			return f.open.writeAll(ctx, w, result, env{lang: o.Lang, again: o.Again, page: o.HTML})
		}
	}
	return nil
}

func (o *Options) check() error {
	for _, name := range o.Formats {
		if !slices.Contains(Formats(), name) {
			return fmt.Errorf("unknown format %q", name)
		}
	}
	if slices.Contains(o.Formats, "html") && o.HTML == nil {
		return errors.New("no writer for the format html")
	}
	return nil
}

// stageRows stages the formats in one walk over the rows.
func stageRows(ctx context.Context, result *audit.Result, o Options, s *staging) error {
	var outputs []*output
	err := openAll(ctx, result, o, s, &outputs)
	if err == nil && len(outputs) > 0 {
		takes := make([]sink, len(outputs))
		for i, out := range outputs {
			takes[i] = out.named
		}
		if o.Progress != nil {
			takes = append(takes, counting(o.Progress))
		}
		err = each(ctx, result, takes...)
	}
	for _, out := range outputs {
		err = out.close(err)
	}
	return err
}

// counting says of every few rows that they passed.
func counting(count func(rows int)) sink {
	n := 0
	return func(*audit.File, *audit.Row) error {
		if n++; n%batchRows == 0 {
			count(n)
		}
		return nil
	}
}

func openAll(ctx context.Context, result *audit.Result, o Options, s *staging, outputs *[]*output) error {
	for _, f := range formats {
		if !slices.Contains(o.Formats, f.name) {
			continue
		}
		file, err := s.create(ctx, f.file)
		if err != nil {
			return err
		}
		var rows rows
		err = audit.Guard(func() error {
			rows, err = f.open(ctx, file, result, env{lang: o.Lang, again: o.Again, tmp: s.tmp.Name(), page: o.HTML})
			return err
		})
		if err != nil {
			return file.close(err)
		}
		*outputs = append(*outputs, &output{rows, file})
	}
	return nil
}

// An output is a file that takes rows.
type output struct {
	rows
	file *newFile
}

// named is take, with the file's name in its error.
func (o *output) named(f *audit.File, r *audit.Row) error {
	if err := audit.Guard(func() error { return o.take(f, r) }); err != nil {
		return fmt.Errorf("%s: %w", o.file.name, err)
	}
	return nil
}

// close ends the output, whose rows were walked with err, and stages its file
// where all went well.
func (o *output) close(err error) error {
	if err != nil {
		_ = o.file.file.Close() // it is removed with the place for new files
		return o.finish(err)
	}
	return o.file.close(o.finish(nil))
}

// openPage begins the page that is handed in.
func openPage(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	page, err := e.page(ctx, w, result)
	if err != nil {
		return rows{}, err
	}
	return rows{take: page.Add, end: func(whole bool) error {
		if !whole {
			return nil
		}
		return page.Close()
	}}, nil
}
