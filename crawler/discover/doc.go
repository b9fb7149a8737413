// Package discover finds the sitemaps of a target and reads them into a store: those that a
// robots.txt names, those in the usual places, files of this machine, what an export of
// Search Console lists, and what an earlier audit took out. What is wrong with them is
// recorded with them. It gets files through a Web, which keeps the pace of their hosts.
package discover
