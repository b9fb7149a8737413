// Package address knows URLs as bytes: it parses them into the wire form that
// is sent, remembered and compared, resolves what a Location names, writes other
// spellings of an address, and says in which ways two addresses differ and how
// they read for people.
//
// Words: the wire form is the one text of an address (Parse). An escape is a %
// with two hex digits. A spelling is a rule for which bytes are escaped. A
// reason is a way in which two addresses differ.
//
// The package never sends a request, never decodes what is sent, never repairs
// a charset in it, and never goes through url.URL, which rewrites whole paths
// for the sake of one byte. All functions are safe for concurrent use.
package address
