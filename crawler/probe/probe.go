// Package probe finds out which spellings of one address a server accepts: it requests each of them
// as an audit would, and says where each leads. Like an audit it uses a Crawler, with a store in memory.
package probe

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
	left  int // requests that may still be sent for the address
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
	Trail    answers.Trail // the redirect chain of the given form
	Answers  []Answer      // in the order of the requests
	Requests int           // that were sent, robots.txt included
	// Unsteady is set where the given form, requested again at the end because another spelling has
	// another answer, has another one, too: then the comparison proves nothing.
	Unsteady bool
}

// An Answer is one spelling of the given address with its answer.
type Answer struct {
	Names []string // what differs, in words: "( literal in the query"
	URL   address.Address
	Trail answers.Trail
	Lead  Lead
}

// A Lead is where a spelling leads, compared with the given form, in words.
type Lead string

// The leads.
const (
	LeadSame      Lead = "the same"
	LeadBack      Lead = "back to the given form"
	LeadEnd       Lead = "it is where the given form leads"
	LeadElsewhere Lead = "elsewhere"
	LeadNowhere   Lead = "nowhere: redirected without an end"
	LeadAnswer    Lead = "another answer" // another status
	LeadPage      Lead = "another title"  // the same status
	// no answer, or one that says nothing about Googlebot: 401, 403, 407, 429, 503, a bot challenge
	LeadUnseen    Lead = "could not be seen"
	LeadForbidden Lead = "not requested: robots.txt"
	LeadLeftOut   Lead = "left out: requests used up" // not requested to its end
)

// Known reports whether an answer was seen.
func (l Lead) Known() bool { return l != LeadUnseen && l != LeadForbidden && l != LeadLeftOut }

// Seen reports whether the answer to the given form could be seen: only then are other spellings
// requested.
func (p *Result) Seen() bool {
	return p.Trail.End != answers.EndUnseen && p.Trail.End != answers.EndForbidden &&
		p.Trail.End != answers.EndUnknown
}

// Respelled reports whether the same address in another encoding was seen to have a different
// answer. Another letter case or an additional slash is a different address for most servers, so
// that a different answer to those is normal.
func (p *Result) Respelled() bool {
	return slices.ContainsFunc(p.Answers, func(s Answer) bool {
		return s.Lead.Known() && s.Lead != LeadSame && address.OnlyEncoding(address.Compare(p.Given, s.URL))
	})
}

// Probe requests an address and each of its spellings. A bad answer is data; the only error is that of
// ctx.
func (p *Prober) Probe(ctx context.Context, a address.Address) (*Result, error) {
	sent := p.c.Progress.Requests.Load()
	out := &Result{Given: a}
	var err error
	if out.Trail, err = p.Trail(ctx, a); err != nil {
		return nil, err
	}
	if out.Seen() {
		reserve := min(len(out.Trail.Steps), p.left) // for the second request of the given form
		p.left -= reserve
		out.Answers = Spellings(a)
		for i := range out.Answers {
			s := &out.Answers[i]
			if s.Trail, err = p.follow(ctx, s.URL, answers.AsRobot); err != nil {
				return nil, err
			}
		}
		p.left += reserve
		if err := p.settle(ctx, out); err != nil {
			return nil, err
		}
	}
	out.Requests = int(p.c.Progress.Requests.Load() - sent)
	return out, nil
}

// settle sets where each spelling leads, after it has checked whether the given form has the same
// answer each time.
func (p *Prober) settle(ctx context.Context, out *Result) error {
	if out.compare(true) {
		return nil
	}
	again, err := p.follow(ctx, out.Given, answers.AsProof)
	if err != nil || again.End == answers.EndUnknown {
		return err
	}
	titled := title(&again) == title(&out.Trail)
	out.compare(titled) // a title that changes by itself means nothing
	out.Unsteady = out.lead(&again, out.Given, titled) != LeadSame
	return nil
}

// compare sets where each spelling leads, and reports whether all of them lead where the given form
// does. titled reports whether another title means another page.
func (p *Result) compare(titled bool) (alike bool) {
	alike = true
	for i := range p.Answers {
		s := &p.Answers[i]
		s.Lead = p.lead(&s.Trail, s.URL, titled)
		alike = alike && (s.Lead == LeadSame || !s.Lead.Known())
	}
	return alike
}

