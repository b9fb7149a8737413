package accesslog

import (
	"cmp"
	"hash/maphash"
	"slices"

	"sitemend/crawler/address"
)

// Days collects Googlebot's requests for single addresses, each in an interval of its own. It takes
// about 60 bytes for each address, whatever its length, and more for what was seen.
type Days struct {
	days   []day
	sorted bool
}

// A day is an interval for one address.
type day struct {
	key      uint64 // of all its spellings
	seq      int64
	from, to int64 // in seconds since 1970, without to
	seen     []sighting
}

// A sighting is one spelling that was requested, in one log.
type sighting struct {
	evidence
	log uint32
}

// maxSightings limits the spellings of one address that are kept.
const maxSightings = 16

var daySeed = maphash.MakeSeed()

// Add adds an address to watch, from a moment until before another, in seconds since 1970. seq
// identifies the address, and must be unique. All addresses must be added before a Collector sees
// its first request.
func (d *Days) Add(seq int64, a address.Address, from, to int64) {
	d.days = append(d.days, day{key: dayKey(a), seq: seq, from: from, to: to})
}

func dayKey(a address.Address) uint64 {
	return maphash.String(daySeed, groupKey(logHost(a), Fold(a.Target(), false)))
}

// of returns the addresses with the same key.
func (d *Days) of(key uint64) []day {
	if !d.sorted {
		slices.SortFunc(d.days, func(a, b day) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.seq, b.seq))
		})
		d.sorted = true
	}
	first, _ := slices.BinarySearchFunc(d.days, key,
		func(x day, key uint64) int { return cmp.Compare(x.key, key) })
	last := first
	for last < len(d.days) && d.days[last].key == key {
		last++
	}
	return d.days[first:last]
}

// see records a request of Googlebot.
func (d *Days) see(group string, log int, r *Request, robot Robot) {
	if d == nil || robot != Googlebot {
		return
	}
	days := d.of(maphash.String(daySeed, group))
	for i := range days {
		x := &days[i]
		if r.Time < x.from || r.Time >= x.to {
			continue
		}
		at := slices.IndexFunc(x.seen, func(s sighting) bool {
			return s.target == string(r.Target) && s.rawness == r.Rawness && s.log == uint32(log)
		})
		if at < 0 && len(x.seen) < maxSightings {
			at = len(x.seen)
			x.seen = append(x.seen, sighting{evidence{target: string(r.Target), rawness: r.Rawness}, uint32(log)})
		}
		if at >= 0 {
			x.seen[at].seen.see(r.Time, r.Status)
		}
	}
}

// Day returns Googlebot's requests for an address that was added to Days as seq, after all logs
// were read: a finding for each spelling, that of a first; none where there was no request.
func (c *Collector) Day(seq int64, a address.Address) []Finding {
	var out []Finding
	for _, x := range c.Days.of(dayKey(a)) {
		for _, s := range x.seen {
			s.rawness = c.rawness(s.rawness, s.log)
			if class, kinds, ok := relation(a.Target(), &s.evidence); ok && x.seq == seq {
				f := s.finding(seq, a.String(), class)
				f.DiffersIn = kinds
				out = merged(out, f)
			}
		}
	}
	slices.SortFunc(out, compareAsked)
	return out
}
