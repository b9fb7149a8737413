package sitemap

// An item is an open element that contains an address, such as a <url>; in a text file, a line.
type item struct {
	open         bool
	start        int64
	line, column int
	hold         int64 // from here on a consumer keeps the window until the end, or -1
	addresses    int
	ext          uint64
	media        bool     // one of its blocks is an image, a video or news
	langs        []string // hreflangs of the links to its own address
	// ends is set where the start of the item ended another one without an end tag: without the
	// item the file would read differently, so its element does not count as whole.
	ends bool
}

// A consumer receives what a walk over a sitemap finds, in the order of the file. Arguments are
// valid during the call.
type consumer interface {
	// opened may set the item's hold.
	opened(w *window, it *item)
	// address is called when an address is complete: after </loc>.
	address(w *window, it *item, f *found) error
	// link is called for the href of an xhtml:link in an item.
	link(w *window, it *item, f *found) error
	// lastmod is called at the end of a <lastmod> of an item, with what stands between its tags; or
	// with its self-closing tag, where it is empty.
	lastmod(w *window, it *item, content Span, empty bool)
	// closed is called at the end of an item; whole is false where the item has no end tag of its
	// own, or ended another item.
	closed(w *window, it *item, end int64, whole bool) error
}
