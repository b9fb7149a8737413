package sitemap

import "bytes"

// tag processes a start tag or a self-closing one.
func (x *walk) tag(empty bool) error {
	x.checks.tag(x)
	x.ends = false
	prefix, local := split(x.name())
	el, err := x.classify(prefix, local)
	if err != nil {
		return err
	}
	if el == elExt {
		x.hash(x.raw())
		x.inBlock(local)
	}
	from := len(x.names)
	x.stack = append(x.stack, level{el, from})
	x.names = append(x.names, x.name()...) // again, for what classify closes may move the window
	x.expected = x.names[from:]
	x.entered(el, empty)
	if empty {
		return x.closed(true)
	}
	return nil
}

// classify returns the role of a start tag, and closes the elements that it ends.
func (x *walk) classify(prefix, local []byte) (element, error) {
	top := x.top()
	switch {
	case top == elExt || top == elPlain:
		return top, nil
	case top == elOther:
		return x.around(prefix, local)
	case x.ours(prefix) && x.holds(local):
		x.checks.at(x, "unclosed", x.raw())
		x.ends = true
		n := 1
		for x.stack[len(x.stack)-n].el != elItem {
			n++
		}
		return elItem, x.abandon(n)
	case top != elItem:
		return elPlain, nil
	}
	return x.inItem(prefix, local), nil
}

// around processes an element outside items.
func (x *walk) around(prefix, local []byte) (element, error) {
	if kind, ok := formats[string(local)]; ok {
		if kind == RSS { // the items of RDF have a namespace of their own, and those of RSS none
			prefix = nil
		}
		x.rooted(kind, prefix)
		return elOther, nil
	}
	switch {
	case !x.root && len(local) == 4 && hasFold(local, "html"):
		return elOther, notHTML
	case x.ours(prefix) && x.holds(local):
		if !x.root && x.kind == "" {
			if x.kind = URLSet; string(local) == "sitemap" {
				x.kind = Index
			}
		}
		return elItem, nil
	}
	x.declare(true)
	return elOther, nil
}

// rooted processes the element that determines the format. Only the first one does; a later one of
// the same family may change the prefix.
func (x *walk) rooted(kind Kind, prefix []byte) {
	if x.root && kind != x.kind && !(kind.protocol() && x.kind.protocol()) {
		return
	}
	if !x.root {
		x.kind, x.root = kind, true
	}
	if len(x.stack) == 0 {
		clear(x.spaces)
	}
	x.declare(true)
	x.own = append(x.own[:0], prefix...)
	x.checks.namespace(x, kind, prefix)
}

// inItem processes a child of an item.
func (x *walk) inItem(prefix, local []byte) element {
	el := x.child(prefix, local)
	switch {
	case el == elLoc && x.kind == Atom:
		x.atomLink()
		return elPlain
	case el == elLoc && x.kind == RSS && len(x.item.locs) > 0:
		return elPlain
	case el == elExt:
		uri, declared := x.spaces[string(prefix)]
		if !declared {
			x.checks.prefix(x, prefix)
		}
		if string(local) == "link" && !x.kind.feed() && (!declared || len(prefix) == 0 || isXHTML(uri)) {
			x.xhtmlLink()
		}
	}
	return el
}

// inBlock processes an element that begins a block, or stands in one.
func (x *walk) inBlock(local []byte) {
	if x.top() == elItem {
		x.block, x.depth = mediaOf(local), len(x.stack)
		x.item.media = x.item.media || x.block != ""
		return
	}
	x.reading = false // a tag within the address
	if x.assets && len(x.stack) == x.depth+1 {
		if kind, ok := assets[[2]string{x.block, string(local)}]; ok {
			x.openAddress(kind)
		}
	}
}

// entered begins an element that was opened.
func (x *walk) entered(el element, empty bool) {
	switch el {
	case elItem:
		x.item.begin(x.start)
		x.item.ends, x.hold = x.ends, x.start
		x.item.line, x.item.column = x.place(x.start)
		x.declare(false)
		x.checks.misplaced(x)
	case elLoc:
		x.openAddress(Alternate)
		if empty {
			x.loc.form = formEmpty
		}
	case elLastmod:
		x.openLastmod()
	}
}

