package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrFinished: outputs of an audit that has ended are there, and those of one that was
// stopped do not take their place: what was not asked would be missing in them, the
// corrected sitemaps first.
var ErrFinished = errors.New("it has the outputs of a finished audit, and this one was stopped before its end")

const summaryName = "summary.json"

// maxSummary is how much of a summary.json is read. One of 50,000 sitemaps has 60 MB.
const maxSummary = 256 << 20

// sparesFinished returns ErrFinished where the directory has outputs that are not
// those of a stopped audit.
func (s *staging) sparesFinished() error {
	names := []string{sitemapsDir, originalsDir, changesName, reportedName, inspectedName, LogsName, rulesName, summaryName}
	for _, f := range formats {
		names = append(names, f.file)
	}
	for _, name := range names {
		if _, err := s.in.Lstat(name); err == nil {
			if s.stopped() {
				return nil
			}
			return fmt.Errorf("%s: %w", s.dir, ErrFinished)
		} else if !absent(err) {
			return err
		}
	}
	return nil
}

// stopped reports whether summary.json, which is written last, is that of an audit
// that was stopped.
func (s *staging) stopped() bool {
	said := s.said()
	return said.ID != "" && said.Start != "" && said.End == ""
}

// said returns what summary.json says of its audit; nothing where there is none, or it cannot be
// read.
func (s *staging) said() (said struct{ ID, Start, End string }) {
	if info, err := s.in.Lstat(summaryName); err != nil || !info.Mode().IsRegular() {
		return said
	}
	file, err := s.in.Open(summaryName)
	if err != nil {
		return said
	}
	defer file.Close()
	if json.NewDecoder(io.LimitReader(file, maxSummary)).Decode(&said) != nil {
		said.ID = ""
	}
	return said
}

// A Beside is what stays in a folder of outputs that were not written now, where the last
// ones there were of another audit: nobody is to take them for those of this one.
type Beside struct {
	Audit          string // ID of that audit
	Files, Formats []string
}

// beside returns what stays in the directory beside the outputs of audit id; nothing where the last
// ones were of the same, or that is not known.
func (s *staging) beside(id string) (b Beside) {
	if b.Audit = s.said().ID; b.Audit == "" || b.Audit == id {
		return Beside{}
	}
	replaced := s.names()
	for _, f := range formats {
		if _, err := s.in.Lstat(f.file); err == nil && !slices.Contains(replaced, f.file) {
			b.Files, b.Formats = append(b.Files, f.file), append(b.Formats, f.name)
		}
	}
	return b
}
