// Package hreflang checks the alternates (xhtml:link) that the sitemaps of an audit list, all of
// them together, and reports what is wrong with them.
//
// Google takes an alternate where both pages name each other ("If two pages don't both point to
// each other, the tags will be ignored", Search Central, "Localized versions of your pages"), and
// each page of a set should name itself and all others. This can be checked only across files and
// hosts: AddFaults joins all elements by the addresses that they name. The crawl results show whether
// an alternate is a page at all.
//
// The package sends no requests and guesses no language. Memory does not grow with the number of
// links: they are sorted on disk (ground.Sorter), some 100 bytes each.
package hreflang
