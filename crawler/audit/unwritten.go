package audit

import (
	"context"
	"slices"
)

// Unwritten says why no corrected copy of a sitemap is written.
type Unwritten string

// The reasons to withhold a corrected copy.
const (
	// UnwrittenCharset: the file is in a charset that cannot be edited (ISO-2022-JP).
	UnwrittenCharset Unwritten = "charset"
	// UnwrittenFault: the copy was made, and read again it did not have the entries that
	// were decided. That is a fault of sitemend.
	UnwrittenFault Unwritten = "fault"
	// UnwrittenChecksum: the checksum of the packed file is wrong (Sitemap.WrongSum). A copy would have
	// a right one, whatever became of the addresses.
	UnwrittenChecksum Unwritten = "checksum"
	// UnwrittenOutdated: the sitemap lists something else by now (Info.Outdated). A copy would take out
	// what was added since, and list again what was taken out.
	UnwrittenOutdated Unwritten = "outdated"
)

// note is that of the entries of such a file.
func (u Unwritten) note() Note { return Note("unwritten-" + string(u)) }

// Withhold judges the audit again with no corrected copy of some files, which the
// keys name by Sitemap.N: every entry of these is kept, and a fault of the file says why.
// Other files no longer count on what these would have said. t is not changed. It
// returns an error only where the source of the audit does, and ctx's once that ends.
func (t *Result) Withhold(ctx context.Context, files map[int]Unwritten) (*Result, error) {
	out, err := t.withhold(ctx, files)
	if err != nil {
		return nil, err
	}
	out.Info, out.Last, out.Inspections, out.Logs, out.Build = t.Info, t.Last, t.Inspections, t.Logs, t.Build
	out.Linked, out.NoFiles = t.Linked, t.NoFiles
	if t.added != nil {
		out.AddFaults(t.added)
	}
	return out, nil
}

// withhold marks the file as withheld.
func (f *File) withhold(why Unwritten) {
	f.Unwritten, f.Changed, f.children = why, false, nil
	if why == UnwrittenChecksum { // the file has a fault for that
		return
	}
	fault := SitemapFault{Name: "No corrected copy", Severity: "error", Key: "withheld-fault"}
	switch why {
	case UnwrittenOutdated:
		fault = SitemapFault{Name: "No corrected copy", Severity: "warning", Key: "withheld-outdated"}
	case UnwrittenCharset:
		fault = SitemapFault{Name: "Unsupported format", Severity: "error", Key: "withheld-charset"}
	}
	fault.Sitemap = f.Sitemap.URL
	f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), fault)
}
