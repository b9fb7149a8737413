package audit

// A FileChange is what a sitemap held in each of two audits; nil where nothing named such a
// sitemap, Tally.Unread where what it held is not known (Tally.Unknown: nor whether there was one).
type FileChange struct {
	URL      string
	Old, New *Tally
}

// A FileLoss says what an audit knew of a sitemap that a later one cannot read, or not to its end.
type FileLoss string

// The losses.
const (
	Lost       FileLoss = "lost"       // it was read, at least in part, and is not read at all
	LostInPart FileLoss = "lost-part"  // it was read to its end, and is read only in part
	NamedLost  FileLoss = "named-lost" // nothing named it: it was never read
)

// FileLosses returns all losses, the gravest first. The caller owns the slice.
func FileLosses() []FileLoss { return []FileLoss{Lost, LostInPart, NamedLost} }

// Loss returns what was known of a sitemap that the newer audit cannot read, or not to its end; ""
// where it can, where the older one could read no more of it, where that is not known, and where
// the newer one was stopped before it.
func (f *FileChange) Loss() FileLoss {
	switch {
	case !f.New.failed(), f.New.Sitemap.Awaited():
		return ""
	case f.Old == nil:
		return NamedLost
	case f.Old.Unread:
		return ""
	case f.New.Unread:
		return Lost
	case f.Old.failed():
		return ""
	}
	return LostInPart
}

// NewlyUnread reports whether the newer audit could not read the sitemap, or not to its end, and
// the older one is not known to have read no more of it.
func (f *FileChange) NewlyUnread() bool {
	return f.Loss() != "" || f.New.failed() && !f.New.Sitemap.Awaited() && f.Old.Unknown()
}

// Losses counts the sitemaps that the newer audit could not read, or not to their ends, of which
// the older one knew as much; 0 where the two audits asked as different robots. That nothing named
// one is not known where they had other targets.
func (d *Diff) Losses(of FileLoss) (n int) {
	if d.Differ.As || d.Differ.Targets && of == NamedLost {
		return 0
	}
	for i := range d.Files {
		if d.Files[i].Loss() == of {
			n++
		}
	}
	return n
}

// unread counts all losses.
func (d *Diff) unread() (n int) {
	for _, l := range FileLosses() {
		n += d.Losses(l)
	}
	return n
}

// failed reports whether a sitemap was not read, or not to its end.
func (t *Tally) failed() bool {
	return t != nil && (t.Sitemap.Unread() || t.Sitemap.Cut || t.Sitemap.InPart())
}

// Unknown reports whether it is not even known that there is such a sitemap: what could name it
// was not read.
func (t *Tally) Unknown() bool { return t != nil && t.Unread && t.Sitemap.URL == "" }

// gone reports whether the sitemap was not there.
func (t *Tally) gone() bool {
	return t != nil && t.Unread && (t.Sitemap.Status == 404 || t.Sitemap.Status == 410)
}

// files pairs the sitemaps of two audits by their URL, in the order of the newer
// audit; those that both read and that are without entries in both are left out.
func files(old, new *Snapshot) []FileChange {
	var list []FileChange
	result := map[string]bool{}
	then, now := talliesOf(old, new), talliesOf(new, old)
	for _, s := range []*Snapshot{new, old} {
		for i := range s.Tallies {
			t := &s.Tallies[i]
			if url := t.Sitemap.URL; t.Sitemap.Listed() && (t.Entries > 0 || t.failed()) && !result[url] {
				result[url] = true
				list = append(list, FileChange{URL: url, Old: then(url), New: now(url)})
			}
		}
	}
	return list
}

// talliesOf returns what an audit knows of a sitemap that it or the other one has: nil for none
// where it read all that could name it.
func talliesOf(s, other *Snapshot) func(url string) *Tally {
	byURL, theirs := map[string]*Tally{}, map[string]int{}
	for i := range s.Tallies {
		if t := &s.Tallies[i]; t.Sitemap.Listed() {
			byURL[t.Sitemap.URL] = t
		}
	}
	for i := range other.Tallies {
		if f := &other.Tallies[i].Sitemap; f.Listed() {
			theirs[f.URL] = i
		}
	}
	read := coverageOf(s, other)
	return func(url string) *Tally {
		t := byURL[url]
		if t != nil && t.Sitemap.Unread() {
			return &Tally{Sitemap: t.Sitemap, Unread: true}
		}
		if t != nil {
			return t
		}
		switch read.naming(theirs[url]) {
		case notRead:
			return &Tally{Unread: true}
		case notAsked:
			return &Tally{Unread: true, Outside: true}
		}
		return nil
	}
}
