package audit

// A faultPair is the faults of a kind that two audits have in a sitemap.
type faultPair struct {
	at          faultAt
	was, is     *faultSum
	both        int           // how many listed ones both audits have
	gone, added []listedFault // those that one audit alone lists
	// left is how many of the older audit the newer one has in other sitemaps, came how many of the
	// newer one the older one has in others: listed ones, and with these counted ones (pairCounted).
	left, came int
	counted    bool // some of these are only counted
}

// pair compares the listed faults of two audits, sitemap by sitemap, then those of entries that
// are in another sitemap now.
func (s *faultSide) pair(now *faultSide) []*faultPair {
	var all []*faultPair
	moved := map[faultAt][]*faultPair{}
	for _, at := range s.with(now) {
		p := &faultPair{at: at, was: s.sumOf(at), is: now.sumOf(at)}
		p.both, p.gone, p.added = s.pairFaults(p.was, p.is)
		all = append(all, p)
		if s.sees(at) && now.sees(at) {
			at.url = ""
			moved[at] = append(moved[at], p)
		}
	}
	for _, of := range moved {
		s.pairMoved(of)
		pairCounted(of)
	}
	return all
}

// pairMoved pairs what one sitemap has no more with what another one has now: the same fault of the
// same entry. of are the faults of a kind in sitemaps of which both audits would have found all. A
// fault of which the entry is not known is that of its sitemap alone.
func (s *faultSide) pairMoved(of []*faultPair) {
	var was, is faultSum
	byURL := map[string]*faultPair{}
	for _, p := range of {
		byURL[p.at.url] = p
		p.gone, p.left = was.take(p.gone)
		p.added, p.came = is.take(p.added)
	}
	_, gone, added := s.pairFaults(&was, &is)
	for _, f := range gone {
		p := byURL[f.sitemap]
		p.gone, p.left = append(p.gone, f), p.left-1
	}
	for _, f := range added {
		p := byURL[f.sitemap]
		p.added, p.came = append(p.added, f), p.came-1
	}
}

// pairCounted pairs as many as can be of the places that nobody listed in sitemaps which listed ones
// left with those in sitemaps to which such came: their entries moved, too, for all that is known.
func pairCounted(of []*faultPair) {
	left, came := make([]int, len(of)), make([]int, len(of))
	there, here := 0, 0
	for i, p := range of {
		was, is := p.unpaired()
		if p.left > 0 {
			left[i], there = was, there+was
		}
		if p.came > 0 {
			came[i], here = is, here+is
		}
	}
	there = min(there, here)
	here = there
	for i, p := range of {
		n, m := min(left[i], there), min(came[i], here)
		p.left, there = p.left+n, there-n
		p.came, here, p.counted = p.came+m, here-m, n+m > 0
	}
}

// unpaired returns how many of the places that each audit counts and does not list can be the same as
// none of the other in their sitemap.
func (p *faultPair) unpaired() (was, is int) {
	was, is = max(0, p.was.unlisted()-len(p.added)), max(0, p.is.unlisted()-len(p.gone))
	both := min(was, is)
	return was - both, is - both
}

// take adds the faults of list of which the entry is known, and returns the others and how many it
// added.
func (s *faultSum) take(list []listedFault) (others []listedFault, n int) {
	for _, f := range list {
		if f.loc == "" {
			others = append(others, f)
			continue
		}
		s.listed, n = append(s.listed, f), n+1
	}
	return others, n
}
