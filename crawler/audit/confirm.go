package audit

import (
	"context"
	"path"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/sketch"
)

// This file asks whether what was seen of an edit is steady, and the same for everybody, before it is
// written: some questions, asked once, whose answers can only keep an entry as it is.

const (
	controlsOf  = 5   // pages of a host that are asked for again before entries are dropped
	sampled     = 10  // edits of each cause and pair of hosts that are asked for again
	mostFolders = 100 // folders of a host in which a made-up sibling is requested
)

// confirmed is what the answers to these questions say. Needs are those that are missing.
type confirmed struct {
	d        *decisions
	needs    []answers.Request
	wanted   map[answers.Request]bool
	keeps    map[int]Note            // entries that are not edited, by N
	kinds    map[settled]*editSample // by what the edits of a kind have in common
	siblings map[string]*sibling     // by folder
	hosts    []host                  // by the number of their origin
}

// A host is what the answers say of a host as a whole.
type host struct {
	drops    bool // entries of it would be dropped
	controls int  // pages of it that were fine, and are asked for again
	lasts    bool // one of these is fine still
	gone     bool // one is not
	unasked  bool // of one that is not known
	unsteady Note // why nothing is dropped; "" for nothing

	folders int  // of it, that have a made-up URL
	caught  bool // one of these leads to a page
}

// An editSample is the edits of a kind that were looked at: those of one cause on one pair of hosts.
type editSample struct {
	seen    int
	differ  int  // of these, how many differ: where one does all are asked for
	unasked bool // an answer is missing: none of them is confirmed
}

// A sibling is what a made-up URL leads to that lies in the folder of an edited one.
type sibling struct {
	end  answers.Trail
	page bool // it leads to a page of another path by redirects
}

// confirm looks up what is remembered about the edits of d, which were decided without it. It returns an
// error only where the source of the audit does.
func (t *Plan) confirm(ctx context.Context, d *decisions) (*confirmed, error) {
	c := &confirmed{d: d, wanted: map[answers.Request]bool{}, keeps: map[int]Note{}, kinds: map[settled]*editSample{},
		siblings: map[string]*sibling{}, hosts: make([]host, len(t.settled.Origins))}
	if t.info.Partial {
		return c, nil
	}
	if err := c.controls(ctx); err != nil {
		return nil, err
	}
	flaps := slices.ContainsFunc(d.records, func(x settled) bool { return x.has(isBack) })
	in := map[int]*sibling{} // of the entries that redirect, by N; nil where none was asked for
	var row Row
	for e, err := range EntriesIn(ctx, t.src, 0, t.entries, &d.edits) {
		if err != nil {
			return nil, err
		}
		x := &d.records[e.N]
		kind := c.kind(x)
		kind.seen++
		if x.another() {
			in[e.N] = c.sibling(&e, x)
		}
		again := kind.seen <= sampled && (x.action != drops || x.verdictOf() == Noindex || x.verdictOf() == NotFound && flaps)
		if again || x.has(isSpelled) {
			t.judge(&row, t.mem, e)
		}
		if again {
			c.again(&row, x, kind.readers())
		}
		if x.has(isSpelled) && row.Fix.Action == Replace { // the other spelling of what it would be replaced by
			c.trail(t.rules.Second(address.Wire(row.Fix.Loc)), row.way)
		}
	}
	var differing sketch.Set // all edits of the kinds of which one differs
	for n := range d.edits.All() {
		if c.kind(&d.records[n]).differ > 0 {
			differing.Add(n)
		}
	}
	for e, err := range EntriesIn(ctx, t.src, 0, t.entries, &differing) {
		if err != nil {
			return nil, err
		}
		t.judge(&row, t.mem, e)
		c.again(&row, &d.records[e.N], bothReaders)
	}
	c.conclude(in)
	return c, t.mem.Err()
}

