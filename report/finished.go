package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	names := []string{sitemapsDir, originalsDir, changesName, reportedName, inspectedName, LogsName, summaryName}
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
	if info, err := s.in.Lstat(summaryName); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := s.in.Open(summaryName)
	if err != nil {
		return false
	}
	defer file.Close()
	var said struct{ ID, Start, End string }
	err = json.NewDecoder(io.LimitReader(file, maxSummary)).Decode(&said)
	return err == nil && said.ID != "" && said.Start != "" && said.End == ""
}
