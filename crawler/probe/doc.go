// Package probe finds out which spellings of one address a server accepts: it requests each of them
// as an audit would, and describes the result in sentences. Like an audit it uses a Crawler, with a
// store in memory.
package probe