// conclude says what keeps each edit. If two edits of a kind, and a tenth of those that were looked at,
// differ, all of the kind are kept: the others may have been the same by chance.
// Of what would be dropped one is enough.
func (c *confirmed) conclude(in map[int]*sibling) {
	for n := range c.d.edits.All() {
		x, of := &c.d.records[n], in[n]
		switch kind := c.kind(x); {
		case c.keeps[n] != "":
		case kind.differ > 0 && x.action == drops:
			c.keeps[n] = Unsteady
		case kind.differ > 1 && 10*kind.differ >= kind.seen:
			c.keeps[n] = varies
		case kind.unasked || of != nil && of.end.End == answers.EndUnknown:
			c.keeps[n] = heldUnasked
		case x.another() && c.traps(of, x):
			c.keeps[n] = Collapsed
		}
	}
}

// traps reports whether the made-up sibling of an entry leads to a page, too. A page that needs JavaScript
// counts only if it is the target itself. A folder without a sibling, on a host with too many folders, is
// taken to be like any that leads to a page.
func (c *confirmed) traps(s *sibling, x *settled) bool {
	if s == nil {
		return c.hosts[x.from].caught
	}
	return s.page && (!s.end.Last().Hop.Page.Shell || c.d.t.settled.hash(s.end.Last().Hop.URL) == x.target)
}

// why returns what keeps an entry that would be edited; "" for nothing, and where nothing was asked
// yet.
func (c *confirmed) why(n int, x *settled) Note {
	if c == nil {
		return ""
	}
	if x.action == drops && x.own != 0 && c.hosts[x.from].unsteady != "" {
		return c.hosts[x.from].unsteady
	}
	return c.keeps[n]
}

func (c *confirmed) kind(x *settled) *editSample {
	k := settled{verdict: x.verdict, action: x.action, reasons: x.reasons, from: x.from, to: x.to}
	if c.kinds[k] == nil {
		c.kinds[k] = &editSample{}
	}
	return c.kinds[k]
}

// hop returns the answer to a question, and asks it where there is none.
func (c *confirmed) hop(r answers.Request) (answers.Hop, bool) {
	hop, ok := c.d.t.mem.Hop(r)
	if !ok {
		c.need(r)
	}
	return hop, ok
}

// trail follows a made-up URL, or another spelling, and asks for what is missing of it.
func (c *confirmed) trail(from address.Address, as answers.Purpose) answers.Trail {
	t := c.d.t.rules.Follow(c.d.t.mem, from, as)
	if t.End == answers.EndUnknown {
		c.need(t.Need)
	}
	return t
}

// need adds a question, once.
func (c *confirmed) need(r answers.Request) {
	if !c.wanted[r] {
		c.wanted[r] = true
		c.needs = append(c.needs, r)
	}
}

// controls requests once more the first pages that were fine, of each host that would lose entries. The
// host is not steady if one is no page any more or says noindex, or if none was seen.
func (c *confirmed) controls(ctx context.Context) error {
	var pages sketch.Set
	for n := range c.d.records {
		if x := &c.d.records[n]; x.action == drops && x.own != 0 {
			c.hosts[x.from].drops = true
		}
	}
	for n := range c.d.records {
		x := &c.d.records[n]
		if x.fine() && c.hosts[x.from].drops && c.hosts[x.from].controls < controlsOf && !c.d.repeated.Has(n) {
			c.hosts[x.from].controls++
			pages.Add(n)
		}
	}
	for e, err := range EntriesIn(ctx, c.d.t.src, 0, c.d.t.entries, &pages) {
		if err != nil {
			return err
		}
		h := &c.hosts[c.d.records[e.N].from]
		at, _ := e.Parse() // it was parsed before
		switch hop, ok := c.hop(e.Request(at, answers.AsProof, c.d.t.rules)); {
		case !ok:
			h.unasked = true
		case hop.Unseen():
		case answers.Is200(hop.Status) && !hop.Page.Noindex():
			h.lasts = true
		default:
			h.gone = true
		}
	}
	for i := range c.hosts {
		switch h := &c.hosts[i]; {
		case h.controls == 0:
		case h.unasked && !h.gone:
			h.unsteady = heldUnasked
		case h.gone || !h.lasts:
			h.unsteady = Unsteady
		}
	}
	return nil
}

