// Package links knows which addresses pages link to: a Reader gathers the links of one page
// while its tags pass by, Pack and Unpack are how a store keeps them, and Join says of the
// links of all pages of an audit together what the owner of the site wants to know.
//
// A link is a reference of a, area, link or form (GET) that names a page: http or https, another
// address than the page's own, without its fragment. Where it stands is a landmark
// (audit.LinkPlace): the nav, header, main, aside or footer around it, as HTML-AAM maps elements
// to roles. Links with rel=nofollow, ugc or sponsored, and those of a page whose robots directives
// say nofollow, are counted apart (Search Central, "Qualify your outbound links to Google").
//
// Join rests on the pages that were read, and on nothing else: links that scripts add, and those of
// pages that no sitemap lists, are not seen. Its memory does not grow with the number of links:
// what does not fit lies sorted on disk (audit.Shelf).
//
// The package sends no request and reads no file.
package links
