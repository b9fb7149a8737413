package audit

import (
	"errors"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// An Entry is one listed address: one <loc> of a sitemap, one line of a list.
type Entry struct {
	N       int    // place in the audit, from 0: sitemap after sitemap, in file order
	Sitemap int    // index into the audit's sitemaps
	Loc     string // entities resolved, outer white space removed, else as written; may hold any octets
	Line    int    // of the <loc> tag, from 1
	Skip    Skip   // why the entry is not asked, or SkipNone
	Wire    bool   // Loc is known to be in wire form
	// TooLong is set where the address has more than address.MaxLength bytes. Loc is its
	// beginning, as Kept cuts it, and names nothing: it is not asked, and no other
	// entry is a repetition of it.
	TooLong bool
	// Ext is a hash over the entry's extension blocks (image:image, xhtml:link, ...), 0
	// where it has none. It decides merge-would-lose.
	Ext uint32
	// Media is set where it has images, videos or news: they describe its page.
	Media bool
	// Bound is set where the entry cannot be taken out of its file: its element has
	// no end of its own, or is too long.
	Bound bool
	// Earlier is set where the last audit of the same targets took the address
	// out of a sitemap.
	Earlier bool
	// WithoutSecrets is set where a stranger listed the address: a file that did not come
	// from an audited host. It is asked without the user's headers and credentials.
	WithoutSecrets bool
	// Reported is what a search engine says of the address, where the entry is
	// one of an export.
	Reported Reported
	// Expected is what a map says of the address, where the entry is a line of one.
	Expected Expected
	// Also is what names the address, where no sitemap lists it; nil for what one lists.
	Also *Also
}

// Listed reports whether a sitemap lists the entry, and not a list that is no file of the site.
func (e *Entry) Listed() bool { return e.Also == nil && !e.Reported.Is && !e.Expected.Is }

// as returns as whom the entry is asked for a purpose.
func (e *Entry) as(purpose answers.Purpose) answers.Purpose {
	switch {
	case purpose != answers.AsRobot || !e.Also.File():
	case e.Also.List == AlsoVideos:
		purpose = answers.AsVideo
	default:
		purpose = answers.AsImage
	}
	if e.WithoutSecrets {
		return purpose | answers.WithoutSecrets
	}
	return purpose
}

// Request returns the first question that the entry leads to, asked for a
// purpose; at is its address.
func (e *Entry) Request(at address.Address, purpose answers.Purpose, rules *Rules) answers.Request {
	as := e.as(purpose)
	return answers.Request{URL: at.String(), Purpose: rules.asked(as, at)}
}

// Begins returns the address that e lists, and reports whether its Request is all that an entry
// needs of which nothing is known. Judge says the same of such an entry, in more time.
func (e *Entry) Begins() (at address.Address, ok bool) {
	at, err := e.Parse()
	return at, err == nil && e.Skip == SkipNone && len(at.String()) <= address.MaxLength
}

// Parse returns the address that e lists, or why it lists none.
func (e *Entry) Parse() (address.Address, error) {
	switch {
	case e.TooLong:
		return address.Address{}, errTooLong
	case e.Wire:
		return address.Wire(e.Loc), nil
	}
	return address.Parse(e.Loc)
}

var errTooLong = errors.New("the URL has more than 8,000 bytes")

// Skip says why an entry is not asked.
type Skip uint8

// The reasons to skip.
const (
	SkipNone    Skip = iota
	SkipFilter       // --include, --exclude
	SkipSample       // --sample
	SkipFetch        // --no-fetch
	SkipSite         // an export's address of a site that is not audited
	SkipPattern      // a line of a map with *, which is no address
)
