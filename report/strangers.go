package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Strangers are files under sitemaps/ that an audit did not write there, nor an earlier one that its
// Record knows: of an audit in another store, or somebody's own.
type Strangers struct {
	// Removed are those that the last audit wrote there, as its summary.json proves by their digests.
	// They are removed with their originals, as they are where one store has both audits.
	Removed []string
	Left    []string // the others: nobody is to take them for those of this audit
}

// strangers finds the strangers beside what is staged, and has those removed that are proved.
func (s *staging) strangers() (out Strangers) {
	if s.record == nil || s.in.plain(sitemapsDir) != nil {
		return out
	}
	known := map[string]bool{}
	for _, name := range slices.Concat(s.names(), s.record.Written) {
		known[name] = true
	}
	// What cannot be looked at is not removed either.
	_ = fs.WalkDir(s.in.FS(), sitemapsDir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !known[name] {
			out.Left = append(out.Left, name)
		}
		return nil
	})
	if len(out.Left) == 0 {
		return out
	}
	written := s.digests()
	out.Left = slices.DeleteFunc(out.Left, func(name string) bool {
		if !passing(name) || written[name] == "" || s.in.digest(name) != written[name] {
			return false
		}
		out.Removed = append(out.Removed, name)
		return true
	})
	for _, name := range out.Removed {
		s.record.Written = append(s.record.Written, name)
		if of := originalsDir + strings.TrimPrefix(name, sitemapsDir); !known[of] {
			s.record.Written = append(s.record.Written, of)
		}
	}
	return out
}

// digests are those of the corrected sitemaps that summary.json names, by their names.
func (s *staging) digests() map[string]string {
	c := Corrected{in: s.in}
	if c.read(summaryName, func(r io.Reader) error { return json.NewDecoder(io.LimitReader(r, maxSummary)).Decode(&c) }) != nil {
		return nil
	}
	out := map[string]string{}
	for _, f := range c.Files {
		if f.Written != "" {
			out[f.Written] = f.SHA256
		}
	}
	return out
}

// digest is the digest of a sitemap, unpacked, as summary.json has it; "" for what is none.
func (f folder) digest(name string) string {
	text := sha256.New()
	err := audit.Guard(func() error {
		c := Corrected{in: f}
		return c.read(name, func(r io.Reader) error {
			_, err := sitemap.Read(r, sitemap.Options{Text: text}, func(sitemap.Entry) error { return nil })
			return err
		})
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(text.Sum(nil))
}
