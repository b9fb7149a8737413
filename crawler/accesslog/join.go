package accesslog

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// A Class is the relation between a request and the listed addresses.
type Class uint8

// The classes.
const (
	AsListed           Class = iota // requested exactly as listed
	OtherSpelling                   // requested in another spelling
	Never                           // not requested in these logs
	RedirectedUnlisted              // redirected, and listed in no sitemap
	Unspelt                         // requested, in a spelling that the log does not show
)

// String returns the contract's word for c; "" for Unspelt, for which it has none.
func (c Class) String() string {
	return [...]string{"as-listed", "other-spelling", "never", "redirected-unlisted", ""}[c]
}

// A Finding is one spelling of a listed address that a robot requested, a listed address that none
// requested, or a requested address that is not listed.
type Finding struct {
	Class Class
	Robot Robot
	// Seq is the number of the first entry that lists the address; -1 for none.
	Seq int64
	URL string // the listed address, in wire form; host and target where it is not listed
	// Asked is the target that was requested; "" for Never, and where Rawness is Decoded, since the
	// spelling is unknown then.
	Asked     string
	DiffersIn []string
	Rawness   Rawness
	Seen      Asked
	// Listed is, with OtherSpelling, the status of the last answer to the same robot for the listed
	// spelling; 0 where the log has none.
	Listed int
}

// List adds one entry, for Join. seq is its number among the entries.
func (c *Collector) List(seq int64, a address.Address) error {
	key := groupKey(logHost(a), Fold(a.Target(), false)) + "\x00" // sorts before all evidence
	value := binary.BigEndian.AppendUint64(nil, uint64(seq))
	return c.sorted.Add(key, append(value, a.String()...))
}

// logHost returns the host of an address as logs have it.
func logHost(a address.Address) string { return strings.TrimSuffix(strings.ToLower(a.Host()), ".") }

// maxGroup limits how many entries or spellings of one address are compared.
const maxGroup = 1 << 9

// Join compares the requests, all of which were seen before Done, with the listed addresses. It
// calls each for the findings, in no particular order, but with those of one address together: for
// each listed address (once) its spellings, or Never where Googlebot requested none; for each
// unlisted address that redirected, RedirectedUnlisted with all answers to it. Logs of different
// rawness give separate findings for one spelling, one after another. Join considers only the hosts
// for which ours returns true, and returns how many requests were for others. The error is that of
// each, of the Sorted, or ctx's.
func (c *Collector) Join(ctx context.Context, ours func(host string) bool,
	each func(*Finding) error) (foreign int64, err error) {
	j := joining{ours: ours, each: each, logs: c.logs}
	err = c.sorted.Each(func(key, value []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return j.record(key, value)
	})
	if err == nil {
		err = j.end()
	}
	return j.foreign, err
}

// joining is the state of Join: the entries and the evidence of one fold.
type joining struct {
	ours    func(string) bool
	each    func(*Finding) error
	logs    []paths
	group   string
	listed  []listed
	asked   []evidence
	foreign int64
}

type listed struct {
	seq  int64
	addr address.Address
}

type evidence struct {
	evidenceKey
	seen Asked
}

func (j *joining) record(key, value []byte) error {
	text := string(key)
	first := strings.IndexByte(text, 0)
	second := strings.IndexByte(text[first+1:], 0)
	if first < 0 || second < 0 {
		return errDamaged
	}
	group := text[:first+1+second]
	if group != j.group {
		if err := j.end(); err != nil {
			return err
		}
		j.group = group
	}
	if len(text) == len(group)+1 {
		return j.entry(value)
	}
	k, ok := parseKey(text)
	var seen Asked
	if err := seen.UnmarshalBinary(value); err != nil || !ok {
		return errDamaged
	}
	if int(k.log) < len(j.logs) && j.logs[k.log].decoded() {
		k.rawness = Decoded
	}
	k.log = 0
	for i := range j.asked {
		if j.asked[i].evidenceKey == k {
			j.asked[i].seen.Add(seen)
			return nil
		}
	}
	if len(j.asked) < maxGroup {
		j.asked = append(j.asked, evidence{k, seen})
	}
	return nil
}

