package fetch

import (
	"sync"

	"sitemend/crawler/audit"
	"sitemend/crawler/links"
)

// linkReaders are those that read links: each remembers what most pages link to.
var linkReaders = sync.Pool{New: func() any { return new(links.Reader) }}

// linked returns what takes the tags of the page; nil where they are not wanted, or are in a
// template, which shows nothing.
func (p *pageReader) linked() *links.Reader {
	if p.templates > 0 {
		return nil
	}
	return p.links
}

// readLinks has the links of the page read, with what --map makes of them.
func (p *pageReader) readLinks(e *hostOverrides) {
	c := links.Context{At: p.at, Text: p.text}
	if len(e.from) > 0 {
		c.Mapped = func(ref string) string { return e.read(ref, p.at) }
	}
	p.links = linkReaders.Get().(*links.Reader)
	p.links.Begin(c)
}

// wantsLinks reports whether the links of the answer are to be read: it is a page, and the one
// that the robot gets.
func (p *pageAnswer) wantsLinks() bool {
	s := p.hop.Status
	return p.a.o.Links && p.hop.Purpose.Base() == audit.AsRobot &&
		(s == 200 || s == 201 || s == 203 || s == 206)
}

// keepLinks takes the links of a page that was read. What a bot protection shows in its place has
// none, nor has one that leads on by itself.
func (p *pageAnswer) keepLinks(page *pageReader) {
	said := &p.hop.Page
	if page.links == nil || !page.scanned || p.hop.Challenge != "" || said.Refresh != "" ||
		said.RefreshHeader != "" || said.ScriptTo != "" {
		return
	}
	p.hop.Links = page.links.Pack(links.Page{Cut: p.hop.Truncated, Nofollow: said.Nofollow(),
		Shell: said.Shell})
}
