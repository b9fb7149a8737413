package sitemap

// An item is an element that holds an address, while it is open: a <url>; of a
// text file, a line.
type item struct {
	open         bool
	start        int64
	line, column int
	hold         int64 // what a consumer keeps in the window until the end, or -1
	addresses    int
	ext          uint64
	media        bool     // one of its blocks is an image, a video or news
	langs        []string // hreflangs of the links to its own address
	// ends is set where the item's start ended another that has no end tag: then
	// the file would read otherwise without it, so that it is no whole one.
	ends bool
}

// A consumer takes what a walk over a sitemap finds, in the order of the file.
// What it is handed is valid during the call.
type consumer interface {
	// opened may set the item's hold.
	opened(w *window, it *item)
	// address is called when an address is whole: after </loc>.
	address(w *window, it *item, f *found) error
	// link is called for the href of an xhtml:link in an item.
	link(w *window, it *item, f *found) error
	// lastmod is called at the end of a <lastmod> of an item: what stands between its tags, or
	// of one without content its self-closing tag.
	lastmod(w *window, it *item, content Span, empty bool)
	// closed is called at the end of an item; whole is false where the item has
	// no end tag of its own, or ended another.
	closed(w *window, it *item, end int64, whole bool) error
}
