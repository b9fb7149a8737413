package report

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// most is how much a part may have; tests have less.
var most = sitemap.Most()

// splits reports whether the file is to be written as several.
func (m *mending) splits() bool {
	s := &m.f.Sitemap
	return m.result.Info.Rules.Split && slices.ContainsFunc(s.Faults, tooLarge) && !s.InPart() && !m.index
}

// tooLarge reports whether a fault is that a file lists more than a sitemap may, or is larger.
func tooLarge(f audit.SitemapFault) bool { return f.Key == "too-many-urls" || f.Key == "too-large" }

// split puts several files in the place of a corrected copy that lists too much. Of one that
// cannot be split a fault says why, and it stays as it is.
func (m *mending) split(ctx context.Context, s *staging, corrected string) error {
	d, err := sitemap.Divide(func(fn func(io.Reader) error) error {
		return s.read(corrected, func(r io.Reader) error { return fn(sitemap.Stoppable(ctx, r)) })
	}, most)
	var parts []audit.File
	switch {
	case !m.listable() || errors.Is(err, sitemap.ErrDivide):
	case err != nil || len(d.Parts) == 1: // what was taken out was enough
		return err
	default:
		parts = m.partNames(len(d.Parts))
	}
	f := m.f
	if parts == nil {
		f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), audit.SitemapFault{Sitemap: f.Sitemap.URL, Name: "Not split", Severity: "warning", Key: "not-split-form"})
		return nil
	}
	whole := corrected + ".whole" // until its parts are written, one of which may have its name
	s.ready[s.at(corrected)].name = whole
	if err := m.writeParts(ctx, s, whole, d, parts); err != nil {
		return err
	}
	s.forget(whole)
	f.Parts, f.Sitemap.Faults = parts, slices.Clone(f.Sitemap.Faults)
	for i := range f.Sitemap.Faults {
		if x := &f.Sitemap.Faults[i]; tooLarge(*x) {
			x.Mended = x.Places()
		}
	}
	if parts[0].Name == f.Name {
		f.TextSHA256 = parts[0].TextSHA256
		return nil
	}
	return m.writeIndex(ctx, s, corrected, parts)
}

// listable reports whether somebody can list the parts of a file: it has a place on the web, and an index
// that lists it can be edited.
func (m *mending) listable() bool {
	f := m.f
	if a, err := address.Parse(f.BelongsAt); err != nil || a.IsZero() || f.Sitemap.Parent < 0 {
		return err == nil && !a.IsZero()
	}
	at := slices.IndexFunc(m.result.Files, func(x audit.File) bool { return x.Sitemap.N == f.Sitemap.Parent })
	if at < 0 || f.Moved() || f.Sitemap.Bound {
		return false
	}
	index := &m.result.Files[at]
	return !index.Outdated && !index.Sitemap.InPart() && index.Sitemap.Spool != "" && index.Sitemap.Kind == string(sitemap.Index)
}

// partNames returns where n parts belong, beside the file: shop.example/products-1.xml. Where
// an index lists the file the first part takes its name: an index in its place would be one
// inside another, which Google does not read. nil where one of them is in use.
func (m *mending) partNames(n int) []audit.File {
	ext := ".xml"
	if m.f.Sitemap.Kind == string(sitemap.Text) {
		ext = ".txt"
	}
	if m.f.Sitemap.Gzip {
		ext += ".gz"
	}
	a := address.Wire(m.f.BelongsAt)
	dir, base := path.Split(a.Path())
	stem, _, _ := strings.Cut(base, ".")
	used := map[string]bool{}
	for i := range m.result.Files {
		x := &m.result.Files[i]
		for _, p := range append([]audit.File{{Name: x.Name, BelongsAt: x.BelongsAt}, {Name: x.Sitemap.URL, BelongsAt: x.Sitemap.AnsweredAt}}, x.Parts...) {
			used[strings.ToLower(p.Name)], used[p.BelongsAt] = true, true
		}
	}
	parts := make([]audit.File, n)
	for i := range parts {
		at := fmt.Sprint(a.Origin(), dir, cmp.Or(stem, "sitemap"), "-", i+1, ext)
		parts[i] = audit.File{BelongsAt: at, Name: sitemap.FileName(at)}
		if i == 0 && m.f.Sitemap.Parent >= 0 {
			parts[0] = audit.File{BelongsAt: m.f.BelongsAt, Name: m.f.Name}
		} else if used[at] || used[strings.ToLower(parts[i].Name)] {
			return nil
		}
	}
	return parts
}

// writeParts stages the parts of the corrected copy, and reads them again as they were written:
// together they have the entries of the copy, in its order, and none has too many.
func (m *mending) writeParts(ctx context.Context, s *staging, whole string, d *sitemap.Division, parts []audit.File) error {
	var open *newFile
	shut := func(err error) error {
		f := open
		if open = nil; f == nil {
			return err
		}
		return f.close(err)
	}
	err := s.read(whole, func(r io.Reader) error {
		return shut(d.Write(sitemap.Stoppable(ctx, r), func(n int) (io.Writer, error) {
			err := shut(nil)
			if err == nil {
				open, err = s.create(ctx, sitemapsDir+"/"+parts[n].Name)
			}
			return open, err
		}))
	})
	var want, has sequence
	if err == nil {
		err = s.read(whole, func(r io.Reader) (err error) { _, _, err = want.read(r, sitemap.Options{}); return err })
	}
	for i := range parts {
		p, before := &parts[i], has.entries
		if err == nil {
			err = s.read(sitemapsDir+"/"+p.Name, func(r io.Reader) (err error) {
				p.TextSHA256, _, err = has.read(r, sitemap.Options{})
				return err
			})
		}
		if p.Counts.Entries = has.entries - before; err == nil && (p.Counts.Entries != d.Parts[i] || p.Counts.Entries > most.Entries) {
			err = fmt.Errorf("%w: part %d has %d URLs", errUnproved, i+1, p.Counts.Entries)
		}
	}
	if err == nil && has != want {
		err = fmt.Errorf("%w: its parts have other URLs", errUnproved)
	}
	return err
}

// writeIndex stages the index of the parts, under the name of the file and packed as it was.
func (m *mending) writeIndex(ctx context.Context, s *staging, name string, parts []audit.File) error {
	type part struct { // sitemaps.org, "Using Sitemap index files"
		Loc     string `xml:"loc"`
		Lastmod string `xml:"lastmod,omitempty"`
	}
	var index struct {
		XMLName  xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Sitemaps []part   `xml:"sitemap"`
	}
	for _, p := range parts {
		index.Sitemaps = append(index.Sitemaps, part{p.BelongsAt, m.date})
	}
	text, err := xml.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	text = append([]byte(xml.Header), append(text, '\n')...)
	sum := sha256.Sum256(text)
	m.f.TextSHA256 = hex.EncodeToString(sum[:])
	return s.write(ctx, name, func(w io.Writer) error {
		if !m.f.Sitemap.Gzip {
			_, err := w.Write(text)
			return err
		}
		z := gzip.NewWriter(w)
		_, err := z.Write(text)
		return errors.Join(err, z.Close())
	})
}
