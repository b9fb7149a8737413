package probe

import (
	"context"
	"iter"
	"slices"
	"sync"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Prober finds out which spellings of an address a server accepts. It asks
// politely, as an audit does: robots.txt, pace, tries and guard are a Crawler's.
// Use it from one goroutine.
type Prober struct {
	c     *crawler.Crawler
	rules audit.Rules
	mem   *probeMemory
	most  int
}

// New returns a Prober that sends at most that many requests for an
// address and its spellings, tries and redirects included, robots.txt aside.
// What it learns is remembered in memory until it is closed.
func New(o crawler.Options, requests int) *Prober {
	mem := &probeMemory{hops: map[audit.Request]audit.Hop{}, small: map[string][]byte{}}
	return &Prober{c: crawler.New(mem, o), rules: o.Rules, mem: mem, most: requests}
}

// Close lets go of the connections.
func (p *Prober) Close() { p.c.Close() }

// A Result is how a server answered the spellings of one address.
type Result struct {
	Given    address.Address
	Trail    audit.Trail // of the given form
	Answers  []Answer    // in the order asked
	Requests int         // sent, robots.txt included
	// Again is the trail of the given form asked once more at the end, which is
	// done where another answers otherwise: Unsteady tells that it was not the
	// same, so that nothing can be said. Empty where it was not asked.
	Again    audit.Trail
	Unsteady bool
	// Findings are what was seen, in sentences without a capital and a full stop.
	Findings []string
}

// An Answer is one spelling of the given address and how it was answered.
type Answer struct {
	Names []string // what differs, in words: "( literal in the query"
	URL   address.Address
	Trail audit.Trail
	Lead  Lead
	twist *respelling // the one thing that differs, nil for several
}

// A Lead says where a spelling leads, compared with the given form.
type Lead string

// The leads. All but Same, Unseen, Forbidden and LeftOut answer otherwise.
const (
	LeadSame      Lead = "same"      // answers as the given form does
	LeadBack      Lead = "back"      // redirects back to the given form
	LeadEnd       Lead = "end"       // it is where the given form redirects to
	LeadElsewhere Lead = "elsewhere" // redirects to another address
	// a loop, too many redirects, or a redirect without a usable Location
	LeadNowhere   Lead = "nowhere"
	LeadAnswer    Lead = "answer"     // another status
	LeadPage      Lead = "other-page" // the same status, but another title
	LeadRefused   Lead = "refused"    // 401, 403, 407 or a bot challenge: refused to us
	LeadUnseen    Lead = "unseen"     // no answer, or 429 or 503
	LeadForbidden Lead = "forbidden"  // robots.txt forbids it: not asked
	LeadLeftOut   Lead = "left-out"   // not asked to its end: the requests were used up
)

// Otherwise reports whether an answer was seen that is not that of the given form.
func (l Lead) Otherwise() bool {
	switch l {
	case LeadSame, LeadUnseen, LeadForbidden, LeadLeftOut:
		return false
	}
	return true
}

// Seen reports whether the given form could be seen: only then are other
// spellings asked.
func (p *Result) Seen() bool {
	return p.Trail.End != audit.EndUnseen && p.Trail.End != audit.EndForbidden &&
		p.Trail.End != audit.EndUnknown
}

// Count returns how many spellings lead where.
func (p *Result) Count(l Lead) int {
	n := 0
	for i := range p.Answers {
		if p.Answers[i].Lead == l {
			n++
		}
	}
	return n
}

// Otherwise reports whether any spelling was seen to answer otherwise.
func (p *Result) Otherwise() bool {
	return slices.ContainsFunc(p.Answers, func(s Answer) bool { return s.Lead.Otherwise() })
}

// Respelled reports whether the same address in another encoding was seen to answer
// otherwise. Another letter case or a slash more is another address for most
// servers, so an answer that differs for those is nothing to wonder at.
func (p *Result) Respelled() bool {
	return slices.ContainsFunc(p.Answers, func(s Answer) bool {
		return s.Lead.Otherwise() && address.OnlyEncoding(address.Compare(p.Given, s.URL))
	})
}

// Probe asks for an address and for each of its spellings, and says what was
// found. A bad answer is data; the error is ctx's.
func (p *Prober) Probe(ctx context.Context, a address.Address) (*Result, error) {
	sent, left := p.c.Progress.Requests.Load(), &budget{p: p, left: p.most}
	out := &Result{Given: a}
	var err error
	if out.Trail, err = left.follow(ctx, a, audit.AsRobot); err != nil {
		return nil, err
	}
	if out.Seen() {
		reserve := min(len(out.Trail.Steps), left.left) // for the second look at the given form
		left.left -= reserve
		out.Answers = spellings(a)
		for i := range out.Answers {
			s := &out.Answers[i]
			if s.Trail, err = left.follow(ctx, s.URL, audit.AsRobot); err != nil {
				return nil, err
			}
		}
		left.left += reserve
		if err := p.settle(ctx, out, left); err != nil {
			return nil, err
		}
	}
	out.Findings = findings(out)
	out.Requests = int(p.c.Progress.Requests.Load() - sent)
	return out, nil
}

// Trail asks for an address alone, until its trail is known to its end or the requests for it are
// used up: then it ends with audit.EndUnknown. The error is ctx's.
func (p *Prober) Trail(ctx context.Context, a address.Address) (audit.Trail, error) {
	return (&budget{p: p, left: p.most}).follow(ctx, a, audit.AsRobot)
}

// settle says where each spelling leads, once it is known whether the given form
// is answered the same each time.
func (p *Prober) settle(ctx context.Context, out *Result, left *budget) error {
	if out.compare(true); !out.Otherwise() {
		return nil
	}
	var err error
	if out.Again, err = left.follow(ctx, out.Given, audit.AsProof); err != nil {
		return err
	}
	if out.Again.End == audit.EndUnknown {
		out.Again = audit.Trail{}
		return nil
	}
	titled := title(&out.Again) == title(&out.Trail)
	out.compare(titled) // a title that changes by itself says nothing
	out.Unsteady = lead(&out.Again, out.Given, out, titled) != LeadSame
	return nil
}

// A budget is how many requests may still be sent for an address.
type budget struct {
	p    *Prober
	left int
}

// follow asks until the trail of an address is known to its end, or the
// requests are used up: then it ends with audit.EndUnknown.
func (b *budget) follow(ctx context.Context, a address.Address, as audit.Purpose) (audit.Trail,
	error) {
	for {
		t := audit.Follow(b.p.mem, a, as, &b.p.rules)
		if t.End != audit.EndUnknown || b.left <= 0 {
			return t, ctx.Err()
		}
		if err := b.ask(ctx, &t); err != nil {
			return t, err
		}
	}
}

// ask asks for what a trail needs, with no more tries than are left.
func (b *budget) ask(ctx context.Context, t *audit.Trail) error {
	err := b.p.c.Ask(ctx, t.Need, b.left)
	if hop, ok := b.p.mem.Hop(t.Need); ok {
		b.left -= hop.Tries
	}
	return err
}

// probeMemory is a Store that has no entries and no file.
type probeMemory struct {
	mu    sync.Mutex
	hops  map[audit.Request]audit.Hop
	small map[string][]byte
}

// Hop implements Store.
func (m *probeMemory) Hop(r audit.Request) (audit.Hop, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.hops[r]
	return h, ok
}

// Err implements Store: what lies in memory can be read.
func (m *probeMemory) Err() error { return nil }

// Keep implements Store.
func (m *probeMemory) Keep(h audit.Hop) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hops[h.Request] = h
	return nil
}

// Entries implements Store.
func (m *probeMemory) Entries(context.Context, int, int) iter.Seq2[audit.Entry, error] {
	return func(func(audit.Entry, error) bool) {}
}

// EntryCount implements Store.
func (m *probeMemory) EntryCount() int { return 0 }

// Sitemaps implements Store.
func (m *probeMemory) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

// Put implements Store.
func (m *probeMemory) Put(key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.small[key] = value
	return nil
}

// Get implements Store.
func (m *probeMemory) Get(key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.small[key]
	return v, ok, nil
}
