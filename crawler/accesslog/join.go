package accesslog

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// errDamaged is the error of a Sorted that returns other records than it was given.
var errDamaged = errors.New("evidence of a log is damaged")

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
	Class Class `cbor:"1,keyasint,omitzero"`
	Robot Robot `cbor:"2,keyasint,omitzero"`
	// Seq is the number of the first entry that lists the address; -1 for none.
	Seq int64  `cbor:"3,keyasint,omitzero"`
	URL string `cbor:"4,keyasint,omitzero"` // the listed address, in wire form; host and target where it is not listed
	// Asked is the target that was requested; "" for Never, and where Rawness is Decoded, since the
	// spelling is unknown then.
	Asked     string   `cbor:"5,keyasint,omitzero"`
	DiffersIn []string `cbor:"6,keyasint,omitzero"`
	Rawness   Rawness  `cbor:"7,keyasint,omitzero"`
	Seen      Asked    `cbor:"8,keyasint,omitzero"`
}

// Valid reports whether the values of f are some that Join yields.
func (f *Finding) Valid() bool { return f.Class <= Unspelt && f.Robot < robots && f.Rawness <= Lossy }

// List adds one entry, for Join. seq is its number among the entries.
func (c *Collector) List(seq int64, a address.Address) error {
	value := binary.BigEndian.AppendUint64(nil, uint64(seq))
	// The key sorts before all requests.
	return c.sorted.Add(groupKey(logHost(a), Fold(a.Target(), false)), string(value)+a.String())
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
	j := joining{Collector: c, ours: ours, each: each}
	for r, err := range c.sorted.Sorted() {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = j.record(r[0], []byte(r[1]))
		}
		if err != nil {
			return j.foreign, err
		}
	}
	return j.foreign, j.end()
}

// joining is the state of Join: the entries and the requests of one fold.
type joining struct {
	*Collector
	ours    func(string) bool
	each    func(*Finding) error
	group   string
	host    string
	listed  []listed
	asked   []evidence
	foreign int64
}

type listed struct {
	seq  int64
	addr address.Address
}

// evidence is the requests of a robot for one spelling. It is used once a finding has it.
type evidence struct {
	robot   Robot
	rawness Rawness
	target  string
	seen    Asked
	used    bool
}

func (j *joining) record(key string, value []byte) error {
	host, rest, _ := strings.Cut(key, "\x00")
	_, rest, _ = strings.Cut(rest, "\x00")
	if group := key[:len(key)-len(rest)]; group != j.group {
		if err := j.end(); err != nil {
			return err
		}
		j.group, j.host = group, host
	}
	switch {
	case rest == "" && len(value) > 8:
		l := listed{int64(binary.BigEndian.Uint64(value)), address.Wire(string(value[8:]))}
		// They are in order of seq: another one is later.
		if len(j.listed) < maxGroup && !slices.ContainsFunc(j.listed, func(x listed) bool { return x.addr == l.addr }) {
			j.listed = append(j.listed, l)
		}
		return nil
	case len(rest) < 6:
		return errDamaged
	}
	at, n := binary.Varint(value)
	status, m := binary.Varint(value[max(n, 0):])
	if n <= 0 || m <= 0 {
		return errDamaged
	}
	e := evidence{robot: Robot(rest[0]), target: rest[6:],
		rawness: j.rawness(Rawness(rest[1]), binary.BigEndian.Uint32([]byte(rest[2:6])))}
	i := slices.IndexFunc(j.asked, func(x evidence) bool {
		return x.robot == e.robot && x.rawness == e.rawness && x.target == e.target
	})
	if i < 0 && len(j.asked) < maxGroup {
		i = len(j.asked)
		j.asked = append(j.asked, e)
	}
	if i >= 0 {
		j.asked[i].seen.see(at, int(status))
	}
	return nil
}

// end reports the findings of one group.
func (j *joining) end() error {
	defer func() { j.listed, j.asked = j.listed[:0], j.asked[:0] }()
	if !j.ours(j.host) {
		for i := range j.asked {
			j.foreign += j.asked[i].seen.Requests
		}
		return nil
	}
	var found []Finding
	for _, l := range j.listed {
		found = append(found, j.address(l)...)
	}
	for i := range j.asked {
		found = append(found, j.unlisted(i)...)
	}
	for i := range found {
		if err := j.each(&found[i]); err != nil {
			return err
		}
	}
	return nil
}

// finding returns what e says about an address.
func (e *evidence) finding(seq int64, url string, class Class) Finding {
	f := Finding{Class: class, Robot: e.robot, Seq: seq, URL: url, Asked: e.target, Rawness: e.rawness}
	if e.rawness == Decoded {
		f.Asked = ""
	}
	f.Seen.Add(e.seen) // a copy
	e.used = true
	return f
}

// unlisted returns the requests for the address of j.asked[i], where Googlebot was redirected from
// it and no entry lists it: all answers to it, separately by rawness, as for a listed address.
func (j *joining) unlisted(i int) (found []Finding) {
	target := j.asked[i].target
	redirected := false
	for k := i; k < len(j.asked); k++ {
		e := &j.asked[k]
		if !e.used && e.robot == Googlebot && e.target == target {
			found = append(found, e.finding(-1, j.host+target, RedirectedUnlisted))
			redirected = redirected || e.seen.Redirected()
		}
	}
	if !redirected {
		return nil
	}
	return found
}

// address returns the requests for one listed address.
func (j *joining) address(l listed) (found []Finding) {
	never := true
	for i := range j.asked {
		e := &j.asked[i]
		class, kinds, ok := relation(l.addr.Target(), e)
		if !ok || class == OtherSpelling && slices.ContainsFunc(j.listed, func(x listed) bool { return x.addr.Target() == e.target }) {
			continue // a spelling that is listed itself is evidence for that entry only
		}
		f := e.finding(l.seq, l.addr.String(), class)
		f.DiffersIn = kinds
		found = merged(found, f)
		never = never && e.robot != Googlebot
	}
	if never {
		found = append(found, Finding{Class: Never, Seq: l.seq, URL: l.addr.String()})
	}
	slices.SortFunc(found, compareAsked)
	return found
}

// relation returns what a request is to a listed target; ok is false where it is for another one.
func relation(listed string, e *evidence) (class Class, kinds []string, ok bool) {
	if e.rawness == Decoded {
		return Unspelt, nil, true
	}
	if kinds, ok = Differ(listed, e.target); len(kinds) > 0 {
		class = OtherSpelling
	}
	return class, kinds, ok
}

// merged adds a finding to those that several logs have for one address.
func merged(list []Finding, f Finding) []Finding {
	for i := range list {
		if x := &list[i]; x.Robot == f.Robot && x.Class == f.Class && x.Asked == f.Asked && x.Rawness == f.Rawness {
			x.Seen.Add(f.Seen)
			return list
		}
	}
	return append(list, f)
}

// compareAsked orders evidence of one address: by robot, the listed spelling first.
func compareAsked(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Robot, b.Robot), cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.Asked, b.Asked))
}
