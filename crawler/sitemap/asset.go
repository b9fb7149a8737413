package sitemap

import (
	"strings"

	"sitemend/crawler/audit"
)

// A LinkKind says what an element names by a Link.
type LinkKind uint8

// The kinds. All but Alternate are wanted where Assets is set.
const (
	Alternate LinkKind = iota // xhtml:link
	Image                     // image:loc
	Thumbnail                 // video:thumbnail_loc
	Content                   // video:content_loc, the file
	Player                    // video:player_loc, a page with the player
)

// As returns for which crawler an address of this kind is (audit.AsImage or audit.AsVideo);
// audit.AsRobot for an Alternate.
func (k LinkKind) As() audit.Purpose {
	switch k {
	case Image:
		return audit.AsImage
	case Thumbnail, Content, Player:
		return audit.AsVideo
	}
	return audit.AsRobot
}

// Asset returns what a link that is no Alternate names.
func (l *Link) Asset() audit.Asset {
	return audit.Asset{Href: l.Href, As: l.Kind.As(), Of: l.Of, Thumbnail: l.Kind == Thumbnail}
}

// assets are the children of an image or a video that name a file, by the local names of both
// (Search Central, "Image sitemaps", "Video sitemaps").
var assets = map[string]map[string]LinkKind{
	"image": {"loc": Image},
	"video": {"thumbnail_loc": Thumbnail, "content_loc": Content, "player_loc": Player},
}

// An assetWalk finds the addresses of images and videos in the blocks of an item.
type assetWalk struct {
	wanted bool
	block  string // local name of the block that is open, "" for none
	blocks int    // how many the item has had
	prefix string // its prefix
	depth  int    // elements that are open within its tags
	kind   LinkKind
	open   bool // a child that names an address is open
}

// assetTag takes a start tag within an item that is no element of the sitemap's own, before it is
// open.
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
		if empty { // an address that is none
			return x.assetFound()
		}
	}
	return nil
}

// assetPrefix reports whether a prefix may be that of a block: it is called so, or stands for
// Google's namespace, whatever its version.
func (x *xmlWalk) assetPrefix(prefix []byte, block string) bool {
	uri, known := x.spaces.of(prefix)
	return !known && string(prefix) == block ||
		strings.Contains(strings.ToLower(uri), "sitemap-"+block)
}

// assetEnd takes the end tag of an element in a block, once that is closed.
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

// assetFound takes the address that is open, of which the tag that ends it was read.
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

// assetDropped ends an address, which is none unless its end tag has come.
func (x *xmlWalk) assetDropped() {
	if x.asset.open {
		x.asset.open, x.near = false, -1
	}
}
