package audit

import (
	"context"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Logs is what access logs say of listed addresses.
type Logs struct {
	Sum   accesslog.Sum
	Tally accesslog.Tally
	Count accesslog.Count
	Files int // logs that were read
	// Unreadable names the first line that could not be read, "FILE line 812"; "" for none.
	Unreadable string
	Foreign    int64  // requests of verified robots for hosts without entries
	Compared   bool   // an audit has our own answers
	Path       string // of googlebot.csv
	// Rows yields the findings in the order of entries, those that no sitemap lists last. It may be
	// ranged over again.
	Rows func(context.Context) iter.Seq2[LogRow, error] `json:"-"`
	// Listed yields those of one sitemap's entries.
	Listed func(ctx context.Context, sitemap int) iter.Seq2[LogRow, error] `json:"-"`
}

// A LogRow is a finding with what is known of it besides.
type LogRow struct {
	accesslog.Finding
	Sitemap string         `cbor:"9,keyasint,omitzero"` // the first that lists it, "" for none
	Ours    accesslog.Ours `cbor:"10,keyasint,omitzero"`
}

// Evidence is in which spelling Googlebot asks for the addresses of an audit, as access logs say.
// It holds some 20 bytes for each address that was asked as listed, and one other spelling of up to
// maxRespelled more. It is filled before it is read, by several goroutines then.
type Evidence struct {
	asListed map[uint64]bool
	other    map[uint64]respelled
}

type respelled struct {
	target   string
	requests int64
}

// maxRespelled is of how many addresses the other spelling is held; the model counts for others.
const maxRespelled = 1 << 18

// sureAt is how often Googlebot asked for an address as listed, and in no other spelling, where no
// second spelling is asked (contract, section 8).
const sureAt = 3

// Add adds a finding, in any order.
func (e *Evidence) Add(f *accesslog.Finding) {
	if f.Robot != accesslog.Googlebot || !f.Rawness.Spells() {
		return
	}
	key := sketch.Hash(f.URL)
	switch {
	case f.Class == accesslog.AsListed && f.Seen.Requests >= sureAt:
		if e.asListed == nil {
			e.asListed = map[uint64]bool{}
		}
		e.asListed[key] = true
	case f.Class == accesslog.OtherSpelling:
		if e.other == nil {
			e.other = map[uint64]respelled{}
		}
		if had, ok := e.other[key]; ok && had.requests >= f.Seen.Requests || !ok && len(e.other) >= maxRespelled {
			return
		}
		e.other[key] = respelled{strings.Clone(f.Asked), f.Seen.Requests}
	}
}

// second returns the spelling in which Googlebot asks for an address otherwise than listed: a
// itself where it asks for that alone. known is false where the logs do not say.
func (e *Evidence) second(a address.Address) (b address.Address, known bool) {
	if e == nil {
		return a, false
	}
	key := sketch.Hash(a.String())
	if other, ok := e.other[key]; ok {
		// Octets that would be sent otherwise than they were asked are no spelling to ask.
		b, err := address.Parse(a.Origin() + other.target)
		return b, err == nil && b.Target() == other.target
	}
	return a, e.asListed[key]
}

// second returns the second spelling of an address, a itself where it has none, and whether that is
// what Googlebot was seen to ask for, not what the model says.
func (r *Rules) second(a address.Address) (b address.Address, seen bool) {
	if b, known := r.Evidence.second(a); known {
		return b, true
	}
	return r.Spelling.Spell(a), false
}

// Second returns the second spelling of an address: the one in which Googlebot was seen to ask for
// it, else what Spelling makes of it; a itself where nothing differs.
func (r *Rules) Second(a address.Address) address.Address {
	b, _ := r.second(a)
	return b
}

// beside adds to rows, which are in the order of entries, what logs say of their addresses, in the
// same order.
func beside(rows iter.Seq2[*Row, error], logs iter.Seq2[LogRow, error]) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		next, stop := iter.Pull2(logs)
		defer stop()
		at, err, more := next()
		for r, rowErr := range rows {
			if rowErr != nil {
				yield(r, rowErr)
				return
			}
			for more && err == nil && at.Seq >= 0 && at.Seq < int64(r.Entry.N) {
				at, err, more = next()
			}
			for more && err == nil && at.Seq == int64(r.Entry.N) {
				r.Crawled = append(r.Crawled, at.Finding)
				at, err, more = next()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// CrawledBy returns what one robot asked for of the row's address.
func (r *Row) CrawledBy(robot accesslog.Robot) []accesslog.Finding {
	return slices.DeleteFunc(slices.Clone(r.Crawled), func(f accesslog.Finding) bool { return f.Robot != robot || f.Class == accesslog.Never })
}
