package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/audit"
)

// Read reads a sitemap of any format and calls visit with its entries in the order of the file.
// What stands before damage counts: of a file that was cut off, or whose gzip is damaged, Read
// visits the entries that are complete.
//
// Info.Faults says what is wrong with the file. The error is the one that visit returned (which
// ends the reading), that of r, or a *FormatError where the file is not a sitemap; Info then has
// what was found until then.
func Read(r io.Reader, o Options, visit func(Entry) error) (Info, error) {
	if o.MaxSize <= 0 {
		o.MaxSize = defaultMaxSize
	}
	s := open(r, o.Text, o.Charset)
	rd := &reading{o: o, visit: visit, walk: newWalk(s, o.scale, o.MaxSize), place: locate(o)}
	rd.info.Gzip, rd.info.Charset = len(s.layers) > 0, s.name()
	rd.checks = checks{faults: &faults{}, info: &rd.info, now: o.Now, bad: never, nul: never,
		plain: s.charset != nil, languages: map[string]bool{}}
	rd.fresh, rd.walk.checks, rd.give = rd.checks.fresh, &rd.checks, rd.entries
	rd.assets = o.Links != nil && o.Assets
	err := rd.run()
	rd.close(err)
	if broken := rd.broken(); err == nil && broken != nil {
		err = fmt.Errorf("read sitemap at byte %d: %w", rd.info.Size, broken)
	}
	return rd.info, err
}

// reading is the state of Read.
type reading struct {
	*walk
	o      Options
	visit  func(Entry) error
	info   Info
	checks checks
	place  *location
	origin []byte // of the address that absolute checked, with a slash
	own    []Entry
	handed []Link
	space  []byte
}

// entries visits the entries of an item.
func (r *reading) entries(it *item) error {
	self := r.self(it)
	one := Entry{Ext: ext(it.blocks, self), Media: it.media}
	if it.whole {
		one.Element = Span{it.start, it.end}
	}
	sole := r.o.Lastmods && it.sole(r.kind)
	if sole && len(it.lastmods) > 0 && !it.lastmods[0].empty {
		one.Lastmod = string(r.bytes(it.lastmods[0].Span))
	}
	r.own = r.own[:0]
	for i := range it.locs {
		f, e := &it.locs[i], one
		r.space = f.text(r.space[:0], it, &r.window, r.source.charset)
		r.check(f, r.space)
		loc := kept(r.space)
		e.N, e.Loc, e.TooLong = r.info.Entries, string(loc), len(loc) < len(r.space)
		e.Line, e.Addr = f.line, f.addr
		e.Bound = f.ends || !it.whole
		e.Sole = sole && !e.Bound
		if r.info.Entries++; r.o.Links != nil {
			r.own = append(r.own, e)
		}
		if err := r.visit(e); err != nil {
			return err
		}
	}
	if r.o.Links == nil || len(it.links) == 0 {
		return nil
	}
	r.handed = r.handed[:0]
	for i := range it.links {
		l := r.link(it, &it.links[i])
		if len(l.Href) > audit.MaxAddress {
			l.Href = ""
		}
		r.handed = append(r.handed, l)
	}
	return r.o.Links(r.own, r.handed)
}

// kept returns the part of an address in a file that is kept, as audit.Kept does.
func kept(loc []byte) []byte {
	if len(loc) > audit.MaxAddress {
		return loc[:audit.KeptAddress]
	}
	return loc
}

// sole reports whether the lastmod of an item may be written, in a file of a kind.
func (it *item) sole(k Kind) bool {
	return it.whole && it.addresses == 1 && len(it.lastmods) <= maxLastmods && k.protocol()
}

// link returns a link as it is handed out.
func (x *walk) link(it *item, f *found) Link {
	x.href = f.text(x.href[:0], it, &x.window, x.source.charset)
	return Link{Href: string(x.href), Lang: x.lang(f), Line: f.line, Kind: f.kind}
}

// lang returns the hreflang of a link.
func (x *walk) lang(f *found) string {
	if f.lang.Len() == 0 {
		return ""
	}
	return string(bytes.TrimSpace(resolve(nil, x.bytes(f.lang))))
}

