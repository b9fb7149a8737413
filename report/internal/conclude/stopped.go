package conclude

import "sitemend/report/command"

// stoppedHeadline says that the audit was stopped; where that was before a sitemap was read,
// it says that, too.
func (c *concluding) stoppedHeadline() Sentence {
	if c.result.Sitemaps() == 0 && !c.alone() {
		return say("h-stopped-unread")
	}
	return say("h-stopped")
}

// alone reports whether the audit is of addresses that a map or Search Console names, and of no
// sitemap.
func (c *concluding) alone() bool {
	x, sc := c.result.Expected, c.result.SearchConsole
	return x != nil && x.Addresses > 0 || sc != nil && sc.NoSitemap
}

// stoppedProof says how far the audit was, and what was seen until then: no share of it, for what
// is missing is not a sample. Of what answered 404 nothing is decided before a second request.
func (c *concluding) stoppedProof() Sentence {
	s := c.now
	switch {
	case c.alone() && s.Entries == 0:
		return say("p-stopped-alone")
	case s.Entries == 0:
		return say("p-stopped-none")
	}
	first := c.crawledSoFar()
	var seen, again Sentence
	switch f := s.Faulty(); {
	case f > 0:
		seen = say("p-stopped-seen", "c", s.Clean, "f", f)
	case s.Clean > 0:
		seen = say("p-stopped-right", "n", s.Clean)
	}
	if a := c.result.Counts.Again; a > 0 {
		again = say("p-stopped-again", "n", a)
	}
	return join("", first, seen, again, c.unseen())
}

// crawledSoFar says how many entries were crawled, as whoever stopped the audit is told: also those
// that wait for a second look, not those that were never requested. Where a filter or a sample
// leaves entries out, it is how many of the others that can be.
func (c *concluding) crawledSoFar() Sentence {
	s, n := c.now, &c.result.Counts
	crawled, toCrawl := s.Crawled()+n.Again-n.Unrequested, s.Entries-n.Filtered-n.Unrequested
	switch {
	case crawled > 0 && s.LeftOut <= n.Filtered:
		return say("p-stopped-beside", "n", crawled)
	case n.Filtered > 0 && toCrawl > 0:
		return say("p-stopped-part", "k", crawled, "n", toCrawl)
	}
	return say("p-stopped", "k", crawled, "n", s.Entries)
}

// resume is to go on with an audit that was stopped.
func (c *concluding) resume() *Action {
	text := say("a-continue-text")
	if at := c.result.Info.Until; !at.IsZero() {
		text = say("a-continue-until", "when", at.UTC().Format("2006-01-02 15:04 MST"))
	}
	return &Action{Kind: DoContinue, Title: say("a-continue"), Text: text, Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, nil, "fresh")}
}
