package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"sitemend/crawler/audit"
)

// Options says which outputs WriteAll writes, and where.
type Options struct {
	Dir     string   // made where it does not exist
	Formats []string // of Formats()
	// Open opens the sitemaps as fetched. Required where a file is changed.
	Open Open
	// HTML writes report.html. Required with the format html.
	HTML func(w io.Writer, told *audit.Told) error
}

// Written says what WriteAll wrote.
type Written struct {
	Dir string
	// Files are the names of the files in Dir, with slashes; the sitemaps and
	// originals among them.
	Files  []string
	Mended Mended
}

// formats are the row formats and the files they are written to.
var formats = []struct {
	name, file string
	rows       rowWriter
}{
	{"csv", "entries.csv", csvRows},
	{"jsonl", "entries.jsonl", jsonRows},
}

// Formats returns the formats that WriteAll knows.
func Formats() []string {
	names := []string{"html"}
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// WriteAll writes the outputs of an audit to a directory: the corrected
// sitemaps with their originals and changes.csv (as Mend does), the formats
// asked for, and summary.json. All are written beside their targets first and
// renamed only when each of them is whole, summary.json last; with an error
// before that, the outputs of an earlier audit stay as they were. A format that
// is not asked for leaves its file of an earlier audit alone. It marks files as
// changed, as Mend says.
func WriteAll(told *audit.Told, o Options) (Written, error) {
	if err := o.check(); err != nil {
		return Written{}, err
	}
	s, err := stage(o.Dir)
	if err != nil {
		return Written{}, err
	}
	defer s.close()
	done, err := mend(told, o.Open, s)
	if err != nil {
		return Written{}, err
	}
	if err := stageOutputs(told, o, s); err != nil {
		return Written{}, err
	}
	out := Written{Dir: o.Dir, Files: s.names(), Mended: done}
	return out, s.replace(done.Names)
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

// stageOutputs stages the formats and summary.json.
func stageOutputs(told *audit.Told, o Options, s *staging) error {
	if err := stageRows(told, o.Formats, s); err != nil {
		return err
	}
	if slices.Contains(o.Formats, "html") {
		err := s.write("report.html", func(w io.Writer) error { return o.HTML(w, told) })
		if err != nil {
			return err
		}
	}
	return s.write("summary.json", func(w io.Writer) error { return WriteSummaryJSON(w, told) })
}

// stageRows stages the row formats in one walk over the rows.
func stageRows(told *audit.Told, names []string, s *staging) error {
	var sinks []sink
	walk := func() error {
		if len(sinks) == 0 {
			return nil
		}
		return each(told, sinks...)
	}
	for _, f := range formats {
		if !slices.Contains(names, f.name) {
			continue
		}
		inner := walk
		walk = func() error {
			return s.write(f.file, func(w io.Writer) error {
				take, err := f.rows.sink(w)
				if err != nil {
					return err
				}
				sinks = append(sinks, take)
				return inner()
			})
		}
	}
	return walk()
}