// endTag processes an end tag: it closes its element, and the open elements within.
func (x *walk) endTag() error {
	name, n, end := x.name(), 1, len(x.names)
	for ; n <= len(x.stack); n++ {
		from := x.stack[len(x.stack)-n].name
		if bytes.Equal(name, x.names[from:end]) {
			break
		}
		end = from
	}
	if n > len(x.stack) {
		x.checks.at(x, "closes-nothing", x.raw())
		return nil
	}
	if n > 1 {
		x.checks.at(x, "closes-too-much", x.raw())
		if err := x.abandon(n - 1); err != nil {
			return err
		}
	}
	return x.closed(false)
}

func (x *walk) pop() element {
	last := x.stack[len(x.stack)-1]
	x.stack, x.names, x.expected = x.stack[:len(x.stack)-1], x.names[:last.name], nil
	if n := len(x.stack); n > 0 {
		x.expected = x.names[x.stack[n-1].name:]
	}
	return last.el
}

// closed closes the innermost element, which the last token ends.
func (x *walk) closed(empty bool) error {
	switch x.pop() {
	case elLoc:
		if x.reading {
			x.finishAddress()
			x.item.locs = append(x.item.locs, x.loc)
		}
	case elItem:
		return x.closeItem(true)
	case elExt:
		if !empty {
			x.hash(x.raw())
		}
		if x.reading {
			x.finishAddress()
			x.item.link(x.loc)
		}
	case elLastmod:
		x.closeLastmod(empty)
	}
	return nil
}

// abandon closes the n innermost elements, which have no end tag.
func (x *walk) abandon(n int) error {
	for ; n > 0; n-- {
		switch x.pop() {
		case elLoc, elExt, elLastmod:
			x.reading, x.lastmod.open = false, false
		case elItem:
			if err := x.closeItem(false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *walk) closeItem(whole bool) error {
	it := &x.item
	it.end, it.whole = x.end, whole && !it.ends
	x.given += len(it.locs)
	err := x.give(it)
	x.checks.itemClosed(x)
	it.open, x.hold, x.reading, x.lastmod.open = false, -1, false, false
	return err
}

// openAddress begins an address behind the last tag.
func (x *walk) openAddress(kind LinkKind) {
	line, column := x.place(x.start)
	x.loc = found{line: line, column: column, tag: Span{x.start, x.end}, first: len(x.item.pieces), kind: kind}
	x.reading, x.inner = true, x.end
}

// finishAddress ends the open address with the last token.
func (x *walk) finishAddress() {
	x.reading = false
	x.loc.tag.End, x.loc.last = x.end, len(x.item.pieces)
	if x.loc.form == formEmpty {
		x.loc.addr = x.loc.tag
		return
	}
	x.loc.fit(&x.item, &x.window, x.source.charset, x.inner)
}

// attributeAt returns the value of an attribute in the last token as an address.
func (x *walk) attributeAt(a *attribute) found {
	line, column := x.place(x.start)
	value, n := Span{x.start + int64(a.start), x.start + int64(a.end)}, len(x.item.pieces)
	f := found{line: line, column: column, tag: Span{x.start, x.end}, first: n, last: n + 1}
	x.item.pieces = append(x.item.pieces, piece{value, false})
	f.fit(&x.item, &x.window, x.source.charset, value.Start)
	return f
}

// xhtmlLink processes a link of a url to one of its alternates.
func (x *walk) xhtmlLink() {
	href, ok := x.attribute("href")
	if !ok {
		x.checks.at(x, "no-href", x.raw())
		return
	}
	if x.checks != nil {
		x.checks.info.Links = true
	}
	f := x.attributeAt(href)
	if a, ok := x.attribute("hreflang"); ok && len(a.value) <= maxLang {
		f.lang = Span{x.start + int64(a.start), x.start + int64(a.end)}
	}
	x.item.link(f)
}

// atomLink reads the first link of an Atom entry to the page itself (RFC 4287, 4.2.7.2: without
// rel, it is "alternate").
func (x *walk) atomLink() {
	it := &x.item
	if rel, ok := x.attribute("rel"); len(it.locs) > 0 || ok && string(rel.value) != "alternate" {
		return
	}
	if href, ok := x.attribute("href"); ok {
		it.locs = append(it.locs, x.attributeAt(href))
	} else {
		x.checks.at(x, "no-href", x.raw())
	}
}
