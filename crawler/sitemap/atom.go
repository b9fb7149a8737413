package sitemap

// atomLink reads the first link of an Atom entry to the page itself (RFC 4287, 4.2.7.2: without
// rel, it is "alternate"). A link with hreflang leads to the page in that language: it counts where
// there is no other. An entry in several languages lists the other languages like that, and those
// may be on other hosts.
func (x *xmlWalk) atomLink() error {
	rel, ok := x.attribute("rel")
	if ok && string(rel.value) != "alternate" || x.item.addresses > 0 {
		return nil
	}
	href, ok := x.attribute("href")
	if !ok {
		x.notes.at(x, missingAttribute, severe, "no-href", x.raw())
		return nil
	}
	if _, ok := x.attribute("hreflang"); ok {
		if x.version.tag.End == 0 {
			pieces := x.version.pieces[:0]
			x.version = *x.attributeAt(href)
			x.version.pieces = append(pieces, x.version.pieces...)
			x.variant = x.start
		}
		return nil
	}
	x.attributeAt(href)
	return x.giveAtom()
}

// closeAtom passes on the address of an entry that ends and has no address but that of its page in
// one language. Where too much of the entry follows that link, the entry has no address.
func (x *xmlWalk) closeAtom() error {
	v := &x.version
	if v.tag.End == 0 {
		return nil
	}
	defer func() { v.tag, x.variant = Span{}, -1 }()
	if x.item.addresses > 0 {
		return nil
	}
	if x.end-v.tag.Start > x.scale.run {
		x.notes.farLink(v)
		return nil
	}
	pieces := append(x.loc.pieces[:0], v.pieces...)
	x.loc = *v
	x.loc.pieces = pieces
	return x.giveAtom()
}

// giveAtom passes on the address of a link, and keeps the memory of its pieces.
func (x *xmlWalk) giveAtom() error {
	pieces := x.loc.pieces
	err := x.giveAddress()
	x.loc.pieces = pieces
	return err
}
