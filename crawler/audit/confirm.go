package audit

import (
	"context"
	"iter"
	"path"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// This file is the one place that asks whether what was seen is steady, and the same for everybody,
// before it is written: some questions, asked once, whose answers can only keep an entry as it is.

const (
	sampled     = 10  // edits of each cause and pair of hosts that are asked for again
	mostFolders = 100 // folders of a host in which a made-up sibling is requested
)

// confirmed is what the answers to these questions say. Needs are those that are missing.
type confirmed struct {
	t        *evaluation
	d        *decisions
	needs    []Request
	wanted   map[Request]bool
	unsteady map[uint32]Note // hosts, by the number of their origin, of which nothing is dropped, and why
	differs  map[int]Note    // entries that are not edited, by N
	kinds    map[editKind]*editSample
	folders  map[string]*sibling
	asked    map[uint32]int  // folders of an origin that have a sibling
	caught   map[uint32]bool // origins of which one leads to a page
}

// An editKind is edits of one cause on one pair of hosts.
type editKind struct {
	verdict  uint8
	action   action
	reasons  uint32
	from, to uint32
}

// An editSample is the edits of a kind that were looked at.
type editSample struct {
	seen    int
	differ  int  // of these, how many differ
	all     bool // one does: all are asked for
	unasked bool // an answer is missing: none of them is confirmed
}

// A sibling is what a made-up URL leads to that lies in the folder of an edited one. The zero
// sibling is of a folder for which none was asked.
type sibling struct {
	asked bool
	end   Trail
	page  bool // it leads to a page by redirects
}

// confirm asks what is remembered about the edits of d, before a rule that depends on it was
// applied. It returns an error only where the source of the audit does.
func (t *evaluation) confirm(ctx context.Context, d *decisions) (*confirmed, error) {
	c := &confirmed{t: t, d: d, wanted: map[Request]bool{}, unsteady: map[uint32]Note{}, differs: map[int]Note{}, kinds: map[editKind]*editSample{},
		folders: map[string]*sibling{}, asked: map[uint32]int{}, caught: map[uint32]bool{}}
	if t.info.Partial || t.info.NoFetch {
		return c, nil
	}
	if err := c.controls(ctx); err != nil {
		return nil, err
	}
	var row Row
	for e, err := range c.edits(ctx) {
		if err != nil {
			return nil, err
		}
		x := &d.records[e.N]
		kind := c.kind(x)
		kind.seen++
		if x.redirected() {
			c.sibling(&e, x)
		}
		if kind.seen <= sampled {
			c.again(&row, e, x, kind.readers())
		}
		if x.has(isSpelled) {
			c.spelling(&row, e)
		}
	}
	for e, err := range c.edits(ctx) {
		if err != nil {
			return nil, err
		}
		x := &d.records[e.N]
		kind := c.kind(x)
		if kind.all {
			c.again(&row, e, x, bothReaders)
		}
		if kind.unasked && c.differs[e.N] == "" {
			c.differs[e.N] = HeldUnasked
		}
		if x.redirected() {
			c.trap(&e, x)
		}
	}
	c.byLot()
	return c, t.mem.Err()
}

// byLot keeps all edits of a kind of which two or more differ, and a tenth of them: where answers are
// drawn by lot, others were the same by chance.
func (c *confirmed) byLot() {
	for n := range c.differs {
		if c.differs[n] == Varies {
			c.kind(&c.d.records[n]).differ++
		}
	}
	for n := range c.d.records {
		if x := &c.d.records[n]; c.d.edits.Has(n) && c.kind(x).differ > 1 && 10*c.kind(x).differ >= c.kind(x).seen {
			c.differs[n] = Varies
		}
	}
}

// edits yields the entries that would be edited.
func (c *confirmed) edits(ctx context.Context) iter.Seq2[Entry, error] {
	return c.t.entriesIn(ctx, 0, len(c.d.records), c.d.edits)
}

func (c *confirmed) kind(x *settled) *editSample {
	k := editKind{x.verdict, x.action, x.reasons, x.from, x.to}
	if c.kinds[k] == nil {
		c.kinds[k] = &editSample{}
	}
	return c.kinds[k]
}

// need adds a question, once.
func (c *confirmed) need(r Request) {
	if !c.wanted[r] {
		c.wanted[r] = true
		c.needs = append(c.needs, r)
	}
}

// controls asks again for pages that were fine, of each host of which entries would be dropped. One
// that is no page any more, or says noindex, shows that the host is not steady.
func (c *confirmed) controls(ctx context.Context) error {
	for origin, pages := range c.t.settled.controls() {
		seen := 0
		for _, n := range pages {
			for e, err := range c.t.src.Entries(ctx, n, n+1) {
				if err != nil {
					return err
				}
				req, _ := e.Control(c.t.rules)
				hop, ok := c.t.mem.Hop(req)
				switch {
				case !ok:
					c.need(req)
					c.unsteady[origin] = HeldUnasked
				case unseen(&hop):
				case !answers200(hop.Status) || noindex(&hop):
					c.unsteady[origin] = Unsteady
					seen++
				default:
					seen++
				}
			}
		}
		if _, known := c.unsteady[origin]; !known && seen == 0 {
			c.unsteady[origin] = Unsteady
		}
	}
	return nil
}

// Control is the second request for an entry that was fine; ok is false of one that is no URL.
func (e *Entry) Control(rules *Rules) (r Request, ok bool) {
	at, err := e.Parse()
	return e.Request(at, AsProof, rules), err == nil
}

// bothReaders are as whom an edit is asked for again: an ordinary browser that prefers another
// language, and the robot a second time.
var bothReaders = []Purpose{AsBrowser, AsProof}

// readers returns as whom the edit that was seen last is asked for: the first of a kind as both
// readers, the others in turn. That keeps what is asked on top below what a small site notices.
func (k *editSample) readers() []Purpose {
	if k.seen == 1 {
		return bothReaders
	}
	return bothReaders[k.seen%2 : k.seen%2+1]
}

// again asks for an edited entry again. What is dropped for its noindex is asked for as the robot;
// what is not found was asked for as a browser before.
func (c *confirmed) again(row *Row, e Entry, x *settled, readers []Purpose) {
	switch v := x.verdictOf(); {
	case v == Noindex:
		readers = bothReaders[1:]
	case x.action == drops:
		return
	}
	c.t.judge(row, c.t.mem, e)
	for _, reader := range readers {
		switch need, same := c.same(row, reader); {
		case need != (Request{}):
			c.need(need)
			c.kind(x).unasked = true
		case !same:
			c.differs[e.N], c.kind(x).all = Varies, true
		}
	}
}

// same reports whether a reader is led from an entry where its row is, as far as its last redirect; of
// one that does not redirect, whether its page says the same. need is the answer that is missing.
// What the reader is not told (403, no answer) is no difference.
func (c *confirmed) same(row *Row, reader Purpose) (need Request, same bool) {
	steps := row.Trail.Steps
	for i := range steps[:max(1, len(steps)-1)] {
		first := &steps[i]
		r := Request{URL: first.Hop.URL, Purpose: reader | first.Hop.Purpose&WithoutSecrets}
		hop, ok := c.t.mem.Hop(r)
		if !ok {
			return r, true
		}
		at, again := address.Wire(r.URL), Step{Hop: hop}
		end := again.lead(at)
		if end == EndUnseen {
			continue
		}
		if again.Next != first.Next || answers200(hop.Status) != answers200(first.Hop.Status) || noindex(&hop) != noindex(&first.Hop) ||
			first.Next.IsZero() && canonical(at, &hop.Page) != canonical(at, &first.Hop.Page) {
			return need, false
		}
	}
	return need, true
}

// spelling asks for the other spelling of the URL that an entry would be replaced by.
func (c *confirmed) spelling(row *Row, e Entry) {
	c.t.judge(row, c.t.mem, e)
	if row.Fix.Action != Replace {
		return
	}
	other := c.t.rules.Second(address.Wire(row.Fix.Loc))
	if end := Follow(c.t.mem, other, way(row.withheld), c.t.rules); end.End == EndUnknown {
		c.need(end.Need)
	}
}

// redirected reports whether an entry redirects to what may be another page.
func (x *settled) redirected() bool {
	return x.action == replaces && x.has(isAnother) && !x.has(isCanonical)
}

// sibling asks for a made-up URL in the folder of an entry that redirects.
func (c *confirmed) sibling(e *Entry, x *settled) {
	at, _ := e.Parse() // it was parsed before
	folder := folderOf(at)
	s := c.folders[folder]
	if s == nil {
		s = &sibling{asked: c.asked[x.from] < mostFolders && c.t.rules.MissingPath != ""}
		c.folders[strings.Clone(folder)] = s
		if s.asked {
			c.asked[x.from]++
			s.ask(c, at, e.as(AsRobot))
		}
	}
	c.caught[x.from] = c.caught[x.from] || s.page
}

// ask follows a made-up URL beside one that is listed: with the same extension, or slash at its end.
func (s *sibling) ask(c *confirmed, listed address.Address, as Purpose) {
	made := c.t.rules.MissingPath + path.Ext(listed.Path())
	if strings.HasSuffix(listed.Path(), "/") {
		made = c.t.rules.MissingPath + "/"
	}
	s.end = Follow(c.t.mem, address.Wire(folderOf(listed)+made), as, c.t.rules)
	if s.end.End == EndUnknown {
		c.need(s.end.Need)
		return
	}
	page := &s.end.last().Hop.Page
	s.page = s.end.End == EndAnswer && s.end.Redirects() > 0 && answers200(s.end.last().Hop.Status) && !page.Empty && !page.saysNotFound()
}

// folderOf is a URL up to the slash before its last segment; a slash behind that does not count.
func folderOf(a address.Address) string {
	bare := strings.TrimSuffix(a.Path(), "/")
	return a.Origin() + bare[:max(0, strings.LastIndexByte(bare, '/'))] + "/"
}

// trap keeps an entry where a made-up sibling leads to a page, too. One that needs JavaScript says
// so for its own URL alone. Where a host has more folders than siblings were asked for, one that
// leads to a page speaks for the others.
func (c *confirmed) trap(e *Entry, x *settled) {
	at, _ := e.Parse() // it was parsed before
	s := c.folders[folderOf(at)]
	switch {
	case c.differs[e.N] != "":
	case s.asked && s.end.End == EndUnknown:
		c.differs[e.N] = HeldUnasked
	case s.page && (!s.end.last().Hop.Page.Shell || sketch.Hash(s.end.last().Hop.URL) == x.target), !s.asked && c.caught[x.from]:
		c.differs[e.N] = Collapsed
	}
}

// failed returns what keeps an entry of those that would be edited.
func (c *confirmed) failed(n int, x *settled) []Note {
	var rules []Note
	if why, is := c.unsteady[x.from]; is && x.action == drops && x.own != 0 {
		rules = append(rules, why)
	}
	if why := c.differs[n]; why != "" {
		rules = append(rules, why)
	}
	return rules
}
