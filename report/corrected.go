package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Corrected is what WriteAll left in a directory, as summary.json says, which is written last.
type Corrected struct {
	ID      string          `json:"id"` // of the audit
	Start   string          `json:"start"`
	End     string          `json:"end"`
	Targets []string        `json:"targets"`
	Files   []CorrectedFile `json:"files"`
	Entries *struct {
		All int `json:"all"`
	} `json:"entries"`
	Tables map[string]json.RawMessage `json:"tables"`

	in *os.Root
}

// A CorrectedFile is a sitemap of the audit, as in summary.json.
type CorrectedFile struct {
	URL        string `json:"url"`
	AnsweredAt string `json:"answered_at"`
	Written    string `json:"written"`        // name of the corrected copy in the directory, with slashes; "" for none
	SHA256     string `json:"written_sha256"` // of the copy as it was written, unpacked; "" where an older version wrote it
	BelongsAt  string `json:"belongs_at"`
	PartOf     string `json:"part_of"`  // the URL of the sitemap of which it is a part; "" for none
	OfWhole    string `json:"original"` // of a part, the whole file as it was fetched
	Kind       string `json:"kind"`
}

// ErrNotWritten is that a directory has no outputs.
var ErrNotWritten = errors.New("it has no summary.json: no outputs of an audit are there")

// maxSummary is how much of a summary.json is read. One of 50,000 sitemaps has 60 MB.
const maxSummary = 256 << 20

// ReadCorrected reads what WriteAll left in a directory. The caller closes it.
func ReadCorrected(dir string) (*Corrected, error) {
	in, err := os.OpenRoot(dir)
	var c *Corrected
	if err == nil {
		if c, err = readCorrected(in); err != nil {
			err = errors.Join(err, in.Close())
		}
	}
	if absent(err) {
		err = fmt.Errorf("%s: %w", dir, ErrNotWritten)
	}
	return c, err
}

func readCorrected(in *os.Root) (*Corrected, error) {
	c := &Corrected{in: in}
	return c, c.read(summaryName, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, maxSummary)).Decode(c)
	})
}

// Close lets go of the directory.
func (c *Corrected) Close() error { return c.in.Close() }

// The ranks of outputs: those of an audit do not take the place of those of a higher one, nor of any
// of which that is not known. A sitemap that is not read one night says nothing of what the night
// before was corrected; and what an audit did not ask that was stopped is missing in its outputs, the
// corrected sitemaps first.
const (
	rankNone  = iota // nothing is there
	rankEmpty        // no entry was found
	rankStopped
	rankWhole
)

// rankOf is the rank of outputs of an audit.
func rankOf(empty, stopped bool) int {
	switch {
	case empty:
		return rankEmpty
	case stopped:
		return rankStopped
	}
	return rankWhole
}

// rank is the rank of what is in the directory, and whose that is; the zero Corrected where that
// cannot be told.
func (s *staging) rank() (rank int, c *Corrected, err error) {
	c, err = readCorrected(s.in)
	if err == nil && c.ID != "" && c.Entries != nil {
		beside := c.Tables["search-console"] != nil || c.Tables["expectations"] != nil
		return rankOf(c.Entries.All == 0 && !beside, c.End == ""), c, nil
	}
	for _, name := range outputNames() {
		if _, err := s.in.Lstat(name); err == nil {
			return rankWhole, &Corrected{}, nil
		} else if !absent(err) {
			return 0, nil, err
		}
	}
	return rankNone, &Corrected{}, nil
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

// A Beside is what stays in a folder of outputs that were not written now, where the last
// ones there were of another audit: nobody is to take them for those of this one.
type Beside struct {
	Audit          string   // ID of that audit
	Targets        []string // its targets
	Files, Formats []string
}

// beside returns what stays in the directory beside the outputs of audit id.
func (s *staging) beside(id string, last *Corrected) (b Beside) {
	if last.ID == "" || last.ID == id {
		return Beside{}
	}
	b.Audit, b.Targets = last.ID, last.Targets
	for _, f := range formats {
		if _, err := s.in.Lstat(f.file); err == nil && s.find(f.file) < 0 {
			b.Files, b.Formats = append(b.Files, f.file), append(b.Formats, f.name)
		}
	}
	return b
}

// Sitemap hands fn the corrected copy of a file, and Original the file as it was fetched. No link
// is followed.
func (c *Corrected) Sitemap(f *CorrectedFile, fn func(io.Reader) error) error {
	return c.copyOf(sitemapsDir, f, fn)
}

// Original hands fn a file as it was fetched, of which there is a corrected copy.
func (c *Corrected) Original(f *CorrectedFile, fn func(io.Reader) error) error {
	if f.OfWhole != "" {
		return c.read(f.OfWhole, fn)
	}
	return c.copyOf(originalsDir, f, fn)
}

func (c *Corrected) copyOf(dir string, f *CorrectedFile, fn func(io.Reader) error) error {
	name, ok := strings.CutPrefix(f.Written, sitemapsDir+"/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a corrected sitemap", f.Written)
	}
	return c.read(dir+"/"+name, fn)
}

// read hands fn an ordinary file of the directory, which no link leads out of.
func (c *Corrected) read(name string, fn func(io.Reader) error) error {
	info, err := c.in.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no ordinary file")
	}
	if err == nil {
		var file *os.File
		if file, err = c.in.Open(name); err == nil {
			defer file.Close()
			err = fn(file)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", pathOf(c.in, name), err)
	}
	return nil
}

// A ChangedAddress is an address of changes.csv.
type ChangedAddress struct {
	Sitemap string // as CorrectedFile.URL
	Address address.Address
	New     bool // it stands in the corrected sitemap, in place of another one
}

// Changes yields the addresses of changes.csv, the old and the new one of each line that has both;
// not those of the lines that say of which entries the lastmod was written.
// What was written out there because nobody could read it otherwise (control characters, octets
// that are no UTF-8) is left out, and so is what is no address. An error ends it.
func (c *Corrected) Changes() iter.Seq2[ChangedAddress, error] {
	return func(yield func(ChangedAddress, error) bool) {
		err := c.read(changesName, func(r io.Reader) error {
			lines := csv.NewReader(r)
			lines.ReuseRecord = true
			if head, err := lines.Read(); err != nil || strings.Join(head, ",") != bom+strings.Join(changeColumns.names(), ",") {
				return errors.Join(errors.New("it does not begin as ours do"), err)
			}
			for {
				cells, err := lines.Read()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				if cells[2] == string(audit.Redate) { // a date; the address has a line of its own
					continue
				}
				for _, x := range []struct {
					text string
					new  bool
				}{{cells[3], false}, {cells[4], true}} {
					a, err := address.Parse(x.text)
					if err != nil || strings.Contains(x.text, `\`) || strings.HasPrefix(x.text, "'") {
						continue
					}
					if !yield(ChangedAddress{cells[0], a, x.new}, nil) {
						return errStopped
					}
				}
			}
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(ChangedAddress{}, err)
		}
	}
}

// errStopped is that whoever ranges over something has had enough.
var errStopped = errors.New("stopped")
