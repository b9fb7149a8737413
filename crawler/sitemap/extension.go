package sitemap

import (
	"bytes"
	"strings"
)

// A block is a kind of extension whose content is checked (Search Central, "Image sitemaps", "Video
// sitemaps", "News sitemaps", "Localized versions").
type block uint8

const (
	noBlock block = iota
	imageBlock
	videoBlock
	newsBlock
	linkBlock
	blocks
)

// Google's limits for extensions.
const (
	maxImages = 1000 // in one url
	maxNews   = 1000 // in one file
)

// blockNamed returns the block that an element begins, by its local name.
func blockNamed(local []byte) block {
	switch string(local) {
	case "image":
		return imageBlock
	case "video":
		return videoBlock
	case "news":
		return newsBlock
	}
	return noBlock
}

// blockSpaces are the beginnings of the namespaces of the blocks, without their versions.
var blockSpaces = []struct {
	begin string
	block block
}{
	{"http://www.google.com/schemas/sitemap-image/", imageBlock},
	{"http://www.google.com/schemas/sitemap-video/", videoBlock},
	{"http://www.google.com/schemas/sitemap-news/", newsBlock},
	{"http://www.w3.org/1999/xhtml", linkBlock},
}

// extensions is the state of the checks of a file's extensions.
type extensions struct {
	known []knownPrefix
	open  openBlock

	images, news int // images of the item, news of the file

	linkLanguages, newsLanguages foundOf
}

type knownPrefix struct {
	prefix []byte
	block  block
}

// openBlock is the open extension block of an item.
type openBlock struct {
	block        block
	depth        int // elements around it
	line, column int
	has          uint16 // bits of the required children that were seen
	field        *field // the child whose text is being collected
}

// declare records the block that a prefix stands for.
func (n *notes) declare(prefix []byte, space string) {
	if n == nil {
		return
	}
	for _, s := range blockSpaces {
		if strings.HasPrefix(space, s.begin) {
			n.known = append(n.known, knownPrefix{bytes.Clone(prefix), s.block})
		}
	}
}

// stands returns the block that a prefix stands for.
func (e *extensions) stands(prefix []byte) block {
	for i := range e.known {
		if bytes.Equal(e.known[i].prefix, prefix) {
			return e.known[i].block
		}
	}
	return noBlock
}

// extensionTag processes a start tag that begins a block, or stands in one.
func (n *notes) extensionTag(x *xmlWalk, prefix, local []byte, empty bool) {
	if n == nil || len(n.known) == 0 {
		return
	}
	if n.open.block == noBlock {
		n.openBlock(x, prefix, local)
		if empty && n.open.block != noBlock {
			n.closeBlock(x)
		}
		return
	}
	if n.open.block == imageBlock { // images are numerous: only what is needed is checked
		if string(local) == "loc" {
			n.open.has = 1
		}
		return
	}
	if n.open.field != nil || n.stands(prefix) != n.open.block {
		return
	}
	if f := fieldsOf[n.open.block][string(local)]; f != nil {
		n.openField(x, f)
		if empty {
			n.closeField(x)
		}
	}
}

// openBlock begins a block that is a child of an item.
func (n *notes) openBlock(x *xmlWalk, prefix, local []byte) {
	b := blockNamed(local)
	if b == noBlock || x.top() != elItem || n.stands(prefix) != b {
		return
	}
	n.open.block, n.open.depth, n.open.has = b, len(x.stack), 0
	if b == imageBlock {
		if n.images++; n.images == maxImages+1 && n.wants(tooManyTags, severe) {
			line, column := x.place(x.start)
			n.add(tooManyTags, line, column, severe, "too-many-images", Thousands(maxImages))
		}
		return
	}
	n.open.line, n.open.column = x.place(x.start)
	if b == newsBlock {
		if n.news++; n.news == maxNews+1 && n.wants(tooManyNews, severe) {
			n.add(tooManyNews, n.open.line, n.open.column, severe, "too-many-news",
				Thousands(maxNews))
		}
	}
}

// extensionText collects the text of a field.
func (n *notes) extensionText(x *xmlWalk, b []byte) {
	if n != nil && n.open.field != nil {
		x.addValue(b)
	}
}

// extensionEnd processes an end tag in a block, or that of the block.
func (n *notes) extensionEnd(x *xmlWalk) {
	switch {
	case n == nil || n.open.block == noBlock:
	case len(x.stack) <= n.open.depth:
		n.closeBlock(x)
	case n.open.field != nil:
		n.closeField(x)
	}
}

// closeBlock adds a fault for each required child that a block lacks; for an image, where the block
// ends.
func (n *notes) closeBlock(x *xmlWalk) {
	b, has := n.open.block, n.open.has
	n.open.block, n.open.field = noBlock, nil
	for _, need := range neededBy[b].children {
		if has&need.bit != 0 || !n.wants(need.problem, severe) {
			continue
		}
		line, column := n.open.line, n.open.column
		if b == imageBlock {
			line, column = x.place(x.start)
		}
		n.add(need.problem, line, column, severe, "block-lacks", neededBy[b].name, need.name)
	}
}

// openField begins a child of a block whose value is checked.
func (n *notes) openField(x *xmlWalk, f *field) {
	n.open.has |= f.bit
	n.open.field = f
	x.value = x.value[:0]
	x.valueLine, x.valueColumn = x.place(x.start)
	if f.attribute == "" {
		return
	}
	a, ok := x.attribute(f.attribute)
	switch {
	case !ok && n.wants(missingAttribute, severe):
		n.add(missingAttribute, x.valueLine, x.valueColumn, severe, "no-attribute",
			excerpt(x.raw()), f.attribute)
	case ok && !f.attributeOK(a.value) && n.wants(invalidAttribute, mild):
		n.add(invalidAttribute, x.valueLine, x.valueColumn, mild, "attribute-value", f.attribute,
			excerpt(a.value), f.attributeIs)
	}
}

// closeField checks the text of a field.
func (n *notes) closeField(x *xmlWalk) {
	f := n.open.field
	n.open.field = nil
	v := bytes.TrimSpace(x.value)
	switch {
	case len(v) == 0:
		if n.wants(invalidTagValue, mild) {
			n.add(invalidTagValue, x.valueLine, x.valueColumn, mild, "empty-tag", f.name)
		}
	case f.date:
		if _, ok := parseDate(v); !ok && n.wants(invalidDate, severe) {
			n.add(invalidDate, x.valueLine, x.valueColumn, severe, "date", f.name, excerpt(v))
		}
	case f.ok != nil && !f.ok(n, v) && n.wants(invalidTagValue, mild):
		n.add(invalidTagValue, x.valueLine, x.valueColumn, mild, "tag-value", f.name, excerpt(v),
			f.is)
	}
}
