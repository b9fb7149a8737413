package audit

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

// A Standing is what stands at the address where the corrected copy of a file
// would belong after its whole move: no advice is to put ours over a sitemap that
// is there already.
type Standing struct {
	// Seen is set where an answer said what stands there; Sitemap where that is a
	// sitemap.
	Seen, Sitemap bool
	// Order is a hash over the addresses that it lists, in their order.
	Order uint64
	// listed are these addresses, sorted by their hash once it is encoded.
	listed []standingEntry
}

type standingEntry struct{ address, ext uint64 }

// MaxStanding is how many addresses of what stands there are looked at. Of more, those
// beyond count as not listed.
const MaxStanding = 500_000

// Add adds the next address that is listed there, with the hash of its extension
// blocks. It reports whether there is room for another.
func (s *Standing) Add(a address.Address, ext uint64) bool {
	h := xxhash.Sum64String(a.String())
	s.Order = nextInOrder(s.Order, h)
	s.listed = append(s.listed, standingEntry{h, ext})
	return len(s.listed) < MaxStanding
}

// nextInOrder takes one more address into the hash over several.
func nextInOrder(order, h uint64) uint64 { return (order ^ h) * 0x100000001b3 } // FNV-1a, by the word

// Encode packs s for the store.
func (s *Standing) Encode() []byte {
	slices.SortStableFunc(s.listed, func(a, b standingEntry) int { return cmp.Compare(a.address, b.address) })
	var flags byte
	if s.Seen {
		flags |= 1
	}
	if s.Sitemap {
		flags |= 2
	}
	b := binary.BigEndian.AppendUint64([]byte{flags}, s.Order)
	for _, e := range s.listed {
		b = binary.BigEndian.AppendUint64(b, e.address)
		b = binary.BigEndian.AppendUint64(b, e.ext)
	}
	return b
}

// DecodeStanding unpacks what Encode packed.
func DecodeStanding(b []byte) (*Standing, error) {
	if len(b) < 9 || (len(b)-9)%16 != 0 {
		return nil, fmt.Errorf("the record of what stands at a sitemap's new place has %d bytes", len(b))
	}
	s := &Standing{Seen: b[0]&1 != 0, Sitemap: b[0]&2 != 0, Order: binary.BigEndian.Uint64(b[1:])}
	for b = b[9:]; len(b) > 0; b = b[16:] {
		s.listed = append(s.listed, standingEntry{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])})
	}
	return s, nil
}

// find returns the hash of the extension blocks with which an address is listed.
func (s *Standing) find(a address.Address) (ext uint64, ok bool) {
	if s == nil {
		return 0, false
	}
	h := xxhash.Sum64String(a.String())
	at, ok := slices.BinarySearchFunc(s.listed, h, func(e standingEntry, h uint64) int { return cmp.Compare(e.address, h) })
	if !ok {
		return 0, false
	}
	return s.listed[at].ext, true
}

// A destination is where the corrected copy of a file that moved as a whole would belong.
type destination struct {
	url string // "" where the file did not move, or is local
	// unknown is set where nobody asked what stands there, seen where an answer said
	// it; taken where that is a sitemap, of which standing are the entries unless the
	// audit has read it.
	unknown, seen, taken bool
	standing             *Standing
}

// places looks up what stands where files belong after their whole move: in the
// audit, else in what is remembered.
func (t *evaluation) places(ctx context.Context) error {
	for i := range t.plans {
		p := &t.plans[i]
		if at := t.sitemaps[i].AnsweredAt; p.move != "" && at != "" {
			p.dest.url = p.move + address.Wire(at).Target()
			if err := t.look(ctx, i, &p.dest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *evaluation) look(ctx context.Context, file int, at *destination) error {
	read := func(s Sitemap) bool { return s.Listed() && s.Kind != "" && s.AnsweredAt == at.url }
	if slices.ContainsFunc(t.sitemaps, read) {
		at.seen, at.taken = true, true
		return nil
	}
	s, err := t.src.Standing(at.url)
	if at.unknown = s == nil; err != nil || s == nil {
		return err
	}
	at.seen = s.Seen
	if !s.Sitemap {
		return nil
	}
	same, err := t.lists(ctx, file, s)
	if err != nil || same {
		return err // the same file, served at both places: its copy belongs at both
	}
	at.taken, at.standing = true, s
	return nil
}

// lists reports whether a file lists what s does, in the same order.
func (t *evaluation) lists(ctx context.Context, file int, s *Standing) (bool, error) {
	if t.sitemaps[file].Entries != len(s.listed) {
		return false, nil
	}
	var order uint64
	for e, err := range t.entries(ctx, file) {
		if err != nil {
			return false, err
		}
		a, _ := e.Parse() // what is no address is the zero one, there as here
		order = nextInOrder(order, xxhash.Sum64String(a.String()))
	}
	return order == s.Order, nil
}

// Unasked returns where corrected copies would belong that moved as a whole, and
// nobody asked what stands there.
func (t *Result) Unasked() []string { return t.unasked }
