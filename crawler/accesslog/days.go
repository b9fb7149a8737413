package accesslog

import (
	"cmp"
	"hash/maphash"
	"maps"
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
	target  string
	rawness Rawness
	log     uint32
	asked   Asked
}

// maxSightings limits the spellings of one address that are kept.
const maxSightings = 16

var daySeed = maphash.MakeSeed()

// Add adds an address to watch, from a moment until before another, in seconds since 1970. seq
// identifies the address, and must be unique. All addresses must be added before a Collector sees
// its first request.
func (d *Days) Add(seq int64, a address.Address, from, to int64) {
	d.days = append(d.days, day{key: dayKey(logHost(a), Fold(a.Target(), false)), seq: seq,
		from: from, to: to})
}

func dayKey(host, fold string) uint64 { return maphash.String(daySeed, groupKey(host, fold)) }

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
func (d *Days) see(k *evidenceKey, at int64, status int) {
	if d == nil || len(d.days) == 0 || k.robot != Googlebot {
		return
	}
	days := d.of(dayKey(k.host, k.fold))
	for i := range days {
		if x := &days[i]; x.from <= at && at < x.to {
			x.see(k, at, status)
		}
	}
}

func (x *day) see(k *evidenceKey, at int64, status int) {
	for i := range x.seen {
		if s := &x.seen[i]; s.target == k.target && s.rawness == k.rawness && s.log == k.log {
			s.asked.see(at, status)
			return
		}
	}
	if len(x.seen) == maxSightings {
		return
	}
	s := sighting{target: k.target, rawness: k.rawness, log: k.log}
	s.asked.see(at, status)
	x.seen = append(x.seen, s)
}

// Day returns Googlebot's requests for an address that was added to Days as seq, after all logs
// were read: a finding for each spelling, that of a first; none where there was no request.
func (c *Collector) Day(seq int64, a address.Address) []Finding {
	var out []Finding
	for _, x := range c.Days.of(dayKey(logHost(a), Fold(a.Target(), false))) {
		if x.seq != seq {
			continue
		}
		for i := range x.seen {
			if f, ok := c.sighted(&x.seen[i], seq, a); ok {
				out = merged(out, f)
			}
		}
	}
	slices.SortFunc(out, func(a, b Finding) int { return compareAsked(&a, &b) })
	return out
}

// sighted returns s as a finding about an address; ok is false where s is about another address.
func (c *Collector) sighted(s *sighting, seq int64, a address.Address) (f Finding, ok bool) {
	f = Finding{Robot: Googlebot, Seq: seq, URL: a.String(), Asked: s.target, Rawness: s.rawness,
		Seen: s.asked}
	f.Seen.Statuses = maps.Clone(s.asked.Statuses)
	if int(s.log) < len(c.logs) && c.logs[s.log].decoded() {
		f.Rawness = Decoded
	}
	if f.Rawness == Decoded {
		f.Class, f.Asked = Unspelt, ""
		return f, true
	}
	if f.DiffersIn, ok = Differ(a.Target(), s.target); len(f.DiffersIn) > 0 {
		f.Class = OtherSpelling
	}
	return f, ok
}

// merged adds a finding to those that several logs have for one address.
func merged(list []Finding, f Finding) []Finding {
	for i := range list {
		if x := &list[i]; x.Class == f.Class && x.Asked == f.Asked && x.Rawness == f.Rawness {
			x.Seen.Add(f.Seen)
			return list
		}
	}
	return append(list, f)
}
