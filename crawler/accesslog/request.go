package accesslog

import "net/netip"

// A Rawness is the relation between a target in a log and the bytes that were sent.
type Rawness uint8

// The kinds of rawness. Raw and Edge show a spelling; Decoded and Lossy only that the address was
// requested.
const (
	Raw     Rawness = iota // the bytes that were sent over the wire
	Edge                   // as a CDN recorded them, possibly in another spelling
	Decoded                // escapes are resolved
	Lossy                  // bytes are missing or replaced
)

// String returns the word for r: "raw", "edge", "decoded", "lossy".
func (r Rawness) String() string {
	return [...]string{"raw", "edge", "decoded", "lossy"}[r]
}

// Spells reports whether a target of this rawness shows a spelling.
func (r Rawness) Spells() bool { return r == Raw || r == Edge }

// A Request is the request in one line of a log. Its slices are valid until the next line is read.
type Request struct {
	Line int64 // from 1, of the unpacked log
	// Time is in whole seconds since 1970; 0 where the line has none.
	Time int64
	// Addr is the address of the client, with IPv4 in IPv6 as IPv4; not valid where the log has a
	// host name in its place.
	Addr netip.Addr
	// Two is set where the line has two adjacent addresses and does not show which one is the
	// client's: then Addr is not valid.
	Two     bool
	Method  []byte
	Target  []byte // path and query
	Status  int    // 0 where there was no answer
	Agent   []byte // the user agent; empty where it is missing, "-" or not logged
	Host    []byte // in lower case, without port; empty where the line has none
	Rawness Rawness
}
