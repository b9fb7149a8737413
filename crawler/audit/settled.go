package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/minio/highwayhash"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// A settled is what Judge said of one entry, as far as decisions on other entries need it: a record of
// fixed size, without a URL.
type settled struct {
	own     uint64 // hash of the listed URL; 0 where it is none
	target  uint64 // hash of the URL that would be written, with action Replace
	said    uint64 // Page.said of where a redirect leads, with action Replace
	from    uint32 // number of the origin of the listed URL
	to      uint32 // number of the origin of the target
	reasons uint32 // a bit for each of address.Reasons
	ext     uint32 // Entry.Ext; 0 for no extension blocks
	verdict uint8  // the place in verdicts, from 1; 0 where the entry is not settled
	action  action
	is      marks
}

// action is an Action of an entry, in a byte.
type action uint8

const (
	keeps action = iota
	replaces
	drops
	merges
)

// marks are bits of a settled.
type marks uint16

const (
	isBound    marks = 1 << iota // it cannot be taken out of its file
	hasMedia                     // it has blocks of images, videos or news
	isAnother                    // the target differs by path (address.Relation.AnotherPage)
	isBegun                      // the last segment of the target begins the listed one's
	isPassword                   // the page of the target, or of a fine entry, has a field for a password
	isSpelled                    // the target has another spelling
	isSaid                       // --fix says what becomes of it
	isBack                       // it was not found, and was there when it was requested again
	isFull                       // Judge needs no more than this record and the trail
)

// SettledBytes is what SettledRows take of memory for each entry.
const SettledBytes = int(unsafe.Sizeof(settled{}))

// SettledRows are what Judge said of the entries of an audit, in their order. A crawl fills it as it
// settles them (Put); what it has not is judged again from what is remembered.
type SettledRows struct {
	Memory  []byte   // of the records, which have no pointers: it can lie in a file
	Origins []string // by their numbers

	records []settled // in Memory
	key     [sha256.Size]byte
	mu      sync.Mutex
	numbers map[string]uint32 // of origins
}

// NewSettledRows returns the rows in a memory that has SettledBytes for each entry, zeros where it is not
// settled. origins are those that were kept with it, and salt is what no site knows: else it could list
// URLs whose hashes collide. Where it is nil it is made.
func NewSettledRows(memory, salt []byte, origins []string) *SettledRows {
	if salt == nil {
		salt = []byte(rand.Text())
	}
	s := &SettledRows{Memory: memory, Origins: origins, key: sha256.Sum256(salt), numbers: map[string]uint32{}}
	s.records = unsafe.Slice((*settled)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/SettledBytes)
	for n, origin := range origins {
		s.numbers[origin] = uint32(n)
	}
	return s
}

// hash returns what stands for a URL in the records; it is never 0. Among 25 million URLs the chance that
// any two share a hash is 1 in 60,000.
func (s *SettledRows) hash(url string) uint64 {
	return max(1, highwayhash.Sum64(unsafe.Slice(unsafe.StringData(url), len(url)), s.key[:]))
}

// Put takes the row of an entry as Judge made it. It may be called from several
// goroutines at once, for different entries; the last row of an entry counts.
func (s *SettledRows) Put(r *Row, rules *Rules) {
	e := &r.Entry
	if e.N >= len(s.records) || !e.Listed() {
		return
	}
	x := settled{ext: e.Ext, verdict: verdictNumber(r.Verdict)}
	if !r.Address.IsZero() {
		x.own, x.from = s.hash(r.Address.String()), s.origin(r.Address)
	}
	x.set(isBound, e.Bound)
	x.set(hasMedia, e.Media)
	x.set(isPassword, r.asksPassword || r.fine() && r.Trail.Last().Hop.Page.Password)
	x.set(isBack, r.has(Unsteady))
	x.set(isSaid, r.Fix.Action != Keep && r.Fix.Policy != defaultPolicy)
	switch r.Fix.Action {
	case Drop:
		x.action = drops
	case Replace:
		to := address.Wire(r.Fix.Loc)
		x.action, x.target, x.to, x.said = replaces, s.hash(r.Fix.Loc), s.origin(to), r.said
		x.set(isAnother, r.relation.AnotherPage)
		x.set(isBegun, r.relation.Begins)
		x.set(isSpelled, rules.Second(to) != to)
	}
	for i, reason := range address.Reasons {
		if slices.Contains(r.Reasons, reason) {
			x.reasons |= 1 << i
		}
	}
	_, policy := rules.action(r.Verdict)
	remarks := slices.ContainsFunc(r.Notes, func(n Note) bool { return !strings.HasPrefix(string(n), hopsNote) })
	x.set(isFull, len(r.Needs) == 0 && (r.Status == 200 || r.Verdict != OK) && r.Fix.Policy == policy && r.Fix.Stop == "" && r.Other == nil && r.named.IsZero() && r.way != answers.WithoutSecrets && r.unsure == "" && !x.has(isSpelled) && !remarks)
	s.records[e.N] = x
}

func (x *settled) set(f marks, is bool) {
	if is {
		x.is |= f
	}
}

func (x *settled) has(f marks) bool { return x.is&f != 0 }

// uneventful reports whether there is nothing to say of it but that it is fine: one answer, a 200, and
// the entry stays as it is.
func (x *settled) uneventful() bool { return x.has(isFull) && x.verdictOf() == OK && x.action == keeps }

// fill writes what is in the record into r.
func (x *settled) fill(r *Row) {
	r.Verdict = x.verdictOf()
	for i, reason := range address.Reasons {
		if x.reasons>>i&1 != 0 {
			r.Reasons = append(r.Reasons, reason)
		}
	}
}

// another reports whether x would be replaced by another path, to which it redirects.
func (x *settled) another() bool {
	return x.action == replaces && x.has(isAnother) && !x.canonical()
}

// differs reports whether the target may be another page: it differs by its path, or is a canonical with
// another query.
func (x *settled) differs() bool {
	return x.has(isAnother) || x.canonical() && x.reasons>>slices.Index(address.Reasons[:], address.Query)&1 != 0
}

// canonical reports whether the target is what the page of x names as its canonical.
func (x *settled) canonical() bool { return x.verdictOf() == Noncanonical }

func verdictNumber(v Verdict) uint8 {
	return uint8(1 + slices.IndexFunc(verdicts, func(f Facts) bool { return f.Verdict == v }))
}

// firstFine is the number of the first verdict of what is right as listed; all behind it are, too.
var firstFine = verdictNumber(SpellingBounce)

// fine is Row.fine of a record; false of one that is not settled.
func (x *settled) fine() bool { return x.verdict >= firstFine }

// verdictOf is the verdict of a record that is settled.
func (x *settled) verdictOf() Verdict { return verdicts[x.verdict-1].Verdict }

// origin returns the number of the origin of a.
func (s *SettledRows) origin(a address.Address) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := s.numbers[a.Origin()]
	if !known {
		n = uint32(len(s.Origins))
		s.Origins = append(s.Origins, a.Origin())
		s.numbers[s.Origins[n]] = n
	}
	return n
}
