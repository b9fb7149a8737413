package sitemap

// openAddress begins an address behind the last tag.
func (x *walk) openAddress(kind LinkKind) {
	line, column := x.place(x.start)
	n := len(x.item.pieces)
	x.loc = found{line: line, column: column, tag: Span{x.start, x.end}, first: n, kind: kind}
	x.reading, x.inner, x.filled, x.wrapped = true, x.end, false, false
}

// closeLoc adds the open address to the item.
func (x *walk) closeLoc() {
	if !x.reading {
		return
	}
	it := &x.item
	x.finishAddress()
	it.addresses++
	it.locs = append(it.locs, x.loc)
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
	if a.bare {
		f.addr, f.form = value, formBare
	}
	return f
}

// xhtmlLink processes a link of a url to one of its alternates.
func (x *walk) xhtmlLink(prefix []byte) {
	href, ok := x.attribute("href")
	if !ok {
		x.checks.at(x, "no-href", x.raw())
		return
	}
	x.checks.alternate(x, prefix)
	f := x.attributeAt(href)
	if a, ok := x.attribute("hreflang"); ok && len(a.value) <= maxLang {
		f.lang = Span{x.start + int64(a.start), x.start + int64(a.end)}
	}
	x.item.link(f)
}

// atomLink reads the first link of an Atom entry to the page itself (RFC 4287, 4.2.7.2: without
// rel, it is "alternate"). A link with hreflang leads to the page in that language: it counts where
// there is no other. An entry in several languages lists the other languages like that, and those
// may be on other hosts.
func (x *walk) atomLink() {
	it := &x.item
	if rel, ok := x.attribute("rel"); ok && string(rel.value) != "alternate" {
		return
	}
	href, ok := x.attribute("href")
	if !ok {
		if it.addresses == 0 {
			x.checks.at(x, "no-href", x.raw())
		}
		return
	}
	_, other := x.attribute("hreflang")
	switch {
	case it.addresses == 0:
		it.addresses++
		it.locs = append(it.locs, x.attributeAt(href))
		it.version = other
	case it.version && !other && len(it.locs) == 1:
		it.locs[0] = x.attributeAt(href)
		it.version = false
	}
}
