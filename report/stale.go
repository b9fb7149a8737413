package report

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	sitemapsDir  = "sitemaps"
	originalsDir = "originals"
)

// A Record is what somebody remembers of the files that were written to a directory and that must
// not outlive their audit: corrected sitemaps, originals, and the tables that not every audit has,
// as search-console.csv. What lies in the directory itself is asked for no names: whoever can write there
// could have any file removed. Only corrected sitemaps are removed that it proves by their digests
// (Strangers).
type Record struct {
	// Written are the names of such files that earlier runs wrote there, relative to
	// it, with slashes.
	Written []string
	// Keep remembers names in place of Written. It is called before the first of
	// them is there, with those of before, and where it fails nothing is touched; and
	// once more when those of before are gone. Required.
	Keep func(names []string) error
}

// headOf is how the side table of a name begins; "" for another file.
func headOf(name string) string {
	for _, t := range sides() {
		if t.file() == name {
			return t.head()
		}
	}
	return ""
}

// passing reports whether a file is one that must not outlive its audit.
func passing(name string) bool {
	under := strings.HasPrefix(name, sitemapsDir+"/") || strings.HasPrefix(name, originalsDir+"/")
	return under && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) || headOf(name) != ""
}

// replace puts what is staged in place, and removes what earlier runs wrote that
// would not be replaced.
func (s *staging) replace() error {
	names := s.names()
	for _, name := range names {
		if err := s.in.plainFolders(name); err != nil {
			return err
		}
		if first, _, deep := strings.Cut(name, "/"); deep { // what lies deeper may be of an earlier run, and go
			if err := s.in.taken(first, true); err != nil {
				return err
			}
		}
	}
	if s.record == nil {
		return s.commit()
	}
	passing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !passing(name) })
	if err := s.record.keep(slices.Concat(s.record.Written, passing)); err != nil {
		return err
	}
	if err := s.removeStale(names); err != nil {
		return err
	}
	if err := s.commit(); err != nil {
		return err
	}
	return s.record.keep(passing) // somebody else may take the other names
}

// add puts what is staged in place, beside what earlier runs wrote.
func (s *staging) add() error {
	names := s.names()
	for _, name := range names {
		if err := s.in.plainFolders(name); err != nil {
			return err
		}
	}
	if s.record != nil {
		if err := s.record.keep(slices.Concat(s.record.Written, names)); err != nil {
			return err
		}
	}
	return s.commit()
}

// keep has names remembered, unless they are already.
func (r *Record) keep(names []string) error {
	names = distinct(names)
	if slices.Equal(names, distinct(r.Written)) {
		return nil
	}
	if err := r.Keep(names); err != nil {
		return err
	}
	r.Written = names
	return nil
}

func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// removeStale removes what earlier runs wrote, except kept, and the folders that this
// empties. Originals go last: a corrected sitemap is never there without. A table, as
// search-console.csv, that does not begin as ours do is somebody's own by now.
func (s *staging) removeStale(kept []string) error {
	keep := map[string]bool{}
	for _, name := range kept {
		keep[name] = true
	}
	var errs []error
	for _, name := range slices.Backward(slices.Sorted(slices.Values(s.record.Written))) {
		if passing(name) && !keep[name] && (headOf(name) == "" || s.in.begins(name, headOf(name))) {
			errs = append(errs, s.in.remove(name))
		}
	}
	return errors.Join(errs...)
}
