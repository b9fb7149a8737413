// Package expect reads a map of a migration, which says where each old address must lead, and finds
// the line of the map that applies to an address.
//
// A map is CSV (commas, semicolons or tabs; a header or none) with the columns old, new and, if
// wanted, status; or lines of words as in a _redirects file. It is read line by line, and every
// error names its line: a person wrote the map, so the package guesses nothing.
package expect
