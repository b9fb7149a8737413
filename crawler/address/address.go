package address

import "fmt"

// An Address is an absolute http or https URL in its wire form: the octets
// that are sent, remembered and compared. The zero Address is no address;
// its methods return empty strings. Addresses are comparable with ==.
type Address struct {
	wire string
	// end offsets in wire: of the scheme, of host (from hostStart), of the
	// authority, of the path.
	scheme, host, auth, path int32
}

// A SyntaxError says which octet of an input makes it no absolute http(s) URL.
type SyntaxError struct {
	Input string
	Pos   int // octet position in Input, from 0
	Why   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d of %q", e.Why, e.Pos, e.Input)
}

// Reason is a way in which two addresses differ.
type Reason string

// Spelling names a second spelling.
type Spelling string