// entry keeps a listed address with its first number.
func (j *joining) entry(value []byte) error {
	if len(value) < 8 {
		return errDamaged
	}
	l := listed{int64(binary.BigEndian.Uint64(value)), address.Wire(string(value[8:]))}
	for _, other := range j.listed {
		if other.addr == l.addr {
			return nil // they are in order of seq: this one is later
		}
	}
	if len(j.listed) < maxGroup {
		j.listed = append(j.listed, l)
	}
	return nil
}

// end reports the findings of one group.
func (j *joining) end() error {
	defer func() { j.listed, j.asked = j.listed[:0], j.asked[:0] }()
	if j.group == "" {
		return nil
	}
	host, _, _ := strings.Cut(j.group, "\x00")
	if !j.ours(host) {
		for i := range j.asked {
			j.foreign += j.asked[i].seen.Requests
		}
		return nil
	}
	used := make([]bool, len(j.asked))
	for _, l := range j.listed {
		if err := j.address(l, used); err != nil {
			return err
		}
	}
	for i := range j.asked {
		if err := j.unlisted(host, i, used); err != nil {
			return err
		}
	}
	return nil
}

// unlisted reports the requests for the address of j.asked[i] and sets it used, where Googlebot was
// redirected from it and no entry lists it: all answers to it, separately by rawness, as for a
// listed address.
func (j *joining) unlisted(host string, i int, used []bool) error {
	target := j.asked[i].target
	var found []Finding
	redirected := false
	for k := i; k < len(j.asked); k++ {
		e := &j.asked[k]
		if used[k] || e.robot != Googlebot || e.target != target {
			continue
		}
		used[k] = true
		redirected = redirected || e.seen.Redirected()
		f := Finding{Class: RedirectedUnlisted, Seq: -1, URL: host + target, Asked: target,
			Rawness: e.rawness, Seen: e.seen}
		if e.rawness == Decoded {
			f.Asked = ""
		}
		found = append(found, f)
	}
	if !redirected {
		return nil
	}
	for k := range found {
		if err := j.each(&found[k]); err != nil {
			return err
		}
	}
	return nil
}

// address reports the requests for one listed address. A spelling that is listed itself is evidence
// for that entry only.
func (j *joining) address(l listed, used []bool) error {
	target := l.addr.Target()
	var found []*Finding
	var decoded [robots]*Finding // the spelling is unknown: one finding for all
	asked := false
	for i := range j.asked {
		e := &j.asked[i]
		f := Finding{Robot: e.robot, Seq: l.seq, URL: l.addr.String(), Asked: e.target,
			Rawness: e.rawness, Seen: e.seen}
		switch {
		case e.rawness == Decoded:
			used[i], asked = true, asked || e.robot == Googlebot
			if d := decoded[e.robot]; d != nil {
				d.Seen.Add(e.seen)
				continue
			}
			f.Class, f.Asked, decoded[e.robot] = Unspelt, "", &f
		case e.target == target:
		default:
			in, ok := Differ(target, e.target)
			if !ok || j.lists(e.target) {
				continue
			}
			f.Class, f.DiffersIn = OtherSpelling, in
		}
		used[i] = true
		asked = asked || e.robot == Googlebot
		found = append(found, &f)
	}
	if !asked {
		found = append(found, &Finding{Class: Never, Seq: l.seq, URL: l.addr.String()})
	}
	slices.SortFunc(found, compareAsked)
	listed := [robots]int{}
	for _, f := range found {
		switch f.Class {
		case AsListed:
			if f.Rawness.Spells() {
				listed[f.Robot] = f.Seen.LastStatus
			}
		case OtherSpelling:
			f.Listed = listed[f.Robot] // those as listed come first
		}
	}
	for _, f := range found {
		if err := j.each(f); err != nil {
			return err
		}
	}
	return nil
}

// lists reports whether a target is listed itself.
func (j *joining) lists(target string) bool {
	return slices.ContainsFunc(j.listed, func(l listed) bool { return l.addr.Target() == target })
}
