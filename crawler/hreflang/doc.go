// Package hreflang looks at the alternates (xhtml:link) that the sitemaps of an audit
// list, all of them together, and says what is wrong with them.
//
// Google takes an alternate where both pages name each other ("If two pages don't both
// point to each other, the tags will be ignored", Search Central, "Localized versions of
// your pages"), and each page of a set is to name itself and all others. Whether that
// holds is seen only across files and hosts: Faults joins all sets by the addresses that
// they name. What was crawled says whether an alternate is a page at all.
//
// A set is what one element names: the addresses, each with its codes. The codes of an
// address are compared without upper and lower case and without x-default, which says of a
// page for whom it is when no other fits, not in which language it is.
//
// Nothing here sends a request or guesses a language. Memory does not grow with the
// number of links: they are sorted on disk (audit.Shelf), some 75 bytes each.
package hreflang
