package audit

import (
	"context"

	"sitemend/crawler/address"
)

// Counts adds up rows.
type Counts struct {
	Entries  int
	Verdicts map[Verdict]int
	Reasons  map[address.Reason]int
	Notes    map[Note]int
	Actions  map[Action]int
	// Groups counts the rows of a group by verdict; merged entries stand under
	// the key "merged".
	Groups map[Group]map[string]int
	// Unseen counts unverified rows by why: "403", "429", "timeout", "dns", a
	// challenge's name, ...
	Unseen map[string]int
}

// add counts n rows that are like r.
func (c *Counts) add(r *Row, n int) {
	if c.Verdicts == nil {
		*c = Counts{Verdicts: map[Verdict]int{}, Reasons: map[address.Reason]int{}, Notes: map[Note]int{},
			Actions: map[Action]int{}, Groups: map[Group]map[string]int{}, Unseen: map[string]int{}}
	}
	c.Entries += n
	c.Verdicts[r.Verdict] += n
	for _, x := range r.Reasons {
		c.Reasons[x] += n
	}
	for _, x := range r.Notes {
		c.Notes[x] += n
	}
	group, part, action := r.Group(), string(r.Verdict), r.Fix.Action
	if group == NeedsDecision {
		action = Keep
	}
	c.Actions[action] += n
	if action == Merge {
		part = "merged"
	}
	if c.Groups[group] == nil {
		c.Groups[group] = map[string]int{}
	}
	c.Groups[group][part] += n
	if why := r.UnseenBy(); why != "" {
		c.Unseen[why] += n
	}
}

// NeedScript reports whether at least half of the entries that were crawled are pages that a
// script fills: whether those are pages or errors nobody knows, so no share of them is reported.
func (c *Counts) NeedScript() bool {
	n := c.Notes[NeedsJavaScript]
	return n > 0 && n*2 >= c.Entries-c.Total(LeftOut)
}

// Total returns how many entries are in a group.
func (c *Counts) Total(g Group) (n int) {
	for _, part := range c.Groups[g] {
		n += part
	}
	return n
}

// count adds up the final rows of a file. Uneventful ones are counted from their records, and read only where
// an export, a map or see needs their URLs.
func (t *Plan) count(ctx context.Context, result *Result, f *File, asides []aside, see func(*Row) error) error {
	s, uneventful := &f.Sitemap, f.Sitemap.Entries
	add := func(r *Row, n int) {
		f.Counts.add(r, n)
		result.Counts.add(r, n)
	}
	in := &t.eventful
	if len(asides) > 0 || see != nil {
		in = nil
	}
	for row, err := range t.rows(ctx, t.sitemaps[s.N:s.N+1], in, t.brief) {
		if err != nil {
			return err
		}
		for _, x := range asides {
			x.see(row)
		}
		if see != nil {
			if err := see(row); err != nil {
				return err
			}
		}
		t.links.see(row)
		if t.eventful.Has(row.Entry.N) {
			uneventful--
			add(row, 1)
			t.causes.Add(row)
			f.Changed = f.Changed || row.Fix.Action != Keep && !t.info.Partial
		}
	}
	if uneventful > 0 {
		add(&t.uneventful, uneventful)
	}
	return nil
}

// A Tally is how many of each thing an audit found that --fail-on can name.
type Tally struct {
	N        map[string]int // by verdict, and by the names below
	Entries  int            // of the whole audit: what a share is of
	Expected int            // old URLs of a map: what a share of the unmet ones is of
}

// What a Tally counts beside verdicts (contract, --fail-on).
const (
	TallyProblems = "problem"
	TallyAny      = "any"
	TallyFaults   = "faults"
	TallyUnmet    = "unmet"
)

// Count counts entries by verdict, places of errors in the sitemap files, sitemaps that could not be
// read to their end, and old URLs that do not lead where they should.
func (c *Tally) Count(verdicts map[Verdict]int, faults, unread, unmet int) {
	c.N = map[string]int{TallyFaults: faults, TallyUnmet: unmet, TallyAny: faults + unmet, TallyProblems: unread + unmet}
	for v, n := range verdicts {
		c.N[string(v)] = n
		if v.Facts().Problem {
			c.N[TallyProblems] += n
		}
		if v != OK && v != Skipped {
			c.N[TallyAny] += n
		}
	}
}

// Tally counts what the whole audit found.
func (t *Result) Tally() Tally {
	c := Tally{Entries: t.Counts.Entries}
	faults, unread, unmet := t.Build.Errors(), t.number(func(s *Sitemap) bool { return !s.Whole() }), 0
	if x := t.Expected; x != nil {
		c.Expected, unmet = x.Addresses, x.Unmet()
	}
	for i := range t.Files {
		for _, f := range t.Files[i].Sitemap.Faults {
			if f.Severity == severityError {
				faults += f.Places()
			}
		}
	}
	c.Count(t.Counts.Verdicts, faults, unread, unmet)
	return c
}
