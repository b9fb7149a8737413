package audit

import (
	"cmp"
	"slices"
)

// A coverage is how far an audit read the sitemaps that another one has: whether it would have what
// the other has and it has not.
type coverage struct {
	of     *Snapshot // the other audit
	ended  bool
	others bool            // the two had other targets
	robots map[string]bool // each robots.txt that names a sitemap of the audit
	all    bool            // the audit read all of its sitemaps to their ends
	byURL  map[string]extent
	byFile map[string]extent // by where the file answered
	// What is not read may list what left another file (elsewhere), also of one that was read again
	// (added), or name what no other index names any more (index).
	elsewhere, added, index bool
	known                   []bool // by number of the other audit's sitemaps: knowsFile
}

// An extent is how much of a sitemap an audit read. More is higher.
type extent uint8

const (
	unreadFile extent = iota
	missingFile
	partFile
	wholeFile
)

// A naming is what an audit knows of whether it has a sitemap that the other one has.
type naming uint8

const (
	notNamed naming = iota // what named it was read, and does not any more
	notRead                // what named it was not read
	notAsked               // nobody looked, for the audit had other targets
)

// extentOf returns how much of a sitemap was read. Another name of one that is read is as much as
// that.
func extentOf(f *Sitemap) extent {
	switch {
	case f.Kind == "" && (f.Status == 404 || f.Status == 410):
		return missingFile
	case f.Kind == "" && !f.Again():
		return unreadFile
	case f.Cut || f.InPart():
		return partFile
	}
	return wholeFile
}

// coverageOf returns how far the audit s read the sitemaps of o.
func coverageOf(s, o *Snapshot) *coverage {
	r := &coverage{of: o, ended: !s.Info.Ended.IsZero(), robots: map[string]bool{},
		others: !SameTargets(s.Info.Targets, o.Info.Targets)}
	r.byURL, r.byFile = s.extents()
	r.all = r.ended
	theirs, _ := o.extents()
	indexes := map[string]bool{}
	for i := range o.Tallies {
		if up := o.parent(i); up >= 0 {
			indexes[o.Tallies[up].Sitemap.URL] = true
		}
	}
	for i := range s.Tallies {
		f := &s.Tallies[i].Sitemap
		if !f.Listed() {
			continue
		}
		if f.NamedBy != "" {
			r.robots[f.NamedBy] = true
		}
		is := r.byURL[f.URL]
		r.all = r.all && is == wholeFile
		if is == wholeFile || is == missingFile { // what is not there lists nothing
			continue
		}
		was, has := theirs[f.URL]
		r.elsewhere = r.elsewhere || !has || was > is
		r.added = r.added || !has
		r.index = r.index || !has || indexes[f.URL] || f.Kind == kindIndex
	}
	r.known = make([]bool, len(o.Tallies))
	for i := range r.known {
		r.known[i] = o.Tallies[i].Sitemap.Listed() && r.knowsFile(i)
	}
	return r
}

// kindIndex is the Kind of a sitemap index.
const kindIndex = "index"

// extents returns how much of each sitemap was read, by its URL and by where it answered.
func (s *Snapshot) extents() (byURL, byFile map[string]extent) {
	byURL, byFile = map[string]extent{}, map[string]extent{}
	for i := range s.Tallies {
		// What an earlier audit took out of a sitemap has the URL of that.
		if f := &s.Tallies[i].Sitemap; f.Listed() {
			byURL[f.URL] = extentOf(f)
			if f.Kind != "" {
				byFile[cmp.Or(f.AnsweredAt, f.URL)] = extentOf(f)
			}
		}
	}
	for i := range s.Tallies {
		f := &s.Tallies[i].Sitemap
		if is, read := byFile[cmp.Or(f.AnsweredAt, f.URL)]; read && f.Listed() && f.Again() {
			byURL[f.URL] = is
		}
	}
	return byURL, byFile
}

// parent returns the number of the index that names a sitemap, -1 for none.
func (s *Snapshot) parent(file int) int {
	if up := s.Tallies[file].Sitemap.Parent; up < file {
		return up
	}
	return -1
}

// knows reports whether the audit would have an address that the other one has and it has not: of
// each file that lists it there the audit read all, or saw that it is gone.
func (r *coverage) knows(at *Observation) bool {
	switch {
	case r.added || at.manyFiles:
		return false
	case at.Listed > 1 && at.files == nil: // which other files name it is not known
		return r.covers()
	case at.files == nil:
		return r.known[at.Sitemap]
	}
	return !slices.ContainsFunc(at.files, func(file int) bool { return !r.known[file] })
}

// covers reports whether the audit would have all that the other one has.
func (r *coverage) covers() bool {
	for i := range r.known {
		if f := &r.of.Tallies[i].Sitemap; f.Listed() && f.Kind != "" && !r.known[i] {
			return false
		}
	}
	return !r.added
}

// knowsFile reports whether the audit would have what a sitemap of the other one lists.
func (r *coverage) knowsFile(file int) bool {
	f := &r.of.Tallies[file].Sitemap
	if is, has := r.byURL[f.URL]; has {
		return is == wholeFile
	}
	if is, has := r.byFile[cmp.Or(f.AnsweredAt, f.URL)]; has { // under another name
		return is == wholeFile
	}
	return !r.elsewhere && r.naming(file) == notNamed
}

// naming returns what the audit knows of a sitemap of the other one that it has not: that it is
// gone where the first index above it that the audit has was read, or, of the top one, where the
// same robots.txt names others now. Where a sitemap was looked for in the usual places, nobody
// knows what stands there when others are found.
func (r *coverage) naming(file int) naming {
	var above []string
	f := &r.of.Tallies[file].Sitemap
	for up := r.of.parent(file); up >= 0; up = r.of.parent(up) {
		f = &r.of.Tallies[up].Sitemap
		above = append(above, f.URL)
	}
	return r.namedBy(above, f.NamedBy)
}

// namedBy is naming of a sitemap by the indexes above it, the nearest first, and the robots.txt
// that names the last.
func (r *coverage) namedBy(above []string, robots string) naming {
	at := slices.IndexFunc(above, func(url string) bool { _, has := r.byURL[url]; return has })
	switch {
	case !r.ended || r.index:
		return notRead
	case at >= 0 && r.byURL[above[at]] == wholeFile:
		return notNamed
	case at >= 0:
		return notRead
	case r.others:
		return notAsked
	case r.robots[robots]:
		return notNamed
	}
	return notRead
}

// knowsLast reports whether the audit would have an address that an earlier one saw last, and that
// it has not.
func (r *coverage) knowsLast(last *LastSight) bool {
	is, has := r.byURL[last.Sitemap]
	switch {
	case r.all && len(last.Above) == 0 && last.NamedBy == "":
		return true
	case r.added || last.Seen.Listed > 1 && !r.all: // which other files list it is not known
		return false
	case has:
		return is == wholeFile
	}
	return !r.elsewhere && r.namedBy(last.Above, last.NamedBy) == notNamed
}
