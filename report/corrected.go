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
	ID    string          `json:"id"` // of the audit
	End   string          `json:"end"`
	Files []CorrectedFile `json:"files"`

	in *os.Root
}

// A CorrectedFile is a sitemap of the audit, as in summary.json.
type CorrectedFile struct {
	URL        string `json:"url"`
	AnsweredAt string `json:"answered_at"`
	Written    string `json:"written"`        // name of the corrected copy in the directory, with slashes; "" for none
	SHA256     string `json:"written_sha256"` // of the copy as it was written, unpacked; "" where an older version wrote it
	BelongsAt  string `json:"belongs_at"`
	Kind       string `json:"kind"`
}

// errNotWritten is that a directory has no outputs.
var errNotWritten = errors.New("it has no summary.json: no outputs of an audit are there")

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
		err = fmt.Errorf("%s: %w", dir, errNotWritten)
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

// isFormat reports whether a file is that of a format.
func isFormat(name string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.file == name })
}

// Sitemap hands fn the corrected copy of a file. No link is followed.
func (c *Corrected) Sitemap(f *CorrectedFile, fn func(io.Reader) error) error {
	if name, ok := strings.CutPrefix(f.Written, sitemapsDir+"/"); !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a corrected sitemap", f.Written)
	}
	return c.read(f.Written, fn)
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
			head, err := lines.Read()
			if err != nil || strings.Join(head, ",") != bom+strings.ReplaceAll(strings.ReplaceAll(changesHead, ":number", ""), " ", ",") {
				return errors.Join(errors.New("it does not begin as ours do"), err)
			}
			for cells, err := lines.Read(); err != io.EOF; cells, err = lines.Read() {
				if err != nil {
					return err
				}
				for i, text := range cells[3:5] {
					a, err := address.Parse(text)
					// The line of a lastmod has a date; the address has a line of its own.
					if err != nil || cells[2] == string(audit.Redate) || strings.ContainsAny(text, `\`) || strings.HasPrefix(text, "'") {
						continue
					}
					if !yield(ChangedAddress{cells[0], a, i == 1}, nil) {
						return errStopped
					}
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(ChangedAddress{}, err)
		}
	}
}

// errStopped is that whoever ranges over something has had enough.
var errStopped = errors.New("stopped")
