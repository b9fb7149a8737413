package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/audit"
)

// ErrFinished: outputs of an audit that has ended are there, and those of one that was
// stopped do not take their place: what was not asked would be missing in them, the
// corrected sitemaps first.
var ErrFinished = errors.New("it has the outputs of a finished audit, and this one was stopped before its end")

const summaryName = "summary.json"

// maxSummary is how much of a summary.json is read. One of 50,000 sitemaps has 60 MB.
const maxSummary = 256 << 20

// sparesFinished returns ErrFinished where the directory has outputs that are neither
// those of a stopped audit nor of one without an entry.
func (s *staging) sparesFinished() error {
	there, err := s.outputs()
	if was := s.said(); err == nil && there && !was.stopped() && !was.empty() {
		err = fmt.Errorf("%s: %w", s.dir, ErrFinished)
	}
	return err
}

// spares reports whether the directory has outputs that those of an audit without an entry
// are not to replace: all but such outputs themselves. A sitemap that is not read one night
// says nothing of what the night before was corrected, and its audit is not in the store, so
// that nothing could write the others again where the store is lost.
func (s *staging) spares() (bool, error) {
	there, err := s.outputs()
	was := s.said()
	return there && !was.empty(), err
}

// empty reports whether an audit has nothing that outputs could say, but that and why no
// entry was found.
func empty(result *audit.Result) bool {
	return result.Counts.Entries == 0 && result.SearchConsole == nil && result.Expected == nil
}

// outputs reports whether the directory has any output.
func (s *staging) outputs() (bool, error) {
	for _, name := range outputNames() {
		if _, err := s.in.Lstat(name); err == nil {
			return true, nil
		} else if !absent(err) {
			return false, err
		}
	}
	return false, nil
}

// outputNames are the files and folders that WriteAll writes, without what lies in the folders.
func outputNames() []string {
	names := append([]string{sitemapsDir, originalsDir, changesName, summaryName}, Tables()...)
	for _, f := range formats {
		names = append(names, f.file)
	}
	return names
}

// IsOutput reports whether name, relative to the directory of WriteAll, is that of a file or folder
// that WriteAll may write or remove, or lies in such a folder. Case does not count, as in many
// file systems.
func IsOutput(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/")
	return slices.ContainsFunc(outputNames(), func(s string) bool { return strings.EqualFold(s, first) })
}

// said is what a summary.json, which is written last, says of its audit.
type said struct {
	ID, Start, End string
	Targets        []string
	Entries        *entries
	Tables         map[string]json.RawMessage
}

// stopped reports whether it is that of an audit that was stopped.
func (s *said) stopped() bool { return s.ID != "" && s.Start != "" && s.End == "" }

// empty is empty of the audit that wrote it, which may have been stopped before a sitemap was read.
func (s *said) empty() bool {
	return s.ID != "" && s.Entries != nil && s.Entries.All == 0 && s.Tables["search-console"] == nil && s.Tables["expectations"] == nil
}

// said returns what summary.json says of its audit; nothing where there is none, or it cannot be
// read.
func (s *staging) said() (said said) {
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
	Audit          string   // ID of that audit
	Targets        []string // its targets
	Files, Formats []string
}

// beside returns what stays in the directory beside the outputs of audit id; nothing where the last
// ones were of the same, or that is not known.
func (s *staging) beside(id string) (b Beside) {
	last := s.said()
	if b.Audit, b.Targets = last.ID, last.Targets; b.Audit == "" || b.Audit == id {
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
