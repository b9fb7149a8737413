package accesslog

import "net/netip"

// A Rawness says what a target of a log tells of the octets that were sent.
type Rawness uint8

// The kinds of rawness. Raw and Edge tell a spelling; Decoded and Lossy only that
// something was asked.
const (
	Raw     Rawness = iota // the octets that came over the wire
	Edge                   // as a CDN recorded them; whether it respelled them first is not known
	Decoded                // escapes are resolved
	Lossy                  // octets are missing or replaced
)

// String returns the word for r: "raw", "edge", "decoded", "lossy".
func (r Rawness) String() string {
	return [...]string{"raw", "edge", "decoded", "lossy"}[r]
}

// Spells reports whether a target of this rawness tells a spelling.
func (r Rawness) Spells() bool { return r == Raw || r == Edge }

// A Request is what one line of a log says. Its slices are valid until the next
// line is read.
type Request struct {
	Line int64 // from 1, of the unpacked log
	// Time is in seconds since 1970, UTC, cut to whole ones; 0 where the line has none.
	Time int64
	// Addr is the address of the client, IPv4 in IPv6 as IPv4; not valid where
	// the log has a host name in its place.
	Addr netip.Addr
	// Two says that the line has two addresses side by side and does not tell which is the
	// client's: Addr is not valid.
	Two     bool
	Method  []byte
	Target  []byte // path and query
	Status  int    // 0 where there was no answer
	Agent   []byte // the user agent; empty where it is missing, "-" or not logged
	Host    []byte // in lower case, without port; empty where the line has none
	Rawness Rawness
}
