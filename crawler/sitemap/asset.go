package sitemap

import (
	"strings"

	"sitemend/crawler/audit"
)

// A LinkKind is the kind of address that a Link holds.
type LinkKind uint8

// The kinds. All but Alternate are read only where Assets is set.
const (
	Alternate LinkKind = iota // xhtml:link
	Image                     // image:loc
	Thumbnail                 // video:thumbnail_loc
	Content                   // video:content_loc, the file
	Player                    // video:player_loc, a page with the player
)

// As returns the purpose for which an address of this kind is requested: audit.AsImage or
// audit.AsVideo, and audit.AsRobot for an Alternate.
func (k LinkKind) As() audit.Purpose {
	switch k {
	case Image:
		return audit.AsImage
	case Thumbnail, Content, Player:
		return audit.AsVideo
	}
	return audit.AsRobot
}

// Asset returns the kind of asset that a link names; the link must not be an Alternate.
func (l *Link) Asset() audit.Asset {
	return audit.Asset{Href: l.Href, As: l.Kind.As(), Of: l.Of, Thumbnail: l.Kind == Thumbnail}
}

// assets are the children of an image or a video that name a file, by the local names of the block
// and the child (Search Central, "Image sitemaps", "Video sitemaps").
var assets = map[string]map[string]LinkKind{
	"image": {"loc": Image},
	"video": {"thumbnail_loc": Thumbnail, "content_loc": Content, "player_loc": Player},
}

// An assetWalk finds the addresses of images and videos in the blocks of an item.
type assetWalk struct {
	wanted bool
	block  string // local name of the open block; "" for none
	blocks int    // blocks of the item so far
	prefix string // prefix of the open block
	depth  int    // elements that are open within the block
	kind   LinkKind
	open   bool // a child that contains an address is open
}

// assetTag processes a start tag within an item, before the element opens, unless the element is
// the sitemap's own.
func (x *xmlWalk) assetTag(prefix, local []byte, empty bool) error {
	a := &x.asset
	switch depth := len(x.stack); {
	case !a.wanted:
	case a.open: // a tag within the address
		x.assetDropped()
	case x.top() == elItem && empty:
	case x.top() == elItem:
		a.block = ""
		if assets[string(local)] != nil && x.assetPrefix(prefix, string(local)) {
			a.block, a.prefix, a.depth = string(local), string(prefix), depth+1
			a.blocks++
		}
	case a.block != "" && depth == a.depth && string(prefix) == a.prefix:
		kind, ok := assets[a.block][string(local)]
		if !ok {
			return nil
		}
		line, column := x.place(x.start)
		x.loc = found{line: line, column: column, tag: Span{x.start, x.end},
			pieces: x.loc.pieces[:0]}
		x.near, x.inner, a.kind, a.open = x.start, x.end, kind, true
		if empty { // an empty address
			return x.assetFound()
		}
	}
	return nil
}

// assetPrefix reports whether a prefix may be that of a block: it has the usual name, or stands for
// Google's namespace in any version.
func (x *xmlWalk) assetPrefix(prefix []byte, block string) bool {
	uri, known := x.spaces.of(prefix)
	return !known && string(prefix) == block ||
		strings.Contains(strings.ToLower(uri), "sitemap-"+block)
}

// assetEnd processes the end tag of an element in a block, after the element closed.
func (x *xmlWalk) assetEnd() error {
	a := &x.asset
	switch depth := len(x.stack); {
	case depth < a.depth:
		x.assetDropped()
		a.block = ""
	case a.open && depth == a.depth:
		return x.assetFound()
	}
	return nil
}

// assetFound passes on the open address, after its end tag was read.
func (x *xmlWalk) assetFound() error {
	x.assetDropped()
	if x.end-x.loc.tag.Start > x.scale.run {
		return nil
	}
	x.loc.tag.End = x.end
	pieces := x.loc.pieces
	x.loc.fit(&x.window, x.charset, x.inner)
	x.loc.kind, x.loc.of = x.asset.kind, x.asset.blocks
	err := x.out.link(&x.window, &x.item, &x.loc)
	x.loc.pieces = pieces
	return err
}

// assetDropped ends the open address without its end tag: it does not count.
func (x *xmlWalk) assetDropped() {
	if x.asset.open {
		x.asset.open, x.near = false, -1
	}
}
