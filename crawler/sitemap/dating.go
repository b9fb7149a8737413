package sitemap

import (
	"bytes"
	"slices"
)

// dating is what is known of the lastmod of an open item.
type dating struct {
	date   string // to be written; "" for none
	n      int    // the entry for which it is
	after  int64  // where a <lastmod> is added that is not there
	before string // what stands before it: a line end and blanks, or nothing
	name   string // of its element
	values []valueOf
	many   bool // more values than are kept
}

// valueOf is the value of a <lastmod>: its content without outer white space, or a self-closing tag.
type valueOf struct {
	Span
	empty bool
}

// maxValues is how many <lastmod> of one item are kept; there is to be one.
const maxValues = 16

// ask notes the date that is to be written for an address, which is in the window.
func (d *dating) ask(w *window, f *found, n int, date string) {
	tag, _ := tagName(w.bytes(f.tag)[:bytes.IndexByte(w.bytes(f.tag), '>')+1])
	d.n = n
	d.date, d.after, d.before, d.name = date, f.tag.End, "", "lastmod"
	if prefix, _, ok := bytes.Cut(tag, []byte(":")); ok {
		d.name = string(prefix) + ":lastmod"
	}
	if line := w.lineStart(f.tag.Start); line.alone {
		d.before = lineEndBefore(w, line.at) + string(w.bytes(Span{line.at, f.tag.Start}))
	}
}

// lineEndBefore returns the line end that stands before a place; "" for none.
func lineEndBefore(w *window, at int64) string {
	b := w.bytes(Span{max(w.off, at-2), at})
	switch {
	case bytes.HasSuffix(b, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(b, []byte("\n")), bytes.HasSuffix(b, []byte("\r")):
		return string(b[len(b)-1:])
	}
	return ""
}

// lastmod keeps where the value of a <lastmod> stands.
func (r *rewriting) lastmod(w *window, it *item, content Span, empty bool) {
	if !r.dates() || content.End-it.start > w.scale.element() {
		return
	}
	if len(r.dating.values) == maxValues {
		r.dating.many = true
		return
	}
	if !empty {
		content = trimmed(w, content)
	}
	r.dating.values = append(r.dating.values, valueOf{content, empty})
}

// trimmed is a span of the window without its outer white space.
func trimmed(w *window, s Span) Span {
	b := w.bytes(s)
	s.Start += int64(len(b) - len(bytes.TrimLeft(b, " \t\r\n")))
	s.End -= int64(len(b) - len(bytes.TrimRight(b, " \t\r\n")))
	return Span{s.Start, max(s.Start, s.End)}
}

// dates reports whether the file is of a format that has lastmod.
func (r *rewriting) dates() bool {
	if r.xml == nil {
		return false
	}
	kind := r.xml.kind
	return kind == "" || kind == URLSet || kind == Index
}

// date writes the lastmod of an item that ends at a place, where that is asked for and the item
// has one address.
func (r *rewriting) date(w *window, it *item, end int64) {
	d := &r.dating
	if d.date == "" || !r.dates() || it.addresses != 1 || d.many || end-it.start > w.scale.element() {
		return
	}
	if len(d.values) == 0 {
		r.dated()
		r.patches.add(patch{Span{d.after, d.after}, d.before + "<" + d.name + ">" + d.date + "</" + d.name + ">"})
		return
	}
	same := func(v valueOf) bool { return !v.empty && string(w.bytes(v.Span)) == d.date }
	if !slices.ContainsFunc(d.values, func(v valueOf) bool { return !same(v) }) {
		return
	}
	r.dated()
	for _, v := range d.values {
		text := d.date
		if v.empty {
			name, _ := tagName(w.bytes(v.Span))
			text = "<" + string(name) + ">" + d.date + "</" + string(name) + ">"
		}
		if !same(v) {
			r.patches.add(patch{v.Span, text})
		}
	}
}

// dated counts a lastmod that is written.
func (r *rewriting) dated() {
	r.result.Dated++
	if r.edits.Dated != nil {
		r.edits.Dated(r.dating.n)
	}
}
