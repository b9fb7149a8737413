package audit

import (
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// A Step is one hop of a trail, with where it led.
type Step struct {
	Hop       answers.Hop
	Next      address.Address // where it leads; zero at the end
	Kind      string          // ByHTTP and the others; "" at the end
	Permanent bool            // of a step that leads on
}

// End says how a trail ended.
type End uint8

// The ends of a trail.
const (
	EndUnknown     End = iota // an answer is missing: Trail.Need names it
	EndAnswer                 // a whole answer that leads nowhere further
	EndLoop                   // back at an address already on the trail
	EndTooMany                // still redirecting after the last allowed hop
	EndForbidden              // robots.txt forbids the last address
	EndUnseen                 // no whole answer, or one that says nothing about Google (401, 403, ...)
	EndBadLocation            // a redirect without a usable http(s) Location, or an address over 8,000 bytes
)

// A Trail is the hops from one address, in order.
type Trail struct {
	Steps []Step
	End   End
	Need  answers.Request // the missing answer, with EndUnknown
	// Way is WithoutSecrets where the user's headers and credentials are withheld at the end of the
	// trail, whether that host would be sent them or not, else 0: what the end names is asked so, too.
	Way answers.Purpose
}

// A Row is the result for one entry.
type Row struct {
	Entry Entry
	// Address is the wire form of Entry.Loc; zero where the entry is invalid,
	// and then Syntax says why.
	Address address.Address
	Syntax  string
	Verdict Verdict
	Reasons []address.Reason // sorted; nil for none
	Trail   Trail
	// Other is the trail of the second spelling, where one was asked or is
	// remembered; nil for none.
	Other *Trail
	// Final is the end of the trail; zero for loop, too-many-redirects,
	// disallowed and invalid. Status is the last status, 0 for none.
	Final  address.Address
	Status int
	Fix    Fix
	Notes  []Note // sorted by name; may be nil
	// Needs are the requests that are still missing. A row with needs is reported
	// as skipped.
	Needs     []answers.Request
	CheckedAt time.Time
	// Inspection is what Google's index says of the address, nil where it was not asked.
	Inspection *Inspection

	named        address.Address  // the canonical that a noncanonical entry names
	relation     address.Relation // of what would be written, where that is another URL
	said         uint64           // Page.said of where a redirect leads, with Replace
	asksPassword bool             // the page that would be written, or the entry's own, has a field for a password
	way          answers.Purpose  // as whom what Fix writes was asked
	veiled       bool             // what the entry was compared with (a second look, an address that cannot exist) was answered without secrets
	unsure       answers.Fault    // why the second look at what was not found got no answer; "" for none
	steps        []Step           // of the trail that this row had before, whose place the next one takes
}
