package report

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	sitemapsDir  = "sitemaps"
	originalsDir = "originals"
)

// removeStale removes the corrected sitemaps and originals of earlier audits
// from dir, except those named in keep (without sitemaps/), and the folders
// that this empties. Only files known to be ours go: those that the last
// summary.json names, and those that have their twin under the other folder.
// A file that somebody put there is left alone.
func removeStale(dir string, keep map[string]bool) error {
	var errs []error
	for _, name := range ours(dir) {
		if keep[name] {
			continue
		}
		// The original first: if we are stopped in between, the summary.json of
		// the earlier audit still names the other.
		for _, folder := range []string{originalsDir, sitemapsDir} {
			errs = append(errs, removeFile(dir, path.Join(folder, name)))
		}
	}
	return errors.Join(errs...)
}

// ours returns the names of the files that earlier audits left, sorted.
func ours(dir string) []string {
	names := recorded(dir)
	root := filepath.Join(dir, originalsDir)
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a folder that cannot be read holds nothing we could remove
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return nil
		}
		if twin, err := os.Lstat(filepath.Join(dir, sitemapsDir, name)); err == nil && twin.Mode().IsRegular() {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// removeReported removes the search-console.csv of an earlier audit from dir. It is
// known to be ours where the last summary.json speaks of an export and the file begins
// as ours do.
func removeReported(dir string) error {
	if lastSummary(dir).Reported == nil {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, reportedName))
	if err != nil {
		return nil // what is not there, or cannot be read, is not known to be ours
	}
	head := make([]byte, len(bom+reportedColumns))
	_, err = io.ReadFull(f, head)
	_ = f.Close() // it was only read
	if err != nil || string(head) != bom+reportedColumns {
		return nil
	}
	return removeFile(dir, reportedName)
}

// A pastSummary is what is needed of the summary.json of an earlier audit.
type pastSummary struct {
	Files []struct {
		Written string `json:"written"`
	} `json:"files"`
	Reported *struct{} `json:"search_console"`
}

// lastSummary reads the summary.json in dir; it is empty where there is no such file
// or it is not ours.
func lastSummary(dir string) (last pastSummary) {
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil || json.Unmarshal(text, &last) != nil {
		return pastSummary{}
	}
	return last
}

// recorded returns the names of the corrected sitemaps that the summary.json in
// dir speaks of.
func recorded(dir string) []string {
	var names []string
	for _, f := range lastSummary(dir).Files {
		name, found := strings.CutPrefix(f.Written, sitemapsDir+"/")
		if found && filepath.IsLocal(filepath.FromSlash(name)) {
			names = append(names, name)
		}
	}
	return names
}

// removeFile removes dir/name, if it is there, and each folder above it that is
// empty then, up to dir.
func removeFile(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if os.Remove(filepath.Join(dir, filepath.FromSlash(up))) != nil {
			return nil // not empty
		}
	}
	return nil
}
