// Package probe finds out which spellings of one address a server accepts: it asks for each
// as an audit would, and says in sentences what is to be seen. It stands on a Crawler, as an
// audit does, with what it learns in memory.
package probe
