package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Corrected is what WriteAll left in a directory of corrected sitemaps, as summary.json says.
type Corrected struct {
	ID    string          `json:"id"` // of the audit
	Files []CorrectedFile `json:"files"`

	in folder
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

// ReadCorrected reads what WriteAll left in a directory. The caller closes it.
func ReadCorrected(dir string) (*Corrected, error) {
	in, err := openFolder(dir)
	if absent(err) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNotWritten)
	}
	if err != nil {
		return nil, err
	}
	c := &Corrected{in: in}
	err = c.read(summaryName, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, maxSummary)).Decode(c)
	})
	if absent(err) {
		err = fmt.Errorf("%s: %w", dir, ErrNotWritten)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return c, nil
}

// Close lets go of the directory.
func (c *Corrected) Close() error { return c.in.Close() }

// Sitemap hands fn the corrected copy of a file, and Original the file as it was fetched. No link
// is followed.
func (c *Corrected) Sitemap(f *CorrectedFile, fn func(io.Reader) error) error {
	return c.copyOf(sitemapsDir, f, fn)
}

// Original hands fn a file as it was fetched, of which there is a corrected copy.
func (c *Corrected) Original(f *CorrectedFile, fn func(io.Reader) error) error {
	if f.OfWhole != "" {
		return c.copyAt(f.OfWhole, fn)
	}
	return c.copyOf(originalsDir, f, fn)
}

func (c *Corrected) copyOf(dir string, f *CorrectedFile, fn func(io.Reader) error) error {
	name, ok := strings.CutPrefix(f.Written, sitemapsDir+"/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a corrected sitemap", f.Written)
	}
	return c.copyAt(dir+"/"+name, fn)
}

// copyAt hands fn a file of the directory, which does not lead out of it.
func (c *Corrected) copyAt(name string, fn func(io.Reader) error) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a file there", name)
	}
	return c.read(name, fn)
}

func (c *Corrected) read(name string, fn func(io.Reader) error) error {
	if err := c.in.plain(name); err != nil {
		return err
	}
	file, err := c.in.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := fn(file); err != nil {
		return fmt.Errorf("%s: %w", c.in.path(name), err)
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
			if head, err := lines.Read(); err != nil || strings.Join(head, ",")+"\r\n" != changeColumns.head() {
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
