package accesslog

import (
	"cmp"
	"maps"
	"slices"
)

// A Sum counts findings.
type Sum struct {
	Entries   int // listed addresses, each once
	AsListed  int // of these, those that Googlebot requested exactly as listed
	Otherwise int // those that it requested in another spelling; some are both
	Never     int // those that it did not request
	Unspelt   int // those that it requested in a spelling that the log does not show
	Unlisted  int // addresses that redirected it and that no sitemap lists
	Differ    int // findings whose last answer to Googlebot differs from ours
	Back      Respelled

	kinds    kinds
	last     int64         // Seq of the last address that was added
	counted  [Unspelt]bool // classes of that address
	unlisted string        // the URL of the last RedirectedUnlisted that was added
	refused  bool          // the last address did not answer Googlebot with a page as listed
}

// Respelled counts requests for listed addresses in other spellings that were all redirected, where
// we saw that the redirect leads back to the listed address and that this has a page.
type Respelled struct {
	Entries     int // addresses, each once
	Requests    int64
	First, Last int64 // in seconds since 1970
	kinds       kinds
	last        int64 // 1 + Seq of the last address that was added
}

// kinds counts requests by what their spelling differs in.
type kinds map[string]int64

func (k *kinds) add(f *Finding) {
	if *k == nil {
		*k = kinds{}
	}
	for _, kind := range f.DiffersIn {
		(*k)[kind] += f.Seen.Requests
	}
}

// sorted returns the kinds, the most frequent first.
func (k kinds) sorted() []string {
	return slices.SortedFunc(maps.Keys(k), func(a, b string) int {
		return cmp.Or(cmp.Compare(k[b], k[a]), cmp.Compare(a, b))
	})
}

// Kinds returns in what the spellings differ from the listed ones, the most frequent difference
// first.
func (r *Respelled) Kinds() []string { return r.kinds.sorted() }

// Ours is what our own requests for the same address showed.
type Ours struct {
	Status  int  `cbor:"1,keyasint,omitzero"` // of our answer to the same target; 0 where it is unknown
	Differs bool `cbor:"2,keyasint,omitzero"` // the last answer to the robot is of another kind
	// Back is set where the spelling redirected us to the listed address, which answers 2xx.
	Back bool `cbor:"3,keyasint,omitzero"`
}

// Add adds a finding, and the result of our own requests. The findings of one address must be
// adjacent, the listed spelling first, as Join yields them.
func (s *Sum) Add(f *Finding, ours Ours) {
	if f.Robot != Googlebot {
		return
	}
	if ours.Differs {
		s.Differ++
	}
	if f.Class == RedirectedUnlisted {
		if s.Unlisted == 0 || f.URL != s.unlisted {
			s.Unlisted++
			s.unlisted = f.URL
		}
		return
	}
	if s.Entries == 0 || f.Seq != s.last {
		s.Entries++
		s.last, s.counted, s.refused = f.Seq, [Unspelt]bool{}, false
	}
	switch f.Class {
	case Never:
		s.Never++
		return
	case Unspelt:
		s.Unspelt++
		return
	case AsListed:
		s.refused = s.refused || !SameAnswer(f.Seen.LastStatus, 200)
		if !s.counted[AsListed] {
			s.AsListed++
		}
	case OtherSpelling:
		s.respelled(f, ours.Back)
		if !s.counted[OtherSpelling] {
			s.Otherwise++
		}
	}
	s.counted[f.Class] = true
}

// respelled adds requests in another spelling.
func (s *Sum) respelled(f *Finding, back bool) {
	s.kinds.add(f)
	if !back || s.refused || f.Seen.redirects() < f.Seen.Requests {
		return
	}
	r := &s.Back
	if r.last != f.Seq+1 {
		r.Entries++
		r.last = f.Seq + 1
	}
	r.kinds.add(f)
	r.Requests += f.Seen.Requests
	if first := f.Seen.First; first != 0 && (r.First == 0 || first < r.First) {
		r.First = first
	}
	r.Last = max(r.Last, f.Seen.Last)
}

// Kinds returns in what the other spellings differ from the listed ones, the most frequent
// difference first.
func (s *Sum) Kinds() []string { return s.kinds.sorted() }

// SameAnswer reports whether two statuses are of the same kind: 2xx and 304, another 3xx, 4xx, or
// 5xx. It returns true where one of them is unknown (0).
func SameAnswer(a, b int) bool {
	kind := func(status int) int {
		if status == 304 {
			return 2
		}
		return status / 100
	}
	return a == 0 || b == 0 || kind(a) == kind(b)
}
