package audit

// maxBack bounds how many addresses that came back are listed by name.
const maxBack = 100

// CameBackList is what the last audit dropped and what is fine again (note came-back).
type CameBackList struct {
	// Unlisted is how many of these no sitemap lists any more: they are to be listed
	// again. They are no entries, and count in nothing else.
	Unlisted int
	// Listed is how many are entries, which stay.
	Listed int
	// Addresses are the first 100 of Unlisted, in the order of the sitemaps that they
	// came from.
	Addresses []CameBackAt
}

// A CameBackAt is an address that no sitemap lists any more, with the sitemap and the
// line that it was taken out of.
type CameBackAt struct {
	Loc     string `json:"loc"`
	Sitemap string `json:"sitemap"`
	Line    int    `json:"line,omitempty"`
}

// unlisted counts the row of an address that is in no sitemap.
func (b *CameBackList) unlisted(f *File, r *Row) {
	if b.Unlisted++; len(b.Addresses) < maxBack {
		b.Addresses = append(b.Addresses, CameBackAt{r.Entry.Loc, f.Sitemap.URL, r.Entry.Line})
	}
}
