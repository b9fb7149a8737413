package crawler

import (
	"sync/atomic"
	"time"

	"sitemend/crawler/discover"
)

// Progress counts what a Crawler has done. Its fields may be read at any time.
type Progress struct {
	Entries  atomic.Int64 // entries of the audit that sitemaps list
	Others   atomic.Int64 // entries of other lists (exports, alternates)
	Done     atomic.Int64 // of Entries, those whose redirect chain is known to its end
	Problems atomic.Int64 // of Done, those in the group `problem`
	Requests atomic.Int64 // requests that were sent, retries, robots.txt and sitemaps included
	// Due is how many entries and lone requests are due in the current pass, Over how many were due and
	// are no more: an entry that a later pass takes up counts again.
	Due, Over atomic.Int64
	discover.Progress
	resting atomic.Pointer[Rest]
}

// over counts an entry, or a lone request, that is due no more.
func (p *Progress) over() {
	p.Due.Add(-1)
	p.Over.Add(1)
}

// A Rest is the time for which a host has asked for no requests, with Retry-After.
type Rest struct {
	Host   string // with its port, where it is not the default
	Status int    // of the answer that asked for it
	Until  time.Time
}

// Resting returns the rest that ends last; ok is false where none lasts at now.
func (p *Progress) Resting(now time.Time) (r Rest, ok bool) {
	if at := p.resting.Load(); at != nil && at.Until.After(now) {
		return *at, true
	}
	return r, false
}

// Rest records a rest.
func (p *Progress) Rest(r Rest) {
	for {
		last := p.resting.Load()
		if last != nil && !last.Until.Before(r.Until) || p.resting.CompareAndSwap(last, &r) {
			return
		}
	}
}
