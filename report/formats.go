package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"sitemend/crawler/audit"
)

// formats are the formats with rows, and the files they are written to. The
// page, html, is no row format: it is handed in.
var formats = []struct {
	name, file string
	open       starter
}{
	{"csv", "entries.csv", csvRows.open},
	{"jsonl", "entries.jsonl", jsonRows.open},
	{"xlsx", "entries.xlsx", openXLSX},
	{"junit", "junit.xml", openJUnit},
	{"sarif", "sarif.json", openSARIF},
	{"md", "summary.md", openMarkdown},
}

// Formats returns the names of the formats that Write and WriteAll know.
func Formats() []string {
	names := []string{"html"}
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Write writes one format of Formats to w, as WriteAll writes its file. Of o it
// uses Lang and, with the format html, HTML. An unknown format, an error of w or
// of told's rows is returned; half an output may be written then.
func Write(w io.Writer, format string, told *audit.Told, o Options) error {
	o.Formats = []string{format}
	if err := o.check(); err != nil {
		return err
	}
	if format == "html" {
		return o.HTML(w, told)
	}
	for _, f := range formats {
		if f.name == format {
			return f.open.writeAll(w, told, env{lang: o.Lang})
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

// stageRows stages the row formats in one walk over the rows.
func stageRows(told *audit.Told, o Options, s *staging) error {
	var open []rows
	walk := func() error {
		if len(open) == 0 {
			return nil
		}
		takes := make([]sink, len(open))
		for i := range open {
			takes[i] = open[i].take
		}
		return each(told, takes...)
	}
	for _, f := range formats {
		if !slices.Contains(o.Formats, f.name) {
			continue
		}
		inner := walk
		walk = func() error {
			return s.write(f.file, func(w io.Writer) error {
				out, err := f.open(w, told, env{lang: o.Lang, tmp: s.tmp})
				if err != nil {
					return err
				}
				open = append(open, out)
				return out.finish(inner())
			})
		}
	}
	return walk()
}
