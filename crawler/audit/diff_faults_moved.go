package audit

// A faultPair is the faults of a kind that two audits have in a sitemap.
type faultPair struct {
	at          faultAt
	was, is     *faultSum
	both        int           // how many listed ones both audits have
	gone, added []listedFault // those that one audit alone lists
	// left is how many listed ones of the older audit the newer one has in other sitemaps, came how
	// many of the newer one the older one has in others.
	left, came int
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
