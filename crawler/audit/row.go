package audit

import (
	"slices"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// A Row is the result for one entry.
type Row struct {
	Entry Entry
	// Address is the wire form of Entry.Loc; zero where the entry is invalid,
	// and then Syntax says why.
	Address address.Address
	Syntax  string
	Verdict Verdict
	Reasons []address.Reason // sorted; nil for none
	Trail   answers.Trail
	// Other is the trail of the second spelling, where one was asked or is
	// remembered; nil for none.
	Other *answers.Trail
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
	steps        []answers.Step   // of the trail that this row had before, whose place the next one takes
}

// fine reports whether the entry is right as listed.
func (r *Row) fine() bool {
	return r.Verdict == OK || r.Verdict == SpellingBounce || r.Verdict == SpellingConflict
}

func (r *Row) compare(b address.Address) {
	r.Reasons = nil
	if !b.IsZero() {
		r.Reasons = address.Compare(r.Address, b)
	}
}

// has reports whether n is among the row's notes.
func (r *Row) has(n Note) bool { return slices.Contains(r.Notes, n) }

// note adds n once and keeps the notes sorted.
func (r *Row) note(n Note) {
	if at, has := slices.BinarySearch(r.Notes, n); !has {
		r.Notes = slices.Insert(r.Notes, at, n)
	}
}
