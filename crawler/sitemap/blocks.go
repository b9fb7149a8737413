package sitemap

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// A block is a kind of extension whose content is looked at (Search Central, "Image sitemaps",
// "Video sitemaps", "News sitemaps", "Localized versions").
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

// blockNames are the local names of the elements that begin a block, and its usual prefixes.
var blockNames = [blocks]string{imageBlock: "image", videoBlock: "video", newsBlock: "news"}

// blockNamed returns the block that an element begins, by its local name.
func blockNamed(local []byte) block {
	for b := imageBlock; b <= newsBlock; b++ {
		if string(local) == blockNames[b] {
			return b
		}
	}
	return noBlock
}

// blockOf returns the block that a namespace is for, in any of its versions.
func blockOf(uri string) block {
	uri = strings.ToLower(uri)
	for b := imageBlock; b <= newsBlock; b++ {
		if strings.Contains(uri, "sitemap-"+blockNames[b]) {
			return b
		}
	}
	if strings.Contains(uri, "xhtml") {
		return linkBlock
	}
	return noBlock
}

// A child is an element of a block that must stand in it.
type child struct {
	name string
	bit  uint8    // one with each bit must be there
	kind LinkKind // the address that it names, if any
	rule string   // the fault where it is missing
}

var childrenOf = [blocks][]child{
	imageBlock: {{"loc", 1, Image, "block-lacks"}},
	videoBlock: {
		{"thumbnail_loc", 1, Thumbnail, "lacks-thumbnail"},
		{"title", 2, Alternate, "lacks-title"},
		{"description", 4, Alternate, "block-lacks"},
		{"content_loc", 8, Content, "block-lacks"},
		{"player_loc", 8, Player, "block-lacks"},
	},
	newsBlock: {
		{"name", 1, Alternate, "block-lacks"},
		{"language", 2, Alternate, "block-lacks"},
		{"publication_date", 4, Alternate, "block-lacks"},
		{"title", 8, Alternate, "block-lacks"},
	},
}

// openBlock is the open extension block of an item.
type openBlock struct {
	is           block
	prefix       []byte
	depth        int // elements around it
	line, column int
	has          uint8 // bits of the children that were seen
}

// blockTag processes a start tag that begins a block, or stands in one.
func (x *walk) blockTag(prefix, local []byte) {
	b := &x.block
	switch {
	case x.checks == nil:
		return
	case b.is == noBlock:
		x.openBlock(prefix, local)
		return
	case x.reading: // a tag within the address
		x.reading = false
		return
	}
	for i := range childrenOf[b.is] {
		c := &childrenOf[b.is][i]
		if string(local) != c.name {
			continue
		}
		own := bytes.Equal(prefix, b.prefix)
		if own || b.is == imageBlock {
			b.has |= c.bit
		}
		if own && x.assets && c.kind != Alternate && len(x.stack) == b.depth+1 {
			x.openAddress(c.kind)
		}
	}
}

// openBlock begins a block that is a child of an item: its prefix stands for Google's namespace, or
// is the usual one and not declared.
func (x *walk) openBlock(prefix, local []byte) {
	is := blockNamed(local)
	if is == noBlock || x.top() != elItem {
		return
	}
	if s := x.space(prefix); s == nil && !bytes.Equal(prefix, local) || s != nil && s.block != is {
		return
	}
	x.block = openBlock{is: is, prefix: append(x.block.prefix[:0], prefix...), depth: len(x.stack)}
	if is != imageBlock { // images are numerous, and hardly ever need their place
		x.block.line, x.block.column = x.place(x.start)
	}
	x.checks.counted(x, is)
}

// blockEnd processes the end of an element in a block, or that of the block.
func (x *walk) blockEnd() {
	b := &x.block
	if x.reading && len(x.stack) == b.depth+1 {
		x.finishAddress()
		x.item.link(x.loc)
	}
	if b.is != noBlock && len(x.stack) == b.depth {
		x.checks.complete(x)
		b.is = noBlock
	}
}

// abandonBlock ends what is open in an element of a block that has no end tag: it does not count.
func (x *walk) abandonBlock() {
	x.reading = false
	if len(x.stack) <= x.block.depth {
		x.block.is = noBlock
	}
}

// hreflang reports whether s is a value that Google accepts for hreflang (Search Central,
// "Localized versions"): a language, optionally with a script and a country, or x-default. en-UK
// and en-EU are wrong, since UK and EU are not countries of ISO 3166, and so is en-USA, for a country
// has two letters there, and de-SU, for one that is no more. A language of three letters (eng, fil)
// is of ISO 639-2 or 639-3; Google's page names 639-1. Region numbers, as in es-419, are accepted:
// it does not mention them, but they are in wide use.
func hreflang(s string) bool {
	m := hreflangForm.FindStringSubmatch(s)
	if m == nil {
		return strings.EqualFold(s, "x-default")
	}
	_, err := language.ParseBase(m[1])
	if err == nil && m[2] != "" {
		_, err = language.ParseScript(m[2])
	}
	if err != nil || m[3] == "" {
		return err == nil
	}
	region, err := language.ParseRegion(m[3])
	number := m[3][0] <= '9'
	return err == nil && (number || region.IsCountry() && !slices.Contains(withdrawn, region.String()) &&
		strings.EqualFold(region.Canonicalize().String(), m[3]))
}

var hreflangForm = regexp.MustCompile(`(?i)^([a-z]{2})(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?$`)

// withdrawn are the codes of countries that are no more in ISO 3166-1 and have no single successor,
// which Canonicalize would name.
var withdrawn = []string{"AN", "CS", "FQ", "NT", "PC", "SU", "YU"}
