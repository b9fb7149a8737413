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

// A Prober finds out which spellings of an address a server accepts. It respects robots.txt, pace,
// attempts and guard like an audit, since it sends its requests through a Crawler. It is not safe
// for concurrent use.
type Prober struct {
	c     *crawler.Crawler
	rules audit.Rules
	mem   *probeMemory
	most  int
}

// New returns a Prober that sends at most requests requests for an address and its spellings,
// including retries and redirects, without those for robots.txt. It remembers answers in memory
// until it is closed.
func New(o crawler.Options, requests int) *Prober {
	mem := new(probeMemory)
	return &Prober{c: crawler.New(mem, o), rules: o.Rules, mem: mem, most: requests}
}

// Close closes the connections.
func (p *Prober) Close() { p.c.Close() }

// A Result is the answers of a server to the spellings of one address.
type Result struct {
	Given    address.Address
	Trail    audit.Trail // the redirect chain of the given form
	Answers  []Answer    // in the order of the requests
	Requests int         // that were sent, robots.txt included
	// Again is the redirect chain of a second request for the given form at the end, which is sent
	// where another spelling has another answer; otherwise it is empty. Unsteady is set where it
	// differs from Trail, so that the comparison proves nothing.
	Again    audit.Trail
	Unsteady bool
	// Findings are the results in sentences without a capital letter and a full stop.
	Findings []string
}

// An Answer is one spelling of the given address with its answer.
type Answer struct {
	Names []string // what differs, in words: "( literal in the query"
	URL   address.Address
	Trail audit.Trail
	Lead  Lead
}

// A Lead is where a spelling leads, compared with the given form.
type Lead string

// The leads. All but Same, Unseen, Forbidden and LeftOut are different answers.
const (
	LeadSame      Lead = "same"      // has the same answer as the given form
	LeadBack      Lead = "back"      // redirects back to the given form
	LeadEnd       Lead = "end"       // is the address that the given form redirects to
	LeadElsewhere Lead = "elsewhere" // redirects to another address
	// a loop, too many redirects, or a redirect without a usable Location
	LeadNowhere   Lead = "nowhere"
	LeadAnswer    Lead = "answer"     // another status
	LeadPage      Lead = "other-page" // the same status, but another title
	LeadRefused   Lead = "refused"    // 401, 403, 407 or a bot challenge: this client was refused
	LeadUnseen    Lead = "unseen"     // no answer, or 429 or 503
	LeadForbidden Lead = "forbidden"  // robots.txt forbids it: not requested
	LeadLeftOut   Lead = "left-out"   // not requested to its end: the requests were used up
)

// Otherwise reports whether an answer was seen that differs from that of the given form.
func (l Lead) Otherwise() bool {
	switch l {
	case LeadSame, LeadUnseen, LeadForbidden, LeadLeftOut:
		return false
	}
	return true
}

// Seen reports whether the answer to the given form could be seen: only then are other spellings
// requested.
func (p *Result) Seen() bool {
	return p.Trail.End != audit.EndUnseen && p.Trail.End != audit.EndForbidden &&
		p.Trail.End != audit.EndUnknown
}

// Count returns how many spellings have the lead l.
func (p *Result) Count(l Lead) int {
	n := 0
	for i := range p.Answers {
		if p.Answers[i].Lead == l {
			n++
		}
	}
	return n
}

// Otherwise reports whether any spelling was seen to have a different answer.
func (p *Result) Otherwise() bool {
	return slices.ContainsFunc(p.Answers, func(s Answer) bool { return s.Lead.Otherwise() })
}

// Respelled reports whether the same address in another encoding was seen to have a different
// answer. Another letter case or an additional slash is a different address for most servers, so
// that a different answer to those is normal.
func (p *Result) Respelled() bool {
	return slices.ContainsFunc(p.Answers, func(s Answer) bool {
		return s.Lead.Otherwise() && address.OnlyEncoding(address.Compare(p.Given, s.URL))
	})
}

// Probe requests an address and each of its spellings, and describes what it found. A bad answer is
// data; the only error is that of ctx.
func (p *Prober) Probe(ctx context.Context, a address.Address) (*Result, error) {
	sent, left := p.c.Progress.Requests.Load(), &budget{p: p, left: p.most}
	out := &Result{Given: a}
	var err error
	if out.Trail, err = left.follow(ctx, a, audit.AsRobot); err != nil {
		return nil, err
	}
	if out.Seen() {
		reserve := min(len(out.Trail.Steps), left.left) // for the second request of the given form
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

// Trail returns the redirect chain of an address alone, up to its end or until the requests are
// used up; then it ends with audit.EndUnknown. The only error is that of ctx.
func (p *Prober) Trail(ctx context.Context, a address.Address) (audit.Trail, error) {
	return (&budget{p: p, left: p.most}).follow(ctx, a, audit.AsRobot)
}

// settle sets where each spelling leads, after it has checked whether the given form has the same
// answer each time.
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
	out.compare(titled) // a title that changes by itself means nothing
	out.Unsteady = lead(&out.Again, out.Given, out, titled) != LeadSame
	return nil
}

// A budget is the number of requests that may still be sent for an address.
type budget struct {
	p    *Prober
	left int
}

// follow returns the redirect chain of an address, up to its end or until the requests are used up;
// then it ends with audit.EndUnknown.
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

// ask sends the requests that a chain needs, with no more attempts than are left.
func (b *budget) ask(ctx context.Context, t *audit.Trail) error {
	err := b.p.c.Ask(ctx, t.Need, b.left)
	if hop, ok := b.p.mem.Hop(t.Need); ok {
		b.left -= hop.Tries
	}
	return err
}

// probeMemory is a Store in memory without entries and files.
type probeMemory struct{ hops, small sync.Map }

// Hop implements Store.
func (m *probeMemory) Hop(r audit.Request) (audit.Hop, bool) {
	h, ok := m.hops.Load(r)
	hop, _ := h.(audit.Hop)
	return hop, ok
}

// Err implements Store. It returns nil: memory can always be read.
func (m *probeMemory) Err() error { return nil }

// Keep implements Store.
func (m *probeMemory) Keep(h audit.Hop) error {
	m.hops.Store(h.Request, h)
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
	m.small.Store(key, value)
	return nil
}

// Get implements Store.
func (m *probeMemory) Get(key string) ([]byte, bool, error) {
	v, ok := m.small.Load(key)
	value, _ := v.([]byte)
	return value, ok, nil
}
