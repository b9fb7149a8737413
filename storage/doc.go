// Package storage keeps audits in one bbolt file, and in a folder beside it (FILE.spool) what is long:
// the sitemaps as fetched, and lists that are written once.
//
// A Store is the open file. An Audit is one audit in it: the information about it as a whole, its
// sitemaps, its entries in order, and its hops, one record for each answer. What is kept is visible
// at once and on disk within half a second: one writer commits what came in since in one
// transaction, so a killed process loses at most that.
//
//	meta                     schema, salt, fields (their names, by number), audits (a list)
//	notes                    small named values of the store as a whole
//	audits/<id>              info, state (how many records it has)
//	audits/<id>/sitemaps/n   a sitemap; it counts when all its entries are there
//	audits/<id>/entries/n    some entries, n is the place of the first in the audit
//	audits/<id>/hops/n       some answers, n counts the answers
//	audits/<id>/records/key  small named values
//	audits/<id>/links/n      the links of the pages of one transaction, packed
//
// Every record but the schema ends with a checksum of its place and its content (shelf.go). A record
// that does not match, or is missing according to the list or the state, is ErrDamaged.
//
// Numbers are keys in big-endian order, so every bucket that grows is written at its end and its
// pages are filled completely. A table in memory, built when it is first needed, finds the hop that
// answers a request.
//
// Everything returned is a copy, but for settled rows, which lie in a mapped file of the spool. No
// transaction and no byte of the store itself leaves the package. It judges nothing, sends nothing, and
// never writes to a file that it cannot read as a store.
package storage