// lead returns where the redirect chain t, which begins at url, leads in comparison with the given
// form.
func (p *Result) lead(t *answers.Trail, url address.Address, titled bool) Lead {
	given, first := &p.Trail, firstHop(t)
	sameFirst := first.Status == firstHop(given).Status
	moved := len(t.Steps) > 1
	switch hidden := t.End == answers.EndForbidden || t.End == answers.EndUnseen; {
	case t.End == answers.EndUnknown:
		return LeadLeftOut
	case moved && hidden:
		return LeadElsewhere
	case hidden && first.Fault == answers.FaultForbidden:
		return LeadForbidden
	case hidden:
		return LeadUnseen
	case t.End != answers.EndAnswer && t.End == given.End && sameFirst:
		return LeadSame
	case t.End != answers.EndAnswer:
		return LeadNowhere
	case moved && final(t) == p.Given:
		return LeadBack
	case moved && final(t) == final(given) && sameFirst:
		return LeadSame
	case moved:
		return LeadElsewhere
	case given.End == answers.EndAnswer && len(given.Steps) > 1 && url == final(given):
		return LeadEnd
	case given.End != answers.EndAnswer || len(given.Steps) > 1 || !sameFirst:
		return LeadAnswer
	case titled && first.Status == 200 && title(t) != title(given):
		return LeadPage
	}
	return LeadSame
}

// final returns the last address of a chain; the zero Address for an empty one.
func final(t *answers.Trail) address.Address { return address.Wire(t.Last().Hop.URL) }

func title(t *answers.Trail) string { return t.Last().Hop.Page.Title }

// firstHop returns the first answer of a chain; an empty one for an empty chain.
func firstHop(t *answers.Trail) *answers.Hop {
	if len(t.Steps) == 0 {
		return &answers.Hop{}
	}
	return &t.Steps[0].Hop
}

// Statuses returns every answer of a chain: "301, 404", "robots.txt"; of a loop once around it.
func Statuses(t *answers.Trail) string {
	var said []string
	for i := range t.Steps {
		switch h := &t.Steps[i].Hop; h.Fault {
		case "":
			said = append(said, strings.TrimSpace(strconv.Itoa(h.Status)+" "+h.Challenge))
		case answers.FaultForbidden:
			said = append(said, "robots.txt")
		default:
			said = append(said, string(h.Fault))
		}
	}
	switch t.End {
	case answers.EndLoop:
		said = append(said[:1], "loop")
	case answers.EndTooMany:
		said = append(said[:1], "too many redirects")
	}
	return strings.Join(said, ", ")
}

// WhyUnseen returns why nothing could be learned about the first address of a chain.
func WhyUnseen(t *answers.Trail) string {
	switch h := firstHop(t); {
	case h.Fault == answers.FaultRobots:
		return "its robots.txt did not answer: " + h.Detail
	case h.Fault == answers.FaultRobotsAddress:
		return h.Fault.Words() + ": " + h.Detail
	case h.Fault != "" && h.Fault != answers.FaultForbidden:
		return h.Fault.Words()
	}
	return Statuses(t)
}

// Trail returns the redirect chain of an address alone, up to its end or until the requests are
// used up; then it ends with answers.EndUnknown. The only error is that of ctx.
func (p *Prober) Trail(ctx context.Context, a address.Address) (answers.Trail, error) {
	p.left = p.most
	return p.follow(ctx, a, answers.AsRobot)
}

// follow is Trail with the requests that are left, each of which has no more attempts than that.
func (p *Prober) follow(ctx context.Context, a address.Address, as answers.Purpose) (answers.Trail, error) {
	for {
		t := p.rules.Follow(p.mem, a, as)
		if t.End != answers.EndUnknown || p.left <= 0 {
			return t, ctx.Err()
		}
		if err := p.c.Ask(ctx, []answers.Request{t.Need}, p.left); err != nil {
			return t, err
		}
		if hop, ok := p.mem.Hop(t.Need); ok {
			p.left -= hop.Tries
		}
	}
}

// probeMemory is a Store in memory of answers and small records alone: a Prober has no entries.
type probeMemory struct {
	crawler.Store
	hops, small sync.Map
}

// Hop implements Store.
func (m *probeMemory) Hop(r answers.Request) (answers.Hop, bool) {
	h, ok := m.hops.Load(r)
	hop, _ := h.(answers.Hop)
	return hop, ok
}

// Err implements Store. It returns nil: memory can always be read.
func (m *probeMemory) Err() error { return nil }

// Keep implements Store.
func (m *probeMemory) Keep(h answers.Hop) error {
	m.hops.Store(h.Request, h)
	return nil
}

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
