package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Rewrite copies a sitemap, as it was served, from r to w with edits. It finds the same entries as
// Read, in the same order.
//
// Every byte of the unpacked text outside the edited addresses and links and the dropped elements
// is copied unchanged; a packed file is packed again, UTF-16 stays UTF-16. What Read does not read,
// after a limit or damage, is copied (of a damaged gzip, what could be unpacked).
//
// The error is that of edits, r or w, or ErrEdits; then w has a part of the file. A
// *FormatError says that r is not a sitemap; then w has all of it, unchanged.
func Rewrite(r io.Reader, w io.Writer, edits Edits) (Result, error) {
	return rewrite(r, w, edits, fullScale)
}

// rewrite is Rewrite at a scale.
func rewrite(r io.Reader, w io.Writer, edits Edits, size scale) (Result, error) {
	s := open(r, nil)
	p := pack(s, w)
	rw := &rewriting{walk: newWalk(s, size, defaultMaxSize), edits: edits}
	rw.copying = copying{w: bufio.NewWriterSize(p, 64<<10), window: &rw.walk.window}
	rw.back, rw.slide, rw.give, rw.cutOff = size.line, rw.copy, rw.entries, edits.Cut
	err := rw.run()
	var format *FormatError
	if err != nil && !errors.As(err, &format) {
		return rw.result, err
	}
	if rest := rw.rest(s); rest != nil {
		return rw.result, rest
	}
	if broken := rw.broken(); broken != nil {
		return rw.result, fmt.Errorf("read sitemap: %w", broken)
	}
	return rw.result, cmp.Or(p.close(), err)
}

// rewriting is the state of Rewrite.
type rewriting struct {
	*walk
	copying
	edits   Edits
	result  Result
	patches []patch // of the item
	handed  []Link
	space   []byte
}

// entries edits the entries and links of an item.
func (r *rewriting) entries(it *item) error {
	if r.edits.Element != nil {
		r.edits.Element()
	}
	r.patches = r.patches[:0]
	var gone []Span
	for i := range it.locs {
		f := &it.locs[i]
		e, err := r.entry(it, f)
		if err != nil {
			return err
		}
		if e.Action == Drop {
			gone = append(gone, f.tag)
		}
	}
	switch {
	case !it.whole:
		r.result.Kept += len(gone)
	case len(gone) > 0 && len(gone) == len(it.locs):
		r.result.Dropped += len(gone)
		return r.remove(Span{it.start, it.end})
	default:
		r.result.Dropped += len(gone)
		for _, tag := range gone {
			r.patches = append(r.patches, patch{Span: tag, remove: true})
		}
	}
	if err := r.relink(it); err != nil {
		return err
	}
	slices.SortStableFunc(r.patches, func(a, b patch) int { return cmp.Compare(a.Start, b.Start) })
	for i := range r.patches {
		if err := r.put(&r.patches[i]); err != nil {
			return err
		}
	}
	return nil
}

// entry asks for the edit of an entry, and makes the patches of one that stays.
func (r *rewriting) entry(it *item, f *found) (Edit, error) {
	n := r.result.Entries
	r.result.Entries++
	r.space = f.text(r.space[:0], it, &r.walk.window, r.source.charset)
	e, err := r.edits.Entry(n, kept(r.space))
	if err != nil || e.Action == Drop {
		return e, err
	}
	if e.Action == Replace {
		r.result.Replaced++
		if err := r.replace(f, e.Loc); err != nil {
			return e, err
		}
	}
	if !it.sole(r.kind) {
		return e, nil
	}
	if r.copies(it, f, &e); e.Lastmod == "" {
		return e, nil
	}
	if dates := r.dates(it, f, e.Lastmod); len(dates) > 0 {
		r.patches = append(r.patches, dates...)
		if r.result.Dated++; r.edits.Dated != nil {
			return e, r.edits.Dated(n)
		}
	}
	return e, nil
}

