// Package links collects the addresses that pages link to: a Reader gathers the links of one page
// from its tags, Pack and Unpack encode and decode them for a store, and Join evaluates the links
// of all pages of an audit together.
//
// A link is a reference of a, area, link or form (GET) to a page: an http or https address, without
// its fragment, that is not the page's own. Links with rel=nofollow, ugc or sponsored, and those of a page whose robots directives say nofollow, are
// counted apart (Search Central, "Qualify your outbound links to Google").
//
// Join uses only the pages that were read: it does not see links that scripts add, nor those of
// pages that no sitemap lists. Its memory does not grow with the number of links: the rest is
// sorted on disk (ground.Sorter).
//
// The package sends no requests and reads no files.
package links
