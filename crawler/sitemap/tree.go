package sitemap

import "bytes"

// tag processes a start tag or a self-closing one.
func (x *walk) tag(empty bool) error {
	x.checks.tag(x)
	if x.deep > 0 {
		if !empty {
			x.deep++
		}
		return nil
	}
	x.ends = false
	prefix, local := split(x.name())
	el, err := x.classify(prefix, local)
	if err != nil {
		return err
	}
	if el == elExt {
		x.hash(x.raw())
		x.item.media = x.item.media || x.top() == elItem && blockNamed(local) != noBlock
		x.blockTag(prefix, local)
	}
	if !empty && len(x.stack) == maxDepth {
		x.deep++
		x.checks.at(x, "too-deep")
		return nil
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
	case top == elWrap:
		return elPlain, nil
	case top == elOther:
		return x.around(prefix, local)
	case x.ours(prefix) && x.holds(local):
		x.checks.at(x, "unclosed", x.raw())
		if top == elLoc && !x.filled && !x.wrapped {
			return elWrap, nil
		}
		x.ends = true
		return elItem, x.abandon(x.itemDepth())
	case top == elLoc && x.child(prefix, local) == elLoc:
		x.checks.at(x, "unclosed", x.raw())
		x.ends = true
		return elLoc, x.abandon(1)
	case top != elItem:
		return elPlain, nil
	}
	return x.inItem(prefix, local), nil
}

// itemDepth returns how many elements are open from the item on.
func (x *walk) itemDepth() int {
	n := 1
	for x.stack[len(x.stack)-n].el != elItem {
		n++
	}
	return n
}

// around processes an element outside items.
func (x *walk) around(prefix, local []byte) (element, error) {
	if kind, ok := roots[string(local)]; ok {
		if string(local) == "RDF" { // the items of RDF have a namespace of their own
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
	if x.holds(local) && x.adopt(prefix) {
		return elItem, nil
	}
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
		x.spaces = x.spaces[:0]
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
	case el == elLoc && x.kind == RSS && x.item.addresses > 0:
		return elPlain
	case el == elExt:
		x.checks.prefix(x, prefix)
		if string(local) == "link" && !x.kind.feed() && x.linkable(prefix) {
			x.xhtmlLink(prefix)
		}
	}
	return el
}

// entered begins an element that was opened.
func (x *walk) entered(el element, empty bool) {
	switch el {
	case elItem:
		x.item.begin(x.start)
		x.item.ends, x.hold = x.ends, x.start
		x.item.line, x.item.column = x.place(x.start)
		x.block = openBlock{}
		x.declare(false)
		x.checks.misplaced(x)
	case elLoc:
		x.openAddress(Alternate)
		x.loc.ends = x.ends
		if empty {
			x.loc.form = formEmpty
		}
	case elWrap:
		x.inner, x.wrapped = x.end, true
	case elLastmod:
		x.openLastmod()
	}
}

// endTag processes an end tag: it closes its element, and the open elements within.
func (x *walk) endTag() error {
	if x.deep > 0 {
		x.deep--
		return nil
	}
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
		x.closeLoc()
	case elItem:
		return x.closeItem(true)
	case elExt:
		if !empty {
			x.hash(x.raw())
		}
		x.blockEnd()
	case elLastmod:
		x.closeLastmod(empty)
	}
	return nil
}

// abandon closes the n innermost elements, which have no end tag.
func (x *walk) abandon(n int) error {
	for ; n > 0; n-- {
		switch x.pop() {
		case elLoc:
			x.reading = false
		case elExt:
			x.abandonBlock()
		case elLastmod:
			x.lastmod.open = false
		case elItem:
			if err := x.closeItem(false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *walk) closeItem(whole bool) error {
	err := x.offer(whole)
	x.checks.itemClosed(x)
	x.item.open, x.hold, x.reading, x.lastmod.open = false, -1, false, false
	return err
}
