package sitemap

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// dating is the state of writing the lastmod of an open item.
type dating struct {
	date   string // the date to write; "" for none
	n      int    // the entry that the date is for
	after  int64  // where a missing <lastmod> is inserted
	before string // what stands before it: a line end and blanks, or nothing
	name   string // name of the lastmod element
	values []valueOf

	more []string // addresses for copies of the element
	addr Span     // place of the address in the element
	form form

	many bool // there are more values than are kept
}

// valueOf is the place of the value of a <lastmod>: its content without outer white space, or a
// self-closing tag.
type valueOf struct {
	Span
	empty bool
}

// maxValues is how many <lastmod> of one item are kept; there should be one.
const maxValues = 16

// ask records the edit of an address, which is in the window.
func (d *dating) ask(w *window, f *found, n int, e *Edit) {
	d.n, d.date, d.more, d.addr, d.form = n, e.Lastmod, e.More, f.addr, f.form
	if d.date == "" {
		return
	}
	tag, _ := tagName(w.bytes(f.tag)[:bytes.IndexByte(w.bytes(f.tag), '>')+1])
	d.after, d.before, d.name = f.tag.End, "", "lastmod"
	if prefix, _, ok := bytes.Cut(tag, []byte(":")); ok {
		d.name = string(prefix) + ":lastmod"
	}
	if line := w.lineStart(f.tag.Start); line.alone {
		d.before = lineEndBefore(w, line.at) + string(w.bytes(Span{line.at, f.tag.Start}))
	}
}

// copies adds the copies of an item that Edit.More asks for. The item ends at end.
func (r *rewriting) copies(w *window, it *item, end int64) error {
	d := &r.dating
	if len(d.more) == 0 || !r.sole(w, it, end) || d.form == formEmpty {
		return nil
	}
	if r.charset != nil {
		return fmt.Errorf("add addresses: %w: the file is in %s", ErrCharset, r.charset.name)
	}
	before := ""
	if line := w.lineStart(it.start); line.alone {
		before = lineEndBefore(w, line.at) + string(w.bytes(Span{line.at, it.start}))
	}
	var all strings.Builder
	for _, loc := range d.more {
		edits := []patch{{d.addr, d.form.write(loc, nil)}}
		for _, v := range d.values {
			if d.date != "" && !v.empty && v.Len() > 0 {
				edits = append(edits, patch{v.Span, v.write(w, d.date)})
			}
		}
		slices.SortFunc(edits, func(a, b patch) int { return cmp.Compare(a.Start, b.Start) })
		all.WriteString(before)
		at := it.start
		for _, e := range edits {
			all.Write(w.bytes(Span{at, e.Start}))
			all.WriteString(e.text)
			at = e.End
		}
		all.Write(w.bytes(Span{at, end}))
		r.result.Added++
	}
	r.patches.add(patch{Span{end, end}, all.String()})
	return nil
}

// write returns the text that makes date the value.
func (v valueOf) write(w *window, date string) string {
	if !v.empty {
		return date
	}
	name, _ := tagName(w.bytes(v.Span))
	return "<" + string(name) + ">" + date + "</" + string(name) + ">"
}

// sole reports whether the item, which ends at end, has one address and a lastmod that may be
// written.
func (r *rewriting) sole(w *window, it *item, end int64) bool {
	return r.dates() && it.addresses == 1 && !r.dating.many && end-it.start <= w.scale.element()
}

// lineEndBefore returns the line end before a place; "" where none stands there.
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

// lastmod records the place of the value of a <lastmod>.
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

// trimmed returns a span of the window without its outer white space.
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

// date writes the lastmod of an item, which ends at end, where its edit asks for that and the item
// has one address.
func (r *rewriting) date(w *window, it *item, end int64) error {
	d := &r.dating
	if d.date == "" || !r.sole(w, it, end) {
		return nil
	}
	if len(d.values) == 0 {
		r.patches.add(patch{Span{d.after, d.after},
			d.before + "<" + d.name + ">" + d.date + "</" + d.name + ">"})
		return r.dated()
	}
	same := func(v valueOf) bool { return !v.empty && string(w.bytes(v.Span)) == d.date }
	if !slices.ContainsFunc(d.values, func(v valueOf) bool { return !same(v) }) {
		return nil
	}
	for _, v := range d.values {
		if !same(v) {
			r.patches.add(patch{v.Span, v.write(w, d.date)})
		}
	}
	return r.dated()
}

// dated counts a lastmod that was written.
func (r *rewriting) dated() error {
	r.result.Dated++
	if r.edits.Dated == nil {
		return nil
	}
	return r.edits.Dated(r.dating.n)
}
