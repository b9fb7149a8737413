// Package address treats URLs as bytes: it parses them into the wire form that is sent, stored and
// compared, resolves references such as a Location, writes other spellings of an address, and finds
// the ways in which two addresses differ and how they read for people.
//
// The wire form is the one text of an address (Parse). An escape is a % with two hex digits. A
// spelling is a rule for which bytes are escaped. A reason is a way in which two addresses differ.
//
// The package sends no requests. It never decodes what is sent or changes its charset, and never
// uses url.URL, which rewrites whole paths because of one byte. All functions are safe for
// concurrent use.
package address
