package audit

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// counting is the last walk of Evaluate: the final rows, added up.
type counting struct {
	t         *evaluation
	result    *Result
	spellings Spellings
	joins     *joining           // with reported addresses; nil without an export
	places    map[missingAt]bool // seen by seeNowhere
	proof     *proving
	merged    int        // of maxMergedAgain
	watch     *observing // nil for nobody
	links     bool
}

func (t *evaluation) count(ctx context.Context, result *Result, joins *joining, watch *observing) error {
	c := counting{t: t, result: result, joins: joins, watch: watch, places: map[missingAt]bool{}, proof: newProving(t)}
	result.assets, c.links = t.also.assets(), t.also.links
	for i := range result.Files {
		f := &result.Files[i]
		if f.Earlier() {
			if err := c.earlier(ctx, f); err != nil {
				return err
			}
			continue
		}
		if err := c.file(ctx, f); err != nil {
			return err
		}
		result.Counts.merge(&f.Counts)
	}
	if err := t.settle(ctx); err != nil {
		return err
	}
	if err := c.also(ctx); err != nil {
		return err
	}
	result.Back.Listed = result.Counts.Notes[CameBack]
	result.Causes, result.found = t.causes.List(), &t.causes
	result.Spellings = c.spellings.List()
	result.indexCauses()
	result.proving = c.proof
	var err error
	result.Proof, err = c.proof.result()
	return err
}

// earlier takes note of what an earlier audit took out, no sitemap lists and is fine
// again, or says noindex and may be linked still: no entry of any.
func (c *counting) earlier(ctx context.Context, f *File) error {
	for row, err := range c.t.finals(ctx, f.Sitemap.N, c.t.judged) {
		if err != nil {
			return err
		}
		c.result.Back.unlisted(f, row)
	}
	if !c.links {
		return nil
	}
	for row, err := range c.t.walkFile(ctx, f.Sitemap.N, c.t.judged) {
		if err != nil {
			return err
		}
		if row.linkFix().Verdict == Noindex { // links that stayed then are at fault still
			if n, known := c.t.linked.At(linkedKey("", row.Address)); !known {
				*n = uint32(row.Entry.N)
			}
		}
	}
	return c.t.src.Err()
}

func (c *counting) file(ctx context.Context, f *File) error {
	var faults fileFaults
	var plain Row // the last of them
	plains := 0
	for row, err := range c.t.finals(ctx, f.Sitemap.N, c.t.brief) {
		if err != nil {
			return err
		}
		c.spellings.Add(row)
		c.joins.see(row)
		c.t.expects.see(row)
		c.t.labels.list(row)
		c.result.neverGone = c.t.seeMissing(row, c.places, c.result.neverGone)
		cause := 0
		if row.isPlain() {
			plain = *row
			plain.Trail.Steps = plainSteps
			plains++
		} else {
			faults.add(row)
			cause = c.row(f, row)
		}
		if c.watch != nil && f.Sitemap.Listed() {
			if err := c.watch.row(row, cause); err != nil {
				return err
			}
		}
	}
	if plains > 0 {
		f.Counts.add(&plain, plains)
		c.proof.fine(plains)
	}
	f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), faults.list(f.Sitemap.URL, f.Sitemap.Entries)...)
	return nil
}

// row counts a row that is not plain, and returns the number of its cause.
func (c *counting) row(f *File, r *Row) (cause int) {
	f.Counts.add(r, 1)
	cause = c.t.causes.Add(r)
	c.proof.add(r)
	switch {
	case r.Fix.Action == Drop && r.Verdict != Invalid || r.Entry.Earlier && !r.Has(CameBack):
		c.t.out.Add(r.Entry.N)
	case r.mergedAway() && c.merged < maxMergedAgain:
		c.merged++
		c.t.out.Add(r.Entry.N)
	}
	if r.Fix.Action == Replace {
		c.result.replaces(r)
	}
	if r.Fix.Action != Keep {
		f.Changed = !c.t.info.Partial && !f.Sitemap.Cut
	}
	if c.links {
		c.link(r)
	}
	return cause
}

