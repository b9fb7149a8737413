package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
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
	s := open(r, o.Text)
	rd := &reading{o: o, visit: visit, walk: newWalk(s, o.scale, o.MaxSize), place: locate(o)}
	rd.info.Gzip, rd.info.Charset = len(s.layers) > 0, s.name
	rd.checks = checks{info: &rd.info, now: o.Now}
	rd.walk.checks, rd.give = &rd.checks, rd.entries
	rd.assets, rd.cutOff = o.Links != nil && o.Assets, o.Cut
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
	one := Entry{Media: it.media, Child: r.kind == Index}
	if len(it.blocks) > 0 {
		one.Ext = max(uint32(xxhash.Sum64(it.blocks)), 1)
	}
	if it.whole {
		one.Element = Span{it.start, it.end}
	}
	r.own = r.own[:0]
	for i := range it.locs {
		f, e := &it.locs[i], one
		r.space = f.text(r.space[:0], it, &r.window, r.source.charset)
		r.check(f, r.space)
		loc := kept(r.space)
		e.N, e.Loc, e.TooLong = r.info.Entries, string(loc), len(loc) < len(r.space)
		e.Line, e.Addr = f.line, f.addr
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
		if len(l.Href) > address.MaxLength {
			l.Href = ""
		}
		r.handed = append(r.handed, l)
	}
	return r.o.Links(r.own, r.handed)
}

// kept returns the part of an address in a file that is kept, as address.Kept does.
func kept(loc []byte) []byte {
	if len(loc) > address.MaxLength {
		return loc[:address.KeptLength]
	}
	return loc
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

// close sets what is known at the end.
func (r *reading) close(err error) {
	i := &r.info
	i.Size = r.window.end()
	r.checks.bytesBefore(&r.window, i.Size)
	var format *FormatError
	if i.Kind = r.kind; errors.As(err, &format) && !r.root && i.Entries == 0 {
		i.Kind = ""
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
	whole := err == nil && s.in.err == nil
	r.info.Truncated = r.info.Truncated || r.err == errTooLarge || r.err == errRun || r.err == errElement || damage != nil
	c.wholeIf(!r.root && r.kind != Text && whole, "no-root")
	c.wholeIf(r.err == errTooLarge, "first-bytes", int(r.o.MaxSize))
	c.wholeIf(r.err == errRun, "endless-run", int(r.last+1))
	c.wholeIf(r.info.Size > maxBytes && r.err == io.EOF, "too-large", int(r.info.Size), maxBytes)
	if damage != nil {
		c.whole("gzip-damaged", damage.Error(), int(r.info.Size))
	}
	c.wholeIf(s.trailing(), "gzip-trailing")
	c.wholeIf(len(s.layers) > 1, "packed-twice", len(s.layers))
	c.wholeIf(s.unknown != "", "unknown-charset", []byte(s.unknown))
	c.wholeIf(s.name != "utf-8", "legacy-charset", s.name)
	c.wholeIf(r.info.Entries == 0 && whole, "empty")
}

func (r *reading) notSitemap(format *FormatError) {
	switch damage := r.source.damage(); {
	case damage != nil:
		r.info.Truncated = true
		r.checks.whole("gzip-unreadable", damage.Error())
	case format == notEmpty:
		r.checks.whole("no-bytes")
	default:
		r.checks.whole("no-sitemap", format.What)
	}
}
