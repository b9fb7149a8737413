package expect

import (
	"errors"
	"fmt"
	"strings"

	"sitemend/crawler/address"
)

// splat stands in a new address for the text that the * of the old one matches.
const splat = ":splat"

// A Line is a line of a map that says where an old address must lead.
type Line struct {
	N int // from 1
	// Old is the old address or a path, as written; where Wild is set, only its beginning, before
	// the * at its end.
	Old  string
	Wild bool
	// New is the address or path that Old must lead to, as written; "" where the old address must
	// be gone. With Wild, ":splat" in it stands for the text that * matches.
	New string
	// Temporary reports whether the line has the status of a temporary redirect: 302, 303 or 307.
	Temporary bool
}

// A Pair is a Line in wire form.
type Pair struct {
	Line int
	Old  address.Address // with Wild, only its beginning
	Wild bool
	To   address.Address // zero where Old must be gone. With Wild it may contain ":splat"
}

// Pair returns a line in wire form. A path is resolved against origin ("https://shop.example"). It
// returns an error where an address is not valid, or where the new address is the old one.
func (l *Line) Pair(origin string) (p Pair, err error) {
	p = Pair{Line: l.N, Wild: l.Wild}
	if p.Old, err = parse(l.Old, origin); err != nil {
		return p, err
	}
	if l.New == "" {
		return p, nil
	}
	if p.To, err = parse(l.New, origin); err != nil {
		return p, err
	}
	old := p.Old.String()
	if l.Wild {
		old += splat
	}
	if p.To.String() == old {
		return p, fmt.Errorf("%s leads to itself", l.Written())
	}
	return p, nil
}

// Written returns the old address as the line has it.
func (l *Line) Written() string {
	if l.Wild {
		return l.Old + "*"
	}
	return l.Old
}

// parse parses an address, or a path of an origin.
func parse(text, origin string) (address.Address, error) {
	switch {
	case IsPath(text):
		return address.Parse(origin + text)
	case isURL(text):
		return address.Parse(text)
	}
	return address.Address{}, fmt.Errorf("%.80q: %w", text, errBegins)
}

var errBegins = errors.New("a URL begins with / or http:// or https://")

// IsPath reports whether a text of a map is a path: it begins with one slash.
func IsPath(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}

// isURL reports whether a text begins as an address does.
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// isAddress reports whether a field is an address or a path.
func isAddress(text string) bool { return IsPath(text) || isURL(text) }