// bothReaders are as whom an edit is asked for again: an ordinary browser that prefers another
// language, and the robot a second time.
var bothReaders = []answers.Purpose{answers.AsBrowser, answers.AsProof}

// readers returns as whom the edit that was seen last is requested: the first of a kind as both readers,
// the others as either in turn, which a small site does not notice.
func (k *editSample) readers() []answers.Purpose {
	if k.seen == 1 {
		return bothReaders
	}
	return bothReaders[k.seen%2 : k.seen%2+1]
}

// again requests an edited entry, by its row, once more. One that would be dropped is requested as the robot
// alone: a browser has requested what is not found already. That is requested here only in an audit of
// which another page was not found and came back.
func (c *confirmed) again(row *Row, x *settled, readers []answers.Purpose) {
	if x.action == drops {
		readers = bothReaders[1:]
	}
	kind := c.kind(x)
	for _, reader := range readers {
		switch same, asked := c.same(row, reader); {
		case !asked:
			kind.unasked = true
		case !same && c.keeps[row.Entry.N] == "":
			c.keeps[row.Entry.N] = varies
			kind.differ++
		}
	}
}

// same reports whether each redirect of a row leads a reader to the same address; if it has none, whether
// its page says the same. asked is false if an answer is missing. An answer that tells the reader nothing
// (403, none) is a difference only if the entry would be dropped.
func (c *confirmed) same(row *Row, reader answers.Purpose) (same, asked bool) {
	steps := row.Trail.Steps
	for i := range steps[:max(min(1, len(steps)), len(steps)-1)] { // none where the store is damaged
		first := &steps[i]
		hop, ok := c.hop(answers.Request{URL: first.Hop.URL, Purpose: reader | first.Hop.Purpose&answers.WithoutSecrets})
		if !ok {
			return false, false
		}
		at, again := address.Wire(first.Hop.URL), answers.Step{Hop: hop}
		switch unseen := again.Lead(at) == answers.EndUnseen; {
		case unseen && row.Fix.Action == Drop, !unseen && (again.Next != first.Next || answers.Is200(hop.Status) != answers.Is200(first.Hop.Status) ||
			hop.Page.Noindex() != first.Hop.Page.Noindex() || first.Next.IsZero() && hop.Page.CanonicalURL(at) != first.Hop.Page.CanonicalURL(at)):
			return false, true
		}
	}
	return true, true
}

// sibling requests a made-up URL in the folder of an entry that redirects, with the same extension, or
// slash at its end. It is nil if its host has enough of them.
func (c *confirmed) sibling(e *Entry, x *settled) *sibling {
	listed, _ := e.Parse() // it was parsed before
	folder := listed.Folder()
	s, known := c.siblings[folder]
	host := &c.hosts[x.from]
	if known || host.folders == mostFolders || c.d.t.rules.MissingPath == "" {
		return s
	}
	host.folders++
	end := path.Ext(listed.Path())
	if strings.HasSuffix(listed.Path(), "/") {
		end = "/"
	}
	s = &sibling{end: c.trail(address.Wire(folder+c.d.t.rules.MissingPath+end), e.as(answers.AsRobot))}
	last := &s.end.Last().Hop
	s.page = s.end.End == answers.EndAnswer && answers.Is200(last.Status) && !last.Page.Empty && !last.Page.SaysNotFound() &&
		slices.Contains(address.Compare(address.Wire(s.end.Steps[0].Hop.URL), address.Wire(last.URL)), address.Path)
	host.caught = host.caught || s.page
	c.siblings[strings.Clone(folder)] = s
	return s
}
