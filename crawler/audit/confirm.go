package audit

import (
	"context"
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
	keeps    map[int]Note    // entries that are not edited, by N
	varies   sketch.Set      // entries that a reader is answered otherwise
	kinds    map[editKind]*editSample
	siblings map[string]*sibling // by folder
	in       []inFolder          // in the order of entries
	asked    map[uint32]int      // folders of an origin that have a sibling
	caught   map[uint32]bool     // origins of which one leads to a page
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
	differ  int  // of these, how many differ: where one does all are asked for
	unasked bool // an answer is missing: none of them is confirmed
}

// An inFolder is an entry that redirects, by N, and the made-up sibling of its folder.
type inFolder struct {
	n  int
	of *sibling
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
	c := &confirmed{t: t, d: d, wanted: map[Request]bool{}, unsteady: map[uint32]Note{}, keeps: map[int]Note{}, kinds: map[editKind]*editSample{},
		siblings: map[string]*sibling{}, asked: map[uint32]int{}, caught: map[uint32]bool{}}
	if t.info.Partial || t.info.NoFetch {
		return c, nil
	}
	if err := c.controls(ctx); err != nil {
		return nil, err
	}
	var row Row
	for e, err := range t.entriesIn(ctx, 0, len(d.records), d.edits) {
		if err != nil {
			return nil, err
		}
		x := &d.records[e.N]
		kind := c.kind(x)
		kind.seen++
		if x.redirected() {
			c.sibling(&e, x)
		}
		again := kind.seen <= sampled && (x.action != drops || x.verdictOf() == Noindex)
		if again || x.has(isSpelled) {
			t.judge(&row, t.mem, e)
		}
		if again {
			c.again(&row, x, kind.readers())
		}
		if x.has(isSpelled) {
			c.spelling(&row)
		}
	}
	for e, err := range t.entriesIn(ctx, 0, len(d.records), c.differing()) {
		if err != nil {
			return nil, err
		}
		t.judge(&row, t.mem, e)
		c.again(&row, &d.records[e.N], bothReaders)
	}
	c.conclude()
	return c, t.mem.Err()
}

// differing are the edits of the kinds of which one differs.
func (c *confirmed) differing() (all sketch.Set) {
	for n := range c.d.edits.All() {
		if c.kind(&c.d.records[n]).differ > 0 {
			all.Add(n)
		}
	}
	return all
}

// conclude says what keeps each edit. Of a kind of which two or more differ, and a tenth of them, all
// are kept: where answers are drawn by lot, others were the same by chance.
func (c *confirmed) conclude() {
	in := c.in
	for n := range c.d.edits.All() {
		x := &c.d.records[n]
		var of *sibling
		if len(in) > 0 && in[0].n == n {
			of, in = in[0].of, in[1:]
		}
		switch kind := c.kind(x); {
		case c.varies.Has(n) || kind.differ > 1 && 10*kind.differ >= kind.seen:
			c.keeps[n] = Varies
		case kind.unasked || of != nil && of.asked && of.end.End == EndUnknown:
			c.keeps[n] = HeldUnasked
		case of != nil && c.traps(of, x):
			c.keeps[n] = Collapsed
		}
	}
}

// traps reports whether the made-up sibling of an entry leads to a page, too. One that needs
// JavaScript says so for its own URL alone. Where a host has more folders than siblings were asked
// for, one that leads to a page speaks for the others.
func (c *confirmed) traps(s *sibling, x *settled) bool {
	if !s.asked {
		return c.caught[x.from]
	}
	return s.page && (!s.end.last().Hop.Page.Shell || sketch.Hash(s.end.last().Hop.URL) == x.target)
}

// why returns what keeps an entry that would be edited; "" for nothing, and where nothing was asked
// yet.
func (c *confirmed) why(n int, x *settled) Note {
	if c == nil {
		return ""
	}
	if why := c.unsteady[x.from]; why != "" && x.action == drops && x.own != 0 {
		return why
	}
	return c.keeps[n]
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
				case !answers200(hop.Status) || hop.Page.Noindex():
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

// again asks for an edited entry, by its row, again. What is dropped for its noindex is asked for as
// the robot alone; what is not found was asked for as a browser before, and is not asked for here.
func (c *confirmed) again(row *Row, x *settled, readers []Purpose) {
	if row.Verdict == Noindex {
		readers = bothReaders[1:]
	}
	kind := c.kind(x)
	for _, reader := range readers {
		switch need, same := c.same(row, reader); {
		case need != (Request{}):
			c.need(need)
			kind.unasked = true
		case !same && !c.varies.Has(row.Entry.N):
			c.varies.Add(row.Entry.N)
			kind.differ++
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
		if again.Next != first.Next || answers200(hop.Status) != answers200(first.Hop.Status) || hop.Page.Noindex() != first.Hop.Page.Noindex() ||
			first.Next.IsZero() && canonical(at, &hop.Page) != canonical(at, &first.Hop.Page) {
			return need, false
		}
	}
	return need, true
}

// spelling asks for the other spelling of the URL that an entry would be replaced by.
func (c *confirmed) spelling(row *Row) {
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
	s := c.siblings[folder]
	if s == nil {
		s = &sibling{asked: c.asked[x.from] < mostFolders && c.t.rules.MissingPath != ""}
		c.siblings[strings.Clone(folder)] = s
		if s.asked {
			c.asked[x.from]++
			s.ask(c, at, e.as(AsRobot))
		}
	}
	c.caught[x.from] = c.caught[x.from] || s.page
	c.in = append(c.in, inFolder{e.N, s})
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