// link takes note of what becomes of the links that name r's address: of several entries the last
// one decides, but for one that stays because its element has more than the one it would be merged
// into, whose set names it and would lack its own page, and for one that is not found and stays, as
// where the brake holds: a link is taken out where no sitemap lists its address any more.
func (c *counting) link(r *Row) {
	stays, fix := r.Fix.Action == Keep && (r.Has(MergeWouldLose) || r.Verdict == NotFound), r.linkFix()
	if !stays && fix.Verdict == "" {
		return
	}
	if fix.Action == Relink {
		c.t.labels.want(fix.Loc)
	}
	switch n, known := c.t.linked.At(linkedKey("", r.Address)); {
	case stays:
		*n = linkStays
	case !known || *n != linkStays:
		*n = uint32(r.Entry.N)
	}
}

// add counts n rows that are like r.
func (c *Counts) add(r *Row, n int) {
	if c.Verdicts == nil {
		c.begin()
	}
	c.Entries += n
	c.Verdicts[r.Verdict] += n
	for _, x := range r.Reasons {
		c.Reasons[x] += n
	}
	for _, x := range r.Notes {
		c.Notes[x] += n
	}
	for _, x := range r.heldByOwner() {
		c.Liftable[x] += n
	}
	c.Actions[r.Fix.Action] += n
	group, part := r.Group(), string(r.Verdict)
	if r.Fix.Action == Merge {
		part = "merged"
	}
	c.part(group, part, n)
	if r.onceGone() {
		c.Again += n
	}
	if r.Filtered() {
		c.Filtered += n
	}
	if r.Unrequested() {
		c.Unrequested += n
	}
	if r.Verdict == Unverified {
		c.Unseen[r.unseenBy()] += n
	}
}

func (c *Counts) begin() {
	*c = Counts{Verdicts: map[Verdict]int{}, Reasons: map[address.Reason]int{}, Notes: map[Note]int{}, Liftable: map[Note]int{},
		Actions: map[Action]int{}, Groups: map[Group]map[string]int{}, Unseen: map[string]int{}}
}

func (c *Counts) part(g Group, name string, n int) {
	if c.Groups[g] == nil {
		c.Groups[g] = map[string]int{}
	}
	c.Groups[g][name] += n
}

// merge adds what another has counted.
func (c *Counts) merge(o *Counts) {
	if o.Entries == 0 {
		return
	}
	if c.Verdicts == nil {
		c.begin()
	}
	c.Entries += o.Entries
	c.Again += o.Again
	c.Filtered += o.Filtered
	c.Unrequested += o.Unrequested
	addAll(c.Verdicts, o.Verdicts)
	addAll(c.Reasons, o.Reasons)
	addAll(c.Notes, o.Notes)
	addAll(c.Liftable, o.Liftable)
	addAll(c.Actions, o.Actions)
	addAll(c.Unseen, o.Unseen)
	for g, parts := range o.Groups {
		for name, n := range parts {
			c.part(g, name, n)
		}
	}
}

func addAll[K comparable](into, from map[K]int) {
	for k, n := range from {
		into[k] += n
	}
}

// unseenBy says in a word why an unverified row could not be seen.
func (r *Row) unseenBy() string {
	last := &r.Trail.last().Hop
	switch {
	case r.unsure != "":
		return string(r.unsure)
	case r.Has(Unsteady):
		return string(Unsteady)
	case last.Challenge != "":
		return last.Challenge
	case last.Fault == FaultAddress && r.Trail.Redirects() > 0 && isPrivate(address.Wire(last.URL)):
		return string(FaultPrivate)
	case last.Fault != "":
		return stoppedBy(last)
	}
	return fmt.Sprint(last.Status)
}

// isPrivate reports whether the host of a is a private, loopback or link-local address itself
// (RFC 1918, 4193, 3927), which nobody outside its network reaches. A name may lead elsewhere for
// others: it never is.
func isPrivate(a address.Address) bool {
	ip, err := netip.ParseAddr(strings.Trim(a.Host(), "[]"))
	ip = ip.Unmap()
	return err == nil && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast())
}