// replace replaces an address.
func (r *rewriting) replace(f *found, loc string) error {
	if r.source.charset != nil && !ascii(loc) {
		return fmt.Errorf("write %q: %w: the file is in %s", loc, ErrEdits, r.source.charset.name)
	}
	r.patches = append(r.patches, patch{Span: f.addr, text: f.form.write(loc, r.bytes(f.tag))})
	return nil
}

// dates returns the patches that make date the lastmod of an item.
func (r *rewriting) dates(it *item, f *found, date string) (list []patch) {
	if len(it.lastmods) == 0 {
		name := strings.TrimSuffix(tagName(r.bytes(f.tag)), "loc") + "lastmod"
		return []patch{{Span: Span{f.tag.End, f.tag.End},
			text: r.indent(f.tag.Start) + "<" + name + ">" + date + "</" + name + ">"}}
	}
	for _, v := range it.lastmods {
		if v.empty {
			name := tagName(r.bytes(v.Span))
			list = append(list, patch{Span: v.Span, text: "<" + name + ">" + date + "</" + name + ">"})
		} else if string(r.bytes(v.Span)) != date {
			list = append(list, patch{Span: v.Span, text: date})
		}
	}
	return list
}

// copies adds the copies of an item that Edit.More asks for.
func (r *rewriting) copies(it *item, f *found, e *Edit) {
	if len(e.More) == 0 || f.form == formEmpty {
		return
	}
	var dates []patch
	if e.Lastmod != "" && len(it.lastmods) > 0 {
		dates = slices.DeleteFunc(r.dates(it, f, e.Lastmod),
			func(p patch) bool { return p.Len() == 0 || r.bytes(p.Span)[0] == '<' })
	}
	var all strings.Builder
	for _, loc := range e.More {
		edits := append([]patch{{Span: f.addr, text: f.form.write(loc, nil)}}, dates...)
		slices.SortFunc(edits, func(a, b patch) int { return cmp.Compare(a.Start, b.Start) })
		all.WriteString(r.indent(it.start))
		at := it.start
		for _, p := range edits {
			all.Write(r.bytes(Span{at, p.Start}))
			all.WriteString(p.text)
			at = p.End
		}
		all.Write(r.bytes(Span{at, it.end}))
		r.result.Added++
	}
	r.patches = append(r.patches, patch{Span: Span{it.end, it.end}, text: all.String()})
}

// relink edits the links of an item.
func (r *rewriting) relink(it *item) error {
	if n := len(it.links); n == 0 || n == maxLinks || r.edits.Links == nil {
		return nil
	}
	edits, err := r.edits.Links(r.hand(it))
	if err != nil {
		return err
	}
	for i, e := range edits {
		f := &it.links[i]
		switch {
		case e.Action == Drop && r.handed[i].Bound:
			return fmt.Errorf("%w: the link on line %d cannot be dropped", ErrEdits, f.line)
		case e.Action == Drop:
			r.result.Unlinked++
			r.patches = append(r.patches, patch{Span: f.tag, remove: true})
		case e.Action == Replace:
			r.result.Relinked++
			if err := r.replace(f, e.Loc); err != nil {
				return err
			}
		}
	}
	return nil
}

// hand returns the links of an item, as Edits see them.
func (r *rewriting) hand(it *item) []Link {
	r.handed = r.handed[:0]
	for i := range it.links {
		l := r.link(it, &it.links[i])
		l.Bound = !r.wholeLink(it, &it.links[i])
		r.handed = append(r.handed, l)
	}
	return r.handed
}

// wholeLink makes the tag of a link its whole element. It returns false where the element has
// content, or no end tag.
func (r *rewriting) wholeLink(it *item, f *found) bool {
	tag := r.bytes(f.tag)
	if tag[len(tag)-2] == '/' {
		return true
	}
	rest := bytes.TrimLeft(r.bytes(Span{f.tag.End, it.end}), " \t\r\n")
	end, ok := bytes.CutPrefix(rest, []byte("</"+tagName(tag)))
	if end = bytes.TrimLeft(end, " \t\r\n"); !ok || len(end) == 0 || end[0] != '>' {
		return false
	}
	f.tag.End = it.end - int64(len(end)) + 1
	return true
}