// self returns the one address of an item as written; nil for none.
func (x *walk) self(it *item) []byte {
	if it.addresses != 1 || len(it.locs) != 1 {
		return nil
	}
	return x.bytes(it.locs[0].addr)
}

// ext returns Entry.Ext of the blocks of an item whose own address is self. It overwrites blocks.
func ext(blocks, self []byte) uint64 {
	if len(blocks) == 0 {
		return 0
	}
	upper := xxhash.Sum64(blocks)
	lower := upper
	if len(self) > 0 && bytes.Contains(blocks, self) {
		lower = xxhash.Sum64(withoutSelf(blocks, self))
	}
	return uint64(max(uint32(upper), 1))<<32 | uint64(max(uint32(lower), 1))
}

// withoutSelf returns blocks with a NUL in place of each value that is self. It overwrites b.
func withoutSelf(b, self []byte) []byte {
	n, out := len(self), b[:0]
	for {
		i := bytes.Index(b, self)
		if i < 0 {
			return append(out, b...)
		}
		whole := i > 0 && strings.IndexByte(`"'>`, b[i-1]) >= 0 && i+n < len(b) &&
			strings.IndexByte(`"'<`, b[i+n]) >= 0
		out = append(out, b[:i]...)
		if whole {
			out = append(out, 0)
		} else {
			out = append(out, self...)
		}
		b = b[i+n:]
	}
}

// close sets what is known at the end.
func (r *reading) close(err error) {
	i, s := &r.info, r.source
	i.Size = r.window.end()
	r.checks.bytesBefore(&r.window, i.Size)
	if s.utf16 != nil && r.err == io.EOF {
		i.Size = s.utf16.total
	}
	var format *FormatError
	if i.Kind = r.kind; errors.As(err, &format) && !r.root && i.Entries == 0 {
		i.Kind = ""
	}
	if i.Kind != "" {
		i.Generator = r.checks.clues.generator(r.o.URL)
	}
	if format != nil {
		r.notSitemap(format)
	} else {
		r.wholeFaults(err)
	}
	i.Faults = r.checks.all()
}

// wholeFaults adds the faults of the file as a whole.
func (r *reading) wholeFaults(err error) {
	c, s, damage := &r.checks, r.source, r.source.damage()
	r.info.Truncated = r.info.Truncated || r.err == errTooLarge || r.err == errRun || damage != nil
	if !r.root && r.kind != Text && s.in.err == nil && err == nil {
		c.whole("no-root")
	}
	switch {
	case r.err == errTooLarge:
		c.whole("first-bytes", int(r.o.MaxSize))
	case r.err == errRun:
		c.whole("endless-run", int(r.last+1))
	case r.info.Size > maxBytes:
		c.whole("too-large", int(r.info.Size), maxBytes)
	}
	switch {
	case damage != nil:
		c.whole("gzip-damaged", damage.Error(), int(r.info.Size))
	case s.wrongSum():
		c.whole("gzip-checksum", int(r.info.Size))
	}
	if s.trailing() {
		c.whole("gzip-trailing")
	}
	if len(s.layers) > 1 {
		c.whole("packed-twice", len(s.layers))
	}
	if s.unknown != "" {
		c.whole("unknown-charset", []byte(s.unknown))
	}
	if name := s.name(); name != "utf-8" {
		c.whole("legacy-charset", name)
	}
	if c.declared > 0 {
		c.whole("dtd-unread", c.declared)
	}
	if r.info.Entries == 0 && err == nil && s.in.err == nil {
		c.whole("empty")
	}
}

func (r *reading) notSitemap(format *FormatError) {
	damage := r.source.damage()
	if damage == nil && r.source.wrongSum() {
		damage = gzip.ErrChecksum
	}
	switch {
	case damage != nil:
		r.info.Truncated = true
		r.checks.whole("gzip-unreadable", damage.Error())
	case *format == *notEmpty:
		r.checks.whole("no-bytes")
	default:
		r.checks.whole("no-sitemap", format.What)
	}
}
