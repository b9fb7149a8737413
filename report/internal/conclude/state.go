package conclude

import (
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A State is what kind of end an audit has, in one word.
type State string

// The states. Of several that hold, the first is reported.
const (
	Stopped       State = "stopped"        // before its end, whatever was left
	ExpectedOnly  State = "expected-only"  // the old URLs of a map, and no sitemap
	ReportedOnly  State = "reported-only"  // URLs of Search Console, and no sitemap
	Unread        State = "unread"         // a sitemap, or all, could not be read
	FilesOnly     State = "files-only"     // --no-fetch, or nothing was to be crawled
	NotSeen       State = "not-seen"       // most of what was crawled could not be checked
	Script        State = "script"         // half of the pages or more are filled by JavaScript
	InPart        State = "in-part"        // the end of a sitemap was not read
	Mixed         State = "mixed"          // not clean, or not all of it was crawled
	OtherSpelling State = "other-spelling" // clean, redirected in another encoding
	Partly        State = "partly"         // clean as far as could be checked
	FileFaults    State = "file-faults"    // clean, but for errors of the sitemap files
	Clean         State = "clean"
)

// stateOf returns the first state that holds.
func (c *concluding) stateOf() State {
	r, s := c.result, c.now
	alone := s.Entries == 0 && r.Unread() == 0
	switch {
	case r.Info.Stopped():
		return Stopped
	case alone && r.Expected != nil && r.Expected.Addresses > 0:
		return ExpectedOnly
	case alone && r.SearchConsole != nil && r.SearchConsole.NoSitemap:
		return ReportedOnly
	case r.Unread() > 0 && s.Entries == 0:
		return Unread
	case s.Crawled() == 0:
		return FilesOnly
	case s.MostlyUnseen():
		return NotSeen
	case r.Counts.NeedScript():
		return Script
	case len(c.inPart) > 0:
		return InPart
	case s.Fix+s.Decide+s.LeftOut > 0:
		return Mixed
	case s.Spelt > 0:
		return OtherSpelling
	case s.Unseen > 0 || c.unjudged():
		return Partly
	case c.faults > 0:
		return FileFaults
	}
	return Clean
}

// unjudged reports whether something of URLs that are clean could not be judged.
func (c *concluding) unjudged() bool {
	return len(c.result.NeverGone()) > 0 ||
		slices.ContainsFunc(audit.OpenNotes(), func(n audit.Note) bool { return c.result.Counts.Notes[n] > 0 })
}

// headline says the state in a sentence.
func (c *concluding) headline() Sentence {
	r := c.result
	switch c.state {
	case ExpectedOnly:
		return c.expected()
	case ReportedOnly:
		return say("h-reported", "k", r.SearchConsole.Upshots[audit.UpshotNothing], "n", r.SearchConsole.Addresses)
	case Unread:
		return say("h-unread", "k", r.Unread(), "n", r.Sitemaps())
	case FilesOnly:
		return say("h-uncrawled", "n", c.now.Entries)
	case InPart:
		return say("h-in-part", "k", len(c.inPart), "n", r.Sitemaps())
	case Stopped, NotSeen, Script:
		return say("h-" + string(c.state))
	}
	if x := r.Expected; x != nil && x.Addresses > 0 {
		return lines(c.expected(), c.counted())
	}
	return c.counted()
}

// expected says how many old URLs of a map lead where it says.
func (c *concluding) expected() Sentence {
	return say("h-expected", "k", c.result.Expected.Met, "n", c.result.Expected.Addresses)
}

// counted says how many URLs are clean, and how many will be after the upload. "Your sitemap is clean"
// is said only where Google gets what the audit got, and no error of a file hides URLs from it.
func (c *concluding) counted() Sentence {
	s := c.now
	switch {
	case c.state == OtherSpelling:
		return say("h-right")
	case (c.state == Clean || c.state == FileFaults && !c.hides) && c.alarm().Key == "":
		return say("h-clean")
	case s.Clean == s.Entries:
		return say("h-count-all", "n", s.Entries)
	}
	first := say("h-count", "k", s.Clean, "n", s.Entries)
	if files := c.copiesToUpload(); files > 0 && s.Fix > 0 && !c.unwritten() {
		after := Uploaded(c.result)
		return join("", first, say("h-then", "n", files, "k", after.Clean, "m", after.Entries))
	}
	return first
}

// proof are the lines under the headline: what to know before any number, what the headline rests on,
// and what became of what the last audit found.
func (c *concluding) proof() Sentence {
	var parts []Sentence
	if a := c.alarm(); a.Key != "" && a.Key != "stopped" && a.Key != "braked" && c.state != Script && c.state != Unread {
		parts = append(parts, a.fact())
	}
	parts = append(parts, c.proved())
	if len(c.inPart) > 0 {
		s := &c.result.Files[c.inPart[0]].Sitemap
		said := say("p-in-part", "url", address.Shown(s.URL))
		if f, ok := s.PartFault(); ok {
			said = say("p-in-part-why", "url", address.Shown(s.URL), "what", faultText(f))
		}
		parts = append(parts, said)
	}
	if c.faults > 0 {
		parts = append(parts, say("p-files", "k", c.faults, "m", c.mended))
	}
	if last := c.result.Last; last != nil {
		parts = append(parts, say("p-since", "date", last.At.UTC().Format("2006-01-02 15:04"), "x", last.Fixed, "y", last.New))
	}
	return lines(parts...)
}

// lines are sentences one after the other.
func lines(parts ...Sentence) (out Sentence) {
	for _, p := range parts {
		switch {
		case p.IsZero():
		case out.IsZero():
			out = p
		default:
			out = join("", out, say("more", "what", p))
		}
	}
	return out
}

// proved is what the headline rests on.
func (c *concluding) proved() Sentence {
	s := c.now
	switch c.state {
	case Stopped:
		return say("p-stopped", "k", s.Crawled(), "n", s.Entries)
	case ExpectedOnly, ReportedOnly:
		return say("p-no-sitemap", "host", c.host())
	case Unread:
		for _, f := range c.unread() {
			if len(f.Faults) > 0 {
				return join("", say("r-fault", "name", address.Shown(f.URL), "what", faultText(f.Faults[0])), say("end"))
			}
		}
	case Script:
		return say("p-script", "k", c.result.Counts.Notes[audit.NeedsJavaScript], "n", s.Entries)
	case OtherSpelling:
		return say("p-right", "k", s.Spelt, "n", s.Crawled())
	case Clean, FileFaults:
		return say("p-clean", "n", s.Entries)
	}
	return Sentence{} // the bar says the rest
}

// unread are the sitemaps that could not be read.
func (c *concluding) unread() (out []*audit.Sitemap) {
	for i := range c.result.Files {
		if s := &c.result.Files[i].Sitemap; s.Unread() {
			out = append(out, s)
		}
	}
	return out
}

// hides reports whether URLs may be hidden from Google by an error of a file: they were not read, or
// count for nothing.
func hides(f *audit.SitemapFault) bool {
	return f.Severity == "error" && f.Places() > f.Mended && (f.Key == "no-address" || slices.Contains([]string{
		"Parsing error", "URL not allowed", "Invalid URL", "Too many URLs", "Sitemap file size error", "Incorrect namespace"}, f.Name))
}

// offHost reports whether all URLs are on other hosts than their sitemaps, and some stay there.
func (c *concluding) offHost() bool {
	away := 0
	for i := range c.result.Files {
		if s := &c.result.Files[i].Sitemap; s.Kind != "index" {
			away += s.Elsewhere
		}
	}
	return c.now.Entries > 0 && away > c.now.Fix && away >= c.now.Entries
}
