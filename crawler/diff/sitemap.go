package diff

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Reading says how much of a sitemap an audit read.
type Reading string

// The readings.
const (
	Read    Reading = "read"    // to its end
	InPart  Reading = "in-part" // not to its end
	Missing Reading = "missing" // it was not there: 404 or 410
	Unread  Reading = "unread"  // it could not be read
)

// A Sitemap is what one audit says of a sitemap.
type Sitemap struct {
	URL    string
	At     string  `json:",omitempty"` // where it answered, if that is elsewhere
	Read   Reading // how much of it was read
	Faults []Fault `json:",omitempty"` // by name
}

// A Fault is the faults of one kind that a sitemap has.
type Fault struct {
	Name   string // audit.SitemapFault.Name
	Error  bool
	Places int
}

func sitemapsOf(result *audit.Result) []Sitemap {
	list := make([]Sitemap, len(result.Files))
	for i := range result.Files {
		s := &result.Files[i].Sitemap
		list[i] = Sitemap{URL: s.URL, Read: readingOf(s)}
		if s.AnsweredAt != s.URL {
			list[i].At = s.AnsweredAt
		}
		for _, f := range s.Faults {
			if !strings.HasPrefix(f.Key, "withheld-") { // no fault of the site
				list[i].add(&f)
			}
		}
	}
	return list
}

func readingOf(s *audit.Sitemap) Reading {
	switch {
	case s.Unread() && (s.Status == 404 || s.Status == 410):
		return Missing
	case s.Unread():
		return Unread
	case s.InPart():
		return InPart
	}
	return Read
}

func (s *Sitemap) add(f *audit.SitemapFault) {
	at, has := slices.BinarySearchFunc(s.Faults, f.Name, func(x Fault, name string) int { return strings.Compare(x.Name, name) })
	if !has {
		s.Faults = slices.Insert(s.Faults, at, Fault{Name: f.Name})
	}
	s.Faults[at].Error = s.Faults[at].Error || f.Severity == "error"
	s.Faults[at].Places += f.Places()
}

// A SitemapChange is a sitemap in two audits; nil where nothing named it.
type SitemapChange struct {
	URL      string
	Old, New *Sitemap
}

// Changed reports whether it is not as before.
func (c *SitemapChange) Changed() bool {
	return c.Old == nil || c.New == nil || c.Old.Read != c.New.Read || !slices.Equal(c.Old.Faults, c.New.Faults)
}

// lost reports whether the newer audit read less of it than the older one, or not all of a new one.
func (c *SitemapChange) lost() bool {
	return c.New != nil && c.New.Read != Read && (c.Old == nil || c.Old.Read == Read || c.Old.Read == InPart && c.New.Read != InPart)
}

// errors counts the places of errors that are new, and those that are gone. The errors of a sitemap that
// is not read any more are not gone.
func (c *SitemapChange) errors() (added, gone int) {
	more := map[string]int{} // places now, less those then, by the name of the fault
	isError := map[string]bool{}
	for sign, s := range map[int]*Sitemap{-1: c.Old, 1: c.New} {
		if s == nil {
			continue
		}
		for _, f := range s.Faults {
			isError[f.Name] = isError[f.Name] || f.Error
			more[f.Name] += sign * f.Places
		}
	}
	for name, n := range more {
		if isError[name] {
			added += max(0, n)
			if c.New == nil || c.New.Read == Read {
				gone += max(0, -n)
			}
		}
	}
	return added, gone
}

// sitemaps pairs those of two audits by URL, in the order of the newer one.
func sitemaps(old, new *Seen) (list []SitemapChange) {
	at := map[string]int{}
	for _, s := range []*Seen{new, old} {
		for i := range s.Sitemaps {
			x := &s.Sitemaps[i]
			n, has := at[x.URL]
			if !has {
				n = len(list)
				at[x.URL] = n
				list = append(list, SitemapChange{URL: x.URL})
			}
			if s == new {
				list[n].New = cmp.Or(list[n].New, x)
			} else {
				list[n].Old = cmp.Or(list[n].Old, x)
			}
		}
	}
	return list
}

// A coverage says whether an audit that does not list a URL would have listed it, as another one does.
type coverage struct {
	of    *Seen // the other audit
	all   bool  // it read whatever may list a URL
	files map[string]Reading
}

func coverageOf(s, of *Seen) *coverage {
	c := &coverage{of: of, all: len(s.Sitemaps) > 0 && address.SameTargets(s.Info.Targets, of.Info.Targets), files: map[string]Reading{}}
	for i := range s.Sitemaps {
		x := &s.Sitemaps[i]
		c.files[x.URL] = x.Read
		if x.At != "" {
			c.files[x.At] = x.Read
		}
		c.all = c.all && (x.Read == Read || x.Read == Missing)
	}
	return c
}

// knows reports whether it would: it read the sitemap that lists the URL there, or all that there are.
func (c *coverage) knows(o *Observation) bool {
	x := &c.of.Sitemaps[o.Sitemap]
	read, has := c.files[x.URL]
	if !has {
		read, has = c.files[x.At]
	}
	switch {
	case has && read != Read:
		return false
	case has && !o.Several:
		return true
	}
	return c.all
}
