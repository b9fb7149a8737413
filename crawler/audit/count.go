package audit

import (
	"context"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// count adds up the final rows. Plain ones are counted from their records, and read only where an
// export or a map needs their URLs.
func (t *evaluation) count(ctx context.Context, result *Result, joins *joining) error {
	c := counting{t: t, result: result, joins: joins}
	c.whole = joins != nil || t.expects != nil
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
	if err := c.also(ctx); err != nil {
		return err
	}
	result.Proof = result.Counts.proof()
	result.Back.Listed = result.Counts.Notes[CameBack]
	result.Causes = t.causes.List()
	result.neverGone = t.placesWithoutGone()
	return t.src.Err()
}

// counting is the state of count.
type counting struct {
	t      *evaluation
	result *Result
	joins  *joining // with reported addresses; nil without an export
	whole  bool     // plain rows are read, too
}

// rows yields the final rows of a file, without the plain ones unless all are wanted.
func (c *counting) rows(ctx context.Context, f *File) iter.Seq2[*Row, error] {
	if c.whole {
		return c.t.finals(ctx, f.Sitemap.N, c.t.brief)
	}
	s := &f.Sitemap
	return c.t.walk(c.t.entriesIn(ctx, s.First, s.First+s.Entries, c.t.rich), s.Entries, c.t.judged)
}

// earlier counts what an earlier audit took out, no sitemap lists and is fine again: no entry of any.
func (c *counting) earlier(ctx context.Context, f *File) error {
	for row, err := range c.t.finals(ctx, f.Sitemap.N, c.t.judged) {
		if err != nil {
			return err
		}
		c.result.Back.unlisted(f, row)
	}
	return nil
}

func (c *counting) file(ctx context.Context, f *File) error {
	var faults fileFaults
	plain := 0
	for n := f.Sitemap.First; n < f.Sitemap.First+f.Sitemap.Entries; n++ {
		if c.t.plain(n) && !c.t.d.repeated.Has(n) {
			plain++
		}
	}
	for row, err := range c.rows(ctx, f) {
		if err != nil {
			return err
		}
		c.joins.see(row)
		c.t.expects.see(row)
		c.t.links.see(row)
		if !c.t.plain(row.Entry.N) || c.t.d.repeated.Has(row.Entry.N) {
			faults.add(row)
			c.row(f, row)
		}
	}
	if plain > 0 {
		f.Counts.add(&Row{Verdict: OK, Status: 200, Trail: Trail{Steps: plainSteps, End: EndAnswer}, Fix: c.t.plainFix}, plain)
	}
	f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), faults.list(f.Sitemap.URL)...)
	return c.t.src.Err()
}

// row counts a row that is not plain.
func (c *counting) row(f *File, r *Row) {
	f.Counts.add(r, 1)
	c.t.causes.Add(r)
	if r.Fix.Action != Keep {
		f.Changed = !c.t.info.Partial && !f.Sitemap.Cut
	}
}

// Proof says what the corrected sitemaps are: it counts the entries that are left in them.
type Proof struct {
	Entries      int // left after removals
	Direct       int // answer 200 at once, at the URL as written
	NeedDecision int // kept, need a person
	NotChecked   int // could not be seen
	LeftOut      int // were not crawled
}

// proof says what is left of the entries that c counts.
func (c *Counts) proof() Proof {
	return Proof{Entries: c.Entries - c.Actions[Drop] - c.Actions[Merge], Direct: c.Actions[Replace] + c.Total(Fine) + c.Total(OtherSpelling),
		NeedDecision: c.Total(NeedsDecision), NotChecked: c.Total(NotChecked), LeftOut: c.Total(LeftOut)}
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
	if x := r.heldByOwner(); x != "" {
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
