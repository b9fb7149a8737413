// Package discover finds the sitemaps of a target and reads them into a store: those that a
// robots.txt names, those in the usual places, files of this machine, and the addresses in an export
// of Search Console. It records their faults with them. It gets files through a Web, which respects
// the pace of their hosts.
package discover
