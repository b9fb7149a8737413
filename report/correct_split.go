package report

import (
	"bytes"
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
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// notSplit are the faults of a file that is not written as several, by why.
var notSplit = map[string]audit.SitemapFault{
	"form":  {Key: "not-split-form"},  // it cannot be divided surely
	"place": {Key: "not-split-place"}, // nobody knows where its parts would belong
	"index": {Key: "not-split-index"}, // the index that lists it cannot be edited
}

// notSplitName is their name.
const notSplitName = "Not split"

// most is how much a part may have; tests have less.
var most = sitemap.Most()

// splits reports whether the file is to be written as several.
func (m *mending) splits() bool {
	s := &m.result.Files[m.file].Sitemap
	return m.result.Info.Rules.Split && s.TooLarge() && !s.InPart() && s.Kind != string(sitemap.Index)
}

// split puts several files in the place of a corrected copy that lists too much. Of one that
// cannot be split a fault says why, and it stays as it is.
func (m *mending) split(ctx context.Context, s *staging, corrected string) error {
	f := &m.result.Files[m.file]
	index, why, err := m.index(ctx)
	if err != nil {
		return err
	}
	if why != "" {
		m.keepWhole(why)
		return nil
	}
	read := func(fn func(io.Reader) error) error {
		return s.read(corrected, func(r io.Reader) error { return fn(sitemap.Stoppable(ctx, r)) })
	}
	d, err := sitemap.Divide(read, most)
	if errors.Is(err, sitemap.ErrDivide) {
		m.keepWhole("form")
		return nil
	}
	if err != nil || len(d.Parts) == 1 { // what was taken out was enough
		return err
	}
	parts := m.partNames(len(d.Parts), index)
	if parts == nil {
		m.keepWhole("place")
		return nil
	}
	first := parts[0].Name == f.Name
	if first { // under a name of its own until the whole was read
		parts[0].Name += ".part"
	}
	if err := m.writeParts(ctx, s, d, read, parts); err != nil {
		return err
	}
	if err := m.provenParts(s, corrected, parts, d); err != nil {
		return err
	}
	s.forget(corrected)
	if first {
		s.ready[s.find(sitemapsDir+"/"+parts[0].Name)].name = corrected
		parts[0].Name = f.Name
		f.TextSHA256 = parts[0].TextSHA256
	} else if err := m.writeIndex(ctx, s, corrected, parts); err != nil {
		return err
	}
	f.Parts, f.Sitemap.Faults = parts, f.Sitemap.Divided()
	return nil
}

// keepWhole says why a file is not written as several.
func (m *mending) keepWhole(why string) {
	s := &m.result.Files[m.file].Sitemap
	fault := notSplit[why]
	fault.Sitemap, fault.Severity = s.URL, "warning"
	fault.Name = notSplitName
	s.Faults = append(slices.Clip(s.Faults), fault)
}

// index returns the index that lists the file and that is to list its parts, nil where there
// is none; or why the file cannot be split.
func (m *mending) index(ctx context.Context) (index *audit.File, why string, err error) {
	f := &m.result.Files[m.file]
	if a, err := address.Parse(f.BelongsAt); err != nil || a.IsZero() {
		return nil, "place", nil
	}
	if f.Sitemap.Parent < 0 {
		return nil, "", nil
	}
	at := slices.IndexFunc(m.result.Files, func(x audit.File) bool { return x.Sitemap.N == f.Sitemap.Parent })
	if at < 0 || f.Moved || f.Sitemap.Bound {
		return nil, "index", nil
	}
	index = &m.result.Files[at]
	if s := &index.Sitemap; index.Outdated || s.InPart() || s.Spool == "" || s.Kind != string(sitemap.Index) {
		return nil, "index", nil
	}
	takes, err := m.takesMore(ctx, at, f.Sitemap.Place)
	if !takes || err != nil {
		return nil, "index", err
	}
	return index, "", nil
}

// takesMore reports whether an index can list others behind the n-th address: its element has no
// second one, and the file is in UTF-8.
func (m *mending) takesMore(ctx context.Context, index, n int) (takes bool, err error) {
	from, err := m.open(ctx, index)
	if err != nil {
		return false, err
	}
	defer from.Close()
	place := 0
	info, err := sitemap.Read(from, sitemap.Options{Charset: m.result.Files[index].Sitemap.Charset, Lastmods: true}, func(e sitemap.Entry) error {
		takes = takes || place == n && e.Sole && e.Addr.Len() > 0
		place++
		return nil
	})
	return takes && info.Charset == "utf-8", err
}

// partNames returns where n parts belong, beside the file: shop.example/products-1.xml. Where
// an index lists the file the first part takes its name: an index in its place would be one
// inside another, which Google does not read. nil where one of them is in use.
func (m *mending) partNames(n int, index *audit.File) []audit.FilePart {
	f := &m.result.Files[m.file]
	ext := ".xml"
	if f.Sitemap.Kind == string(sitemap.Text) {
		ext = ".txt"
	}
	if f.Sitemap.Gzip {
		ext += ".gz"
	}
	a := address.Wire(f.BelongsAt)
	dir, base := path.Split(a.Path())
	stem, _, _ := strings.Cut(base, ".")
	used := map[string]bool{}
	for i := range m.result.Files {
		x := &m.result.Files[i]
		for _, name := range []string{strings.ToLower(x.Name), x.BelongsAt, x.Sitemap.URL, x.Sitemap.AnsweredAt} {
			used[name] = true
		}
		for _, p := range x.Parts {
			used[strings.ToLower(p.Name)], used[p.BelongsAt] = true, true
		}
	}
	parts := make([]audit.FilePart, n)
	for i := range parts {
		at := a.Origin() + dir + cmp.Or(stem, "sitemap") + "-" + strconv.Itoa(i+1) + ext
		parts[i] = audit.FilePart{BelongsAt: at, Name: sitemap.FileName(at)}
		if i == 0 && index != nil {
			parts[0] = audit.FilePart{BelongsAt: f.BelongsAt, Name: f.Name}
		} else if used[at] || used[strings.ToLower(parts[i].Name)] {
			return nil
		}
	}
	return parts
}

// writeParts stages the parts of the corrected copy.
func (m *mending) writeParts(ctx context.Context, s *staging, d *sitemap.Division, read func(func(io.Reader) error) error, parts []audit.FilePart) error {
	var open *newFile
	shut := func(err error) error {
		if open == nil {
			return err
		}
		f := open
		open = nil
		return f.close(err)
	}
	return read(func(r io.Reader) error {
		err := d.Write(r, func(n int) (io.Writer, error) {
			err := shut(nil)
			if err == nil {
				open, err = s.create(ctx, sitemapsDir+"/"+parts[n].Name)
			}
			return open, err
		})
		return shut(err)
	})
}

// provenParts reads the parts again, as they were written: together they have the entries of the
// corrected copy, in its order, and none has too many.
func (m *mending) provenParts(s *staging, corrected string, parts []audit.FilePart, d *sitemap.Division) error {
	var want, has sequence
	err := s.read(corrected, func(r io.Reader) (err error) { _, err = want.read(r, ""); return err })
	for i := range parts {
		p, before := &parts[i], has.entries
		if err == nil {
			err = s.read(sitemapsDir+"/"+p.Name, func(r io.Reader) (err error) { p.TextSHA256, err = has.read(r, ""); return err })
			p.Entries = has.entries - before
		}
		if err == nil && (p.Entries != d.Parts[i].Entries || p.Entries > most.Entries) {
			err = fmt.Errorf("%w: part %d has %d URLs", errUnproved, i+1, p.Entries)
		}
	}
	if err == nil && has != want {
		err = fmt.Errorf("%w: its parts have other URLs", errUnproved)
	}
	return err
}

// writeIndex stages the index of the parts, under the name of the file and packed as it was.
func (m *mending) writeIndex(ctx context.Context, s *staging, name string, parts []audit.FilePart) error {
	f := &m.result.Files[m.file]
	text := sha256.New()
	err := s.write(ctx, name, func(w io.Writer) error {
		if !f.Sitemap.Gzip {
			return indexOf(io.MultiWriter(w, text), parts, m.date)
		}
		z := gzip.NewWriter(w)
		return errors.Join(indexOf(io.MultiWriter(z, text), parts, m.date), z.Close())
	})
	f.TextSHA256 = hex.EncodeToString(text.Sum(nil))
	return err
}

// indexOf writes an index of parts (sitemaps.org, "Using Sitemap index files").
func indexOf(w io.Writer, parts []audit.FilePart, date string) error {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range parts {
		b.WriteString("  <sitemap>\n    <loc>")
		if err := xml.EscapeText(&b, []byte(p.BelongsAt)); err != nil {
			return err
		}
		b.WriteString("</loc>\n")
		if date != "" {
			b.WriteString("    <lastmod>" + date + "</lastmod>\n")
		}
		b.WriteString("  </sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	_, err := b.WriteTo(w)
	return err
}
