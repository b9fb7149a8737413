package audit

import (
	"context"
	"iter"
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
}

// A LogRow is a finding with what is known of it besides.
type LogRow struct {
	accesslog.Finding
	Sitemap string         `cbor:"9,keyasint,omitzero"` // the first that lists it, "" for none
	Ours    accesslog.Ours `cbor:"10,keyasint,omitzero"`
}

// Evidence is in which spelling Googlebot asks for the addresses of an audit, as access logs say. It
// is filled before it is read, by several goroutines then.
type Evidence struct{ by map[uint64]respelled }

// A respelled is the other spelling that Googlebot asks for most; "" where it asks for the listed one
// alone.
type respelled struct {
	target   string
	requests int64
}

const (
	// maxRespelled is for how many addresses it is held; the model counts for others.
	maxRespelled = 1 << 19
	// sureAt is how often Googlebot asked for an address as listed, and in no other spelling, where no
	// second spelling is asked (contract, section 8).
	sureAt = 3
)

// Add adds a finding, in any order.
func (e *Evidence) Add(f *accesslog.Finding) {
	asked := respelled{requests: f.Seen.Requests}
	if f.Class == accesslog.OtherSpelling {
		asked.target = strings.Clone(f.Asked)
	}
	if f.Robot != accesslog.Googlebot || !f.Rawness.Spells() || asked.target == "" && (f.Class != accesslog.AsListed || asked.requests < sureAt) {
		return
	}
	if e.by == nil {
		e.by = map[uint64]respelled{}
	}
	key := sketch.Hash(f.URL)
	had, ok := e.by[key]
	if !ok && len(e.by) < maxRespelled || ok && asked.target != "" && (had.target == "" || had.requests < asked.requests) {
		e.by[key] = asked
	}
}

// second returns the second spelling of an address, a itself where it has none, and whether that is
// what Googlebot was seen to ask for, not what the model says.
func (r *Rules) second(a address.Address) (b address.Address, seen bool) {
	if r.Evidence != nil {
		other, known := r.Evidence.by[sketch.Hash(a.String())]
		if known && other.target == "" {
			return a, true
		}
		// Octets that would be sent otherwise than they were asked are no spelling to ask.
		if b, err := address.Parse(a.Origin() + other.target); known && err == nil && b.Target() == other.target {
			return b, true
		}
	}
	return r.Spelling.Spell(a), false
}

// Second returns the second spelling of an address: the one in which Googlebot was seen to ask for
// it, else what Spelling makes of it; a itself where nothing differs.
func (r *Rules) Second(a address.Address) address.Address {
	b, _ := r.second(a)
	return b
}
