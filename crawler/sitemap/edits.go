package sitemap

import (
	"fmt"

	"sitemend/crawler/ground"
)

// Action is what Rewrite does with an entry or a link.
type Action uint8

// The actions. Drop removes the whole element of the entry, with its line where nothing else stands
// on it. Where an element has several entries and some stay, Drop removes only the <loc>. Of a
// link, Drop removes its element, with its line in the same way.
const (
	Keep Action = iota
	Replace
	Drop
)

// An Edit is what to do with one entry or one link.
type Edit struct {
	Action Action
	Loc    string // the address to write, with Replace; escapes are added as its place requires
	// Lastmod is the date to write as the lastmod of the entry's element, with Keep or Replace; ""
	// leaves the lastmod as it is. It is written in a urlset or an index, where the entry is the
	// only one of its element, in place of the existing one, else after
	// the <loc>.
	Lastmod string
	// More are addresses to add after the entry, each in a copy of its element, with Keep or
	// Replace, where Lastmod could be written. Where Lastmod is set, a copy has it in place of an
	// existing lastmod, too.
	More []string
}

// A Link is an xhtml:link of an element, or the address of an image or a video in it.
type Link struct {
	// Href is the address: outer white space removed and references resolved. Read sets "" for one
	// of more than address.MaxLength bytes.
	Href string
	// Lang is the hreflang, read in the same way; "" where it is missing or longer than 64 bytes.
	Lang string
	Line int // line of the tag, from 1
	// Bound is set where the link cannot be dropped: it has content, or no end of its own.
	Bound bool
	// Kind is the kind of address. Rewrite finds Alternates only.
	Kind LinkKind
}

// Edits decides what Rewrite does.
type Edits struct {
	// Cut is as in Options.
	Cut bool
	// Element is called for each element, before Entry is called for its entries; may be nil.
	Element func()
	// Entry returns the edit of the n-th entry of the file, n counting from 0. loc is Entry.Loc as
	// Read returns it, and valid during the call.
	Entry func(n int, loc []byte) (Edit, error)
	// Dated is called with the number of an entry whose lastmod is written, after Entry was called
	// for it and before it is called for the next one; may be nil. Its error ends Rewrite.
	Dated func(n int) error
	// Links returns an Edit for each link of one element; the links are in the order of the file
	// and valid during the call. To drop a Bound one is an error. Links is called after Entry was
	// called for the element's entries, unless all of these are dropped. In elements with 5,000 links
	// all links stay as they are. A nil Links keeps all links.
	Links func(links []Link) ([]Edit, error)
}

// Result is what Rewrite did.
type Result struct {
	Entries  int // entries of the file
	Replaced int
	Dropped  int
	Relinked int // links whose href was replaced
	Unlinked int // links that were dropped
	Dated    int // entries whose lastmod was written
	Added    int // copies of elements (Edit.More)
	// Kept counts entries that Edits dropped and that stay because their element has no end of its own.
	Kept int
}

// ErrEdits is the error where Rewrite would not have written the edits as required, so that its
// output must not be used. It is a bug of this package or of its caller, never a fault of the file.
var ErrEdits = fmt.Errorf("the edits do not fit the file; %w", ground.ErrOurs)
