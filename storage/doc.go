// Package storage keeps audits in one bbolt file, and the sitemaps as fetched
// in a folder beside it (FILE.spool).
//
// A Store is the open file. An Audit is one audit in it: what is known of it
// as a whole, its sitemaps, its entries in order, and its hops, one record for
// each answer. What is kept is visible at once and on disk within half a
// second: one writer commits what came in since in one transaction, so a
// killed process loses at most that.
//
//	meta                     schema, tool, salt, audits (how many)
//	notes                    small named values of the store as a whole
//	audits/<id>              info, shape, base, seq, tally (how many records)
//	audits/<id>/sitemaps/n   a sitemap; it is there when all its entries are
//	audits/<id>/entries/n    an entry, n is its place in the audit
//	audits/<id>/hops/n       an answer, n counts the answers
//	audits/<id>/records/key  small named values
//	audits/<id>/links/n      the links of the pages of one transaction, packed; missing where
//	                         none were read
//
// Every record but the schema ends with a checksum of where it belongs and what
// it says (seal.go); what does not match, or is missing by the tally, is
// ErrDamaged.
//
// Numbers are keys in big-endian order, so every bucket that grows is written
// at its end and its pages are filled whole. Which hop answers a request is
// found through a table in memory, which is built when it is first needed.
//
// Everything handed out is a copy. No transaction and no byte of the mapped
// file leaves the package. It judges nothing, sends nothing, and never writes
// to a file that it cannot read as a store.
package storage
