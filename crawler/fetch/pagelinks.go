package fetch

import (
	"sync"

	"sitemend/crawler/audit"
	"sitemend/crawler/links"
)

// linkReaders is a pool, because a links.Reader remembers what most pages link to.
var linkReaders = sync.Pool{New: func() any { return new(links.Reader) }}

// linked returns the reader for the links of the page; nil where they are not wanted, and in a
// template, which is not rendered.
func (p *pageReader) linked() *links.Reader {
	if p.templates > 0 {
		return nil
	}
	return p.links
}

// readLinks reads the links of the page, with the host overrides of --map and without secrets.
func (p *pageReader) readLinks(e *hostOverrides, secret []echo) {
	c := links.Context{At: p.at, Text: p.text}
	if len(e.from) > 0 || len(secret) > 0 {
		c.Mapped = func(ref string) string { return maskRef(e.read(ref, p.at), secret) }
	}
	p.links = linkReaders.Get().(*links.Reader)
	p.links.Begin(c)
}

// wantsLinks reports whether the links of the answer are to be read: it is a page, requested by the
// robot itself.
func (p *pageAnswer) wantsLinks() bool {
	s := p.hop.Status
	return p.a.o.Links && p.hop.Purpose.Base() == audit.AsRobot &&
		(s == 200 || s == 201 || s == 203 || s == 206)
}

// keepLinks stores the links of a page that was read. The page of a bot protection has none, nor
// has one that redirects by itself.
func (p *pageAnswer) keepLinks(page *pageReader) {
	said := &p.hop.Page
	if page.links == nil || !page.scanned || p.hop.Challenge != "" || said.Refresh != "" ||
		said.RefreshHeader != "" || said.ScriptTo != "" {
		return
	}
	p.hop.Links = page.links.Pack(links.Page{Cut: p.hop.Truncated, Nofollow: said.Nofollow(),
		Shell: said.Shell})
}
