package audit

import "slices"

// Unwritten says why no corrected copy of a sitemap is written.
type Unwritten string

// The reasons to withhold a corrected copy.
const (
	// UnwrittenChecksum: the checksum of the packed file is wrong (Sitemap.WrongSum). A copy would have
	// a right one, whatever became of the addresses.
	UnwrittenChecksum Unwritten = "checksum"
	// UnwrittenOutdated: the sitemap lists something else by now (Info.Outdated). A copy would take out
	// what was added since, and list again what was taken out.
	UnwrittenOutdated Unwritten = "outdated"
)

// note is that of the entries of such a file.
func (u Unwritten) note() Note { return Note("unwritten-" + string(u)) }

// withhold marks the file as withheld.
func (f *File) withhold(why Unwritten) {
	f.Unwritten, f.Changed, f.children = why, false, nil
	if why == UnwrittenChecksum { // the file has a fault for that
		return
	}
	fault := SitemapFault{Name: "No corrected copy", Severity: "warning", Key: "withheld-outdated", Sitemap: f.Sitemap.URL}
	f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), fault)
}
